//! What a caller sends: every spelling of every field, all optional.

use std::path::Path;

use afterword_domain::boundary;
use afterword_domain::event::{Event, EventBody, Subagent};
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::observer;
use afterword_domain::{Clock, repair};
use axum::extract::{FromRequest, FromRequestParts as _, Request};
use axum::http::Method;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::api::body::{self, Query};
use crate::api::error::{ApiError, ApiResult};

/// The header in which a caller may name its agent.
const PLATFORM_HEADER: &str = "x-platform-source";

const SESSION: [&str; 6] = [
    "contentSessionId",
    "claudeSessionId",
    "sessionId",
    "content_session_id",
    "claude_session_id",
    "session_id",
];
const PLATFORM: [&str; 2] = ["platformSource", "platform_source"];
const AGENT_ID: [&str; 2] = ["agentId", "agent_id"];
const AGENT_TYPE: [&str; 2] = ["agentType", "agent_type"];

/// A body of this door and its query string, the body first. Of several spellings the first that says something counts; numbers may
/// stand for texts and texts for numbers; no content type is needed.
#[derive(Debug, Default)]
pub(in crate::api::routes) struct Call {
    fields: Map<String, Value>,
}

impl<S: Send + Sync> FromRequest<S> for Call {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let platform = parts.headers.get(PLATFORM_HEADER);
        let platform = platform.and_then(|p| p.to_str().ok()).map(str::to_owned);
        let Query(pairs): Query<Vec<(String, String)>> =
            Query::from_request_parts(&mut parts, state).await?;
        let bodyless = matches!(parts.method, Method::GET | Method::HEAD | Method::DELETE);
        let mut call = if bodyless {
            Self::default()
        } else {
            let request = Request::from_parts(parts, body);
            Self::read(&body::bytes(request, state).await?)?
        };
        call.add_query(pairs);
        if let Some(platform) = platform {
            call.set_missing(&PLATFORM, platform);
        }
        Ok(call)
    }
}

impl Call {
    fn read(bytes: &[u8]) -> ApiResult<Self> {
        if bytes.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        match repair::parse(bytes) {
            Some(Value::Object(fields)) => Ok(Self { fields }),
            _ => Err(ApiError::invalid("the body must be a JSON object")),
        }
    }

    /// What the query string says besides the body. A name that comes several times is a list.
    fn add_query(&mut self, pairs: Vec<(String, String)>) {
        let mut asked: Map<String, Value> = Map::new();
        for (name, value) in pairs {
            match asked.get_mut(&name) {
                Some(Value::Array(list)) => list.push(value.into()),
                Some(one) => *one = Value::Array(vec![one.take(), value.into()]),
                None => drop(asked.insert(name, value.into())),
            }
        }
        for (name, value) in asked {
            self.fields.entry(name).or_insert(value);
        }
    }

