//! Pages of lists.

use afterword_engine::memories::Page;
use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::{Parameters, within};
use crate::api::error::{ApiError, ApiResult};

/// The last page that can be asked for.
const PAGES: usize = 1_000_000;

/// Which page of a list is asked for.
#[derive(Clone, Debug)]
pub(in crate::api) struct Paging {
    /// From 1 on.
    pub(in crate::api) page: usize,
    /// How many a page has.
    pub(in crate::api) size: usize,
    /// Whether the caller named either.
    pub(in crate::api) asked: bool,
    /// The address without its query.
    here: String,
}

impl<S: Send + Sync> FromRequestParts<S> for Paging {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let parameters = Parameters::from_request_parts(parts, state).await?;
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let host = header(header::HOST.as_str()).unwrap_or("localhost");
        // Said by the proxy that speaks TLS for this server; a link to here at the worst.
        let scheme = header("x-forwarded-proto").filter(|scheme| *scheme == "https");
        let path = parts.uri.path();
        let here = format!("{}://{host}{path}", scheme.unwrap_or("http"));
        Self::read(&parameters, here)
    }
}

impl Paging {
    /// Most rows of a page, as the platform has it.
    pub(in crate::api) const MOST: usize = 200;

    fn read(parameters: &Parameters, here: String) -> ApiResult<Self> {
        let (page, size) = (parameters.whole("page")?, parameters.whole("page_size")?);
        Ok(Self {
            page: within("page", page, 1, 1..=PAGES)?,
            size: within("page_size", size, 100, 1..=Self::MOST)?,
            asked: page.is_some() || size.is_some(),
            here,
        })
    }

    /// This page as the engine asks for it.
    pub(in crate::api) fn part(&self) -> Page {
        Page { offset: self.offset(), limit: self.size }
    }

    /// How many rows come before this page.
    pub(in crate::api) fn offset(&self) -> usize {
        (self.page - 1) * self.size
    }
}

/// The addresses of the next page and of the one before; none where there is none.
pub(in crate::api) fn links(paging: &Paging, total: u64) -> (Option<String>, Option<String>) {
    let Paging { page, size, here, .. } = paging;
    let to = |page: usize| format!("{here}?page={page}&page_size={size}");
    let seen = u64::try_from(page * size).unwrap_or(u64::MAX);
    ((seen < total).then(|| to(page + 1)), (*page > 1).then(|| to(page - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_linked_to_both_sides() {
        let paging =
            |page| Paging { page, size: 2, asked: true, here: "http://h/v3/memories/".into() };
        let next = |page, total| links(&paging(page), total).0;
        assert_eq!(next(1, 3).as_deref(), Some("http://h/v3/memories/?page=2&page_size=2"));
        assert_eq!(next(1, 2), None);
        assert_eq!(next(2, 3), None);
        assert_eq!(links(&paging(1), 9).1, None);
        assert!(links(&paging(2), 9).1.unwrap().contains("page=1&"));
    }
}
