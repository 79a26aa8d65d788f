//! Long fault runs: the stories that take minutes, with parameters.

use anyhow::{Result, bail};

use super::{cargo, say};

const HELP: &str = "\
usage: cargo xtask soak [--kills N] [--rounds N] [--seed N] [--events N]

Kills the daemon at random moments while four callers send events through the hook without a pause,
sometimes after freezing it; then checks that every event is stored exactly once, that all counts
add up, and that the database is whole. Prints for each round: kills, starts, events in and out.

  --kills N    kills in a round (200)
  --rounds N   rounds, each in a home of its own (1)
  --seed N     seed of the first round; each further round adds one (1)
  --events N   also send N events of 20 KB and compare the daemon's memory over both halves (0)

A round of 200 kills takes about half a minute on two cores. CI runs 40 kills with a fixed seed.";

/// An option and the variable that hands it to the test.
const OPTIONS: [(&str, &str); 4] = [
    ("--kills", "SOAK_KILLS"),
    ("--rounds", "SOAK_ROUNDS"),
    ("--seed", "SOAK_SEED"),
    ("--events", "SOAK_EVENTS"),
];

pub(super) fn soak() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(2).collect();
    if words.iter().any(|word| word == "--help") {
        say(HELP);
        return Ok(());
    }
    let mut settings = settings(&words)?;
    if !settings.iter().any(|(name, _)| *name == "SOAK_KILLS") {
        settings.push(("SOAK_KILLS", "200".to_owned()));
    }
    let environment: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let test = ["test", "--locked", "--test", "stories", "soak"];
    cargo(&[&test[..], &["--", "--nocapture"]].concat(), &environment)
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
        for line in ["--kills", "--kills x", "--other 1", "7"] {
            assert!(super::settings(&words(line)).is_err(), "{line}");
        }
        assert!(OPTIONS.iter().all(|(option, _)| HELP.contains(option)));
    }
}
