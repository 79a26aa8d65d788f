//! What the machine knows and the database does not.

use std::fmt;
use std::io;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::ContextQuestion;
pub use afterword_domain::wire::viewer::Setting;

/// Pauses, checkouts and settings of the one person whose machine this is; a server for many has
/// none. Calls may block for as long as a file or `git` takes.
pub trait Machine: Send + Sync + fmt::Debug {
    /// What a session that starts in the project's folder now would ask: its branch and what is
    /// changed in it. The project as it is known where the folder is not there.
    fn question(&self, project: &ProjectRef) -> ContextQuestion;

    /// Whether capture and context are paused for the project, or everywhere.
    fn is_paused(&self, project: Option<&ProjectRef>) -> bool;

    /// Stops capture and context, or lets them go on, for the project or everywhere.
    ///
    /// # Errors
    ///
    /// Nothing but the project's name is known, or the pause cannot be noted.
    fn pause(&self, project: Option<&ProjectRef>, paused: bool) -> io::Result<()>;

    /// The settings in force that matter to a person.
    fn settings(&self) -> Vec<Setting>;

    /// The path and the text of the log of this run, as far as its last 4 MB; none where there is no
    /// log file.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read.
    fn log(&self) -> io::Result<Option<(String, String)>>;

    /// Keeps whether prompts are answered with memories.
    ///
    /// # Errors
    ///
    /// What keeps it from being kept, and what to do about it, for a person.
    fn keep_prompt_recall(&self, on: bool) -> Result<(), String>;
}
