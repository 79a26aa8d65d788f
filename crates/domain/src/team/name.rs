//! Names of organisations and members.

/// Most characters of the name of an organisation or a member.
pub const NAME_CHARS: usize = 128;

/// A name of an organisation or a member as it is kept: trimmed.
///
/// # Errors
///
/// What is wrong with it, for a person: it is empty, longer than [`NAME_CHARS`] characters, or has
/// control characters.
pub fn account_name(name: &str) -> Result<&str, String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(format!(
            "{name:?} is no name: it has 1 to {NAME_CHARS} characters, none of them a control character"
        ));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_bounded() {
        assert_eq!(account_name(" Ann "), Ok("Ann"));
        for bad in ["", "  ", "a\nb", "\0", &"x".repeat(129)] {
            assert!(account_name(bad).is_err(), "{bad:?}");
        }
    }
}
