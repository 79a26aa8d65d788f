//! Tokens of a text without the provider's tokeniser: what it likely has, and what it cannot exceed.
//!
//! The plain rule, ASCII bytes / 4 and one a CJK character, fits prose and is too low for what
//! coding agents write: figures, punctuation and random letters take a token for one or two
//! characters. So a text is read in runs of letters, of blanks and of everything else, and each kind
//! has its price, set against the vocabularies `o200k_base` and `cl100k_base`.
//! `docs/guide/providers.md` has the figures.

/// A run of letters longer than this is no word: hashes and encoded bytes split every other letter.
const LONGEST_WORD: u64 = 16;

/// The tokens that a text likely has: within a fifth for prose, code and recorded payloads, above
/// rather than below. For cutting a text to size and for showing.
pub fn estimate_tokens(text: &str) -> u64 {
    quarters(text, &LIKELY).div_ceil(4)
}

/// More tokens than a text has: twice to three times what it likely has, and still enough for random
/// letters, encoded bytes and rare scripts. For reserving before a call.
pub fn token_bound(text: &str) -> u64 {
    quarters(text, &BOUND).div_ceil(4)
}

/// What runs and characters cost, in quarters of a token.
struct Prices {
    /// A run of so many letters.
    letters: fn(u64) -> u64,
    /// A run of so many spaces and tabs; a single one belongs to the word after it.
    blanks: fn(u64) -> u64,
    /// A character that is neither.
    single: fn(char) -> u64,
}

const LIKELY: Prices = Prices {
    letters: |n| if n > LONGEST_WORD { 2 * n } else { 4 * n.div_ceil(8) },
    blanks: |n| if n == 1 { 0 } else { 4 * n.div_ceil(16) },
    single: |c| match c {
        '0'..='9' => 2,
        c if c.is_ascii() => 3,
        c if is_cjk(c) => 4,
        c => [2, 2, 4, 8][c.len_utf8() - 1],
    },
};

const BOUND: Prices = Prices {
    letters: |n| (4 * n).min(5 * n / 2 + 3),
    blanks: |n| if n == 1 { 0 } else { 4 * n.div_ceil(4) },
    single: |c| match c {
        // ASCII, and the alphabets next to it.
        c if u32::from(c) < 0x700 => 4,
        c if is_cjk(c) => 10,
        // Rare scripts and emoji fall apart into bytes.
        c => 4 * c.len_utf8() as u64,
    },
};

/// Han, kana, Hangul and their punctuation.
const fn is_cjk(c: char) -> bool {
    matches!(c as u32, 0x3000..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xffef)
}

fn quarters(text: &str, prices: &Prices) -> u64 {
    let mut total = 0_u64;
    let (mut letters, mut blanks) = (0_u64, 0_u64);
    let mut small = false;
    for c in text.chars() {
        let (letter, blank) = (c.is_ascii_alphabetic(), matches!(c, ' ' | '\t'));
        // A word ends where a capital follows a small letter.
        let hump = letter && small && c.is_ascii_uppercase();
        small = c.is_ascii_lowercase();
        if letters > 0 && (!letter || hump) {
            total += (prices.letters)(std::mem::take(&mut letters));
        }
        if blanks > 0 && !blank {
            total += (prices.blanks)(std::mem::take(&mut blanks));
        }
        match (letter, blank) {
            (true, _) => letters += 1,
            (_, true) => blanks += 1,
            _ => total += (prices.single)(c),
        }
    }
    for (n, price) in [(letters, prices.letters), (blanks, prices.blanks)] {
        total += if n > 0 { price(n) } else { 0 };
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with what `o200k_base` and `cl100k_base` make of them.
    const COUNTED: &[(&str, u64, u64)] = &[
        (
            "The retry queue doubles its delay after every failure and gives up after five tries; the tests pass now.",
            21,
            21,
        ),
        ("重试队列在每次失败后把等待时间加倍，五次之后放弃；现在测试都通过了。", 27, 32),
        (
            "pub const fn next_delay(&self, attempt: u32) -> Duration {\n    let base = self.first.saturating_mul(1 << attempt.min(10));\n    base.min(self.most)\n}\n",
            42,
            42,
        ),
        (
            "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"cargo test -p engine\",\"timeout\":120000},\"cwd\":\"/home/dev/demo\"}",
            30,
            29,
        ),
        (
            "test result: FAILED. 41 passed; 1 failed; 0 ignored; finished in 0.83s\nerror[E0308]: mismatched types\n  --> src/queue.rs:42:17\n",
            45,
            45,
        ),
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 43, 43),
        ("QmFzZTY0IGVuY29kZWQgYnl0ZXMgbG9vayBsaWtlIHRoaXMgYW5kIHNwbGl0IGJhZGx5Lg==", 48, 52),
        ("xkqjv wpzzt qhfgkd mvbxq zzjkw tqpvb hjxkcd wqyzv KJQXZ WVTBP QHGFD ZXCVB", 42, 43),
        ("kqjzvxwpqhfgkdmvbxzzjkwtqpvbhjxkcdwqyzvkqjzvxwpqhfgkdmvb", 36, 36),
        ("龘靐齉爩鱻麤灪籲厵纞虋驫讟钃鸜", 31, 34),
        ("🎉👩‍💻🔥✅🦀🧪", 15, 21),
        ("Это проверка русского текста.", 6, 11),
        ("هذا اختبار للنص العربي.", 6, 18),
        ("นี่คือการทดสอบข้อความ", 7, 16),
        ("!@#$%^&*()_+-=[]{}|;:,.<>?/~`", 19, 18),
    ];

    #[test]
    fn the_bound_holds_and_the_estimate_is_near() {
        for (text, o200k, cl100k) in COUNTED {
            let most = *o200k.max(cl100k);
            let (likely, bound) = (estimate_tokens(text), token_bound(text));
            assert!(bound >= most, "{bound} < {most}: {text}");
            assert!(bound >= likely, "{bound} < {likely}: {text}");
        }
        for (text, o200k, cl100k) in &COUNTED[..PLAIN] {
            let likely = estimate_tokens(text);
            assert!(likely * 5 >= o200k.max(cl100k) * 4, "{likely} is low: {text}");
            assert!(likely * 5 <= o200k.min(cl100k) * 8, "{likely} is high: {text}");
        }
    }

    /// How many of the first samples are what people and agents write.
    const PLAIN: usize = 5;

    #[test]
    fn the_bound_of_a_whole_is_no_less_than_that_of_a_part() {
        let text = "fn retryQueue() { let x = 0x9f3c;   // 重试队列 🎉\n\n\t\t}";
        let bounds: Vec<u64> =
            text.char_indices().map(|(at, _)| token_bound(&text[..at])).collect();
        assert!(bounds.is_sorted(), "{bounds:?}");
        assert_eq!((estimate_tokens(""), token_bound("")), (0, 0));
    }
}
