//! What can be typed.

use clap::{Parser, Subcommand};

use super::{
    daemon, demo, doctor, eval, install, jobs, live, mcp, memory, model, provider, status, team,
};

/// The memory of your coding agent: kept, distilled, and handed to the next session.
#[derive(Debug, Parser)]
#[command(name = "afterword", version, about, disable_help_subcommand = true)]
pub(super) struct Arguments {
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Register the hooks with your agents
    Install(install::InstallArguments),
    /// Take every hook and every other change back
    Uninstall(install::UninstallArguments),
    /// Find what is remembered
    Search(memory::SearchArguments),
    /// Show what came before and after
    Timeline(memory::TimelineArguments),
    /// Show rows whole, and what is behind them
    Show(memory::ShowArguments),
    /// Show what the next session would be given
    Context(memory::ContextArguments),
    /// Remember a text on purpose
    Remember(memory::RememberArguments),
    /// Forget rows for good
    Forget(memory::ForgetArguments),
    /// Take rows in from a file
    Import(memory::ImportArguments),
    /// Write every row to a file
    Export(memory::ExportArguments),
    /// Stop capture and context for a while
    Pause(memory::PauseArguments),
    /// Go on after a pause
    Resume(memory::PauseArguments),
    /// Look into the memory in your browser
    Open(live::OpenArguments),
    /// Show what happens, as it happens
    Tail(live::TailArguments),
    /// Show where everything stands
    Status,
    /// See what waits to be distilled, and what failed
    Jobs(jobs::JobsArguments),
    /// Show what was spent with models, and what sessions were handed for it
    Spend(status::SpendArguments),
    /// Check every promise that can be checked here
    Doctor(doctor::DoctorArguments),
    /// See a memory cross sessions, in a throwaway home
    Demo(demo::DemoArguments),
    /// Measure recall on a dataset of questions with known answers
    Eval(eval::EvalArguments),
    /// Install, show or remove the embedding model
    Model(model::ModelArguments),
    /// Show or try who runs a language model
    Provider(provider::ProviderArguments),
    /// Send what waits for the remote memory service
    Deliver(daemon::DeliverArguments),
    /// Run, start or stop the local process
    Daemon(daemon::DaemonArguments),
    /// Serve tools for the model (run by the agent)
    Mcp(mcp::McpArguments),
    /// Serve memories to a team, on PostgreSQL
    Serve(team::ServeArguments),
    /// Make, list or revoke tokens of a team server
    Token(team::TokenArguments),
    /// Answer an agent's hook event (run by the agent)
    #[command(override_usage = "afterword hook <AGENT> [EVENT]")]
    Hook,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::Arguments::command().debug_assert();
    }
}
