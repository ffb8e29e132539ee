//! Copies of `tests/hostile` to run commands in, and looks at what commands leave behind.

use super::{Run, finish, root};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A copy of the hostile folder, and a place for temporary files of its own.
pub struct Place {
    pub folder: PathBuf,
    pub temporary: PathBuf,
}

impl Place {
    /// Names must differ between tests.
    pub fn new(name: &str) -> Place {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{name}"));
        // It may be left from an earlier run.
        let _ = std::fs::remove_dir_all(&base);
        let place = Place { folder: base.join("inputs"), temporary: base.join("temporary") };
        std::fs::create_dir_all(&place.folder).expect("a writable folder");
        std::fs::create_dir_all(&place.temporary).expect("a writable folder");
        for entry in std::fs::read_dir(root().join("tests/hostile")).expect("the folder of hostile inputs") {
            let from = entry.expect("a readable folder").path();
            let to = place.folder.join(from.file_name().expect("a name"));
            std::fs::copy(&from, &to).expect("a writable folder");
        }
        let evil = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.folder.join("evil.sh"), evil).expect("our file");
        place
    }

    /// Another program to run there, as CI might.
    pub fn other(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("TMPDIR", &self.temporary).env_remove("CC").stdin(Stdio::null());
        command
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.other(env!("CARGO_BIN_EXE_argonaut"));
        command.args(args);
        command
    }

    /// Runs the command to its end, and looks whether anything stays behind.
    pub fn run(&self, args: &[&str]) -> Run {
        self.run_command(&mut self.command(args))
    }

    pub fn run_command(&self, command: &mut Command) -> Run {
        let before = names(&self.folder);
        let run = finish(command.output().expect("the command starts"));
        assert_eq!(names(&self.folder), before, "{command:?} left files: {}{}", run.out, run.err);
        self.assert_clean();
        run
    }

    /// No process knows this place any more, and nothing is left among temporary files.
    pub fn assert_clean(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        while !(self.processes().is_empty() && names(&self.temporary).is_empty()) {
            let (left, files) = (self.processes(), names(&self.temporary));
            assert!(Instant::now() < end, "left behind: processes {left:?}, files {files:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The command lines of living processes that name this place or run in it.
    pub fn processes(&self) -> Vec<String> {
        let base = self.folder.parent().expect("it is below").to_str().expect("a plain path");
        let all = std::fs::read_dir("/proc").expect("Linux").flatten();
        let own = all.filter_map(|entry| {
            let words = String::from_utf8_lossy(&std::fs::read(entry.path().join("cmdline")).ok()?).replace('\0', " ");
            let at = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            // Processes that ended have no command line.
            (!words.is_empty() && (words.contains(base) || at.starts_with(base))).then_some(words)
        });
        own.collect()
    }
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a readable folder").flatten().map(|entry| entry.path()).collect();
    names.sort();
    names
}
