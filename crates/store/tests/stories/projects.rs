use afterword_domain::project::ProjectRef;

use super::build::{Any, project, t};

pub(crate) async fn keys_decide_and_names_are_labels(store: Any) {
    let work = store.resolve_project(&project("api"), t(1)).await.unwrap();
    let mut play = project("api");
    play.keys = vec!["dir:/play/api".to_owned()];
    let play = store.resolve_project(&play, t(2)).await.unwrap();
    assert_ne!(work.id, play.id, "h1: same folder name, other project");

    let mut moved = project("api");
    moved.keys = vec!["remote:example.org/api".to_owned(), "dir:/home/dev/api".to_owned()];
    "renamed".clone_into(&mut moved.name);
    let same = store.resolve_project(&moved, t(3)).await.unwrap();
    assert_eq!((same.id, same.uid, same.name.as_str()), (work.id, work.uid, "renamed"));
    assert_eq!(same.last_seen_at, t(3));
    let keys = store.project_keys(work.id).await.unwrap();
    assert_eq!(keys, ["dir:/home/dev/api", "remote:example.org/api"], "h4: aliases are kept");

    let mut both = project("x");
    both.keys = vec!["dir:/play/api".to_owned(), "dir:/home/dev/api".to_owned()];
    assert_eq!(store.find_project(&both).await.unwrap().unwrap().id, play.id);
    store.resolve_project(&both, t(4)).await.unwrap();
    assert_eq!(store.project_keys(work.id).await.unwrap().len(), 2, "no alias changes hands");
    assert_eq!(store.find_project(&project("nowhere")).await.unwrap(), None);
}

pub(crate) async fn a_name_alone_finds_the_newest_of_that_name(store: Any) {
    let old = store.resolve_project(&project("api"), t(1)).await.unwrap();
    let mut other = project("api");
    other.keys = vec!["dir:/play/api".to_owned()];
    let new = store.resolve_project(&other, t(2)).await.unwrap();
    let named = ProjectRef::named(" api ");
    assert_eq!(store.find_project(&named).await.unwrap().unwrap().id, new.id);
    let ids: Vec<i64> =
        store.projects_named("api").await.unwrap().into_iter().map(|p| p.id).collect();
    assert_eq!(ids, [new.id, old.id]);
    let made = store.resolve_project(&ProjectRef::named("fresh"), t(3)).await.unwrap();
    assert_eq!(store.resolve_project(&ProjectRef::named("fresh"), t(4)).await.unwrap().id, made.id);
    let listed: Vec<i64> = store.list_projects().await.unwrap().into_iter().map(|p| p.id).collect();
    assert_eq!(listed, [made.id, new.id, old.id]);
}
