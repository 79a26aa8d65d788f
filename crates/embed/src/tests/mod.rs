#![expect(clippy::cast_precision_loss, reason = "small counts")]

mod installed;
mod plain;
mod search;

use super::container::Container;
use super::tokenizer::Tokenizer;
use super::{Error, Model, tiny};

fn load(weights: &[u8]) -> Result<Model, Error> {
    let folder = tempfile::tempdir().unwrap();
    tiny::install(folder.path(), weights);
    Model::load(folder.path())
}

#[test]
fn a_folder_without_a_model_is_missing_and_a_wrong_card_is_damaged() {
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Model::load(empty.path()), Err(Error::Missing(_))));
    for card in ["", "[]", r#"{"id":"x","weights":"../weights.bin"}"#] {
        let folder = tempfile::tempdir().unwrap();
        tiny::install_as(folder.path(), card, &tiny::file());
        assert!(matches!(Model::load(folder.path()), Err(Error::Damaged(_))), "{card}");
    }
}

#[test]
fn a_file_cut_anywhere_is_damaged_and_never_a_panic() {
    let file = tiny::file();
    assert!(load(&file).is_ok());
    for length in 0..file.len() {
        let cut = Container::parse(&file[..length]).map(|_| ());
        assert!(matches!(cut, Err(Error::Damaged(_))), "cut at {length}");
    }
}

#[test]
fn a_changed_byte_in_the_tables_is_damaged_or_harmless() {
    let file = tiny::file();
    for at in 0..tiny::TABLES.min(file.len()) {
        let mut file = file.clone();
        file[at] = file[at].wrapping_add(0x81);
        if let Ok(model) = load(&file) {
            assert_eq!(model.embed_query("ab c").len(), model.dimension(), "byte {at}");
        }
    }
}

#[test]
fn of_all_ways_to_cut_a_text_the_one_with_the_best_score_is_taken() {
    let file = tiny::file();
    let tokenizer = Tokenizer::new(Container::parse(&file).unwrap().pieces);
    let cut = |text: &str| {
        let pieces = tokenizer.cut(text);
        pieces.iter().map(|p| tiny::PIECES[*p as usize].0).collect::<Vec<_>>().join("|")
    };
    // "ab" is worth more than "a" and "b", though "abc" would be longer.
    assert_eq!(cut("abc"), "▁|ab|c");
    assert_eq!(cut("a  b"), "▁|a|▁|b");
    assert_eq!(cut(" a"), "▁|a");
    // One character may become two, and unknown ones in a row are one.
    assert_eq!(cut("ﬁ"), "▁|ab");
    assert_eq!(cut("a??b?"), "▁|a|<unk>|b|<unk>");
    assert_eq!(cut(""), "▁");
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others() {
    let model = load(&tiny::file()).unwrap();
    let long = "ab c ".repeat(3_000);
    let texts = ["abc", "", "c b a", long.as_str(), "ab? c", "abc"];
    let together = model.embed_passages(&texts);
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&model.embed_passages(&[text])[0], vector, "{text:.10}");
        let length: f32 = vector.iter().map(|n| n * n).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
    assert_ne!(together[0], together[2]);
    assert_ne!(model.embed_query("abc"), together[0]);
    assert!(model.embed_passages(&[]).is_empty());
}

#[test]
fn a_model_is_asked_from_many_threads() {
    let model = load(&tiny::file()).unwrap();
    let alone = model.embed_query("a b c");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(model.embed_query("a b c"), alone));
        }
    });
}
