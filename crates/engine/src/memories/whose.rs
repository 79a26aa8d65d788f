//! What a memory's owner makes of it.

use afterword_domain::owner::Owner;
use afterword_domain::text::hex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid, Variant, Version};

use crate::{Error, Result, analyze};

/// The key of a text of an owner: two owners remember the same text each for themselves.
pub(crate) fn text_key(owner: &Owner, text: &str) -> String {
    let key = analyze::text_key(text);
    if owner.is_nobody() {
        return key;
    }
    let mut hash = Sha256::new();
    for (kind, name) in owner.names() {
        hash.update(format!("{}={name}\n", kind.field()));
    }
    format!("{key} of:{}", hex(&hash.finalize()[..8]))
}

/// The owner that a caller's own fields name.
pub(crate) fn owner_in(metadata: &Value) -> Result<Owner> {
    Owner::in_fields(metadata).map_err(Error::Invalid)
}

/// An id that is the same for the same texts, on every machine.
pub(super) fn id_of(texts: &[&str]) -> Uuid {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let hash = hash.finalize();
    let (bytes, _) = hash.split_first_chunk::<16>().expect("a hash has 32 bytes");
    let mut id = Builder::from_bytes(*bytes);
    id.set_variant(Variant::RFC4122).set_version(Version::Custom);
    id.into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_owner_has_keys_of_its_own_and_they_never_change() {
        let ada = owner_in(&json!({"user_id": "ada"})).unwrap();
        let nobody = Owner::default();
        assert_eq!(text_key(&nobody, "Tea"), analyze::text_key("tea"));
        assert_eq!(text_key(&ada, "Tea"), text_key(&ada, " tea"));
        assert_ne!(text_key(&ada, "Tea"), text_key(&nobody, "Tea"));
        let hash = hex(&Sha256::digest("user_id=ada\n")[..8]);
        assert_eq!(text_key(&ada, "Tea"), format!("{} of:{hash}", analyze::text_key("Tea")));
        assert!(owner_in(&json!({"user_id": "a b"})).is_err());
        assert_eq!(id_of(&["a", "bc"]), id_of(&["a", "bc"]));
        assert_ne!(id_of(&["a", "bc"]), id_of(&["ab", "c"]));
    }
}
