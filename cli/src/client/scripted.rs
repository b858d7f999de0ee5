//! A server for tests that answers each request as a closure says: also late, cut off, or not at all.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::client::{Client, Pace};
use crate::config::RegistryUrl;

/// What the closure makes of a request.
pub(crate) enum Reply {
    /// Status line, headers and body, with the right length.
    Whole(&'static str, String, Vec<u8>),
    /// These bytes, then the connection ends.
    Raw(Vec<u8>),
    /// These bytes, then nothing for as long as the client waits.
    Hang(Vec<u8>),
}

impl Reply {
    /// 200 with a body.
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Whole("200 OK", String::new(), body.into())
    }
}

/// The server; it ends with the process.
pub(crate) struct Scripted {
    pub(crate) url: RegistryUrl,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    /// Starts; the closure gets the number of the request, from 0, and its head.
    pub(crate) fn start(answer: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let (heads, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (heads, answer) = (Arc::clone(&heads), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &heads, &*answer));
            }
        });
        Self { url, seen }
    }

    /// The heads of all requests so far.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// A client of it that loses patience soon.
    pub(crate) fn client(&self) -> Client {
        // As the program does first of all.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let token = Some("rtq_secret".to_owned().into());
        Client::new(self.url.clone(), token, false, Self::pace()).unwrap()
    }

    /// Limits of a tenth of a second or so.
    pub(crate) fn pace() -> Pace {
        use std::time::Duration;
        let short = Duration::from_millis(150);
        Pace { answer: short, gap: short, grace: short, pause: Duration::from_millis(1), retries: 2, ..Pace::DEFAULT }
    }
}

fn serve(stream: TcpStream, heads: &Mutex<Vec<String>>, answer: &(dyn Fn(usize, &str) -> Reply + Send + Sync)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head.lines().find_map(|l| l.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let number = {
            let mut heads = heads.lock().unwrap();
            heads.push(head.clone());
            heads.len() - 1
        };
        match answer(number, &head) {
            Reply::Whole(status, headers, body) => {
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
                if stream.write_all(&[head.as_bytes(), &body].concat()).is_err() {
                    return;
                }
            }
            Reply::Raw(bytes) => return drop(stream.write_all(&bytes)),
            Reply::Hang(bytes) => {
                let _ = stream.write_all(&bytes);
                // Until the client goes away.
                let _ = reader.read(&mut [0]);
                return;
            }
        }
    }
}
