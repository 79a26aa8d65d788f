//! Numbers as people read them.

/// A number with commas: `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 call`, `1,200 calls`.
pub fn counted(n: u64, one: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(n))
}

/// Micro-dollars in dollars: cents, and as many digits as a small sum needs, at most six.
pub fn dollars(micros: u64) -> String {
    let (whole, part) = (micros / 1_000_000, micros % 1_000_000);
    let mut digits = format!("{part:06}");
    while digits.len() > 2 && digits.ends_with('0') {
        digits.pop();
    }
    format!("${}.{digits}", grouped(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_at_a_glance() {
        let seen = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(seen, ["0", "999", "1,000", "1,234,567"]);
        let seen = [0, 1, 1_200].map(|n| counted(n, "call"));
        assert_eq!(seen, ["0 calls", "1 call", "1,200 calls"]);
        let seen = [0, 1, 250_000, 1_500_000, 4_321_012_300].map(dollars);
        assert_eq!(seen, ["$0.00", "$0.000001", "$0.25", "$1.50", "$4,321.0123"]);
    }
}
