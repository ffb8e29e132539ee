//! What a store trusts: entries of this user. The folder belongs to the user, no other user can write to it, and entries
//! carry a code that takes the key next to them to make. So neither a folder that someone else prepared nor an
//! entry that came there from elsewhere (an archive, a cache of another machine) can turn a verdict around.

use crate::private_folder::random;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The name of the file with the key.
const FILE: &str = "key";

/// The key of a store.
pub struct Secret([u8; 32]);

impl Secret {
    /// The key in a folder; `None` if there is no folder or no key yet. `Err`: the folder is not to be believed.
    pub fn read(folder: &Path) -> Result<Option<Secret>, String> {
        if !folder.exists() {
            return Ok(None);
        }
        check(folder, 0o022, "others can write to it, so its contents cannot be trusted")?;
        let path = folder.join(FILE);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: cannot be read ({error})", path.display())),
        };
        check(&path, 0o077, "others can read it, so what it protects cannot be trusted")?;
        let bytes = bytes.try_into().map_err(|_| format!("{}: is damaged, expected 32 bytes", path.display()))?;
        Ok(Some(Secret(bytes)))
    }

    /// The key in a folder; both are made if they do not exist.
    pub fn make(folder: &Path) -> Result<Secret, String> {
        let problem = |error: std::io::Error| format!("{}: cannot be made ({error})", folder.display());
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(problem)?;
        if let Some(known) = Secret::read(folder)? {
            return Ok(known);
        }
        // Another run may do the same at the same time: a link appears with all its content, and only once.
        let name: String = random::<8>().map_err(problem)?.iter().map(|byte| format!("{byte:02x}")).collect();
        let temporary = folder.join(format!(".{FILE}.{name}"));
        let written = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
        let written = written.and_then(|mut file| file.write_all(&random::<32>()?));
        let linked = written.and_then(|()| match std::fs::hard_link(&temporary, folder.join(FILE)) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        });
        // It may not even exist.
        let _ = std::fs::remove_file(&temporary);
        linked.map_err(problem)?;
        Secret::read(folder)?.ok_or_else(|| format!("{}: has no key", folder.display()))
    }

    fn mac(&self, kind: &str, text: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("keys of every length will do");
        mac.update(kind.as_bytes());
        mac.update(b"\n");
        mac.update(text.as_bytes());
        mac
    }

    /// The code of a text of a kind.
    pub fn sign(&self, kind: &str, text: &str) -> String {
        self.mac(kind, text).finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether a code is that of the text.
    pub fn fits(&self, kind: &str, text: &str, code: &str) -> bool {
        let digits: Option<Vec<u8>> = code
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        digits.is_some_and(|bytes| self.mac(kind, text).verify_slice(&bytes).is_ok())
    }
}

/// Whether a file or folder is the user's, and others may not do what `mode` says.
fn check(path: &Path, mode: u32, why: &str) -> Result<(), String> {
    let data = std::fs::metadata(path).map_err(|error| format!("{}: cannot be read ({error})", path.display()))?;
    let user = nix::unistd::geteuid().as_raw();
    if data.uid() != user {
        return Err(format!("{}: belongs to another user, so its contents cannot be trusted", path.display()));
    }
    if data.mode() & mode != 0 {
        return Err(format!("{}: {why}; expected `chmod go-rwx`", path.display()));
    }
    Ok(())
}
