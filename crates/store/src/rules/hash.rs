//! Hashes that are the same on every machine and in every release.

use crate::contract::IndexDoc;

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a.
pub(crate) fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(START, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Equal for index entries with the same tokens.
pub(crate) fn doc_hash(doc: &IndexDoc) -> i64 {
    let fields = [&doc.title, &doc.text, &doc.files];
    fnv(fields.into_iter().flat_map(|field| field.bytes().chain([0]))).cast_signed()
}

/// The number that a path is noted under. Two paths of one session that share it would cost the
/// second its note, nothing else.
pub(crate) fn file_key(path: &str) -> i64 {
    fnv(path.bytes()).cast_signed()
}

/// Names a state of a row's tokens and of those of the row before it, by their hashes.
pub(crate) fn version(own: i64, before: Option<i64>) -> i64 {
    own ^ before.map_or(0, |before| before.rotate_left(17) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_databases_hold_never_change() {
        assert_eq!(fnv(*b"foobar"), 0x8594_4171_f739_67e8);
        let doc = IndexDoc { title: "a".into(), text: "b c".into(), files: String::new() };
        assert_eq!(doc_hash(&doc), fnv(*b"a\0b c\0\0").cast_signed());
        assert_ne!(
            doc_hash(&doc),
            doc_hash(&IndexDoc { title: "a b".into(), text: "c".into(), ..doc })
        );
    }
}
