//! System calls that a program is refused which is kept to itself. Landlock looks at files that are opened and at ports: a
//! program could still ask services of this machine for favours through local sockets, and change modes, owners and times of
//! files that it cannot write to.

use seccompiler::{apply_filter, sock_filter};

/// A way to call the system: its number, and the numbers of what is refused to all and to programs under test.
struct Interface {
    architecture: u32,
    sockets: &'static [u32],
    attributes: &'static [u32],
    /// Numbers from here on belong to a third interface, which is not in use.
    end: u32,
}

/// Of 64-bit and of 32-bit programs, in the order of the names below.
///
/// - `socket`, `socketcall`, `io_uring_setup` (which can do what the others do);
/// - `chmod`, `fchmod`, `fchmodat`, `fchmodat2`; `chown`, `lchown`, `fchown`, `fchownat` and their wide twins; `setxattr`,
///   `lsetxattr`, `fsetxattr`, `setxattrat`; `removexattr`, `lremovexattr`, `fremovexattr`, `removexattrat`; `utime`,
///   `utimes`, `futimesat`, `utimensat` and its wide twin; `file_setattr`.
#[cfg(target_arch = "x86_64")]
const INTERFACES: [Interface; 2] = [
    Interface {
        architecture: 0xc000_003e,
        sockets: &[41, 425],
        attributes: &[
            90, 91, 268, 452, 92, 94, 93, 260, 188, 189, 190, 463, 197, 198, 199, 466, 132, 235, 261, 280, 469,
        ],
        end: 0x4000_0000,
    },
    Interface {
        architecture: 0x4000_0003,
        sockets: &[359, 102, 425],
        attributes: &[
            15, 94, 306, 452, 182, 16, 95, 298, 212, 198, 207, 226, 227, 228, 463, 235, 236, 237, 466, 30, 271, 299,
            320, 412, 469,
        ],
        end: u32::MAX,
    },
];
#[cfg(not(target_arch = "x86_64"))]
const INTERFACES: [Interface; 0] = [];

// Instructions of the kernel's filters, and where they find what they look at.
const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ALLOW: u32 = 0x7fff_0000;
/// The call fails: permission denied.
const REFUSE: u32 = 0x0005_0000 | nix::errno::Errno::EACCES as u32;

/// From now on this process and what it becomes have no sockets; a program under test does not change attributes of
/// files either. Returns what the system cannot do.
pub fn refuse(is_tested: bool) -> Option<String> {
    if INTERFACES.is_empty() {
        return Some("its system calls are not known here, so it could use local sockets".into());
    }
    let refused = apply_filter(&filter(is_tested));
    refused.err().map(|error| format!("seccomp fails, so it could use local sockets ({error})"))
}

fn filter(is_tested: bool) -> Vec<sock_filter> {
    let mut all = vec![op(LOAD, ARCHITECTURE, 0)];
    for interface in &INTERFACES {
        let attributes = interface.attributes.iter().filter(|_| is_tested);
        let mut block = vec![op(LOAD, NUMBER, 0), op(IF_AT_LEAST, interface.end, 1), op(RETURN, REFUSE, 0)];
        for &number in interface.sockets.iter().chain(attributes) {
            block.extend([op(IF_EQUAL, number, 1), op(RETURN, REFUSE, 0)]);
        }
        block.push(op(RETURN, ALLOW, 0));
        let length = u8::try_from(block.len()).expect("a short list");
        all.push(op(IF_EQUAL, interface.architecture, length));
        all.extend(block);
    }
    all.push(op(RETURN, REFUSE, 0));
    all
}

/// An instruction; a comparison that fails skips so many others.
fn op(code: u16, k: u32, skipped: u8) -> sock_filter {
    sock_filter { code, jt: 0, jf: skipped, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter says about a call, as the kernel executes it.
    fn answer(filter: &[sock_filter], architecture: u32, number: u32) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let sock_filter { code, jf, k, .. } = filter[at].clone();
            let holds = match code {
                LOAD => {
                    loaded = if k == NUMBER { number } else { architecture };
                    true
                }
                IF_EQUAL => loaded == k,
                IF_AT_LEAST => loaded >= k,
                RETURN => return k,
                _ => panic!("no such instruction"),
            };
            at += if holds { 1 } else { 1 + usize::from(jf) };
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn sockets_are_refused_and_files_are_not() {
        const WIDE: u32 = 0xc000_003e;
        const NARROW: u32 = 0x4000_0003;
        for (is_tested, architecture, number, expected) in [
            (false, WIDE, 41, REFUSE),
            (false, WIDE, 0x4000_0029, REFUSE),
            (false, WIDE, 1, ALLOW),
            (false, WIDE, 90, ALLOW),
            (true, WIDE, 90, REFUSE),
            (true, WIDE, 359, ALLOW),
            (false, NARROW, 359, REFUSE),
            (false, NARROW, 102, REFUSE),
            (false, NARROW, 41, ALLOW),
            (true, NARROW, 15, REFUSE),
            (true, NARROW, 4, ALLOW),
            (true, 0x4000_0028, 1, REFUSE),
        ] {
            let found = answer(&filter(is_tested), architecture, number);
            assert_eq!(found, expected, "{is_tested} {architecture:x} {number}");
        }
    }
}
