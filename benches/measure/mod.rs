//! What the benchmarks share: made-up rows with a natural spread of words, and honest statistics.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::time::Duration;

/// A small generator with a fixed seed, so that every run measures the same rows.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        // SplitMix64, as published by its author for seeding other generators.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap_or(0)
    }
}

/// Words with ranks: rank r is drawn about in proportion to 1/r, as in natural text.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    words: Vec<String>,
}

impl Vocabulary {
    pub(crate) fn new(size: usize) -> Self {
        const SYLLABLES: [&str; 24] = [
            "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro",
            "su", "ta", "ve", "wi", "xo", "yu", "za", "tor", "len", "mir",
        ];
        let mut dice = Dice::new(7);
        let words = (0..size)
            .map(|rank| {
                let syllables = 2 + dice.below(3);
                let stem: String =
                    (0..syllables).map(|_| SYLLABLES[dice.below(SYLLABLES.len())]).collect();
                format!("{stem}{}", rank % 97)
            })
            .collect();
        Self { words }
    }

    /// A word by the natural spread.
    pub(crate) fn word(&self, dice: &mut Dice) -> &str {
        #[expect(clippy::cast_precision_loss, reason = "a rank is small")]
        let top = (self.words.len() as f64).ln();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank is small and positive"
        )]
        let rank = (dice.fraction() * top).exp() as usize;
        &self.words[rank.min(self.words.len() - 1)]
    }

    /// The word of a rank, 0 being the most frequent.
    pub(crate) fn rank(&self, rank: usize) -> &str {
        &self.words[rank.min(self.words.len() - 1)]
    }

    pub(crate) fn text(&self, dice: &mut Dice, words: usize) -> String {
        let mut text = String::new();
        for i in 0..words {
            if i > 0 {
                text.push(' ');
            }
            text.push_str(self.word(dice));
        }
        text
    }
}

/// Median, 95th and 99th percentile in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
}

/// Sorts and reads off.
pub(crate) fn spread(times: &mut [Duration]) -> Spread {
    times.sort();
    let at = |percent: usize| {
        let index = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |t| t.as_secs_f64() * 1000.0)
    };
    Spread { p50: at(50), p95: at(95), p99: at(99) }
}

/// CPU time of this process's finished children so far, in milliseconds (Linux; else 0).
pub(crate) fn children_cpu_ms() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    let Some((_, rest)) = stat.rsplit_once(')') else { return 0.0 };
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // Fields 16 and 17 of proc(5): user and system time of children, in ticks of 10 ms.
    let tick = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0) * 10.0;
    tick(13) + tick(14)
}

/// Resident memory of a process in megabytes (Linux; else 0).
pub(crate) fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|kb| kb.trim().parse::<f64>().ok())
        .map_or(0.0, |kb| kb / 1024.0)
}
