//! Characters that are more, or less, than they look.

use unicode_normalization::char::decompose_compatible;

/// The one of our signs that a character becomes by compatibility normalisation.
pub(super) fn hidden_sign(c: char) -> Option<char> {
    let mut sign = None;
    decompose_compatible(c, |part| {
        if matches!(part, '<' | '&' | '`' | '~' | '>' | '"') && sign.is_none() {
            sign = Some(part);
        }
    });
    sign
}

/// Characters that take no room or turn the direction of writing; a reader cannot see them.
pub(super) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Joiners shape letters of some scripts and faces of emoji; after ASCII they only hide.
pub(super) const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}
