//! `verify --store` and `argonaut store`: where earlier answers are kept.

use crate::args::{StoreAction, StoreArgs, VerifyArgs};
use driver::Store;
use std::path::PathBuf;

/// The store that the user asks for; without `--store` none.
pub fn wanted(args: &VerifyArgs) -> Result<Option<Store>, String> {
    match &args.store {
        Some(folder) if !args.no_store => open(folder.clone()).map(Some),
        Some(_) | None => Ok(None),
    }
}

fn open(folder: Option<PathBuf>) -> Result<Store, String> {
    let folder = folder.or_else(Store::default_folder);
    let folder = folder.ok_or("neither XDG_CACHE_HOME nor HOME is set, expected --store=DIR")?;
    if folder.exists() && !folder.is_dir() {
        return Err(format!("{}: is a file, expected a folder", folder.display()));
    }
    let store = Store::new(folder);
    store.check()?;
    Ok(store)
}

/// Says how much a store holds, or empties it.
pub fn store(args: &StoreArgs) -> Result<u8, String> {
    let store = open(args.store.clone())?;
    if args.action == StoreAction::Clear {
        store.clear()?;
    }
    let size = store.size();
    let mib = size.bytes as f64 / f64::from(1 << 20);
    crate::print(&format!("{}: {} answers, {mib:.1} MiB\n", store.folder().display(), size.entries));
    Ok(0)
}
