//! Tokens as the index keeps them: numbers that are the tenant's own.

use std::collections::BTreeMap;

use crate::contract::IndexDoc;
use crate::rules::hash::fnv;
use crate::rules::ranking::bm25::FIELD_WEIGHTS;

/// The number of a token of a tenant. Two tenants share no number, so that nobody's search walks
/// through another one's rows; two tokens of one tenant share one in less than one of ten million
/// vocabularies of a million words.
pub(super) fn term(tenant: i64, token: &str) -> i64 {
    let mut hash = fnv(tenant.to_le_bytes().into_iter().chain(token.bytes()));
    // FNV alone leaves tokens that differ in their last letter close together.
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (hash ^ (hash >> 33)).cast_signed()
}

/// What the index keeps of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    /// In order, each once.
    pub(super) terms: Vec<i64>,
    /// Two bytes for each, little-endian: how often the row holds it, weighted by field.
    pub(super) weights: Vec<u8>,
}

impl Terms {
    pub(super) fn of(tenant: i64, doc: &IndexDoc) -> Self {
        let mut found: BTreeMap<i64, u16> = BTreeMap::new();
        for (field, weight) in [&doc.title, &doc.text, &doc.files].into_iter().zip(FIELD_WEIGHTS) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 4")]
            let weight = weight as u16;
            for token in field.split(' ').filter(|token| !token.is_empty()) {
                let known = found.entry(term(tenant, token)).or_default();
                *known = known.saturating_add(weight);
            }
        }
        let weights = found.values().flat_map(|weight| weight.to_le_bytes()).collect();
        Self { terms: found.into_keys().collect(), weights }
    }
}

/// How often a row holds a term, weighted by field.
pub(super) fn frequency(terms: &[i64], weights: &[u8], term: i64) -> f64 {
    let Ok(at) = terms.binary_search(&term) else { return 0.0 };
    match weights.get(at * 2..at * 2 + 2) {
        Some(&[low, high]) => f64::from(u16::from_le_bytes([low, high])),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_kept_by_numbers_and_weights() {
        let doc = IndexDoc {
            title: "queue lease".to_owned(),
            text: "queue queue  pad".to_owned(),
            files: "src/queue.rs queue".to_owned(),
        };
        let kept = Terms::of(7, &doc);
        assert_eq!(kept.terms.len(), 4);
        assert!(kept.terms.is_sorted());
        let of = |token| frequency(&kept.terms, &kept.weights, term(7, token));
        assert_eq!((of("queue"), of("lease"), of("pad")), (8.0, 4.0, 1.0));
        assert_eq!((of("src/queue.rs"), of("absent")), (2.0, 0.0));
        let foreign = frequency(&kept.terms, &kept.weights, term(8, "queue"));
        assert_eq!(foreign.to_bits(), 0.0_f64.to_bits(), "another tenant's");
        let many = IndexDoc { title: "x ".repeat(20_000), ..IndexDoc::default() };
        let kept = Terms::of(1, &many);
        let bounded = frequency(&kept.terms, &kept.weights, term(1, "x"));
        assert_eq!(bounded.to_bits(), 65_535.0_f64.to_bits());
    }

    #[test]
    fn numbers_that_databases_hold_never_change() {
        assert_eq!(term(1, "queue"), -4_792_098_977_409_947_582);
        assert_eq!(term(1, "重试"), 4_320_384_125_089_865_320);
    }
}
