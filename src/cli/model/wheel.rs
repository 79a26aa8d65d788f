//! Takes one file out of a wheel, which is a zip archive.
//!
//! Reads what packages are made of: entries that are stored or deflated, below four gigabytes,
//! listed in the directory at the end of the file (PKWARE's `APPNOTE`, sections 4.3.7, 4.3.12 and
//! 4.3.16). Anything else is an error.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};

use flate2::read::DeflateDecoder;

/// The record at the end, without the comment that may follow it.
const END_BYTES: usize = 22;
/// A directory entry without its name.
const ENTRY_BYTES: usize = 46;
/// What stands before an entry's content, without its name.
const LOCAL_BYTES: usize = 30;

const STORED: usize = 0;
const DEFLATED: usize = 8;

/// Opens the content of an entry; it is not checked against the archive's own checksum.
pub(super) fn member(mut file: File, name: &str) -> io::Result<Box<dyn Read>> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail_length = length.min(u64::from(u16::MAX) + END_BYTES as u64);
    let tail = read(&mut file, length - tail_length, tail_length)?;
    let end = tail
        .windows(END_BYTES)
        .rposition(|window| window.starts_with(b"PK\x05\x06"))
        .ok_or_else(|| broken("it has no directory"))?;
    let (size, start) = (word(&tail[end..], 12)?, word(&tail[end..], 16)?);
    if start + size > length {
        return Err(broken("its directory is cut off"));
    }
    let directory = read(&mut file, start, size)?;
    let mut rest = &directory[..];
    while rest.starts_with(b"PK\x01\x02") {
        let names = half(rest, 28)?;
        let next = ENTRY_BYTES + names + half(rest, 30)? + half(rest, 32)?;
        if rest.get(ENTRY_BYTES..ENTRY_BYTES + names) == Some(name.as_bytes()) {
            let local = read(&mut file, word(rest, 42)?, LOCAL_BYTES as u64)?;
            let skip = LOCAL_BYTES + half(&local, 26)? + half(&local, 28)?;
            file.seek(SeekFrom::Start(word(rest, 42)? + skip as u64))?;
            let content = BufReader::with_capacity(256 * 1024, file).take(word(rest, 20)?);
            return match half(rest, 10)? {
                STORED => Ok(Box::new(content)),
                DEFLATED => Ok(Box::new(DeflateDecoder::new(content))),
                method => Err(broken(&format!("it is packed by method {method}"))),
            };
        }
        rest = rest.get(next..).unwrap_or_default();
    }
    Err(io::Error::new(io::ErrorKind::NotFound, "it is not in there"))
}

fn read(file: &mut File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    if file.take(length).read_to_end(&mut bytes)? as u64 == length {
        Ok(bytes)
    } else {
        Err(broken("it is cut off"))
    }
}

/// A number of two bytes.
fn half(bytes: &[u8], at: usize) -> io::Result<usize> {
    let two = bytes.get(at..).and_then(<[u8]>::first_chunk);
    two.map(|two| usize::from(u16::from_le_bytes(*two))).ok_or_else(|| broken("it is cut off"))
}

/// A number of four bytes.
fn word(bytes: &[u8], at: usize) -> io::Result<u64> {
    let four = bytes.get(at..).and_then(<[u8]>::first_chunk);
    four.map(|four| u64::from(u32::from_le_bytes(*four))).ok_or_else(|| broken("it is cut off"))
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// An archive with entries of a name, a method and packed bytes.
    fn archive(entries: &[(&str, u16, &[u8])]) -> Vec<u8> {
        let (mut file, mut directory) = (Vec::new(), Vec::new());
        for (name, method, content) in entries {
            let mut fields = [0_u8; 26];
            fields[4..6].copy_from_slice(&method.to_le_bytes());
            fields[14..18].copy_from_slice(&u32::try_from(content.len()).unwrap().to_le_bytes());
            fields[22..24].copy_from_slice(&u16::try_from(name.len()).unwrap().to_le_bytes());
            let at = u32::try_from(file.len()).unwrap();
            file.extend([b"PK\x03\x04", &fields[..], name.as_bytes(), content].concat());
            directory.extend([b"PK\x01\x02\x14\x00", &fields[..]].concat());
            directory.extend([&[0; 10][..], &at.to_le_bytes(), name.as_bytes()].concat());
        }
        let small = |n: usize| u32::try_from(n).unwrap();
        let (at, size) = (small(file.len()), small(directory.len()));
        file.extend(directory);
        file.extend([&b"PK\x05\x06"[..], &[0; 8], &size.to_le_bytes(), &at.to_le_bytes()].concat());
        file.extend(b"\x03\x00end");
        file
    }

    fn take(bytes: &[u8], name: &str) -> io::Result<Vec<u8>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut content = Vec::new();
        member(file, name)?.read_to_end(&mut content)?;
        Ok(content)
    }

    fn sample() -> Vec<u8> {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&[b'x'; 5_000]).unwrap();
        let packed = packed.finish().unwrap();
        archive(&[("a/one", 0, b"first"), ("a/two", 8, &packed), ("a/three", 99, b"?")])
    }

    #[test]
    fn an_entry_is_found_by_its_whole_name() {
        let archive = sample();
        assert_eq!(take(&archive, "a/one").unwrap(), b"first");
        assert_eq!(take(&archive, "a/two").unwrap(), [b'x'; 5_000]);
        assert!(take(&archive, "a/three").unwrap_err().to_string().contains("method 99"));
        assert_eq!(take(&archive, "one").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn an_archive_cut_anywhere_is_an_error() {
        let archive = sample();
        for length in 0..archive.len() - 5 {
            assert!(take(&archive[..length], "a/two").is_err(), "cut at {length}");
        }
    }
}
