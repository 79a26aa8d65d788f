//! Messages in the forms in which clients send them.

use afterword_engine::infer::{Message, Speaker};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::api::error::{ApiError, ApiResult};

/// Most messages of one request.
const MESSAGES: usize = 1_000;

/// What was said: a text, which is a person's message; one message; or several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "messages are a text, or a list of {\"role\", \"content\"}")]
pub(in crate::api) enum Messages {
    /// A person's message.
    Text(String),
    /// Several messages.
    Many(Vec<Said>),
    /// One message.
    One(Said),
}

/// One message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a message is {\"role\", \"content\"}")]
pub(in crate::api) enum Said {
    /// With its speaker.
    Message(Spoken),
    /// A person's.
    Text(String),
}

/// A message with its speaker.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct Spoken {
    /// `user`, `assistant` or `system`; nothing is kept of a `system` message.
    #[serde(default)]
    role: Option<String>,
    /// The speaker's name.
    #[serde(default)]
    name: Option<String>,
    /// What was said.
    content: Content,
}

/// What a message holds.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the content of a message is a text, or a list of parts")]
pub(in crate::api) enum Content {
    /// A text.
    Text(String),
    /// Parts, of which the texts are read.
    Parts(Vec<Part>),
    /// One part.
    Part(Part),
    /// Nothing.
    Nothing(()),
}

/// A part of a message.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct Part {
    /// Its text; parts of other kinds have none.
    #[serde(default)]
    text: Option<String>,
}

impl Messages {
    /// The messages as the engine reads them.
    pub(in crate::api) fn read(self) -> ApiResult<Vec<Message>> {
        let said = match self {
            Self::Text(text) => vec![Said::Text(text)],
            Self::One(said) => vec![said],
            Self::Many(said) => said,
        };
        if said.len() > MESSAGES {
            return Err(ApiError::invalid(format!(
                "{} messages are too many: send at most {MESSAGES} at a time",
                said.len()
            )));
        }
        let messages: Vec<Message> = said.into_iter().map(Said::read).collect();
        if messages.iter().all(|message| message.content.trim().is_empty()) {
            return Err(ApiError::invalid("messages say nothing"));
        }
        Ok(messages)
    }
}

impl Said {
    fn read(self) -> Message {
        let (role, name, content) = match self {
            Self::Text(text) => (None, None, text),
            Self::Message(Spoken { role, name, content }) => (role, name, content.read()),
        };
        let speaker = role.map_or(Speaker::User, |role| Speaker::of_role(&role));
        Message { speaker, name, content, at: None }
    }
}

impl Content {
    fn read(self) -> String {
        let parts = match self {
            Self::Text(text) => return text,
            Self::Parts(parts) => parts,
            Self::Part(part) => vec![part],
            Self::Nothing(()) => Vec::new(),
        };
        let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
        texts.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> Result<Vec<Message>, String> {
        let messages: Messages = serde_json::from_value(value).map_err(|e| e.to_string())?;
        messages
            .read()
            .map_err(|error| afterword_domain::wire::daemon::ErrorBody::from(error).error)
    }

    #[test]
    fn every_form_of_messages_is_read() {
        let message = json!({"role": "user", "content": "I like tea"});
        for form in [
            json!("I like tea"),
            message.clone(),
            json!([message]),
            json!(["I like tea"]),
            json!([{"content": "I like tea"}]),
            json!([{"role": "user", "content": [{"type": "text", "text": "I like tea"}]}]),
            json!([{"role": "user", "content": {"type": "text", "text": "I like tea"}}]),
        ] {
            let messages = read(form.clone()).unwrap_or_else(|why| panic!("{form}: {why}"));
            assert_eq!((messages.len(), messages[0].content.as_str()), (1, "I like tea"), "{form}");
            assert_eq!(messages[0].speaker, Speaker::User);
        }
        let two =
            json!([{"role": "system", "content": "x"}, {"role": "assistant", "content": "y"}]);
        let speakers: Vec<Speaker> = read(two).unwrap().iter().map(|m| m.speaker).collect();
        assert_eq!(speakers, [Speaker::Other, Speaker::Assistant]);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for bad in
            [json!([]), json!(""), json!([{"role": "user", "content": null}]), json!(7), json!([7])]
        {
            assert!(read(bad.clone()).unwrap_err().contains("message"), "{bad}");
        }
        let many = Value::Array(vec![json!("x"); MESSAGES + 1]);
        assert!(read(many).unwrap_err().contains("too many"));
    }
}
