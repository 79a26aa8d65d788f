//! What the viewer may ask of this machine: pauses, checkouts and settings.

use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::ContextQuestion;
use afterword_domain::wire::viewer::Changeable;

use crate::cli::project;
use crate::config::{self, Config, InjectOn};
use crate::daemon::{Machine, Setting};
use crate::folder::{files, settings};
use crate::hook::pause;
use crate::hook::project::resolve;

/// The machine of the data folder that the daemon serves.
#[derive(Debug)]
pub(super) struct LocalMachine {
    config: Config,
}

/// Bytes of the log that are read, from its end.
const LOG_BYTES: u64 = 4 * 1024 * 1024;

/// Where prompt recall is set.
const PROMPT_RECALL: (&str, &str) = ("recall", "prompt_recall");

impl LocalMachine {
    pub(super) const fn new(config: Config) -> Self {
        Self { config }
    }

    /// A setting that a page only shows.
    fn shown(&self, name: &str, value: impl Into<Value>, variable: Option<&str>) -> Setting {
        let by_variable = variable.is_some_and(|name| self.config.env.get(name).is_some());
        let changeable = if by_variable { Changeable::InVariable } else { Changeable::InFile };
        Setting {
            name: name.to_owned(),
            value: value.into().0,
            variable: variable.map(str::to_owned),
            changeable,
        }
    }
}

impl Machine for LocalMachine {
    fn question(&self, known: &ProjectRef) -> ContextQuestion {
        let folder = known.root.as_deref().map(Path::new).filter(|folder| folder.is_dir());
        let Some(folder) = folder else {
            return ContextQuestion { project: known.clone(), ..ContextQuestion::default() };
        };
        let found = resolve(Some(folder), &self.config.env);
        // Another repository may stand in the folder by now.
        if found.keys.iter().any(|key| known.keys.contains(key)) {
            project::context_question(found)
        } else {
            ContextQuestion { project: known.clone(), ..ContextQuestion::default() }
        }
    }

    fn is_paused(&self, project: Option<&ProjectRef>) -> bool {
        let home = &self.config.home;
        pause::is_paused(home, project.unwrap_or(&ProjectRef::default()))
    }

    fn pause(&self, project: Option<&ProjectRef>, paused: bool) -> io::Result<()> {
        let home = &self.config.home;
        if paused { pause::pause(home, project) } else { pause::resume(home, project) }
    }

    fn settings(&self) -> Vec<Setting> {
        let (config, file) = (&self.config, &self.config.file);
        let provider = config::provider::resolve(config);
        let kind = provider.as_ref().map_or("none", |told| told.kind.as_str());
        let of = |part: Option<&String>| part.cloned().unwrap_or_default();
        let model = of(provider.as_ref().and_then(|told| told.model.as_ref()));
        let url = of(provider.as_ref().and_then(|told| told.url.as_ref()));
        let embeddings = config.embeddings();
        let folder = config.home.folder().display();
        let list = |items: &[String]| items.join(", ");
        vec![
            self.shown("provider.kind", kind, Some("AFTERWORD_PROVIDER")),
            self.shown("provider.model", model, Some("AFTERWORD_PROVIDER_MODEL")),
            self.shown("provider.url", url, Some("AFTERWORD_PROVIDER_URL")),
            self.shown(
                "provider.daily_tokens",
                number(config.daily_tokens()),
                Some("AFTERWORD_DAILY_TOKEN_CAP"),
            ),
            self.shown("provider.daily_cost", number(file.provider.daily_cost), None),
            self.shown("recall.session_start", file.recall.session_start, None),
            self.shown("recall.inject_on", inject_on(file.recall.inject_on), None),
            self.shown("recall.file", config.file_recall(), Some("AFTERWORD_FILE_RECALL")),
            self.shown("embeddings.url", embeddings.url, Some("AFTERWORD_EMBEDDINGS_URL")),
            self.shown("embeddings.model", embeddings.model, Some("AFTERWORD_EMBEDDINGS_MODEL")),
            self.shown("capture.excluded_paths", list(&file.capture.excluded_paths), None),
            self.shown("capture.skip_tools", list(&file.capture.skip_tools), None),
            self.shown("retention.raw_events_days", file.retention.raw_events_days, None),
            self.shown("retention.raw_events_mb", file.retention.raw_events_mb, None),
            self.shown("distill.mode", &file.distill.mode, None),
            self.shown("distill.language", &file.distill.language, None),
            self.shown("daemon.port", config.port(), Some("AFTERWORD_PORT")),
            self.shown("daemon.idle_exit_minutes", file.daemon.idle_exit_minutes, None),
            self.shown(
                "api.observer_auth",
                format!("{:?}", file.api.observer_auth).to_lowercase(),
                None,
            ),
            self.shown("AFTERWORD_HOME", folder, Some("AFTERWORD_HOME")),
            self.prompt_recall(),
        ]
    }

    fn log(&self) -> io::Result<Option<(String, String)>> {
        let path = self.config.home.logs().join("daemon.log");
        let mut file = match files::open_file(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let start = file.metadata()?.len().saturating_sub(LOG_BYTES);
        file.seek(io::SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(LOG_BYTES).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Some((path.display().to_string(), text)))
    }

    fn keep_prompt_recall(&self, on: bool) -> Result<(), String> {
        if self.config.env.prompt_recall.is_some() {
            return Err(
                "AFTERWORD_PROMPT_RECALL is set in the daemon's environment and goes before \
                        the file: unset it, then restart the daemon"
                    .to_owned(),
            );
        }
        let (section, name) = PROMPT_RECALL;
        settings::set_switch(&self.config.home.config_file(), section, name, on)
            .map_err(|error| format!("config.toml was left as it is: {error}"))
    }
}

impl LocalMachine {
    /// The one setting that a page can change: it takes nothing away and gives nothing out.
    fn prompt_recall(&self) -> Setting {
        let (section, name) = PROMPT_RECALL;
        let shown = self.shown(
            &format!("{section}.{name}"),
            self.config.prompt_recall(),
            Some("AFTERWORD_PROMPT_RECALL"),
        );
        match shown.changeable {
            Changeable::InVariable => shown,
            _ => Setting { changeable: Changeable::Here, ..shown },
        }
    }
}

/// A value as a person reads it.
struct Value(String);

impl<T: std::fmt::Display> From<T> for Value {
    fn from(value: T) -> Self {
        Self(value.to_string())
    }
}

fn inject_on(value: InjectOn) -> &'static str {
    match value {
        InjectOn::SessionStart => "session_start",
        InjectOn::FirstPrompt => "first_prompt",
    }
}

fn number(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
