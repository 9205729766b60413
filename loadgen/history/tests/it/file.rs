use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};

use loadgen_history::{Added, History, HistoryError};
use loadgen_measure::{LatencyFigures, Outcome};

use crate::shelf::{Shelf, commit, on_day, stored};

#[test]
fn a_run_is_kept_once() {
    let shelf = Shelf::new();
    let result = stored();
    assert_eq!(shelf.history().add(&result, None).unwrap(), Added::New(1));
    let again = shelf
        .history()
        .add(&result, Some(&commit(7, None)))
        .unwrap();
    assert_eq!(again, Added::Known(1));
    assert_eq!(
        shelf.history().add(&on_day(1, 5), None).unwrap(),
        Added::New(2)
    );
    let entries = shelf.history().entries().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].commit, None, "the second adding changed nothing");
}

#[test]
fn figures_survive_and_histograms_do_not() {
    let shelf = Shelf::new();
    let result = stored();
    shelf
        .history()
        .add(&result, Some(&commit(7, None)))
        .unwrap();
    let (entry, back) = shelf.history().run(1).unwrap().unwrap();
    assert_eq!(entry.commit, Some(format!("{:040x}", 7)));
    assert_eq!(back, result, "what was stored had no histograms any more");
    let figures: &LatencyFigures = back.all.workflows[&Outcome::Ok].response.as_ref().unwrap();
    assert_eq!(figures.histogram, "");
    assert!(shelf.history().run(2).unwrap().is_none());
}

#[test]
fn a_checkpoint_is_no_run() {
    let mut result = stored();
    result.partial = true;
    let refused = Shelf::new().history().add(&result, None).unwrap_err();
    assert!(refused.to_string().contains("is a checkpoint"), "{refused}");
}

#[test]
fn what_is_missing_or_foreign_is_named() {
    let shelf = Shelf::new();
    let path = shelf.path();
    let said = |path| History::open(path).unwrap_err().to_string();
    assert!(
        said(&path).contains("there is no history yet"),
        "{}",
        said(&path)
    );
    assert!(!path.exists(), "looking makes no file");

    fs::write(
        &path,
        "no database at all, but long enough to look at as one".repeat(40),
    )
    .unwrap();
    assert!(
        said(&path).contains("it is no history of loadgen"),
        "{}",
        said(&path)
    );
    fs::remove_file(&path).unwrap();

    let foreign = rusqlite::Connection::open(&path).unwrap();
    foreign
        .execute_batch("CREATE TABLE birds (name TEXT)")
        .unwrap();
    assert!(
        said(&path).contains("it is no history of loadgen"),
        "{}",
        said(&path)
    );
    let birds: i64 = foreign
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(birds, 1, "nothing was added to it");
}

#[test]
fn a_later_version_is_refused() {
    let shelf = Shelf::new();
    drop(shelf.history());
    let raw = rusqlite::Connection::open(shelf.path()).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    let refused = History::open(&shelf.path()).unwrap_err();
    assert!(
        matches!(
            refused,
            HistoryError::Newer {
                found: 99,
                known: 1,
                ..
            }
        ),
        "{refused}"
    );
}

#[test]
fn a_damaged_file_is_named() {
    let shelf = Shelf::new();
    let mut history = shelf.history();
    for day in 0..20 {
        history.add(&on_day(day, 1), None).unwrap();
    }
    drop(history);
    let mut file = fs::OpenOptions::new()
        .write(true)
        .open(shelf.path())
        .unwrap();
    // Behind the first page, which holds the head and the schema.
    file.seek(SeekFrom::Start(4096)).unwrap();
    file.write_all(&vec![0xa5; 64 << 10]).unwrap();
    drop(file);
    let said = History::open(&shelf.path()).and_then(|history| history.entries());
    let said = said.unwrap_err().to_string();
    assert!(said.contains("the file is damaged"), "{said}");
}

#[test]
fn several_at_once_lose_nothing() {
    let shelf = Shelf::new();
    let path = shelf.path();
    std::thread::scope(|scope| {
        for part in 0..4 {
            let path = &path;
            scope.spawn(move || {
                // Each opens the file for itself, so the first ones also make it at once.
                for day in 0..10 {
                    let mut history = History::open_or_begin(path).unwrap();
                    let added = history.add(&on_day(10 * part + day, 1), None).unwrap();
                    assert!(matches!(added, Added::New(_)));
                }
            });
        }
    });
    assert_eq!(shelf.history().entries().unwrap().len(), 40);
}
