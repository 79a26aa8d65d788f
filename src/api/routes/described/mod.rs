//! What the routes of every door take and give.

mod observer;
mod observer_reads;
mod people;
mod viewer;

use serde_json::{Map, Value};

use super::memory_door::described as memory_door;
use crate::api::openapi::Operation;

/// An object whose fields the documents of its route tell.
type Object = Map<String, Value>;

/// Every operation of every door.
pub(in crate::api) fn operations() -> Vec<Operation> {
    [
        memory_door::operations(),
        people::operations(),
        viewer::operations(),
        observer::operations(),
        observer_reads::operations(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::api::openapi::document;
    use crate::api::routes::routes;

    /// A path without the slash at its end: the memory door serves both spellings of each.
    fn bare(path: &str) -> &str {
        path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path)
    }

    #[test]
    fn the_document_names_exactly_the_routes_that_are_served() {
        let document = document(&routes(), &operations());
        let mut told = BTreeSet::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for method in methods.as_object().unwrap().keys() {
                assert!(
                    told.insert((method.to_uppercase(), bare(path).to_owned())),
                    "{path} twice"
                );
            }
        }
        let served: BTreeSet<_> = routes()
            .iter()
            .map(|route| (route.method.to_owned(), bare(&route.path.replace("{*", "{")).to_owned()))
            .collect();
        assert_eq!(told, served);
        assert_eq!(operations().len(), told.len(), "none is told of that is not served");
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn references(value: &Value, into: &mut BTreeSet<String>) {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(reference)) = map.get("$ref") {
                        into.insert(reference.clone());
                    }
                    map.values().for_each(|value| references(value, into));
                }
                Value::Array(list) => list.iter().for_each(|value| references(value, into)),
                _ => {}
            }
        }
        let document = document(&routes(), &operations());
        let mut all = BTreeSet::new();
        references(&document, &mut all);
        assert!(all.len() > 20, "{all:?}");
        for reference in all {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }
}
