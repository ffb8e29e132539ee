//! Limits as users write them, `60s`, `1.5min`, `4GiB`, and how much earlier than the limit work must end.

use std::time::Duration;

/// Reads `60s`, `0.5s`, `90`, `2min`, `1h`, `500ms`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "min" | "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 60s, 1.5min or 500ms".into()),
    };
    Duration::try_from_secs_f64(number * factor)
        .ok()
        .filter(|time| !time.is_zero() && time.as_secs() < 1 << 40)
        .ok_or_else(|| "expected a time above zero such as 60s, 1.5min or 500ms".into())
}

/// Reads `4GiB`, `4GB`, `500MiB`, `1.5G`, `123456` (bytes).
pub fn parse_memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let factor: u64 = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1000,
        "KiB" | "K" | "k" => 1 << 10,
        "MB" => 1_000_000,
        "MiB" | "M" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" | "G" => 1 << 30,
        "TiB" | "T" => 1 << 40,
        _ => return Err("expected an amount of memory such as 4GiB or 500MB".into()),
    };
    let bytes = number * factor as f64;
    if bytes < 1.0 || bytes >= u64::MAX as f64 {
        return Err("expected an amount of memory such as 4GiB or 500MB".into());
    }
    Ok(bytes as u64)
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| "expected a number and a unit, such as 60s or 4GiB".to_owned())?;
    Ok((number, text[end..].trim()))
}

/// How long before the user's limit the engines stop: we may be killed the moment the limit is reached, so the
/// verdict must be out before.
pub fn margin(limit: Duration) -> Duration {
    limit.mul_f64(0.03).clamp(Duration::from_millis(300), Duration::from_secs(1)).min(limit.mul_f64(0.4))
}

/// The memory limit when the user gave none: what the machine has left, or what the address-space limit of this
/// process allows, less a reserve.
pub fn default_memory() -> Option<u64> {
    let line_number = |text: &str, key: &str, field: usize| -> Option<u64> {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .and_then(|rest| rest.split_whitespace().nth(field)?.parse().ok())
    };
    let available = std::fs::read_to_string("/proc/meminfo").ok();
    let available = available.and_then(|text| line_number(&text, "MemAvailable:", 0)).map(|kib| kib * 1024);
    let address_space = std::fs::read_to_string("/proc/self/limits").ok();
    let address_space = address_space.and_then(|text| line_number(&text, "Max address space", 0));
    let least = [available, address_space].into_iter().flatten().min()?;
    Some(least / 10 * 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(parse_time("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_time("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("1.5min"), Ok(Duration::from_secs(90)));
        for bad in ["", "s", "-1s", "1 fortnight", "0s", "1e400h", "1.2.3", "nan"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn amounts_of_memory() {
        assert_eq!(parse_memory("4GiB"), Ok(4 << 30));
        assert_eq!(parse_memory("1.5 MiB"), Ok(3 << 19));
        assert_eq!(parse_memory("500MB"), Ok(500_000_000));
        for bad in ["", "GiB", "4 elephants", "0", "99999999999999999999GiB"] {
            assert!(parse_memory(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_margin_is_small_but_there() {
        assert_eq!(margin(Duration::from_secs(900)), Duration::from_secs(1));
        assert_eq!(margin(Duration::from_secs(20)), Duration::from_millis(600));
        assert_eq!(margin(Duration::from_secs(2)), Duration::from_millis(300));
        assert_eq!(margin(Duration::from_millis(500)), Duration::from_millis(200));
    }
}
