use afterword_embed::tiny;

use crate::embed::{Embedder, LocalEmbedder, Model};

fn model() -> Model {
    let folder = tempfile::tempdir().unwrap();
    tiny::install(folder.path(), &tiny::file());
    Model::load(folder.path()).unwrap()
}

#[tokio::test]
async fn the_model_is_asked_off_the_callers_thread_and_answers_alike() {
    let model = model();
    let texts: Vec<String> = (0..40).map(|n| "ab c ".repeat(n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (passages, query) = (model.embed_passages(&texts), model.embed_query("a b"));
    let embedder = LocalEmbedder::new(model).unwrap();
    assert_eq!(embedder.passages(&texts).await.unwrap(), passages);
    assert_eq!(embedder.query("a b").await.unwrap(), query);
    assert!(embedder.passages(&[]).await.unwrap().is_empty());
    // One that gives up waiting takes nothing from the next.
    drop(embedder.passages(&texts));
    assert_eq!(embedder.passages(&texts[..1]).await.unwrap(), passages[..1]);
}
