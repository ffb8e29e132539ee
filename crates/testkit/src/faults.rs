//! Faults at random moments: processes are killed, disks are full, descriptors closed, limits low. Whatever happens, an
//! answer is right or there is none, and nothing stays behind.

use crate::scratch::Scratch;
use semantics::random::Random;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a run may take beyond its limit, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is done to a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// One of its processes is sent a signal.
    Killed,
    /// Files, standard output or temporary files find no room.
    FullDisk,
    /// Standard input, output or error is closed.
    Closed,
    /// The system's limits on memory, files or processes are low.
    Limited,
    /// Nothing.
    Undisturbed,
}

impl Fault {
    /// All kinds.
    pub const ALL: [Fault; 5] = [Fault::Killed, Fault::FullDisk, Fault::Closed, Fault::Limited, Fault::Undisturbed];
}

/// Programs with the words of their verdict; all have directives, so that the compiler runs, too.
const PROGRAMS: [(&str, &str, &str); 4] = [
    (
        "bug.c",
        "FALSE (unreach-call)",
        "#define N 7\nextern void reach_error(void); extern int __VERIFIER_nondet_int(void);\nint main(void) { int x = \
         __VERIFIER_nondet_int(); if (x * 3 == N * 3) reach_error(); return 0; }\n",
    ),
    (
        "proof.c",
        "TRUE",
        "#define N 100\nextern void reach_error(void);\nint main(void) { unsigned x = 0, y = 0; while (x < N) { x++; y += \
         2; } if (y != 2 * x) reach_error(); return 0; }\n",
    ),
    (
        "long.c",
        "TRUE",
        "#define N 30000\nextern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) { \
         unsigned long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), s = 0; for (unsigned i = 0; i < N; i++) \
         s += a * b; if (s != N * (a * b)) reach_error(); return 0; }\n",
    ),
    ("hang.c", "none", "#include \"pipe\"\nint main(void) { return 0; }\n"),
];

/// One run: what is done and to what.
struct Trial<'a> {
    argonaut: &'a Path,
    folder: &'a Path,
    temporary: PathBuf,
    fault: Fault,
    program: usize,
    args: Vec<String>,
}

/// Runs one trial. `Err` says what went wrong.
pub fn trial(argonaut: &Path, random: &mut Random) -> Result<Fault, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let fault = Fault::ALL[random.below(Fault::ALL.len() as u64) as usize];
    let program = random.below(PROGRAMS.len() as u64) as usize;
    let temporary = scratch.path().join("temporary");
    std::fs::create_dir(&temporary).map_err(|error| error.to_string())?;
    for (name, _, text) in PROGRAMS {
        std::fs::write(scratch.path().join(name), text).map_err(|error| error.to_string())?;
    }
    let made = Command::new("mkfifo").arg(scratch.path().join("pipe")).status();
    made.map_err(|error| error.to_string())?;
    let mut args: Vec<String> = ["verify", "--time-limit", "10s"].map(str::to_owned).to_vec();
    let options =
        ["--confirm", "--report=out.html", "--witness=out.yml", "--store=kept", "--harness=out", "--statistics"];
    args.extend(options.iter().filter(|_| random.below(3) == 0).map(|word| word.to_string()));
    let by_input = random.below(4) == 0;
    args.push(if by_input { "-".into() } else { scratch.path().join(PROGRAMS[program].0).display().to_string() });
    let trial = Trial { argonaut, folder: scratch.path(), temporary, fault, program, args };
    trial.run(random).map_err(|problem| format!("{fault:?} {:?}: {problem}", trial.args)).map(|()| fault)
}

