//! What commands read from standard input.

use std::io::{self, Read as _};

use super::output::Failure;

/// Most bytes of a text on standard input.
const TEXT_BYTES: usize = 1024 * 1024;

/// The words of a command line; `-` alone stands for standard input. What is longer than a megabyte is
/// refused.
pub(super) fn words_or_input(words: &[String]) -> anyhow::Result<String> {
    match words {
        [dash] if dash == "-" => read(io::stdin().lock()),
        words => Ok(words.join(" ")),
    }
}

fn read(input: impl io::Read) -> anyhow::Result<String> {
    let mut text = String::new();
    input
        .take(TEXT_BYTES as u64 + 1)
        .read_to_string(&mut text)
        .map_err(|e| Failure::User(format!("standard input cannot be read: {e}")))?;
    if text.len() > TEXT_BYTES {
        let what = format!("standard input has more than {TEXT_BYTES} bytes; give less of it");
        return Err(Failure::User(what).into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_or_no_text_is_refused() {
        assert_eq!(read(&b"two\nlines"[..]).unwrap(), "two\nlines");
        let most = vec![b'x'; TEXT_BYTES];
        assert_eq!(read(&most[..]).unwrap().len(), TEXT_BYTES);
        assert!(read(io::Cursor::new([most, vec![b'x']].concat())).is_err());
        assert!(read(&[0xff][..]).is_err());
    }
}
