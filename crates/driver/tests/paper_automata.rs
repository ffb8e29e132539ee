//! Every example of the papers has the automaton that its paper describes: the text form of each, kept in `automata/`.

use driver::Task;
use expect_test::expect_file;
use std::path::{Path, PathBuf};

fn automaton(path: &Path) -> String {
    let request = driver::Request { files: vec![path.to_owned()], ..driver::Request::default() };
    let task = Task::new(request).expect("a program");
    let mut program = driver::load(&task).unwrap_or_else(|error| panic!("{error}")).program;
    driver::prepare(&mut program, task.outside);
    let main = program.function_named("main").expect("a main function");
    program.function_text(main)
}

#[test]
fn papers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("../../examples/papers"))
        .expect("examples of the papers")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 16, "{files:?}");
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        expect_file![folder.join("tests/automata").join(format!("{name}.txt"))].assert_eq(&automaton(&file));
    }
}
