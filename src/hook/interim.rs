//! Stand-ins for functions of the domain crate that are on their way; deleted when they land.

/// Sees where the first JSON object or array of a stream ends.
#[derive(Debug, Default)]
pub(super) struct JsonEnd {
    depth: usize,
    begun: bool,
    quoted: bool,
    escaped: bool,
}

impl JsonEnd {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> bool {
        for b in bytes {
            if self.quoted {
                match b {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.quoted = false,
                    _ => {}
                }
                continue;
            }
            match b {
                b'"' => self.quoted = self.begun,
                b'{' | b'[' => {
                    self.begun = true;
                    self.depth += 1;
                }
                b'}' | b']' if self.begun => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

#[derive(Debug)]
pub(super) struct Cleaned {
    pub(super) text: String,
    pub(super) private: bool,
}

pub(super) fn clean_prompt(text: &str) -> Cleaned {
    let clean = afterword_domain::privacy::clean(text);
    let private = clean.trim().is_empty() && !text.trim().is_empty();
    Cleaned { text: clean, private }
}

pub(super) fn is_secret_path(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|n| n.starts_with(".env"))
}

pub(super) fn names_secret_path(command: &str) -> bool {
    command.split_whitespace().any(is_secret_path)
}
