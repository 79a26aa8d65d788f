//! Long fault runs: the stories that take minutes, with parameters.

use anyhow::{Result, bail};

use super::{cargo, say};

const HELP: &str = "\
usage: cargo xtask soak [--kills N] [--rounds N] [--seed N] [--events N] [--turns N] [--beside N]
                        [--hostile N]

Runs what is named, on the release build; nothing named means --kills 200. Every run checks that all
that came in is stored once and that the counts add up, and prints one line for the record
(docs/reference/reliability.md).

  --kills N    kill the daemon N times at random moments, sometimes after freezing it, while four
               callers send events through the hook without a pause
  --rounds N   rounds of kills, each in a home of its own (1)
  --seed N     seed of the first round; each further round adds one (1)
  --events N   send N events of 20 KB and compare the daemon's memory over both halves; watch its
               log
  --turns N    start with N turns waiting, and with a hundredth of them
  --beside N   N small sessions one after another beside one that sends without a pause
  --hostile N  N tool calls, at least 200, read by the real Claude Code against a provider that does
               its worst (docs/reference/cost.md)

200 kills take about half a minute on two cores. CI runs 40 kills with a fixed seed, 3,000 events,
50,000 turns and 5 sessions.";

/// An option and the variable that hands it to the tests.
const OPTIONS: [(&str, &str); 7] = [
    ("--kills", "SOAK_KILLS"),
    ("--rounds", "SOAK_ROUNDS"),
    ("--seed", "SOAK_SEED"),
    ("--events", "SOAK_EVENTS"),
    ("--turns", "SOAK_TURNS"),
    ("--beside", "SOAK_BESIDE"),
    ("--hostile", "SOAK_HOSTILE"),
];

/// Variables that only say how the kills are done.
const OF_KILLS: [&str; 2] = ["SOAK_ROUNDS", "SOAK_SEED"];

pub(super) fn soak() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(2).collect();
    if words.iter().any(|word| word == "--help") {
        say(HELP);
        return Ok(());
    }
    let settings = settings(&words)?;
    let environment: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let test = ["test", "--release", "--locked", "--test", "stories", "soak"];
    // One run after another: figures of one are not to be those of several.
    let how = ["--", "--nocapture", "--test-threads", "1"];
    cargo(&[&test[..], &how].concat(), &environment)
}

fn settings(words: &[String]) -> Result<Vec<(&'static str, String)>> {
    let mut settings = Vec::new();
    for pair in words.chunks(2) {
        let known = OPTIONS.iter().find(|(option, _)| *option == pair[0]);
        match (known, pair.get(1)) {
            (Some((_, variable)), Some(value)) if value.parse::<u64>().is_ok() => {
                settings.push((*variable, value.clone()));
            }
            _ => bail!("`{}` is not understood\n\n{HELP}", pair.join(" ")),
        }
    }
    if settings.iter().all(|(name, _)| OF_KILLS.contains(name)) {
        settings.push(("SOAK_KILLS", "200".to_owned()));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_become_variables_and_anything_else_is_refused() {
        let settings = settings(&words("--kills 7 --seed 3")).unwrap();
        assert_eq!(settings, [("SOAK_KILLS", "7".to_owned()), ("SOAK_SEED", "3".to_owned())]);
        let alone = super::settings(&words("--rounds 3")).unwrap();
        assert_eq!(alone[1], ("SOAK_KILLS", "200".to_owned()), "rounds of something");
        let memory = super::settings(&words("--events 5")).unwrap();
        assert_eq!(memory, [("SOAK_EVENTS", "5".to_owned())], "and nothing else");
        for line in ["--kills", "--kills x", "--other 1", "7"] {
            assert!(super::settings(&words(line)).is_err(), "{line}");
        }
        assert!(OPTIONS.iter().all(|(option, _)| HELP.contains(option)));
    }
}
