//! What stood around a row, and whole rows with what is behind them.

use afterword_domain::event::{Event, EventBody, ToolUse};
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::wire::timeline::{
    Anchor, DEFAULT_NEIGHBOURS, Evidence, MOST_NEIGHBOURS, MOST_ROWS, RowsAnswer, RowsRequest,
    Timeline, TimelineEntry, TimelineRequest, WholeRow,
};
use afterword_domain::{Kind, PublicId, Time};
use afterword_store::contract::{Around, Row, RowBody};

use crate::error::within;
use crate::recall::RowText;
use crate::{Engine, Error, Result};

/// Most characters of a line about an event.
const EVIDENCE_CHARS: usize = 200;

/// Events behind one observation that are listed.
const MOST_EVIDENCE: usize = 50;

/// Later than any row.
const END_OF_TIME: Time = Time::from_millis(i64::MAX);

impl Engine {
    /// The rows of every kind around a row, around the best answer to a query, around a point in
    /// time, or the newest.
    ///
    /// Neighbours come from the project asked for, else from that of the row in the middle. An id
    /// that names no row there is [`Error::NotFound`]; a query without an answer and a project
    /// that is not known give an empty timeline. More than 100 rows on a side are [`Error::Invalid`].
    pub async fn timeline(&self, request: &TimelineRequest) -> Result<Timeline> {
        within("before", request.before, 0..=MOST_NEIGHBOURS)?;
        within("after", request.after, 0..=MOST_NEIGHBOURS)?;
        let scope = match &request.project {
            None => Scope::All,
            Some(project) => match self.store.find_project(project).await? {
                Some(found) => Scope::Project(found.id),
                None => return Ok(Timeline::default()),
            },
        };
        let before = request.before.unwrap_or(DEFAULT_NEIGHBOURS);
        let after = request.after.unwrap_or(DEFAULT_NEIGHBOURS);
        let query = request.query.trim();
        let middle = match request.anchor {
            Some(Anchor::Row(id)) => Some(self.row_of(scope.clone(), id).await?),
            Some(Anchor::At(at)) => return self.neighbours(scope, at, None, before, after).await,
            None if query.is_empty() => {
                return self.neighbours(scope, END_OF_TIME, None, before, 0).await;
            }
            None => self.best_answer(scope.clone(), request).await?,
        };
        let Some(middle) = middle else { return Ok(Timeline::default()) };
        let scope = match scope {
            Scope::All => Scope::Project(middle.project_id),
            one @ Scope::Project(_) => one,
        };
        self.neighbours(scope, middle.created_at, Some(middle), before, after).await
    }

    async fn row_of(&self, scope: Scope, id: PublicId) -> Result<Row> {
        let found = self.store.rows(scope, &[id]).await?.pop();
        found.ok_or_else(|| Error::NotFound(format!("there is no row {id} here")))
    }

    async fn best_answer(&self, scope: Scope, request: &TimelineRequest) -> Result<Option<Row>> {
        let question = SearchRequest {
            query: request.query.clone(),
            project: request.project.clone(),
            limit: Some(1),
            ..SearchRequest::default()
        };
        let answer = self.search(&question).await?;
        let Some(best) = answer.results.first() else { return Ok(None) };
        Ok(self.store.rows(scope, &[best.id]).await?.pop())
    }

    async fn neighbours(
        &self,
        scope: Scope,
        at: Time,
        middle: Option<Row>,
        before: usize,
        after: usize,
    ) -> Result<Timeline> {
        let id = middle.as_ref().map(|row| row.id);
        // One more on each side tells whether there is more.
        let ahead = if at == END_OF_TIME { 0 } else { after + 1 };
        let found = self.store.around(scope, at, id, before + 1, ahead).await?;
        let Around { before: mut earlier, after: mut later } = found;
        let (more_before, more_after) = (earlier.len() > before, later.len() > after);
        earlier.drain(..earlier.len().saturating_sub(before));
        later.truncate(after);
        let rows = earlier.iter().chain(&middle).chain(&later);
        Ok(Timeline { anchor: id, entries: rows.map(entry).collect(), more_before, more_after })
    }

