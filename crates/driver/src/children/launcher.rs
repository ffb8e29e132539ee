//! The launcher: this command again, between a run and a program that it started. Standard input is a line to the run;
//! when the run dies, however that happens, the line is cut.
//!
//! 1. `watch` asks the system for a space of processes of its own and starts `first` in it;
//! 2. `first` is the first process there: it starts the program and ends when the program ends or the line is cut, and
//!    with it all that the program started. Where the system has no such spaces, `watch` does this itself and adopts
//!    what would be orphans;
//! 3. `enter` takes limits upon itself and becomes the program.

use super::{ChildLimits, Order, calls, isolation, tell, tell_by};
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The word by which a command knows that it is a launcher.
pub const LAUNCHER: &str = "__launch";
/// The first of its three parts.
pub const WATCH: &str = "watch";
const FIRST: &str = "first";
const ENTER: &str = "enter";

/// What the launcher tells: the program's exit status,
pub const EXIT: &str = "exit";
/// the signal that ended it,
pub const SIGNAL: &str = "signal";
/// that it used too much memory,
pub const FULL: &str = "full";
/// why it was not started,
pub const FAILED: &str = "failed";
/// what the system did not grant.
pub const LACKS: &str = "lacks ";

/// How often the memory of programs is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long what the program left behind may take to die.
const DYING: Duration = Duration::from_secs(5);

/// Does what the words after [`LAUNCHER`] say. Returns an exit status.
pub fn launch(words: &[OsString]) -> u8 {
    let [part, text, program @ ..] = words else { return 2 };
    let order = text.to_str().and_then(|text| serde_json::from_str(text).ok());
    let (Some(order), Some(part), false) = (order, part.to_str(), program.is_empty()) else { return 2 };
    let order: Order = order;
    // A process that fails to become the program has already given its standard input away.
    let line = std::io::stdin().as_fd().try_clone_to_owned();
    let done = match part {
        WATCH => watch(&order, words),
        FIRST => set_pdeathsig(Signal::SIGKILL).map_err(std::io::Error::from).and_then(|()| guard(&order, words)),
        ENTER => Err(enter(&order, program)),
        _ => return 2,
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            if let Ok(line) = line {
                tell_by(line, &format!("{FAILED} {}", error.raw_os_error().unwrap_or(0)));
            }
            1
        }
    }
}

/// This command again, as another part of the launcher.
fn again(part: &str, words: &[OsString]) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([LAUNCHER, part]).args(&words[1..]);
    Ok(command)
}

fn watch(order: &Order, words: &[OsString]) -> std::io::Result<()> {
    let no_network = order.alone.is_some();
    let spaces = isolation::spaces(no_network, order.tested);
    if no_network && !spaces.network {
        tell(&format!("{LACKS}the system has no network namespaces for us, so it could use the network"));
    }
    if !spaces.processes {
        return guard(order, words);
    }
    again(FIRST, words)?.spawn()?.wait()?;
    Ok(())
}

enum Event {
    Cut,
    Full,
    Ended(std::io::Result<ExitStatus>),
}

/// Starts the program, and ends it and all that it started when it ends or the line is cut.
fn guard(order: &Order, words: &[OsString]) -> std::io::Result<()> {
    // Without it, orphans get another parent, but they are in the program's group.
    let _ = set_child_subreaper(true);
    // The program's death signal comes when this thread ends, so it must be the one that stays.
    let mut child = again(ENTER, words)?.process_group(0).spawn()?;
    let group = child.id();
    let (sender, receiver) = channel();
    let cut = sender.clone();
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(std::io::stdin().read(&mut byte), Ok(1..)) {}
        drop(cut.send(Event::Cut));
    });
    std::thread::spawn(move || drop(sender.send(Event::Ended(child.wait()))));
    let event = next_event(&receiver, order.bounds.resident);
    kill_group(group);
    match event {
        Event::Ended(Ok(status)) => match (status.code(), status.signal()) {
            (Some(code), _) => tell(&format!("{EXIT} {code}")),
            (None, signal) => tell(&format!("{SIGNAL} {}", signal.unwrap_or(0))),
        },
        Event::Full => tell(FULL),
        Event::Ended(Err(_)) | Event::Cut => {}
    }
    kill_adopted(DYING);
    Ok(())
}

