//! Reads the weight file: a header, the tokenizer's tables, and a directory of tensors.
//!
//! All numbers are little-endian. Nothing in the file is trusted: every length is checked before
//! it is used, so a damaged file is an error and never a panic or a wild allocation.

use std::collections::HashMap;
use std::ops::Range;

use crate::error::{Result, damaged};

/// First bytes of the file.
const MAGIC: &[u8; 4] = b"E5S1";

/// Weights that share a scale in a `Q4_0` row.
pub(crate) const BLOCK: usize = 32;

/// Bytes of such a block: a half-precision scale and 32 nibbles.
pub(crate) const BLOCK_BYTES: usize = 2 + BLOCK / 2;

/// The tensor of the pieces' vectors.
const WORDS: &str = "emb.word";

/// Most of anything that the header may claim; far above any model that fits in memory here.
const MOST: usize = 1 << 24;

/// The sizes of the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Numbers of a token's state, and of the vector that comes out.
    pub(crate) width: usize,
    pub(crate) layers: usize,
    /// Numbers of a token inside the feed-forward part.
    pub(crate) inner: usize,
    pub(crate) vocabulary: usize,
    /// Most tokens of one pass, marks of beginning and end included.
    pub(crate) positions: usize,
    /// Kinds of text that the model was trained on; the first one is ours.
    pub(crate) kinds: usize,
    /// Added to a variance before its root is taken.
    pub(crate) epsilon: f32,
}

/// The tokenizer's tables as they stand in the file.
#[derive(Debug)]
pub(crate) struct Pieces {
    pub(crate) begin: u32,
    pub(crate) end: u32,
    pub(crate) unknown: u32,
    /// Where each piece's bytes begin; one more than there are pieces.
    pub(crate) offsets: Vec<u32>,
    pub(crate) scores: Vec<f32>,
    pub(crate) bytes: Vec<u8>,
    /// Code points and what each becomes, by code point.
    pub(crate) replaced: Vec<(u32, Vec<char>)>,
}

/// The parts of a weight file; tensors are still bytes.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    pub(crate) shape: Shape,
    pub(crate) pieces: Pieces,
    file: &'a [u8],
    tensors: HashMap<String, Range<usize>>,
}

impl<'a> Container<'a> {
    /// Takes the whole file apart.
    pub(crate) fn parse(file: &'a [u8]) -> Result<Self> {
        let mut cursor = Cursor { rest: file };
        if cursor.take(4)? != MAGIC {
            return damaged("it is no weight file of this format");
        }
        let _version = cursor.u32()?;
        let shape = shape(&mut cursor)?;
        let pieces = pieces(&mut cursor)?;
        if pieces.scores.len() > shape.vocabulary {
            return damaged("there are more pieces than word vectors");
        }
        let tensors = directory(&mut cursor, file.len())?;
        Ok(Self { shape, pieces, file, tensors })
    }

    /// The bytes of a tensor of 4-bit weights with so many rows and columns.
    pub(crate) fn quantised(&self, name: &str, rows: usize, columns: usize) -> Result<&'a [u8]> {
        self.bytes(name, rows * (columns / BLOCK) * BLOCK_BYTES)
    }

    /// Where the vectors of the pieces are, a row of 4-bit weights each.
    pub(crate) fn words(&self) -> Result<Range<usize>> {
        let Shape { vocabulary, width, .. } = self.shape;
        self.quantised(WORDS, vocabulary, width)?;
        Ok(self.tensors[WORDS].clone())
    }

    /// The numbers of a tensor in single precision.
    pub(crate) fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>> {
        let bytes = self.bytes(name, count * 4)?;
        Ok(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    fn bytes(&self, name: &str, length: usize) -> Result<&'a [u8]> {
        match self.tensors.get(name) {
            Some(range) if range.len() == length => Ok(&self.file[range.clone()]),
            Some(range) => {
                damaged(format!("`{name}` has {} bytes, {length} are needed", range.len()))
            }
            None => damaged(format!("`{name}` is missing")),
        }
    }
}

