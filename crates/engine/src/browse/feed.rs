//! Rows of every kind, newest first, and how many there are.

use std::collections::BTreeMap;

use afterword_domain::day::Day;
use afterword_domain::scope::Scope;
use afterword_domain::wire::viewer::{DayRows, Feed, FeedCursor, FeedRequest, Growth};
use afterword_domain::{Kind, PublicId, Time};

use crate::timeline::entry;
use crate::{Engine, Result};

/// Rows of a page where no number is asked for, and most of them.
const ROWS: usize = 50;
const MOST_ROWS: usize = 200;

/// Rows that one page looks at where few are of the kinds asked for.
const LOOKED_AT: usize = 2_000;

/// Later than any row.
const END_OF_TIME: Time = Time::from_millis(i64::MAX);

/// Most days that are counted.
const MOST_DAYS: u32 = 3_660;

impl Engine {
    /// A page of rows, newest first by time of work.
    pub async fn feed(&self, request: &FeedRequest) -> Result<Feed> {
        let scope = scope(request.project_id);
        let limit = request.limit.unwrap_or(ROWS).clamp(1, MOST_ROWS);
        let wanted = |id: PublicId| request.kinds.is_empty() || request.kinds.contains(&id.kind);
        let mut place = request.before;
        let until = request.until.unwrap_or(END_OF_TIME);
        let mut feed = Feed { total: self.total(&scope, &request.kinds).await?, ..Feed::default() };
        let mut looked_at = 0;
        loop {
            let (at, id) = place.map_or((until, None), |place| (place.at, Some(place.id)));
            let rows = self.store.around(scope.clone(), at, id, limit, 0).await?.before;
            let whole_page = rows.len() == limit;
            looked_at += rows.len();
            for row in rows.iter().rev() {
                place = Some(FeedCursor { at: row.created_at, id: row.id });
                if wanted(row.id) {
                    feed.entries.push(entry(row));
                }
                if feed.entries.len() == limit {
                    break;
                }
            }
            let full = feed.entries.len() == limit;
            if full || looked_at >= LOOKED_AT || !whole_page {
                feed.next = place.filter(|_| full || whole_page);
                return Ok(feed);
            }
        }
    }

    async fn total(&self, scope: &Scope, kinds: &[Kind]) -> Result<u64> {
        let counts = self.store.count_rows(scope.clone()).await?;
        let counted = counts.iter().filter(|(kind, _)| kinds.is_empty() || kinds.contains(kind));
        Ok(counted.map(|(_, n)| n).sum())
    }

    /// How many rows belong to each of the last `days` days, today counted.
    pub async fn growth(&self, project_id: Option<i64>, days: u32) -> Result<Growth> {
        let scope = scope(project_id);
        let to = Day::of(self.clock.now());
        let from = to.plus(1 - i64::from(days.clamp(1, MOST_DAYS)));
        let mut by_day: BTreeMap<Day, BTreeMap<String, u64>> = BTreeMap::new();
        let mut counted = 0;
        for (day, kind, n) in self.store.count_rows_by_day(scope.clone(), from, to).await? {
            by_day.entry(day).or_default().insert(kind.word().to_owned(), n);
            counted += n;
        }
        let days = (from.number()..=to.number()).map(Day::from_number);
        Ok(Growth {
            from,
            to,
            elsewhere: self.total(&scope, &[]).await?.saturating_sub(counted),
            days: days
                .map(|day| DayRows { day, rows: by_day.remove(&day).unwrap_or_default() })
                .collect(),
        })
    }
}

pub(super) fn scope(project_id: Option<i64>) -> Scope {
    project_id.map_or(Scope::All, Scope::Project)
}