    /// The first spelling with a text that is not blank, or with a number.
    pub(super) fn text(&self, spellings: &[&str]) -> Option<String> {
        spellings.iter().find_map(|name| match self.fields.get(*name)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }

    /// The first spelling with a whole number.
    pub(super) fn number(&self, spellings: &[&str]) -> Option<i64> {
        spellings.iter().find_map(|name| match self.fields.get(*name)? {
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_i64(),
        })
    }

    /// Whether any spelling says yes.
    pub(super) fn says(&self, spellings: &[&str]) -> bool {
        spellings.iter().any(|name| match self.fields.get(*name) {
            Some(Value::Bool(yes)) => *yes,
            Some(Value::String(text)) => matches!(text.trim(), "true" | "1"),
            _ => false,
        })
    }

    /// The first spelling with any value. JSON inside a string is taken out of it.
    pub(super) fn value(&self, spellings: &[&str]) -> Value {
        let value = spellings.iter().filter_map(|name| self.fields.get(*name));
        match value.into_iter().find(|value| !value.is_null()) {
            Some(Value::String(text)) if text.trim_start().starts_with(['{', '[']) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
            other => other.cloned().unwrap_or_default(),
        }
    }

    /// The first spelling that is not blank as a count.
    pub(super) fn count(&self, spellings: &[&str]) -> ApiResult<Option<usize>> {
        let given = spellings.iter().find_map(|name| match self.fields.get(*name)? {
            Value::Null => None,
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => Some((*name, text.trim().parse().ok())),
            value => Some((*name, value.as_u64().and_then(|n| usize::try_from(n).ok()))),
        });
        match given {
            None => Ok(None),
            Some((_, Some(n))) => Ok(Some(n)),
            Some((name, None)) => Err(ApiError::invalid(format!("{name} must be a whole number"))),
        }
    }

    /// The first spelling that says something as a list: an array, the JSON of one, or texts
    /// between commas.
    pub(super) fn list(&self, spellings: &[&str]) -> Vec<String> {
        let item = |value: &Value| match value {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let lists = spellings.iter().map(|name| match self.value(&[name]) {
            Value::Array(items) => items.iter().filter_map(item).collect(),
            Value::String(text) => text.split(',').map(|part| part.trim().to_owned()).collect(),
            value => item(&value).into_iter().collect::<Vec<String>>(),
        });
        let said = lists
            .map(|list| list.into_iter().filter(|text| !text.is_empty()).collect::<Vec<String>>());
        said.into_iter().find(|list| !list.is_empty()).unwrap_or_default()
    }

    /// The texts of a name that may come several times; commas are part of them.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        match self.fields.get(name) {
            Some(Value::Array(items)) => {
                items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => self.text(&[name]).into_iter().collect(),
        }
    }

    /// Whether any spelling is there at all.
    pub(super) fn names(&self, spellings: &[&str]) -> bool {
        spellings.iter().any(|name| self.fields.get(*name).is_some_and(|value| !value.is_null()))
    }

    /// The fields as they are.
    pub(super) const fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The platform that the caller names.
    pub(super) fn platform(&self) -> Option<String> {
        self.text(&PLATFORM)
    }

    /// The project that the caller names.
    pub(super) fn named_project(&self) -> Option<ProjectRef> {
        self.text(&["project"]).map(|name| ProjectRef::named(&name))
    }

    /// Sets a field where no spelling of it says anything.
    fn set_missing(&mut self, spellings: &[&str], value: String) {
        if self.text(spellings).is_none() {
            self.fields.insert(spellings[0].to_owned(), Value::String(value));
        }
    }

    /// Says whose call this is, whatever it said itself.
    pub(super) fn belongs_to(&mut self, agent: String, session: String) {
        self.fields.insert(SESSION[0].to_owned(), Value::String(session));
        self.fields.insert(PLATFORM[0].to_owned(), Value::String(agent));
    }

    pub(super) fn agent(&self) -> String {
        observer::agent(&self.platform().unwrap_or_default())
    }

    pub(super) fn session(&self) -> ApiResult<String> {
        let id = self.text(&SESSION).map(|id| boundary::session_id(&id));
        id.filter(|id| !id.is_empty()).ok_or_else(|| {
            ApiError::invalid("the session id is missing: send it as contentSessionId")
        })
    }

    /// The sub-agent that the call came from.
    pub(super) fn subagent(&self) -> Option<Subagent> {
        let id = self.text(&AGENT_ID)?;
        Some(Subagent { id, kind: self.text(&AGENT_TYPE).unwrap_or_default() })
    }

    /// Where the work belongs. A known session keeps its project whatever this says.
    pub(super) fn project(&self, cwd: Option<&str>) -> ProjectRef {
        if let Some(name) = self.text(&["project"]) {
            return ProjectRef::named(&name);
        }
        let Some(cwd) = cwd else { return ProjectRef::named("unknown") };
        let name = Path::new(cwd).file_name().map_or(cwd.into(), |n| n.to_string_lossy());
        ProjectRef {
            keys: vec![format!("dir:{cwd}")],
            root: Some(cwd.to_owned()),
            ..ProjectRef::named(&name)
        }
    }

    /// The canonical event.
    pub(super) fn event(&self, clock: &dyn Clock, body: EventBody) -> ApiResult<Event> {
        let cwd = self.text(&["cwd"]);
        Ok(Event {
            uid: Uuid::now_v7(),
            at: clock.now(),
            agent: self.agent(),
            agent_session_id: self.session()?,
            project: self.project(cwd.as_deref()),
            cwd,
            turn_id: None,
            subagent: self.subagent(),
            model: None,
            transcript_path: None,
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(body: &Value) -> Call {
        Call::read(body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_first_spelling_that_says_something_counts() {
        let both =
            call(&json!({"claudeSessionId": "a", "contentSessionId": " ", "sessionId": null}));
        assert_eq!(both.session().unwrap(), "a");
        let same = call(&json!({"claudeSessionId": "a", "contentSessionId": "b", "session_id": 7}));
        assert_eq!(same.session().unwrap(), "b");
        assert_eq!(call(&json!({"sessionId": 42})).session().unwrap(), "42");
        assert!(call(&json!({"sessionId": {"id": 1}})).session().is_err());
        assert_eq!(call(&json!({"promptNumber": "3"})).number(&["promptNumber"]), Some(3));
    }

    #[test]
    fn bodies_that_are_no_objects_are_refused_and_damaged_texts_are_not() {
        for bytes in [&b"[]"[..], b"5", b"nothing"] {
            assert!(Call::read(bytes).is_err());
        }
        assert!(Call::read(b" \n").unwrap().fields.is_empty());
        let damaged = Call::read(b"\xef\xbb\xbf{\"sessionId\":\"a\xff\"}").unwrap();
        assert!(damaged.session().unwrap().starts_with('a'));
    }

    #[test]
    fn json_inside_a_string_is_taken_out() {
        let call = call(&json!({"tool_input": "{\"path\":\"a\"}", "tool_response": "{half"}));
        assert_eq!(call.value(&["toolInput", "tool_input"]), json!({"path": "a"}));
        assert_eq!(call.value(&["tool_response"]), json!("{half"));
        assert_eq!(call.value(&["nothing"]), Value::Null);
    }
}