/// What happens first.
fn next_event(receiver: &Receiver<Event>, most: Option<u64>) -> Event {
    loop {
        match (receiver.recv_timeout(TICK), most) {
            (Ok(event), _) => return event,
            (Err(RecvTimeoutError::Disconnected), _) => return Event::Cut,
            (Err(RecvTimeoutError::Timeout), Some(most)) if resident_below("self") > most => return Event::Full,
            (Err(RecvTimeoutError::Timeout), _) => {}
        }
    }
}

/// Bytes of memory that the descendants of a process use.
fn resident_below(process: &str) -> u64 {
    let of = |child: &String| {
        let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        let own = line.and_then(|number| number.trim().parse::<u64>().ok()).unwrap_or(0) << 10;
        own.saturating_add(resident_below(child))
    };
    children_of(process).iter().map(of).fold(0, u64::saturating_add)
}

/// Kills a process group that we made.
pub fn kill_group(group: u32) {
    // It may be gone already.
    let _ = killpg(Pid::from_raw(group as i32), Signal::SIGKILL);
}

/// Kills and buries all children of this process, those it adopted included. The first process of a space of its own
/// has no list of them; its end is theirs.
fn kill_adopted(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        let children = children();
        if children.is_empty() {
            return;
        }
        for child in children {
            let _ = kill(child, Signal::SIGKILL);
        }
        while waitpid(None, Some(WaitPidFlag::WNOHANG)).is_ok_and(|status| status.pid().is_some()) {}
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// From now on, what descendants of this process leave behind when they die belongs to this process.
pub fn adopt() {
    // Without it, they end by themselves.
    let _ = set_child_subreaper(true);
}

/// Waits until all that was started and adopted has ended, but for `except`, and kills what does not end.
pub fn settle(except: u32, time: Duration) {
    let end = Instant::now() + time;
    let others = || children().into_iter().filter(|child| child.as_raw() as u32 != except).collect::<Vec<_>>();
    loop {
        let left = others();
        if left.is_empty() {
            return;
        }
        let late = Instant::now() >= end;
        for child in left {
            if late {
                let _ = kill(child, Signal::SIGKILL);
            }
            let _ = waitpid(child, (!late).then_some(WaitPidFlag::WNOHANG));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The children of this process, as the system knows them.
fn children() -> Vec<Pid> {
    if std::process::id() == 1 {
        return Vec::new();
    }
    children_of("self").iter().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect()
}

/// The children of a process by their numbers in `/proc`, which need not be those that this process knows them by.
fn children_of(process: &str) -> Vec<String> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Becomes the program; returns only if that fails.
fn enter(order: &Order, program: &[OsString]) -> std::io::Error {
    // The program gets all signals, also those that we do without.
    let prepared = set_pdeathsig(Signal::SIGKILL).and_then(|()| SigSet::empty().thread_set_mask());
    if let Err(error) = prepared {
        return error.into();
    }
    if let Some(folder) = &order.alone {
        let lacks = [isolation::write_only_below(folder), calls::refuse(order.tested)];
        lacks.iter().flatten().for_each(|lack| tell(&format!("{LACKS}{lack}")));
    }
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]);
    match input(order) {
        Ok(input) => command.stdin(input),
        Err(error) => return error,
    };
    // Last of all, since they count for this process as well.
    match limit(&order.bounds) {
        Ok(()) => command.exec(),
        Err(error) => error.into(),
    }
}

/// Takes limits upon this process and those it starts.
fn limit(bounds: &ChildLimits) -> nix::Result<()> {
    let wanted = [
        (Resource::RLIMIT_CORE, Some(0)),
        (Resource::RLIMIT_AS, bounds.memory),
        (Resource::RLIMIT_FSIZE, bounds.file_size),
        (Resource::RLIMIT_NPROC, bounds.processes),
    ];
    for (resource, bound) in wanted {
        let Some(bound) = bound else { continue };
        let (_, most) = getrlimit(resource)?;
        setrlimit(resource, bound.min(most), bound.min(most))?;
    }
    Ok(())
}

/// Standard input of the program.
pub fn input(order: &Order) -> std::io::Result<Stdio> {
    if let Some(file) = &order.input_file {
        return Ok(std::fs::File::open(file)?.into());
    }
    let text = &order.input;
    if text.is_empty() {
        return Ok(Stdio::null());
    }
    let (read, mut write) = std::io::pipe()?;
    // Short texts fit into a pipe that is not being read yet.
    write.write_all(text.as_bytes())?;
    Ok(read.as_fd().try_clone_to_owned()?.into())
}
