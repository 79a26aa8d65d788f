//! The neutral format of datasets, read line by line.
//!
//! `docs.jsonl` has one object a line with `id`, `group`, `session`, `time`, `speaker` and `text`;
//! `queries.jsonl` has `id`, `group`, `text`, `gold`, `level` and `type`; further fields are passed
//! over. `split.json` names the groups of `dev` and `test`, or, in `query_split`, the split of each
//! query, which goes before the group's.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use afterword_domain::Time;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::DatasetError;

/// Longest line of a dataset, in bytes.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Which questions are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Those that weights may be set on.
    Dev,
    /// Those that are only reported.
    Test,
    /// Both.
    All,
}

impl Split {
    /// As it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Test => "test",
            Self::All => "all",
        }
    }
}

/// What the known answers of a question are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Docs.
    Doc,
    /// Sessions; a session ranks where its best doc ranks.
    Session,
}

/// A text that can be found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Doc {
    /// Its name inside the dataset.
    pub id: String,
    /// What it is searched with.
    pub group: String,
    /// The conversation it belongs to.
    #[serde(default)]
    pub session: Option<String>,
    /// When it was said.
    #[serde(default)]
    pub time: Option<Time>,
    /// What was said.
    pub text: String,
}

/// A question with its known answers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Query {
    /// Its name inside the dataset.
    pub id: String,
    /// Where it is asked.
    pub group: String,
    /// The question.
    pub text: String,
    /// Ids of docs, or sessions, by `level`.
    pub gold: Vec<String>,
    /// What `gold` names.
    pub level: Level,
    /// What kind of question it is.
    pub r#type: String,
}

/// Which queries belong to which split.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SplitFile {
    dev: HashSet<String>,
    test: HashSet<String>,
    query_split: HashMap<String, Split>,
}

/// A dataset in its folder. Questions are held; docs are read as they are needed.
#[derive(Debug)]
pub struct Dataset {
    folder: PathBuf,
    queries: Vec<(Split, Query)>,
}

impl Dataset {
    /// Reads the questions and splits of a folder and sees that it has docs.
    pub fn open(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join("split.json");
        let file = open(&path)?;
        let splits: SplitFile = serde_json::from_reader(file)
            .map_err(|e| DatasetError::File { path: path.clone(), reason: e.to_string() })?;
        let path = folder.join("queries.jsonl");
        let mut queries = Vec::new();
        for query in Lines::<Query>::open(path.clone())? {
            let (line, query) = query?;
            let wrong = |reason| DatasetError::Line { path: path.clone(), line, reason };
            if query.gold.is_empty() {
                return Err(wrong(format!("the query {} has no gold", query.id)));
            }
            let split = splits
                .of(&query)
                .ok_or_else(|| wrong(format!("split.json says nothing of {}", query.id)))?;
            queries.push((split, query));
        }
        open(&folder.join("docs.jsonl"))?;
        Ok(Self { folder: folder.to_owned(), queries })
    }

    /// The name of the folder.
    pub fn name(&self) -> String {
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The questions of a split, at least one.
    pub fn queries(&self, split: Split) -> Result<Vec<&Query>, DatasetError> {
        let asked = self.queries.iter().filter(|(of, _)| split == Split::All || *of == split);
        let asked: Vec<&Query> = asked.map(|(_, query)| query).collect();
        if asked.is_empty() {
            return Err(DatasetError::NoQuestions {
                path: self.folder.clone(),
                split: split.word(),
            });
        }
        Ok(asked)
    }

    /// The docs in the order of the file, one at a time.
    pub fn docs(&self) -> Result<Docs, DatasetError> {
        Ok(Docs(Lines::open(self.folder.join("docs.jsonl"))?))
    }
}

impl SplitFile {
    fn of(&self, query: &Query) -> Option<Split> {
        let by_group = || {
            let has = |groups: &HashSet<String>| groups.contains(&query.group);
            (has(&self.dev).then_some(Split::Dev)).or(has(&self.test).then_some(Split::Test))
        };
        self.query_split.get(&query.id).copied().or_else(by_group)
    }
}

/// The docs of a dataset.
#[derive(Debug)]
pub struct Docs(Lines<Doc>);

impl Iterator for Docs {
    type Item = Result<Doc, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|doc| match doc? {
            (line, doc) if doc.text.trim().is_empty() => {
                let reason = format!("the doc {} has no text", doc.id);
                Err(DatasetError::Line { path: self.0.path.clone(), line, reason })
            }
            (_, doc) => Ok(doc),
        })
    }
}

/// Lines of JSON with their numbers; blank ones are passed over, the first bad one ends it.
#[derive(Debug)]
struct Lines<T> {
    path: PathBuf,
    reader: BufReader<File>,
    line: u64,
    over: bool,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Lines<T> {
    fn open(path: PathBuf) -> Result<Self, DatasetError> {
        let reader = open(&path)?;
        Ok(Self { path, reader, line: 0, over: false, of: std::marker::PhantomData })
    }

    fn read(&mut self) -> Result<Option<(u64, T)>, DatasetError> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            self.line += 1;
            let n = (&mut self.reader)
                .take(LINE_BYTES)
                .read_until(b'\n', &mut bytes)
                .map_err(|source| DatasetError::Read { path: self.path.clone(), source })?;
            if n == 0 {
                return Ok(None);
            }
            if !bytes.trim_ascii().is_empty() {
                break;
            }
        }
        let value = serde_json::from_slice(&bytes).map_err(|e| DatasetError::Line {
            path: self.path.clone(),
            line: self.line,
            reason: format!("cannot be used: {e}"),
        })?;
        Ok(Some((self.line, value)))
    }
}

impl<T: DeserializeOwned> Iterator for Lines<T> {
    type Item = Result<(u64, T), DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.read().transpose();
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}

fn open(path: &Path) -> Result<BufReader<File>, DatasetError> {
    let file =
        File::open(path).map_err(|source| DatasetError::Read { path: path.to_owned(), source })?;
    Ok(BufReader::new(file))
}