    /// Rows of any kind with everything that is stored of them.
    pub async fn whole_rows(&self, request: &RowsRequest) -> Result<RowsAnswer> {
        if request.ids.len() > MOST_ROWS {
            return Err(Error::Invalid(format!(
                "{} ids at once are too many: ask for at most {MOST_ROWS}",
                request.ids.len()
            )));
        }
        let mut ids: Vec<PublicId> = Vec::with_capacity(request.ids.len());
        for id in &request.ids {
            if !ids.contains(id) {
                ids.push(*id);
            }
        }
        let found = self.store.rows(Scope::All, &ids).await?;
        let unknown = ids.into_iter().filter(|id| !found.iter().any(|row| row.id == *id)).collect();
        let mut rows = Vec::with_capacity(found.len());
        for row in found {
            let evidence = match row.id.kind {
                Kind::Observation if request.evidence => self.evidence_of(row.id.number).await?,
                _ => Vec::new(),
            };
            rows.push(whole(row, evidence)?);
        }
        Ok(RowsAnswer { rows, unknown })
    }

    async fn evidence_of(&self, observation: i64) -> Result<Vec<Evidence>> {
        let events = self.store.evidence(observation).await?;
        let lines = events.iter().take(MOST_EVIDENCE).map(|(_, event)| Evidence {
            at: event.at,
            kind: event.body.kind().to_owned(),
            line: line(event),
        });
        Ok(lines.collect())
    }
}

/// A row as lists show it.
pub(crate) fn entry(row: &Row) -> TimelineEntry {
    let text = RowText::of(&row.body);
    TimelineEntry {
        id: row.id,
        kind: row.id.kind,
        label: label(&row.body),
        snippet: text.snippet(),
        title: text.title,
        project: row.project.clone(),
        project_id: row.project_id,
        session: row.session.clone(),
        session_id: row.session_id,
        created_at: row.created_at,
    }
}

fn label(body: &RowBody) -> String {
    match body {
        RowBody::Observation(row) => row.content.r#type.clone(),
        RowBody::Summary(row) => match row.level {
            SummaryLevel::Turn => "turn".to_owned(),
            SummaryLevel::Session => "session".to_owned(),
        },
        RowBody::Memory(row) => row.origin.word().to_owned(),
        RowBody::Snapshot(row) => row.trigger.clone(),
        RowBody::Prompt(_) => String::new(),
    }
}

/// A row with everything that is stored of it.
pub(crate) fn whole(row: Row, evidence: Vec<Evidence>) -> Result<WholeRow> {
    let RowText { title, text, files } = RowText::of(&row.body);
    let fields = match &row.body {
        RowBody::Observation(body) => serde_json::to_value(body),
        RowBody::Summary(body) => serde_json::to_value(body),
        RowBody::Prompt(body) => serde_json::to_value(body),
        RowBody::Memory(body) => serde_json::to_value(body),
        RowBody::Snapshot(body) => serde_json::to_value(body),
    };
    Ok(WholeRow {
        id: row.id,
        uid: row.uid,
        kind: row.id.kind,
        label: label(&row.body),
        title,
        text,
        project: row.project,
        session: row.session,
        created_at: row.created_at,
        files,
        fields: fields.map_err(|e| Error::Invalid(format!("{} cannot be shown: {e}", row.id)))?,
        evidence,
    })
}

/// An event on one line.
pub(crate) fn line(event: &Event) -> String {
    let said = match &event.body {
        EventBody::Prompt { text, .. } => text.clone(),
        EventBody::ToolUse { tool } => tool_line(tool),
        EventBody::PreCompact { trigger, .. } => trigger.clone(),
        EventBody::PostCompact { summary } => summary.clone(),
        EventBody::Stop { answer, error } => {
            answer.clone().or_else(|| error.clone()).unwrap_or_default()
        }
        EventBody::SubagentStop { answer } => answer.clone().unwrap_or_default(),
        EventBody::SessionStart { source, .. } => source.word().to_owned(),
        EventBody::SessionEnd { reason } => reason.clone(),
    };
    cut_chars(&one_line(&said), EVIDENCE_CHARS)
}

fn tool_line(tool: &ToolUse) -> String {
    let object = match (&tool.command, tool.paths.as_slice()) {
        (Some(command), _) => command.clone(),
        (None, []) => String::new(),
        (None, paths) => paths.join(", "),
    };
    let outcome = tool.error.as_deref().map(|error| format!(" failed: {error}"));
    format!("{} {object}{}", tool.name, outcome.unwrap_or_default())
}
