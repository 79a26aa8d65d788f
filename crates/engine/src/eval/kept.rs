//! Vectors kept between runs.
//!
//! One file for each space, named by the hash of the embedder's id. A record is the SHA-256 of a
//! text and its vector in little-endian single precision. Records are only added; half a record at
//! the end, of a run that was killed, is cut off.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use afterword_domain::text::hex;
use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use crate::embed::{Embedder, Error, Result};

/// Texts that are embedded before they are kept.
const BATCH: usize = 256;

type Sum = [u8; 32];

/// An embedder that remembers the passages it was asked for, in a folder.
///
/// Queries are always embedded anew, so that what a run measures is what a search costs.
#[derive(Debug)]
pub struct KeptEmbedder {
    inner: Arc<dyn Embedder>,
    path: PathBuf,
    known: Mutex<HashMap<Sum, Arc<[f32]>>>,
}

impl KeptEmbedder {
    /// Reads what a folder has for this embedder; the folder is made where it is not there.
    ///
    /// # Errors
    ///
    /// The folder cannot be made, or its file cannot be read or cut.
    pub fn open(inner: Arc<dyn Embedder>, folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let name = hex(&Sha256::digest(inner.id().as_bytes())[..8]);
        let path = folder.join(format!("{name}.vectors"));
        let known = read(&path, inner.dimension())?;
        Ok(Self { inner, path, known: Mutex::new(known) })
    }

    fn of(&self, sum: &Sum) -> Option<Arc<[f32]>> {
        self.known.lock().expect("no panic while held").get(sum).cloned()
    }

    /// Keeps vectors; those that cannot be written are known to this run all the same.
    fn keep(&self, sums: &[Sum], vectors: Vec<Vec<f32>>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (sum, vector) in sums.iter().zip(&vectors) {
            bytes.extend_from_slice(sum);
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        let mut known = self.known.lock().expect("no panic while held");
        known.extend(sums.iter().copied().zip(vectors.into_iter().map(Arc::from)));
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        file.write_all(&bytes)
    }
}

#[async_trait]
impl Embedder for KeptEmbedder {
    fn id(&self) -> &str {
        self.inner.id()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn middle(&self) -> &[f32] {
        self.inner.middle()
    }

    async fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let sums: Vec<Sum> = texts.iter().map(|text| Sha256::digest(text).into()).collect();
        let mut new: Vec<usize> =
            (0..texts.len()).filter(|at| self.of(&sums[*at]).is_none()).collect();
        // Texts of like length go through the model together.
        new.sort_by_key(|at| (texts[*at].len(), *at));
        new.dedup_by_key(|at| sums[*at]);
        for batch in new.chunks(BATCH) {
            let asked: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();
            let vectors = self.inner.passages(&asked).await?;
            let sums: Vec<Sum> = batch.iter().map(|at| sums[*at]).collect();
            self.keep(&sums, vectors).map_err(Error::Io)?;
        }
        let vector = |sum: &Sum| self.of(sum).map(|vector| vector.to_vec());
        let all: Option<Vec<Vec<f32>>> = sums.iter().map(vector).collect();
        all.ok_or_else(|| Error::Unavailable("fewer vectors than texts".into()))
    }

    async fn query(&self, text: &str) -> Result<Vec<f32>> {
        self.inner.query(text).await
    }
}

fn read(path: &Path, dimension: usize) -> io::Result<HashMap<Sum, Arc<[f32]>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(e) => return Err(e),
    };
    let size = size_of::<Sum>() + dimension * size_of::<f32>();
    let records = usize::try_from(file.metadata()?.len()).unwrap_or(0) / size;
    let mut known = HashMap::with_capacity(records);
    let mut reader = BufReader::new(file);
    let mut record = vec![0; size];
    for _ in 0..records {
        reader.read_exact(&mut record)?;
        let (sum, numbers) = record.split_at(size_of::<Sum>());
        let numbers = numbers.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        known.insert(sum.try_into().expect("the width of a sum"), numbers.collect());
    }
    let whole = (records * size) as u64;
    OpenOptions::new().write(true).open(path)?.set_len(whole)?;
    Ok(known)
}
