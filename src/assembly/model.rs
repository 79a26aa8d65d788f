//! From the settings to the model that distils.

use std::io;
use std::sync::Arc;

use afterword_engine::distill::model::{CODE, Language, Mode, Model};
use afterword_engine::provider::Provider;

use crate::config::Config;

/// What a provider distils by, as the settings say. A mode that cannot be used gives the built-in
/// one, and the reason.
pub(super) fn model(config: &Config, provider: Arc<dyn Provider>) -> Model {
    let distill = &config.file.distill;
    let (mode, problem) = match mode(config) {
        Ok(mode) => (mode, None),
        Err(why) => (Mode::default(), Some(format!("{why}; the mode '{CODE}' is used"))),
    };
    let mut model = Model::new(provider);
    model.mode = mode;
    model.mode_problem = problem;
    model.language = Language::from_setting(&distill.language);
    model
}

/// The mode that the settings name; why not, where it cannot be used.
pub fn mode(config: &Config) -> Result<Mode, String> {
    let folder = config.home.modes();
    let read = |name: &str| match std::fs::read_to_string(folder.join(format!("{name}.toml"))) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    Mode::load(&config.file.distill.mode, &read).map_err(|error| error.to_string())
}