fn shape(cursor: &mut Cursor<'_>) -> Result<Shape> {
    let mut size = || cursor.size();
    let (width, layers, heads, inner) = (size()?, size()?, size()?, size()?);
    let (vocabulary, positions, kinds) = (size()?, size()?, size()?);
    let epsilon = f32::from_bits(cursor.u32()?);
    let block = cursor.size()?;
    let sound = block == BLOCK
        && kinds > 0
        && layers > 0
        && heads > 0
        && width > 0
        && width == heads * super::network::HEAD
        && width.is_multiple_of(BLOCK)
        && inner > 0
        && inner.is_multiple_of(BLOCK)
        && positions > 2
        && epsilon.is_finite()
        && epsilon >= 0.0;
    if !sound {
        return damaged("its sizes are none that this program can run");
    }
    Ok(Shape { width, layers, inner, vocabulary, positions, kinds, epsilon })
}

fn pieces(cursor: &mut Cursor<'_>) -> Result<Pieces> {
    let count = cursor.size()?;
    let (begin, end, _pad, unknown) = (cursor.u32()?, cursor.u32()?, cursor.u32()?, cursor.u32()?);
    let length = usize::try_from(cursor.u64()?).unwrap_or(usize::MAX);
    let offsets: Vec<u32> = cursor.words(count + 1)?;
    let scores: Vec<f32> = cursor.words(count)?.into_iter().map(f32::from_bits).collect();
    let bytes = cursor.take(length)?.to_vec();
    let inside = |id: u32| (id as usize) < count;
    let ordered = offsets.is_sorted() && offsets.last().is_some_and(|o| *o as usize <= length);
    if !ordered || ![begin, end, unknown].into_iter().all(inside) {
        return damaged("the tokenizer's tables do not fit together");
    }
    let replaced = replaced(cursor)?;
    Ok(Pieces { begin, end, unknown, offsets, scores, bytes, replaced })
}

fn replaced(cursor: &mut Cursor<'_>) -> Result<Vec<(u32, Vec<char>)>> {
    let count = cursor.size()?;
    let length = cursor.size()?;
    let mut table = Cursor { rest: cursor.take(length)? };
    let mut replaced = Vec::new();
    for _ in 0..count {
        let from = table.u32()?;
        let many = usize::from(table.take(1)?[0]);
        let to = table.words(many)?.into_iter().map(char::from_u32).collect::<Option<Vec<_>>>();
        match to {
            Some(to) => replaced.push((from, to)),
            None => return damaged("the tokenizer's replacements are no characters"),
        }
    }
    if !replaced.is_sorted_by_key(|(from, _)| *from) {
        return damaged("the tokenizer's replacements are not in order");
    }
    Ok(replaced)
}

fn directory(cursor: &mut Cursor<'_>, size: usize) -> Result<HashMap<String, Range<usize>>> {
    let count = cursor.size()?;
    let mut tensors = HashMap::new();
    for _ in 0..count {
        let length = usize::from(u16::from_le_bytes(*cursor.array()?));
        let name = String::from_utf8_lossy(cursor.take(length)?).into_owned();
        let (_kind, _count) = (cursor.take(1)?, cursor.u32()?);
        let (from, bytes) = (cursor.u64()?, cursor.u64()?);
        let end = from.checked_add(bytes).and_then(|end| usize::try_from(end).ok());
        let (Ok(from), Some(end)) = (usize::try_from(from), end) else {
            return damaged(format!("`{name}` lies outside the file"));
        };
        if end > size {
            return damaged(format!("`{name}` is cut off: the file is too short"));
        }
        tensors.insert(name, from..end);
    }
    Ok(tensors)
}

/// Reads from the front of some bytes.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(length) else {
            return damaged("the file ends too early");
        };
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<&'a [u8; N]> {
        Ok(self.take(N)?.first_chunk().expect("as long as was asked for"))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(*self.array()?))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(*self.array()?))
    }

    /// A count, which must be one that memory can hold.
    fn size(&mut self) -> Result<usize> {
        match usize::try_from(self.u32()?) {
            Ok(size) if size <= MOST => Ok(size),
            _ => damaged("a count in the header is out of range"),
        }
    }

    fn words(&mut self, count: usize) -> Result<Vec<u32>> {
        let bytes = self.take(count * 4)?;
        Ok(bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }
}
