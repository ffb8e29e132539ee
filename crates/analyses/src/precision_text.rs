//! Precisions as text, so that one run can start with what another one found out [BLNSW13]. One item a line:
//!
//! ```text
//! # a comment
//! x            the variable x, of every function that has one, or a global one
//! f::x         the variable x of f
//! f::s+8       the four bytes (or how many are accessed there) at offset 8 of s
//! f::s[]       all of s
//! ```

use crate::BadOption;
use base::Id;
use cfa::{FunctionId, Program};
use domains::value::precision::Scoping;
use domains::value::{Item, Origin, Precision};
use std::collections::HashMap;

/// Items of a precision, one a line.
pub fn write<'i>(program: &Program, items: impl IntoIterator<Item = &'i Item>) -> String {
    items.into_iter().map(|item| item.display(program) + "\n").collect()
}

/// Adds the items in a text; an error says line and column.
pub fn read(program: &Program, text: &str, precision: &mut Precision) -> Result<(), String> {
    let names = Names::new(program);
    for (number, line) in text.lines().enumerate() {
        let words = line.split('#').next().unwrap_or("").trim_end();
        let word = words.trim_start();
        let column = words.len() - word.len() + 1;
        if word.is_empty() {
            continue;
        }
        names.track(word, precision).map_err(|what| format!("{}:{column}: error: {what}", number + 1))?;
    }
    Ok(())
}

/// Adds the items in a text that the program has.
pub fn offer(program: &Program, text: &str, precision: &mut Precision) {
    let names = Names::new(program);
    for line in text.lines() {
        // What is gone needs no tracking.
        let _ = names.track(line, precision);
    }
}

/// The items in a text that the program has.
pub fn items(program: &Program, text: &str) -> Vec<Item> {
    let mut precision = Precision::scoped();
    offer(program, text, &mut precision);
    precision.items().into_iter().collect()
}

/// Adds items by name.
pub fn add(program: &Program, items: &[String], precision: &mut Precision) -> Result<(), BadOption> {
    if items.is_empty() {
        return Ok(());
    }
    let names = Names::new(program);
    items.iter().try_for_each(|item| names.track(item, precision)).map_err(BadOption)
}

/// How many items are tracked at each location; a scoped precision counts those that exist there.
pub fn sizes(program: &Program, precision: &Precision) -> Vec<usize> {
    let by_node = |node| match &precision.scoping {
        Scoping::Local(tracked) => tracked.get(&node).map_or(0, |tracked| tracked.len()),
        Scoping::All | Scoping::Scoped(_) => 0,
    };
    let mut of_function: Vec<usize> = vec![0; program.functions.len()];
    let mut global = 0;
    if let Scoping::Scoped(_) = precision.scoping {
        for item in precision.items() {
            match owner(program, item) {
                Some(function) => of_function[function.index()] += 1,
                None => global += 1,
            }
        }
    }
    let nodes = program.nodes.iter();
    nodes.map(|(node, info)| by_node(node) + global + of_function[info.function.index()]).collect()
}

fn owner(program: &Program, item: Item) -> Option<FunctionId> {
    match item {
        Item::Register(var) | Item::Cell(Origin::Variable(var), _) | Item::Whole(Origin::Variable(var)) => {
            program.vars[var].function
        }
        // The heap belongs to no function.
        Item::Cell(Origin::Site(_), _) | Item::Whole(Origin::Site(_)) => None,
    }
}

/// What names stand for.
struct Names<'p> {
    program: &'p Program,
    items: HashMap<String, Vec<Item>>,
}

impl<'p> Names<'p> {
    fn new(program: &'p Program) -> Self {
        let mut items: HashMap<String, Vec<Item>> = HashMap::new();
        for (var, variable) in program.vars.iter() {
            let item = match program.register(var) {
                Some(_) => Item::Register(var),
                None => Item::Whole(Origin::Variable(var)),
            };
            let full = item.display(program).trim_end_matches("[]").to_owned();
            items.entry(program.text(variable.name).to_owned()).or_default().push(item);
            if full != program.text(variable.name) {
                items.entry(full).or_default().push(item);
            }
        }
        Self { program, items }
    }

    fn track(&self, name: &str, precision: &mut Precision) -> Result<(), String> {
        let (base, offset) = match name.rsplit_once('+') {
            Some((base, offset)) => {
                let offset = offset.parse::<u64>().map_err(|_| format!("expected an offset, found `{offset}`"))?;
                (base, Some(offset))
            }
            None => (name.trim_end_matches("[]"), None),
        };
        // Allocation sites have no stable names; a precision from another run may lack them.
        if base.starts_with("site") && !self.items.contains_key(base) {
            return Ok(());
        }
        let items = self.items.get(base).ok_or_else(|| format!("no variable is called `{base}`"))?;
        for &item in items {
            let item = match (item, offset) {
                (Item::Whole(origin), Some(offset)) => Item::Cell(origin, offset),
                (item, _) => item,
            };
            for node in self.program.nodes.ids() {
                precision.track(node, item);
            }
        }
        Ok(())
    }
}
