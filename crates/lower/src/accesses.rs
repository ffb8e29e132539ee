//! What library functions without model access, where memory is checked: texts that they read to the end, and bytes that
//! they read or may write, as many as another argument or the type says. What the table does not say is assumed.

use crate::context::{Lowering, Value};
use cfa::{BinOp, ExprId, Scalar};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Something that a function accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    /// The argument that leads there.
    at: usize,
    what: What,
    /// Whether the argument may be null, and nothing is accessed then.
    may_be_null: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A text with its end.
    Text,
    /// The same of wide characters.
    WideText,
    /// As many bytes as that argument says.
    Bytes(usize),
    /// So many objects of the type that the pointer leads to.
    Objects(u64),
}

impl Lowering<'_> {
    /// A function without model is called with these arguments: accesses what it accesses.
    pub fn access_arguments(&mut self, name: &str, values: &[Value]) {
        if !self.checks_memory() {
            return;
        }
        let accesses = accesses(name);
        let mut known = vec![false; values.len()];
        for access in accesses {
            if let Some(&value) = values.get(access.at) {
                known[access.at] = self.access_argument(*access, value, values);
            }
        }
        let unknown = |(value, known): (&Value, &bool)| {
            !known && self.scalar_of(value.expr) == Scalar::Ptr && self.constant(value.expr) != Some(0)
        };
        if values.iter().zip(&known).any(unknown) {
            self.assume(format!("what {name} reads and writes lies inside living objects"));
        }
    }

    /// Whether it could be said.
    fn access_argument(&mut self, access: Access, value: Value, values: &[Value]) -> bool {
        if self.scalar_of(value.expr) != Scalar::Ptr {
            return false;
        }
        let size = self.program.model.size_type();
        let bytes = match access.what {
            What::Text | What::WideText => None,
            What::Bytes(at) => match values.get(at) {
                Some(given) if self.scalar_of(given.expr).is_int() => Some(self.cast(given.expr, size)),
                _ => return false,
            },
            What::Objects(count) => match self.pointee(value.ty).and_then(|to| self.program.types.size(to)) {
                Some(bytes) if bytes > 0 => Some(self.size_const(count * bytes)),
                _ => return false,
            },
        };
        if !access.may_be_null {
            self.access(value.expr, access.what, bytes);
            return true;
        }
        let null = self.null();
        let is_null = self.binary(BinOp::Eq, value.expr, null);
        let (yes, no) = self.fork(is_null);
        self.body.at = no;
        self.access(value.expr, access.what, bytes);
        let after = self.body.at;
        self.join(after, yes);
        self.body.at = yes;
        true
    }

    fn access(&mut self, pointer: ExprId, what: What, bytes: Option<ExprId>) {
        match bytes {
            Some(bytes) => {
                self.call_model("__model_access", &[pointer, bytes], self.basic.void);
            }
            None if what == What::WideText => self.read_wide_text(pointer, None),
            None => {
                self.read_text(pointer, None);
            }
        }
    }
}

fn accesses(name: &str) -> &'static [Access] {
    static TABLE: OnceLock<HashMap<&'static str, Vec<Access>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| TABLE_TEXT.lines().filter_map(row).collect());
    table.get(name).map_or(&[], Vec::as_slice)
}

/// A line of the table: a name, and of arguments (from 0) what they lead to.
fn row(line: &'static str) -> Option<(&'static str, Vec<Access>)> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    Some((name, words.map(access).collect()))
}

/// `text0`, `wide0`, `object1`, `pair1` for two objects, `bytes1=2` for as many bytes at argument 1 as argument 2 says; `?` before: or
/// null.
fn access(word: &str) -> Access {
    let (may_be_null, word) = match word.strip_prefix('?') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let number = |text: &str| text.parse::<usize>().expect("the table has numbers of arguments");
    let (at, what) = if let Some(at) = word.strip_prefix("text") {
        (number(at), What::Text)
    } else if let Some(at) = word.strip_prefix("wide") {
        (number(at), What::WideText)
    } else if let Some(at) = word.strip_prefix("object") {
        (number(at), What::Objects(1))
    } else if let Some(at) = word.strip_prefix("pair") {
        (number(at), What::Objects(2))
    } else {
        let (at, size) = word.strip_prefix("bytes").and_then(|rest| rest.split_once('=')).expect("a known word");
        (number(at), What::Bytes(number(size)))
    };
    Access { at, what, may_be_null }
}

const TABLE_TEXT: &str = "
    a64l text0
    arc4random_buf bytes0=1
    chdir text0
    chmod text0
    chown text0
    chroot text0
    clock_getres ?object1
    clock_settime object1
    dlopen ?text0
    dlsym text1
    eaccess text0
    euidaccess text0
    faccessat text1
    fchmodat text1
    fchownat text1
    fopen64 text0 text1
    fputs_unlocked text0
    fputws wide0
    fstat object1
    fstatat text1 object2
    getcwd ?bytes0=1
    getdomainname bytes0=1
    getentropy bytes0=1
    getenv text0
    getgrnam text0
    gethostbyname text0
    gethostname bytes0=1
    getitimer object1
    getlogin_r bytes0=1
    getpeername object2
    getpwnam text0
    getrandom bytes0=1
    getrlimit object1
    getrusage object1
    getsockname object2
    inet_aton text0 object1
    inet_network text0
    inet_pton text1
    lchown text0
    link text0 text1
    lstat text0 object1
    mkdir text0
    mkdirat text1
    mkdtemp text0
    mkfifo text0
    mknod text0
    mkostemp text0
    mkstemp text0
    mktemp text0
    mlock bytes0=1
    openat text1
    opendir text0
    pathconf text0
    pipe pair0
    pipe2 pair0
    pread bytes1=2
    ptsname_r bytes1=2
    pwrite bytes1=2
    readlink text0 bytes1=2
    readlinkat text1 bytes2=3
    recvfrom bytes1=2
    renameat text1 text3
    rmdir text0
    secure_getenv text0
    sem_open text0
    sem_unlink text0
    sendto bytes1=2
    sethostname bytes0=1
    setitimer object1 ?object2
    setrlimit object1
    setsockopt bytes3=4
    shm_open text0
    shm_unlink text0
    socketpair pair3
    stat text0 object1
    strptime text0 text1 object2
    strverscmp text0 text1
    symlink text0 text1
    symlinkat text0 text2
    tcgetattr object1
    tcsetattr object2
    times ?object0
    truncate text0
    ttyname_r bytes1=2
    uname object0
    unlinkat text1
    utime text0 ?object1
    utimes text0 ?pair1
    wait ?object0
    waitpid ?object1
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_about_functions_without_model() {
        let names: Vec<&str> = TABLE_TEXT.lines().filter_map(row).map(|(name, _)| name).collect();
        assert!(names.is_sorted());
        for name in names {
            let is_pointer = crate::known::known(name) == Some(crate::known::Known::UnknownPointer);
            assert!(cfa::standard::is_unmodelled(name) || is_pointer, "{name}");
            assert!(!accesses(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn accesses_are_read() {
        let check = |word: &str, at, what, may_be_null| assert_eq!(access(word), Access { at, what, may_be_null });
        check("text0", 0, What::Text, false);
        check("?object2", 2, What::Objects(1), true);
        check("pair0", 0, What::Objects(2), false);
        check("bytes1=2", 1, What::Bytes(2), false);
    }
}
