//! A page of text. Every value is neutralised on its way in, so a command cannot forget it.

use std::fmt::Display;

use super::{clean, clean_block};

/// Text for people, built line by line.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
    colour: bool,
}

impl Page {
    /// An empty page.
    #[must_use]
    pub fn new(colour: bool) -> Self {
        Self { text: String::new(), colour }
    }

    /// One line.
    pub fn line(&mut self, text: impl Display) {
        self.text.push_str(&clean(&text.to_string()));
        self.text.push('\n');
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line in bold.
    pub fn heading(&mut self, text: impl Display) {
        let text = clean(&text.to_string());
        let (on, off) = if self.colour { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        self.text.extend([on, text.as_str(), off, "\n"]);
    }

    /// A name and its value, in two columns.
    pub fn field(&mut self, name: &str, value: impl Display) {
        let name = format!("{name}:");
        self.line(format_args!("{name:<16} {value}"));
    }

    /// Several lines, indented by two.
    pub fn block(&mut self, text: impl Display) {
        for line in clean_block(&text.to_string()).lines() {
            self.text.push_str("  ");
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Rows in aligned columns under their headings; `empty` when there is no row.
    pub fn table(&mut self, headings: &[&str], rows: &[Vec<String>], empty: &str) {
        if rows.is_empty() {
            return self.line(empty);
        }
        let rows: Vec<Vec<String>> = std::iter::once(headings.iter().map(|h| (*h).to_owned()).collect())
            .chain(rows.iter().map(|row| row.iter().map(|cell| clean(cell)).collect()))
            .collect();
        let widths: Vec<usize> = (0..headings.len())
            .map(|i| rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            self.text.push_str(cells.join("  ").trim_end());
            self.text.push('\n');
        }
    }

    /// The text.
    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_values_neutralised() {
        let mut page = Page::new(false);
        page.field("state", "ok\u{1b}");
        page.table(&["a", "bb"], &[vec!["long".into(), "x".into()]], "nothing");
        page.table(&["a"], &[], "nothing");
        assert_eq!(page.finish(), "state:           ok\\u{1b}\na     bb\nlong  x\nnothing\n");
    }
}
