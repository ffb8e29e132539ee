//! Options in TOML, by their long names, as words of a command line.

/// The words that say the same as the text; `show` is its name.
pub fn words(text: &str, show: &str) -> Result<Vec<String>, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or(0, |span| text[..span.start].matches('\n').count());
        format!("{show}:{}: {}", before + 1, error.message().replace('\n', " "))
    })?;
    let mut words = Vec::new();
    for (key, value) in table {
        let values = match value {
            toml::Value::Array(values) => values,
            single => vec![single],
        };
        for value in values {
            words.extend(word(&key, &value).ok_or_else(|| {
                format!("{show}: `{key}`: expected a text, a number, `true` or `false`, or a list of them")
            })?);
        }
    }
    Ok(words)
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
