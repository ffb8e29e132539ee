//! What the system can do to keep a program to itself: namespaces for processes and the network, Landlock for files.

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope, path_beneath_rules,
};
use nix::sched::{CloneFlags, unshare};
use std::path::Path;

/// What the children of this process have to themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spaces {
    /// Processes: when the first one ends, all end.
    pub processes: bool,
    /// A network that leads nowhere.
    pub network: bool,
}

/// Gives the children of this process, which must have one thread, a space of processes of their own, and on request
/// no network. A program under test has no rights of an administrator, not even if the user is one.
pub fn spaces(no_network: bool, is_tested: bool) -> Spaces {
    let mut flags = CloneFlags::CLONE_NEWPID;
    if no_network {
        flags |= CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC;
    }
    let granted = Spaces { processes: true, network: no_network };
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    if is_tested && user.is_root() && unshare(CloneFlags::CLONE_NEWUSER | flags).is_ok() {
        map_to_itself(user, group);
        return granted;
    }
    if unshare(flags).is_ok() {
        return granted;
    }
    // The administrator of a new namespace has no rights outside it: files of others could not be read any more.
    if user.is_root() && !no_network {
        return Spaces { processes: false, network: false };
    }
    if unshare(CloneFlags::CLONE_NEWUSER | flags).is_err() {
        return Spaces { processes: false, network: false };
    }
    map_to_itself(user, group);
    granted
}

/// Keeps the names of user and group in a new namespace. Without them, files belong to the user `nobody`, which does not
/// change who may use them.
fn map_to_itself(user: nix::unistd::Uid, group: nix::unistd::Gid) {
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}

/// From now on this process writes to `folder` only and, where the system supports it, connects to nothing outside.
/// Returns what the system cannot do.
pub fn write_only_below(folder: &Path) -> Option<String> {
    match restrict(folder) {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => None,
        Ok(RulesetStatus::NotEnforced) => Some("the system has no Landlock, so it could write everywhere".into()),
        Err(error) => Some(format!("Landlock fails, so it could write everywhere ({error})")),
    }
}

fn restrict(folder: &Path) -> Result<RulesetStatus, landlock::RulesetError> {
    let abi = ABI::V6;
    let writing = AccessFs::from_write(abi);
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing)?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules([folder, Path::new("/dev/null")], writing))?;
    Ok(rules.restrict_self()?.ruleset)
}