impl Trial<'_> {
    fn run(&self, random: &mut Random) -> Result<(), String> {
        let mut command = self.command(random);
        let (out, err) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let file = |path: &Path| std::fs::File::create(path).map_err(|error| error.to_string());
        command.current_dir(self.folder).env("TMPDIR", &self.temporary).env("XDG_CACHE_HOME", self.folder);
        let program = self.folder.join(PROGRAMS[self.program].0);
        let by_input = self.args.last().is_some_and(|word| word == "-");
        command.stdin(if by_input {
            std::fs::File::open(program).map_err(|e| e.to_string())?.into()
        } else {
            Stdio::null()
        });
        command.stderr(file(&err)?);
        let full = self.fault == Fault::FullDisk && random.below(3) == 0;
        command.stdout(if full {
            std::fs::File::options().write(true).open("/dev/full").map_err(|e| e.to_string())?
        } else {
            file(&out)?
        });
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        if self.fault == Fault::Killed {
            std::thread::sleep(Duration::from_millis(random.below(3000)));
            let processes = descendants(child.id());
            let victim = processes[random.below(processes.len() as u64) as usize];
            let word = ["-KILL", "-KILL", "-TERM", "-INT"][random.below(4) as usize];
            // It may have ended just now.
            let _ = Command::new("kill").args([word, &victim.to_string()]).stderr(Stdio::null()).status();
        }
        let status = wait(&mut child)?;
        let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        self.judge(status, &text(&out), &text(&err))?;
        self.left_behind()
    }

    /// The command, in a shell that brings the fault about.
    fn command(&self, random: &mut Random) -> Command {
        let chosen = |random: &mut Random, words: &[&'static str]| words[random.below(words.len() as u64) as usize];
        let before = match self.fault {
            Fault::Killed | Fault::Undisturbed => "",
            Fault::Closed => chosen(random, &["exec <&-;", "exec >&-;", "exec 2>&-;", "exec <&- >&- 2>&-;"]),
            Fault::Limited => chosen(
                random,
                &[
                    "ulimit -v 500000;",
                    "ulimit -v 200000;",
                    "ulimit -f 0;",
                    "ulimit -n 24;",
                    "ulimit -n 12;",
                    "ulimit -s 256;",
                ],
            ),
            // A file system of its own that is full at once, where the system lets us have one.
            Fault::FullDisk => "mount -t tmpfs -o size=64k none \"$TMPDIR\" 2>/dev/null;",
        };
        let mut command = match self.fault {
            Fault::FullDisk => {
                let mut command = Command::new("unshare");
                command.args(["-rm", "sh"]);
                command
            }
            Fault::Killed | Fault::Closed | Fault::Limited | Fault::Undisturbed => Command::new("sh"),
        };
        command.args(["-c", &format!("{before} exec \"$0\" \"$@\"")]).arg(self.argonaut).args(&self.args);
        command
    }

    fn judge(&self, status: std::process::ExitStatus, out: &str, err: &str) -> Result<(), String> {
        let said = out.lines().last().and_then(|line| line.strip_prefix("Verdict: "));
        let expected = PROGRAMS[self.program].1;
        let problem = |what: &str| Err(format!("{what}: {status}\n{out}{err}"));
        match said {
            Some(word) if word == expected || word.starts_with("UNKNOWN") => {}
            Some(_) => return problem("a wrong verdict"),
            None => {}
        }
        let code = match said {
            Some("TRUE") => Some(0),
            Some(word) if word.starts_with("FALSE") => Some(1),
            Some(_) => Some(3),
            None => None,
        };
        if code.is_some() && status.code().is_some() && status.code() != code {
            return problem("verdict and exit status differ");
        }
        if self.fault != Fault::Killed && format!("{out}{err}").contains("internal error") {
            return problem("an internal error");
        }
        let undisturbed = self.fault == Fault::Undisturbed && said.is_none();
        if undisturbed { problem("no verdict") } else { Ok(()) }
    }

    /// Processes and temporary files go away, if not at once.
    fn left_behind(&self) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let files: Vec<PathBuf> =
                std::fs::read_dir(&self.temporary).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            let processes = processes(self.folder);
            if files.is_empty() && processes.is_empty() {
                return Ok(());
            }
            if Instant::now() > end {
                return Err(format!("left behind: {files:?} {processes:?}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, String> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let tree = descendants(child.id());
    let _ = child.kill();
    let _ = child.wait();
    Err(format!("it does not end: {tree:?}"))
}

/// A process and all that it started, as far as the system knows.
fn descendants(first: u32) -> Vec<u32> {
    let mut found = vec![first];
    let mut at = 0;
    while at < found.len() {
        let threads = std::fs::read_dir(format!("/proc/{}/task", found[at])).into_iter().flatten().flatten();
        let lists: Vec<String> =
            threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok()).collect();
        found.extend(lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse::<u32>().ok()));
        at += 1;
    }
    found
}

/// The command lines of living processes that name a folder or run in it.
fn processes(folder: &Path) -> Vec<String> {
    let base = folder.display().to_string();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| {
        let words = String::from_utf8_lossy(&std::fs::read(entry.path().join("cmdline")).ok()?).replace('\0', " ");
        let at = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        (!words.is_empty() && (words.contains(&base) || at.starts_with(folder))).then_some(words)
    })
    .collect()
}
