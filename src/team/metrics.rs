//! Counts and times for Prometheus, in its text format 0.0.4.
//!
//! Written here because it takes less than the setting up of a library: two kinds of values, and
//! labels that are routes of the table, never what a caller sends.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};

/// Upper bounds of times, in seconds.
const BOUNDS: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// What this server has done since it started.
#[derive(Debug)]
pub(super) struct Metrics {
    started: Instant,
    answers: Mutex<BTreeMap<(&'static str, &'static str), Route>>,
}

/// The answers of one method and route.
#[derive(Debug, Default)]
struct Route {
    by_status: BTreeMap<u16, u64>,
    within: [u64; BOUNDS.len()],
    seconds: f64,
    count: u64,
}

impl Metrics {
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), answers: Mutex::default() }
    }

    /// Counts an answer; a watcher's when it began.
    pub(super) fn answered(
        &self,
        method: &Method,
        route: &'static str,
        status: StatusCode,
        took: Duration,
    ) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let row = answers.entry((route, known(method))).or_default();
        *row.by_status.entry(status.as_u16()).or_default() += 1;
        let seconds = took.as_secs_f64();
        for (bound, count) in BOUNDS.iter().zip(&mut row.within) {
            *count += u64::from(seconds <= *bound);
        }
        row.seconds += seconds;
        row.count += 1;
    }

    /// All of it, with how many jobs stand in each queue and state, connections to the database
    /// (all, free), and engines.
    pub(super) fn text(
        &self,
        queues: &[(String, String, u64)],
        connections: (usize, usize),
        engines: usize,
    ) -> String {
        let mut page = Page(String::new());
        page.begin("afterword_build_info", "gauge", "The release that runs.");
        page.line("afterword_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.begin("afterword_uptime_seconds", "gauge", "Seconds since the server started.");
        page.line("afterword_uptime_seconds", &[], self.started.elapsed().as_secs());
        page.begin("afterword_engines", "gauge", "Organisations and bound projects in memory.");
        page.line("afterword_engines", &[], engines);
        page.begin("afterword_database_connections", "gauge", "Connections to the database.");
        let (all, free) = connections;
        for (state, count) in [("idle", free), ("used", all.saturating_sub(free))] {
            page.line("afterword_database_connections", &[("state", state)], count);
        }
        page.begin("afterword_jobs", "gauge", "Jobs of all organisations, by queue and state.");
        for (queue, state, count) in queues {
            page.line("afterword_jobs", &[("queue", queue), ("state", state)], count);
        }
        self.write_answers(&mut page);
        page.0
    }

    fn write_answers(&self, page: &mut Page) {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "afterword_http_requests_total";
        page.begin(name, "counter", "Answered requests.");
        for ((route, method), row) in answers.iter() {
            for (status, count) in &row.by_status {
                let status = status.to_string();
                page.line(
                    name,
                    &[("method", method), ("route", route), ("status", &status)],
                    count,
                );
            }
        }
        let name = "afterword_http_request_seconds";
        page.begin(name, "histogram", "Seconds until an answer began.");
        for ((route, method), row) in answers.iter() {
            let labels = [("method", *method), ("route", *route)];
            let bucket = "afterword_http_request_seconds_bucket";
            for (bound, count) in BOUNDS.iter().zip(row.within) {
                let bound = bound.to_string();
                page.line(bucket, &[labels[0], labels[1], ("le", &bound)], count);
            }
            page.line(bucket, &[labels[0], labels[1], ("le", "+Inf")], row.count);
            page.line("afterword_http_request_seconds_sum", &labels, row.seconds);
            page.line("afterword_http_request_seconds_count", &labels, row.count);
        }
    }
}

/// A method as a label: a caller may send any word.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        _ => "other",
    }
}

/// Lines of the format. Writing to a string cannot fail.
struct Page(String);

impl Page {
    fn begin(&mut self, name: &str, kind: &str, help: &str) {
        write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n").ok();
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (n, (label, text)) in labels.iter().enumerate() {
            self.0.push(if n == 0 { '{' } else { ',' });
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            write!(self.0, "{label}=\"{text}\"").ok();
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        writeln!(self.0, " {value}").ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_route_and_status_and_timed() {
        let metrics = Metrics::new();
        let ok = StatusCode::OK;
        metrics.answered(&Method::GET, "/api/search", ok, Duration::from_millis(7));
        metrics.answered(&Method::GET, "/api/search", ok, Duration::from_mins(1));
        metrics.answered(&Method::GET, "/api/search", StatusCode::FORBIDDEN, Duration::ZERO);
        let odd = Method::from_bytes(b"BREW").unwrap();
        metrics.answered(&odd, "none", StatusCode::NOT_FOUND, Duration::ZERO);
        let queues = [("rules".to_owned(), "waiting\"\n".to_owned(), 3)];
        let text = metrics.text(&queues, (5, 2), 1);
        let route = "method=\"GET\",route=\"/api/search\"";
        for line in [
            format!("afterword_http_requests_total{{{route},status=\"200\"}} 2"),
            format!("afterword_http_requests_total{{{route},status=\"403\"}} 1"),
            "afterword_http_requests_total{method=\"other\",route=\"none\",status=\"404\"} 1"
                .into(),
            format!("afterword_http_request_seconds_bucket{{{route},le=\"0.005\"}} 1"),
            format!("afterword_http_request_seconds_bucket{{{route},le=\"0.01\"}} 2"),
            format!("afterword_http_request_seconds_bucket{{{route},le=\"+Inf\"}} 3"),
            format!("afterword_http_request_seconds_count{{{route}}} 3"),
            "afterword_jobs{queue=\"rules\",state=\"waiting\\\"\\n\"} 3".into(),
            "afterword_database_connections{state=\"used\"} 3".into(),
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        assert_eq!(names.count(), 7);
    }
}
