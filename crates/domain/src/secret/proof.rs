//! Proof that somebody knows the token of a data folder, without showing it.
//!
//! A caller that finds an address in `daemon.json` cannot know who listens there by now. It asks
//! `GET /api/prove?nonce=…` first; only a process that knows the token and listens on that very
//! port can answer with [`answer`]. The nonce keeps an old answer from being used again, the port
//! keeps a process from passing the question on to the real daemon elsewhere. The rest of the
//! conversation stays on the connection that gave the proof.
//!
//! The code is HMAC (RFC 2104) with SHA-256 over lines of text. This exchange is the same in every
//! version of the protocol, so that any two releases can at least tell each other to leave.

use sha2::{Digest as _, Sha256};

use crate::text::hex;

/// Path of the question; the nonce is its one parameter.
pub const PATH: &str = "/api/prove";

/// Most characters of a nonce that is answered.
pub const NONCE_CHARS: usize = 128;

/// Bytes that SHA-256 works on at a time.
const BLOCK: usize = 64;

/// The answer to a nonce of whoever knows the token and listens on the port: 64 hexadecimal digits.
pub fn answer(token: &str, nonce: &str, port: u16) -> String {
    hex(&hmac_sha256(token.as_bytes(), format!("afterword\n{port}\n{nonce}").as_bytes()))
}

/// The code of a text that only whoever knows the token can make, and never one of [`answer`]: 64
/// hexadecimal digits. Holds until the token is another one.
pub fn seal(token: &str, purpose: &str, text: &str) -> String {
    hex(&hmac_sha256(token.as_bytes(), format!("afterword {purpose}\n{text}").as_bytes()))
}

/// Compares two secrets in a time that does not tell how much was right.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |diff, (x, y)| diff | (x ^ y)) == 0
}

fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0_u8; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|b| b ^ 0x36)).chain_update(message);
    let outer = Sha256::new().chain_update(block.map(|b| b ^ 0x5c));
    outer.chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4231, without the one about cut codes.
    #[test]
    fn the_code_is_hmac_with_sha_256() {
        let counted: Vec<u8> = (1..=25).collect();
        let long = [0xaa_u8; 131];
        for (key, message, code) in [
            (
                &[0x0b_u8; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 20],
                &[0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                &counted,
                &[0xcd; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            ),
            (
                &long,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &long,
                b"This is a test using a larger than block-size key and a larger than block-size \
                  data. The key needs to be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ] {
            assert_eq!(hex(&hmac_sha256(key, message)), code);
        }
    }

    #[test]
    fn token_nonce_and_port_all_count() {
        let proof = answer("token", "nonce", 1);
        assert_eq!(proof.len(), 64);
        for other in [answer("tokem", "nonce", 1), answer("token", "nonc", 1)] {
            assert_ne!(proof, other);
        }
        assert_ne!(proof, answer("token", "nonce", 2));
        assert_ne!(answer("token", "1\n2", 3), answer("token", "2", 31));
    }

    #[test]
    fn a_seal_is_of_its_token_purpose_and_text_and_no_proof() {
        let sealed = seal("token", "page", "1\n2");
        for other in [
            seal("tokem", "page", "1\n2"),
            seal("token", "code", "1\n2"),
            seal("token", "page", "1\n3"),
            answer("token", "2", 1),
        ] {
            assert_ne!(sealed, other);
        }
    }

    #[test]
    fn secrets_are_compared_whole() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd") && !same(b"abc", b"ab") && !same(b"", b"a"));
    }
}
