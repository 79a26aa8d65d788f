//! The ledger of what models cost, as the settings bound it.

use std::sync::Arc;

use afterword_domain::Clock;
use afterword_engine::ledger::{Ledger, SpendLimits};
use afterword_engine::provider::Prices;
use afterword_store::Store;
use afterword_store::sqlite::SqliteStore;

use crate::config::Config;

/// The ledger in the data folder, for a command that asks a model itself. Several processes keep
/// one cap: the database does.
///
/// # Errors
///
/// The database cannot be opened or made.
pub fn open_ledger(config: &Config, clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<Ledger>> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&config.home.database())?);
    Ok(ledger_on(&store, config, clock))
}

/// The ledger on a store, with the caps and the prices that are set.
pub fn ledger_on(store: &Arc<dyn Store>, config: &Config, clock: &Arc<dyn Clock>) -> Arc<Ledger> {
    let (prices, problem) = Prices::with_file(&config.home.prices_file());
    if let Some(problem) = problem {
        tracing::warn!("{problem}");
    }
    Ledger::new(Arc::clone(store), Arc::clone(clock), limits(config), Arc::new(prices))
}

/// What may be spent with a provider.
fn limits(config: &Config) -> SpendLimits {
    let usual = SpendLimits::default();
    let set = &config.file.provider;
    let tokens = config.daily_tokens().unwrap_or(usual.tokens);
    SpendLimits {
        tokens,
        cost: set.daily_cost.map(micros),
        session_tokens: set.session_tokens.unwrap_or(tokens / 2),
        backlog_tokens: set.backlog,
    }
}

/// Dollars in micro-dollars; what is no sum is nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as saturates")]
fn micros(dollars: f64) -> u64 {
    (dollars * 1e6).floor() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_come_from_the_settings_and_the_variable_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        let limits_with = |cap: Option<&str>| {
            let lookup = |name: &str| match name {
                "AFTERWORD_HOME" => Some(home.clone()),
                "AFTERWORD_DAILY_TOKEN_CAP" => cap.map(str::to_owned),
                _ => None,
            };
            let (config, problem) = Config::load(crate::config::Env::from_lookup(lookup));
            assert_eq!(problem, None);
            limits(&config)
        };
        assert_eq!(limits_with(None), SpendLimits::default());
        let file = "[provider]\ndaily_tokens = 1000\ndaily_cost = 0.25\nbacklog = 10\n";
        std::fs::write(folder.path().join("config.toml"), file).unwrap();
        let set = SpendLimits {
            tokens: 1_000,
            cost: Some(250_000),
            session_tokens: 500,
            backlog_tokens: 10,
        };
        assert_eq!(limits_with(None), set);
        let told = limits_with(Some("80"));
        assert_eq!((told.tokens, told.session_tokens, told.cost), (80, 40, Some(250_000)));
        assert_eq!((micros(-1.0), micros(f64::NAN)), (0, 0), "no sum is nothing");
    }
}
