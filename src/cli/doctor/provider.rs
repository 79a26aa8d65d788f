//! Whoever runs a language model, and what it looks for.

use afterword_domain::wire::status::ModelAsked;
use afterword_engine::provider::{Prices, Provider, Refusal};

use super::check::Check;
use crate::cli::Tools;
use crate::cli::output::visible;
use crate::cli::provider::trial;
use crate::daemon;

/// What makes the daemon take its settings anew.
const RESTART: &str = "afterword daemon restart";

/// Whether the settings can work, the daemon has them, and prices and mode can be read; with `ask`,
/// whether the provider answers, which costs a few tokens. `asked`: whom the daemon asks, if it says
/// so.
pub(super) fn provider(tools: &Tools, asked: Option<&ModelAsked>, ask: bool) -> Vec<Check> {
    let mut checks = Vec::new();
    let (prices, problem) = Prices::with_file(&tools.config.home.prices_file());
    if let Some(problem) = problem {
        let first = problem.lines().next().unwrap_or_default().to_owned();
        checks.push(Check::bad("prices", first, "correct the file, or delete it"));
    }
    let opened = daemon::open_provider(&tools.config);
    if let Ok(Some(provider)) = &opened {
        checks.extend(price(tools, &prices, provider.model()));
    }
    checks.push(match opened {
        Err(refusal) => bad(&refusal),
        Ok(provider) => answers(tools, provider.as_deref(), asked, ask),
    });
    checks.extend(cap(tools));
    checks.extend(mode(tools, asked));
    checks
}

/// A provider that the settings allow: whether the daemon asks the same, and whether it answers.
fn answers(
    tools: &Tools,
    provider: Option<&dyn Provider>,
    asked: Option<&ModelAsked>,
    ask: bool,
) -> Check {
    let who = provider.map_or_else(
        || ModelAsked::default().told(),
        |provider| format!("{}, model {}", provider.name(), provider.model()),
    );
    if let Some(asked) = asked {
        if let Some(problem) = &asked.problem {
            let finding = format!("the daemon asks no model: {}", visible(problem));
            return Check::bad("provider", finding, RESTART);
        }
        if asked.told() != who {
            let told = visible(&asked.told());
            let finding = format!("the daemon asks {told}; the settings here name {who}");
            return Check::bad("provider", finding, RESTART);
        }
    }
    if asked.is_some_and(|asked| is_of_other_settings(tools, asked)) {
        let finding = format!("the daemon asks {who} with an older address, key or time limit");
        return Check::bad("provider", finding, RESTART);
    }
    let Some(provider) = provider else { return Check::good("provider", who) };
    if !ask {
        return Check::good("provider", format!("{who}; 'afterword provider test' asks it"));
    }
    match trial(tools, provider) {
        Ok(Ok(trial)) => {
            let millis = trial.took.as_millis();
            Check::good("provider", format!("{who}: answered in {millis} ms"))
        }
        Ok(Err(refusal)) => bad(&refusal),
        Err(error) => Check::bad("provider", error.to_string(), "run it again"),
    }
}

/// Whether the daemon was started with other settings of a provider than those of now.
pub(in crate::cli) fn is_of_other_settings(tools: &Tools, asked: &ModelAsked) -> bool {
    let mark = &asked.settings_mark;
    !mark.is_empty() && *mark != daemon::settings_mark(&tools.config)
}

/// What it means where nobody knows what a model costs.
fn price(tools: &Tools, prices: &Prices, model: &str) -> Option<Check> {
    if prices.of(model).is_some() {
        return None;
    }
    let (model, file) = (visible(model), tools.config.home.prices_file());
    Some(if tools.config.file.provider.daily_cost.is_some() {
        Check::bad(
            "price",
            format!(
                "nobody knows what '{model}' costs, so daily_cost cannot be kept: it is not asked"
            ),
            format!("add '{model}' to {}, or take daily_cost out of config.toml", file.display()),
        )
    } else {
        let finding = format!("that of '{model}' is not known: only the cap of tokens is kept");
        Check::good("price", finding)
    })
}

/// A cap that is no number, which counts as nothing at all.
fn cap(tools: &Tools) -> Option<Check> {
    const VARIABLE: &str = "AFTERWORD_DAILY_TOKEN_CAP";
    let told = tools.config.env.get(VARIABLE).filter(|told| {
        let digits = told.trim().replace(['_', ','], "");
        digits.parse::<u64>().is_err()
    });
    if let Some(told) = told {
        let told = visible(told);
        let finding = format!("{VARIABLE} is '{told}', which is no number: no model is asked");
        return Some(Check::bad("cap", finding, format!("set {VARIABLE} to a number of tokens")));
    }
    let cost = tools.config.file.provider.daily_cost?;
    (!cost.is_finite() || cost < 0.0).then(|| {
        let finding = format!("daily_cost is {cost}, which is no sum: no model is asked");
        Check::bad("cap", finding, "set daily_cost in [provider] to dollars a day, or take it out")
    })
}

/// Whether the mode of the settings can be used, and is.
fn mode(tools: &Tools, asked: Option<&ModelAsked>) -> Option<Check> {
    let name = visible(&tools.config.file.distill.mode);
    if let Err(why) = daemon::mode(&tools.config) {
        let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let file = tools.config.home.modes().join(format!("{name}.toml"));
        let correct =
            if plain { format!("correct {}, or ", file.display()) } else { String::new() };
        let remedy =
            format!("{correct}set mode = \"code\" in [distill] of config.toml; then {RESTART}");
        return Some(Check::bad("mode", visible(&why), remedy));
    }
    let asked = asked.filter(|asked| asked.model.is_some())?;
    if asked.mode_problem.is_some() || asked.mode != tools.config.file.distill.mode {
        let used = visible(&asked.mode);
        let finding = format!("the daemon uses '{used}'; the settings name '{name}'");
        return Some(Check::bad("mode", finding, RESTART));
    }
    Some(Check::good("mode", name))
}

fn bad(refusal: &Refusal) -> Check {
    let remedy = match refusal.remedy() {
        "" => "wait and run it again; memories are made by rules meanwhile",
        remedy => remedy,
    };
    Check::bad("provider", refusal.message.clone(), remedy)
}
