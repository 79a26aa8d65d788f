//! What is asked of owners, as a condition on memories.

use afterword_domain::filter::{NameMatch, OwnerMatch};
use afterword_domain::owner::OwnerKind;

use crate::postgres::connect::Parameter;

/// Owners that are asked for; a memory matches one of the ways. Names are parameters.
#[derive(Debug)]
pub(in crate::postgres) struct Ways {
    ways: Vec<Vec<(OwnerKind, Asked)>>,
    names: Vec<Names>,
}

/// What is asked of one name.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Present,
    /// The names at this place.
    Named(usize),
}

#[derive(Debug)]
enum Names {
    /// A single one leaves the rows in the order of its index.
    One(String),
    Several(Vec<String>),
}

impl Ways {
    pub(in crate::postgres) fn of(owners: &[OwnerMatch]) -> Self {
        let mut all = Self { ways: Vec::new(), names: Vec::new() };
        for owner in owners {
            let mut way = Vec::new();
            for kind in OwnerKind::ALL {
                match owner.of(kind) {
                    NameMatch::Anything => {}
                    NameMatch::Present => way.push((kind, Asked::Present)),
                    NameMatch::OneOf(names) => {
                        let mut names: Vec<String> = names.iter().cloned().collect();
                        // No text of the database holds one: nobody is called so.
                        names.retain(|name| !name.contains('\0'));
                        way.push((kind, Asked::Named(all.names.len())));
                        all.names.push(match names.pop() {
                            Some(only) if names.is_empty() => Names::One(only),
                            last => {
                                names.extend(last);
                                Names::Several(names)
                            }
                        });
                    }
                }
            }
            all.ways.push(way);
        }
        all
    }

    /// Whether no memory can match.
    pub(in crate::postgres) fn is_impossible(&self) -> bool {
        self.ways.is_empty()
    }

    /// The condition on a row of `memories m`, whose names are the parameters from `first` on.
    pub(in crate::postgres) fn condition(&self, first: usize) -> String {
        if self.ways.is_empty() {
            return "FALSE".to_owned();
        }
        let test = |(kind, asked): &(OwnerKind, Asked)| {
            let column = kind.field();
            match asked {
                Asked::Present => format!("m.{column} <> ''"),
                Asked::Named(at) => match &self.names[*at] {
                    Names::One(_) => format!("m.{column} = ${}", first + at),
                    Names::Several(_) => format!("m.{column} = ANY (${})", first + at),
                },
            }
        };
        let ways = self.ways.iter().map(|way| match &way[..] {
            [] => "TRUE".to_owned(),
            way => format!("({})", way.iter().map(test).collect::<Vec<_>>().join(" AND ")),
        });
        format!("({})", ways.collect::<Vec<_>>().join(" OR "))
    }

    /// The names as parameters.
    pub(in crate::postgres) fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        self.names.iter().map(|names| match names {
            Names::One(name) => name as Parameter<'_>,
            Names::Several(names) => names as Parameter<'_>,
        })
    }
}
