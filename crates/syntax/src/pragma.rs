//! `#pragma pack`, as gcc reads it: the stack of alignment limits for struct members. Other pragmas that change what a
//! program means are named, so that none is ignored.

/// The limit in force and the ones pushed below it.
#[derive(Default)]
pub(crate) struct Pack {
    /// The limit in force; `None` is the natural alignment.
    pub current: Option<u32>,
    stack: Vec<(Option<String>, Option<u32>)>,
}

impl Pack {
    /// Reads what follows `#pragma`; anything but a correct `pack` changes nothing. `Err` says what is wrong.
    pub fn pragma(&mut self, text: &str) -> Result<(), &'static str> {
        let Some(rest) = text.trim().strip_prefix("pack") else { return Ok(()) };
        let Some(rest) = rest.trim_start().strip_prefix('(') else { return Ok(()) };
        let Some((inside, _)) = rest.split_once(')') else { return Err("expected ')' at the end of #pragma pack") };
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        match parts[..] {
            [""] => self.current = None,
            ["push"] => self.stack.push((None, self.current)),
            ["pop"] => self.pop(None)?,
            ["push", name] if !is_number(name) => self.stack.push((Some(name.to_owned()), self.current)),
            ["pop", name] => self.pop(Some(name))?,
            ["push", number] => self.push(None, number)?,
            ["push", name, number] => self.push(Some(name), number)?,
            [number] => self.current = limit(number)?,
            _ => return Err("malformed #pragma pack"),
        }
        Ok(())
    }

    fn push(&mut self, name: Option<&str>, number: &str) -> Result<(), &'static str> {
        let new = limit(number)?;
        self.stack.push((name.map(str::to_owned), self.current));
        self.current = new;
        Ok(())
    }

    fn pop(&mut self, name: Option<&str>) -> Result<(), &'static str> {
        let at = match name {
            None => self.stack.len().checked_sub(1),
            Some(name) => self.stack.iter().rposition(|(pushed, _)| pushed.as_deref() == Some(name)),
        };
        let at = at.ok_or("#pragma pack(pop) without a matching push")?;
        self.current = self.stack[at].1;
        self.stack.truncate(at);
        Ok(())
    }
}

/// The pragma after `#pragma`, if it changes the layout of types or what names mean and we do not model that.
pub(crate) fn not_modelled(text: &str) -> Option<&'static str> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|word| !word.is_empty());
    match (words.next()?, words.next()) {
        ("scalar_storage_order", Some("big-endian")) => Some("scalar_storage_order"),
        ("ms_struct", Some("on")) => Some("ms_struct"),
        ("weak", Some(_)) => Some("weak"),
        ("redefine_extname", Some(_)) => Some("redefine_extname"),
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A limit: 0 resets to the natural alignment.
fn limit(number: &str) -> Result<Option<u32>, &'static str> {
    match number.parse() {
        Ok(0) => Ok(None),
        Ok(value @ (1 | 2 | 4 | 8 | 16)) => Ok(Some(value)),
        _ => Err("#pragma pack needs a small power of two"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pragmas: &[&str], expected: Result<Option<u32>, &str>) {
        let mut pack = Pack::default();
        let result = pragmas.iter().try_for_each(|text| pack.pragma(text));
        assert_eq!(result.map(|()| pack.current), expected, "{pragmas:?}");
    }

    #[test]
    fn pragmas_that_change_the_meaning() {
        assert_eq!(not_modelled(" scalar_storage_order big-endian"), Some("scalar_storage_order"));
        assert_eq!(not_modelled(" scalar_storage_order little-endian"), None);
        assert_eq!(not_modelled(" ms_struct on"), Some("ms_struct"));
        assert_eq!(not_modelled(" ms_struct reset"), None);
        assert_eq!(not_modelled(" weak f = g"), Some("weak"));
        assert_eq!(not_modelled(" GCC diagnostic push"), None);
    }

    #[test]
    fn limits_stack() {
        check(&["pack(2)"], Ok(Some(2)));
        check(&["pack(2)", "pack()"], Ok(None));
        check(&["pack(push, 1)", "pack(push,4)", " pack ( pop ) "], Ok(Some(1)));
        check(&["pack(push, a, 1)", "pack(push, 4)", "pack(pop, a)"], Ok(None));
        check(&["pack(push)", "pack(8)", "pack(pop)"], Ok(None));
        check(&["pack(0)", "omp parallel", "pack"], Ok(None));
        check(&["pack(3)"], Err("#pragma pack needs a small power of two"));
        check(&["pack(pop)"], Err("#pragma pack(pop) without a matching push"));
    }
}
