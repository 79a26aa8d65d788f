//! `afterword token create|list|revoke`

use std::process::ExitCode;
use std::sync::Arc;

use afterword_domain::team::Role;
use afterword_domain::wire::team::Token;
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::database_url;
use crate::cli::Tools;
use crate::cli::output::{Failure, visible};
use crate::team::{AccountError, Accounts, TokenOrder};

/// Make, list or revoke tokens of a team server
#[derive(Debug, Args)]
pub(in crate::cli) struct TokenArguments {
    /// The database; `AFTERWORD_DATABASE_URL` unless given
    #[arg(long, value_name = "URL", global = true)]
    database_url: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token, and its organisation and member where they are new; it is shown once
    Create(CreateArguments),
    /// Show tokens, without their secrets
    List {
        /// Of this organisation only
        #[arg(long, value_name = "NAME")]
        org: Option<String>,
    },
    /// End a token, on every server at once
    Revoke {
        /// Its id, as `token list` shows it
        id: Uuid,
    },
}

#[derive(Debug, Args)]
struct CreateArguments {
    /// The organisation
    #[arg(long, value_name = "NAME")]
    org: String,
    /// Whose it is
    #[arg(long, value_name = "NAME")]
    member: String,
    /// What it may do: admin, member or reader
    #[arg(long, value_name = "ROLE")]
    role: Role,
    /// The only project that it reaches; all of them unless given
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Days after which it stops counting, 1 to 3650; never unless given
    #[arg(long, value_name = "N")]
    expires_days: Option<u32>,
}

/// A token in a list of several organisations.
#[derive(Serialize)]
struct Listed {
    organisation: String,
    #[serde(flatten)]
    token: Token,
}

pub(in crate::cli) fn token(tools: &Tools, arguments: &TokenArguments) -> anyhow::Result<ExitCode> {
    let url = database_url(tools, arguments.database_url.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let accounts = Accounts::open(&url, Arc::clone(&tools.clock)).await?;
        match &arguments.action {
            Action::Create(order) => create(tools, &accounts, order).await,
            Action::List { org } => list(tools, &accounts, org.as_deref()).await,
            Action::Revoke { id } => revoke(tools, &accounts, *id).await,
        }
    });
    done.map(|()| ExitCode::SUCCESS).map_err(|error| match error {
        AccountError::Other(error) => error,
        error => Failure::User(error.to_string()).into(),
    })
}

async fn create(
    tools: &Tools,
    accounts: &Accounts,
    order: &CreateArguments,
) -> Result<(), AccountError> {
    let order = TokenOrder {
        organisation: order.org.clone(),
        member: order.member.clone(),
        role: order.role,
        project: order.project.clone(),
        expires_days: order.expires_days,
    };
    let made = accounts.create(&order).await?;
    if tools.out.json {
        tools.out.value(&made)?;
    } else {
        tools.out.line(&made.token);
        tools
            .out
            .note(&format!("this is shown once; `afterword token revoke {}` ends it", made.id));
    }
    Ok(())
}

async fn list(tools: &Tools, accounts: &Accounts, org: Option<&str>) -> Result<(), AccountError> {
    let listed = accounts.list(org).await?.into_iter().flat_map(|(organisation, tokens)| {
        tokens.into_iter().map(move |token| Listed { organisation: organisation.clone(), token })
    });
    let listed: Vec<Listed> = listed.collect();
    if tools.out.json {
        tools.out.value(&json!({ "tokens": listed }))?;
        return Ok(());
    }
    if listed.is_empty() {
        tools.out.line("no tokens");
    }
    for Listed { organisation, token } in listed {
        let state = match (token.revoked_at, token.expires_at) {
            (Some(at), _) => format!("revoked {}", at.date()),
            (None, Some(at)) if at <= tools.clock.now() => format!("expired {}", at.date()),
            (None, Some(at)) => format!("until {}", at.date()),
            (None, None) => "for good".to_owned(),
        };
        let used = token
            .last_used_at
            .map_or_else(|| "never used".to_owned(), |at| format!("used {}", at.date()));
        let project = token.project.map_or_else(String::new, |name| format!(", only {name}"));
        tools.out.line(&visible(&format!(
            "{}  {}…  {organisation} / {} ({}{project}), {state}, {used}",
            token.id, token.mark, token.member, token.role
        )));
    }
    Ok(())
}

async fn revoke(tools: &Tools, accounts: &Accounts, id: Uuid) -> Result<(), AccountError> {
    accounts.revoke(id).await?;
    if tools.out.json {
        tools.out.value(&json!({ "id": id, "revoked": true }))?;
    } else {
        tools.out.line(&format!("revoked {id}"));
    }
    Ok(())
}
