//! A folder for files of one run: other users cannot read it or guess its name, and it goes away with the run, even if the
//! run is killed. For that a process of its own keeps it, see [`keep`].

use crate::children::{KEEPER, launcher_program};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program that is being killed may go on making files in the folder.
const PATIENCE: Duration = Duration::from_secs(10);

/// The folder; it goes away with this value.
pub struct PrivateFolder {
    path: PathBuf,
    keeper: Option<Child>,
}

impl PrivateFolder {
    /// A new folder in the system's place for temporary files. An error says where it cannot be.
    pub fn new() -> Result<PrivateFolder, String> {
        let Some(launcher) = launcher_program() else {
            let path = make().map_err(|error| problem(&error))?;
            return Ok(PrivateFolder { path, keeper: None });
        };
        let mut command = Command::new(launcher);
        command.arg(KEEPER).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut keeper = command.spawn().map_err(|error| problem(&error))?;
        let mut line = String::new();
        let read = keeper.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let told = line.strip_suffix('\n').and_then(|line| line.split_once(' '));
        match (read, told) {
            (Some(Ok(_)), Some(("made", path))) => Ok(PrivateFolder { path: path.into(), keeper: Some(keeper) }),
            (_, told) => {
                let _ = keeper.wait();
                Err(told.map_or("no private folder can be made".to_owned(), |(_, why)| why.to_owned()))
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        match &mut self.keeper {
            Some(keeper) => {
                drop(keeper.stdin.take());
                // It ends when the folder is gone, unless it was killed.
                let _ = keeper.wait();
                if self.path.exists() {
                    remove(&self.path);
                }
            }
            None => remove(&self.path),
        }
    }
}

/// What the keeper does: makes a folder, tells its name on standard output, and removes it when standard input ends,
/// as it does when the process that needs the folder dies.
pub fn keep(mut out: impl Write) -> u8 {
    let (line, path) = match make() {
        Ok(path) => (format!("made {}\n", path.display()), Some(path)),
        Err(error) => (format!("not {}\n", problem(&error)), None),
    };
    let told = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    let Some(path) = path else { return 1 };
    if told.is_ok() {
        let mut byte = [0];
        while matches!(std::io::stdin().read(&mut byte), Ok(1..)) {}
    }
    remove(&path);
    0
}

fn problem(error: &std::io::Error) -> String {
    format!("{}: no private folder can be made ({error})", std::env::temp_dir().display())
}

/// Makes the folder, and fails if anything has its name.
fn make() -> std::io::Result<PathBuf> {
    let name: String = random::<12>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = std::path::absolute(std::env::temp_dir())?.join(format!("argonaut-{name}"));
    std::fs::DirBuilder::new().mode(0o700).create(&path)?;
    Ok(path)
}

/// Bytes that cannot be guessed.
pub fn random<const COUNT: usize>() -> std::io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn remove(path: &Path) {
    let end = Instant::now() + PATIENCE;
    while std::fs::remove_dir_all(path).is_err() && path.exists() && Instant::now() < end {
        open_up(path);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A program may have closed folders that it made.
fn open_up(folder: &Path) {
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
