//! What tokens cost, by model.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;

use super::contract::Usage;

/// The prices that come with this release.
const BUILT_IN: &str = include_str!("prices.toml");

/// US dollars for a million tokens, hence micro-dollars for one.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Price {
    /// Input.
    pub input: f64,
    /// Output, thinking included.
    pub output: f64,
    /// Input that the provider had in its cache; as input unless listed.
    pub cache_read: Option<f64>,
    /// Input that the provider put into its cache; as input unless listed.
    pub cache_write: Option<f64>,
}

impl Price {
    /// What a call cost, in micro-dollars, rounded up.
    pub fn cost(&self, usage: &Usage) -> u64 {
        whole(
            part(usage.input_tokens, self.input)
                + part(usage.output_tokens, self.output)
                + part(usage.cache_read_tokens, self.cache_read.unwrap_or(self.input))
                + part(usage.cache_write_tokens, self.cache_write.unwrap_or(self.input)),
        )
    }

    /// The most that a call can cost with so many tokens in and out, in micro-dollars: every input
    /// token at the dearest of its prices.
    pub fn bound(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        let dearest = self.input.max(self.cache_write.unwrap_or(0.0));
        whole(part(input_tokens, dearest) + part(output_tokens, self.output))
    }

    fn is_sound(&self) -> bool {
        let all = [Some(self.input), Some(self.output), self.cache_read, self.cache_write];
        all.into_iter().flatten().all(|price| price.is_finite() && price >= 0.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 tokens")]
fn part(tokens: u64, price: f64) -> f64 {
    tokens as f64 * price
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as saturates")]
fn whole(micros: f64) -> u64 {
    // What binary fractions add beyond a billionth of a dollar is no part of the price.
    (micros - 1e-3).ceil() as u64
}

/// Prices by model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    by_model: BTreeMap<String, Price>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    price: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    model: String,
    #[serde(flatten)]
    price: Price,
}

impl Prices {
    /// The prices of this release.
    pub fn built_in() -> Self {
        let by_model = read(BUILT_IN).expect("a test reads the built-in table");
        Self { by_model }
    }

    /// The prices of this release with those of a person's file over them. No file is fine; a file
    /// that cannot be used changes nothing, and the reason is returned.
    pub fn with_file(path: &Path) -> (Self, Option<String>) {
        let mut prices = Self::built_in();
        let read = match std::fs::read_to_string(path) {
            Ok(text) => read(text.trim_start_matches('\u{feff}')),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (prices, None),
            Err(error) => Err(error.to_string()),
        };
        match read {
            Ok(own) => {
                prices.by_model.extend(own);
                (prices, None)
            }
            Err(why) => {
                let problem = format!(
                    "{} is not valid, so only the built-in prices hold: {}",
                    path.display(),
                    why.trim_end()
                );
                (prices, Some(problem))
            }
        }
    }

    /// The price of a model as a provider spells it: with a vendor in front, or a date or `latest`
    /// behind. None where it is not known, which is not the same as free.
    pub fn of(&self, model: &str) -> Option<Price> {
        let model = model.trim().to_lowercase();
        let short = model.rsplit('/').next().unwrap_or(&model);
        let undated = without_date(short);
        [model.as_str(), short, undated].iter().find_map(|name| self.by_model.get(*name)).copied()
    }
}

fn read(text: &str) -> Result<BTreeMap<String, Price>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut prices = BTreeMap::new();
    for Entry { model, price } in file.price {
        if !price.is_sound() {
            return Err(format!("the price of {model} is not a number of dollars"));
        }
        prices.insert(model.trim().to_lowercase(), price);
    }
    Ok(prices)
}

/// `claude-haiku-4-5-20251001`, `gpt-4.1-mini-2025-04-14` and `…-latest` without their ends.
fn without_date(model: &str) -> &str {
    if let Some(name) = model.strip_suffix("-latest") {
        return name;
    }
    for length in [9, 11] {
        let Some((name, end)) =
            model.len().checked_sub(length).and_then(|at| model.split_at_checked(at))
        else {
            continue;
        };
        let digits = end.bytes().filter(u8::is_ascii_digit).count();
        let dashes = end.bytes().filter(|b| *b == b'-').count();
        if end.starts_with('-') && digits == 8 && digits + dashes == length {
            return name;
        }
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_however_it_is_spelt_and_an_unknown_one_has_no_price() {
        let prices = Prices::built_in();
        let haiku = prices.of("claude-haiku-4-5");
        assert!(haiku.is_some());
        assert_eq!(prices.of("claude-haiku-4-5-20251001"), haiku);
        assert_eq!(prices.of("Anthropic/claude-haiku-4-5"), haiku);
        assert_eq!(prices.of("claude-haiku-4-5-latest"), haiku);
        assert!(prices.of("gpt-4.1-mini-2025-04-14").is_some());
        assert_ne!(prices.of("gpt-6-luna"), prices.of("gemini-2.5-flash-lite"));
        for unknown in ["qwen3:8b", "openai/gpt-4.1-mini:free", "claude-haiku-9", "日本語-モデル"]
        {
            assert_eq!(prices.of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_model_that_is_asked_by_default_has_a_price() {
        for kind in crate::provider::ProviderKind::ALL {
            let model = kind.default_model();
            assert!(Prices::built_in().of(model).is_some(), "{model}");
        }
    }

    #[test]
    fn money_is_exact_and_its_bound_holds() {
        let price = Prices::built_in().of("claude-haiku-4-5").unwrap();
        let usage = Usage {
            input_tokens: 1_000,
            output_tokens: 200,
            cache_read_tokens: 500,
            cache_write_tokens: 400,
        };
        assert_eq!(price.cost(&usage), 1_000 + 1_000 + 50 + 800);
        assert!(price.bound(usage.input_total(), usage.output_tokens) >= price.cost(&usage));
        let one = Usage { cache_read_tokens: 1, ..Usage::default() };
        assert_eq!(price.cost(&one), 1, "a part of a micro-dollar is one");
    }

    #[test]
    fn a_file_of_ones_own_adds_and_overrides_and_a_bad_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        assert_eq!(Prices::with_file(&path), (Prices::built_in(), None));
        let own = "[[price]]\nmodel = \"Mine\"\ninput = 1\noutput = 2\n\
                   [[price]]\nmodel = \"gpt-4.1-mini\"\ninput = 9\noutput = 9.5\n";
        std::fs::write(&path, own).unwrap();
        let (prices, problem) = Prices::with_file(&path);
        assert_eq!(problem, None);
        assert_eq!(prices.of("mine").unwrap().bound(1, 1), 3);
        assert_eq!(prices.of("gpt-4.1-mini").unwrap().bound(1, 0), 9);
        for bad in
            ["[[price]]\nmodel = \"x\"\ninput = -1\noutput = 2\n", "price = 3", "[[price]]\n"]
        {
            std::fs::write(&path, bad).unwrap();
            let (prices, problem) = Prices::with_file(&path);
            assert_eq!(prices, Prices::built_in());
            assert!(problem.unwrap().contains("prices.toml"), "{bad}");
        }
    }
}
