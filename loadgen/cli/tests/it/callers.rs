//! The options of `loadgen replica` for who may call it.

use crate::fixtures::Replicas;
use crate::program::Desk;

const KEY: &str = "1:mint:bG9hZGdlbi10ZXN0LWtleS1ub3QtYS1zZWNyZXQtMDE\n";

#[test]
fn principals_and_names_are_taken() {
    let desk = Desk::new();
    let table = path(&desk, "[[principal]]\nname = \"alice\"\ntokens = [\"a\"]\n");
    let names = [
        "--allow-host",
        "load.example",
        "--allow-host",
        "other.example",
    ];
    let origin = ["--allow-origin", "https://app.example"];
    let options = [&["--principals", &table][..], &names, &origin].concat();
    let replicas = Replicas::start(1, &options);
    assert_eq!(replicas.urls().len(), 1);
}

#[test]
fn what_cannot_be_used_is_named_with_its_file_and_its_key() {
    let desk = Desk::new();
    let refused = |options: &[&str]| {
        let keys = desk.file("keys", KEY);
        let keys = [
            "replica",
            "--key-file",
            keys.to_str().expect("a path in UTF-8"),
        ];
        desk.refused([&keys[..], options].concat(), 2)
    };
    let missing = refused(&["--principals", "nowhere.toml"]);
    assert!(
        missing.contains("cannot read --principals nowhere.toml"),
        "{missing}"
    );
    let empty = path(&desk, "[[principal]]\nname = \"alice\"\ntokens = [\"\"]\n");
    let told = refused(&["--principals", &empty]);
    let want = format!("--principals {empty}: principal[0].tokens[0] must be");
    assert!(told.contains(&want), "{told}");
    let unknown = path(&desk, "[[principal]]\nname = \"alice\"\ntoken = [\"a\"]\n");
    let told = refused(&["--principals", &unknown]);
    let want = format!("--principals {unknown}: line 3: unknown field `token`");
    assert!(told.contains(&want), "{told}");
    let misplaced = path(
        &desk,
        "[[principal]]\nname = \"alice\"\ntokens = \"s3cret\"\n",
    );
    let told = refused(&["--principals", &misplaced]);
    let want = format!("--principals {misplaced}: line 3: expected a sequence");
    assert!(told.contains(&want) && !told.contains("s3cret"), "{told}");
    let told = refused(&["--allow-host", "load.example:80"]);
    assert!(
        told.contains("--allow-host: \"load.example:80\" is no host name"),
        "{told}"
    );
    let told = refused(&["--allow-origin", "load.example"]);
    assert!(
        told.contains("--allow-origin: \"load.example\" is no origin"),
        "{told}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_refused_by_each_option() {
    let desk = Desk::new();
    let endless = "/dev/zero";
    let none = desk.file("none", "");
    let none = none.to_str().expect("a path in UTF-8");
    for (option, options) in [
        ("--key-file", &["--key-file", endless][..]),
        ("--principals", &["--principals", endless]),
        ("--tls-cert", &["--tls-cert", endless, "--tls-key", none]),
        ("--tls-key", &["--tls-cert", none, "--tls-key", endless]),
    ] {
        let told = desk.refused([&["replica"], options].concat(), 2);
        let want = format!("cannot read {option} {endless}: it has more than 16777216 bytes");
        assert!(told.contains(&want), "{told}");
    }
    for words in [&["check", endless][..], &["run", endless]] {
        let told = desk.refused(words.to_vec(), 2);
        assert!(told.contains("it has more than 16777216 bytes"), "{told}");
    }
}

fn path(desk: &Desk, table: &str) -> String {
    let path = desk.file("principals.toml", table);
    path.to_str().expect("a path in UTF-8").to_owned()
}
