//! What callers send: JSON with fields that are all optional, of which those that are not known are
//! passed over, because clients send many of their own.

pub(super) mod filter;
mod messages;
mod moment;
mod names;
mod paging;

use std::collections::BTreeMap;

use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use uuid::Uuid;

pub(super) use messages::Messages;
pub(super) use moment::{Moment, day};
pub(super) use names::{NOBODY, Names, somebody, with_filters};
pub(super) use paging::{Paging, links};

use crate::api::body;
use crate::api::error::{ApiError, ApiResult};

/// A JSON object as body. No body, and null, is an object without fields.
#[derive(Debug)]
pub(super) struct Fields<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Fields<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        object(request, state).await.and_then(read).map(Self)
    }
}

/// The object that a body is.
async fn object<S: Send + Sync>(request: Request, state: &S) -> ApiResult<Map<String, Value>> {
    let bytes = body::bytes(request, state).await?;
    if bytes.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(ApiError::invalid("the body is no JSON object")),
        Err(why) => Err(ApiError::invalid(format!("the body cannot be used: {why}"))),
    }
}

/// The fields of a type; an error names the field that is wrong.
fn read<T: DeserializeOwned>(map: Map<String, Value>) -> ApiResult<T> {
    let why = match serde_json::from_value(Value::Object(map.clone())) {
        Ok(read) => return Ok(read),
        Err(why) => why,
    };
    // No field needs another one, so the wrong one is wrong alone.
    let wrong = map.into_iter().find_map(|(name, value)| {
        let alone = Map::from_iter([(name.clone(), value)]);
        let why = serde_json::from_value::<T>(Value::Object(alone)).err()?;
        Some(format!("{name}: {why}"))
    });
    Err(ApiError::invalid(wrong.unwrap_or_else(|| why.to_string())))
}

/// The parameters of a query string, each once.
#[derive(Debug, Default)]
pub(super) struct Parameters(BTreeMap<String, String>);

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        state: &S,
    ) -> Result<Self, ApiError> {
        let body::Query(pairs) =
            body::Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut parameters = BTreeMap::new();
        for (name, value) in pairs {
            if parameters.contains_key(&name) {
                return Err(ApiError::invalid(format!("{name} is given twice")));
            }
            parameters.insert(name, value);
        }
        Ok(Self(parameters))
    }
}

impl Parameters {
    /// A parameter that says something.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Every parameter, also those that say nothing.
    pub(super) fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> ApiResult<Option<u64>> {
        let number = self.get(name).map(str::parse).transpose();
        number.map_err(|_| ApiError::invalid(format!("{name} is a whole number")))
    }

    /// A yes or a no.
    pub(super) fn flag(&self, name: &str) -> ApiResult<bool> {
        match self.get(name).map(str::to_ascii_lowercase).as_deref() {
            None | Some("false" | "0" | "no") => Ok(false),
            Some("true" | "1" | "yes") => Ok(true),
            Some(_) => Err(ApiError::invalid(format!("{name} is true or false"))),
        }
    }

    /// The names of owners among them.
    pub(super) fn names(&self) -> ApiResult<Names> {
        let texts = self.each().map(|(name, value)| (name.to_owned(), Value::from(value)));
        read(texts.collect())
    }
}

/// The id of a memory, or of anything else that has a UUID.
pub(super) fn uuid(what: &str, text: &str) -> ApiResult<Uuid> {
    Uuid::try_parse(text.trim())
        .map_err(|_| ApiError::invalid(format!("{what} should be a valid UUID")))
}

/// A number within its bounds.
pub(super) fn within(
    name: &str,
    number: Option<u64>,
    default: usize,
    bounds: std::ops::RangeInclusive<usize>,
) -> ApiResult<usize> {
    let Some(number) = number else { return Ok(default) };
    usize::try_from(number).ok().filter(|number| bounds.contains(number)).ok_or_else(|| {
        ApiError::invalid(format!("{name} is {} to {}", bounds.start(), bounds.end()))
    })
}
