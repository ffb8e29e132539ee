//! `--config FILE.toml`: options by their long names. The file's options come before those of the command line, which
//! therefore win; what may be repeated adds up.
//!
//! ```toml
//! time-limit = "60s"
//! analysis = "k-induction"
//! set = ["k-max=20"]
//! statistics = true
//! ```

use std::ffi::OsString;

/// The arguments with those of the configuration file put in behind the subcommand.
pub fn expand(args: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let Some(file) = named_file(&args)? else { return Ok(args) };
    let path = std::path::Path::new(&file);
    let text = driver::read_text(path, "options in TOML").map_err(|error| error.to_string())?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or(0, |span| text[..span.start].matches('\n').count());
        format!("{}:{}: {}", path.display(), before + 1, error.message().replace('\n', " "))
    })?;
    let mut words = Vec::new();
    for (key, value) in table {
        let values = match value {
            toml::Value::Array(values) => values,
            single => vec![single],
        };
        for value in values {
            words.extend(word(&key, &value).ok_or_else(|| {
                format!("{}: `{key}`: expected a text, a number, `true` or `false`, or a list of them", path.display())
            })?);
        }
    }
    let at = args.len().min(2);
    let mut all = args;
    all.splice(at..at, words.into_iter().map(OsString::from));
    Ok(all)
}

/// `--config FILE` or `--config=FILE`.
fn named_file(args: &[OsString]) -> Result<Option<OsString>, String> {
    for (at, arg) in args.iter().enumerate() {
        match arg.to_str() {
            Some("--") => break,
            Some("--config") => {
                return args.get(at + 1).cloned().map(Some).ok_or_else(|| "expected --config FILE.toml".into());
            }
            Some(word) => {
                if let Some(file) = word.strip_prefix("--config=") {
                    return Ok(Some(file.into()));
                }
            }
            None => {}
        }
    }
    Ok(None)
}

/// The argument that says the same; `None` for values that no option has.
fn word(key: &str, value: &toml::Value) -> Option<Option<String>> {
    let option =
        |value: String| Some(Some(if key.len() == 1 { format!("-{key}{value}") } else { format!("--{key}={value}") }));
    match value {
        toml::Value::Boolean(true) => Some(Some(format!("--{key}"))),
        toml::Value::Boolean(false) => Some(None),
        toml::Value::String(text) => option(text.clone()),
        toml::Value::Integer(number) => option(number.to_string()),
        toml::Value::Float(number) => option(number.to_string()),
        toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => None,
    }
}
