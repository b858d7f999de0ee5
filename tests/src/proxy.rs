//! A man in the middle: passes requests on to the registry and changes answers as a rule says.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "tests")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What becomes of an answer.
pub enum Lie {
    /// It is passed on.
    Pass,
    /// Another request is made in its place.
    Ask(String),
    /// The body becomes this, with its right length.
    Body(Vec<u8>),
    /// Fewer bytes come than are announced.
    Cut,
    /// It goes on for ever, in chunks.
    Endless,
    /// The client is sent elsewhere.
    Redirect(String),
    /// There is no such thing.
    Missing,
}

/// The rule: the path of a request, and the body of the registry's answer to it.
pub type Rule = dyn Fn(&str, &[u8]) -> Lie + Send + Sync;

/// A listening proxy. It takes no more connections when this value goes.
pub struct Proxy {
    /// Where it listens.
    pub url: String,
    end: Arc<AtomicBool>,
}

impl Proxy {
    /// Listens in front of the registry at `behind` (`http://…`).
    pub fn before(behind: &str, rule: Box<Rule>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (end, behind) = (Arc::new(AtomicBool::new(false)), behind.strip_prefix("http://").unwrap().to_owned());
        let (rule, over): (Arc<Rule>, _) = (rule.into(), end.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (rule, behind) = (rule.clone(), behind.clone());
                // A client that goes away is no fault of the proxy.
                std::thread::spawn(move || stream.map_or(Ok(()), |stream| handle(stream, &behind, &*rule)));
            }
        });
        Self { url, end }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.strip_prefix("http://").unwrap_or_default());
    }
}

/// One request on one connection.
fn handle(mut client: TcpStream, behind: &str, rule: &Rule) -> std::io::Result<()> {
    let head = head(&mut client)?;
    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut sent = vec![0; length.unwrap_or(0)];
    client.read_exact(&mut sent)?;
    let (status, headers, body) = ask(behind, &head, &sent)?;
    let answer = |client: &mut TcpStream, headers: &str, length: usize, body: &[u8]| {
        write!(client, "{status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n")?;
        client.write_all(body)
    };
    match rule(&path, &body) {
        Lie::Pass => answer(&mut client, &headers, body.len(), &body),
        Lie::Ask(other) => {
            let (_, _, body) = ask(behind, &head.replacen(&path, &other, 1), &sent)?;
            answer(&mut client, &headers, body.len(), &body)
        }
        Lie::Body(body) => {
            // Also where the registry has nothing of the kind; a part of a file stays a part.
            let status = if status.starts_with("HTTP/1.1 2") { &*status } else { "HTTP/1.1 200 OK" };
            write!(client, "{status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
            client.write_all(&body)
        }
        Lie::Cut => answer(&mut client, &headers, body.len(), &body[..body.len() / 2]),
        Lie::Endless => {
            write!(client, "{status}\r\n{headers}transfer-encoding: chunked\r\nconnection: close\r\n\r\n")?;
            let chunk = [b"10000\r\n".as_slice(), &vec![b'{'; 0x10000], b"\r\n"].concat();
            loop {
                client.write_all(&chunk)?;
            }
        }
        Lie::Missing => {
            write!(client, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
        Lie::Redirect(to) => {
            write!(client, "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
    }
}

/// The lines of a request.
fn head(client: &mut TcpStream) -> std::io::Result<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// What a server answers at a path, when it answers with 200.
pub fn fetch(url: &str, path: &str) -> Option<Vec<u8>> {
    let behind = url.strip_prefix("http://")?;
    let (status, _, body) = ask(behind, &format!("GET {path} HTTP/1.1\r\nhost: {behind}\r\n\r\n"), &[]).ok()?;
    status.contains(" 200").then_some(body)
}

/// Asks the registry. Gives the status line, the headers but for those of the connection, and the body.
fn ask(behind: &str, head: &str, sent: &[u8]) -> std::io::Result<(String, String, Vec<u8>)> {
    let mut server = TcpStream::connect(behind)?;
    let lines = head.trim_end().split("\r\n").filter(|line| !line.to_lowercase().starts_with("connection:"));
    let request: Vec<_> = lines.map(str::to_owned).chain(["connection: close".to_owned()]).collect();
    server.write_all(format!("{}\r\n\r\n", request.join("\r\n")).as_bytes())?;
    server.write_all(sent)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    let at = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(0);
    let text = String::from_utf8_lossy(&answer[..at]).into_owned();
    let (status, headers) = text.split_once("\r\n").unwrap_or((&text, ""));
    let dropped = ["content-length:", "transfer-encoding:", "connection:"];
    let kept = headers.split("\r\n").filter(|h| !dropped.iter().any(|d| h.to_lowercase().starts_with(d)));
    let mut body = answer.split_off((at + 4).min(answer.len()));
    if headers.to_lowercase().contains("transfer-encoding: chunked") {
        body = unchunked(&body);
    }
    Ok((status.to_owned(), kept.map(|h| format!("{h}\r\n")).collect(), body))
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(at) = body.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..at]).unwrap_or("0"), 16).unwrap_or(0);
        if size == 0 || at + 4 + size > body.len() {
            break;
        }
        out.extend_from_slice(&body[at + 2..at + 2 + size]);
        body = &body[at + 4 + size..];
    }
    out
}
