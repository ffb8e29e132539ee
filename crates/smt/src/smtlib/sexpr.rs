//! S-expressions, read without recursion.

use super::read::ScriptError;

/// An expression of one text: an atom, or a list of expressions that are stored elsewhere in the [`Tree`].
#[derive(Clone, Debug)]
pub enum Node<'a> {
    Atom(&'a str),
    List(Vec<usize>),
}

/// All expressions of a text.
pub struct Tree<'a> {
    pub nodes: Vec<(Node<'a>, usize)>,
    /// The outermost ones, in order.
    pub roots: Vec<usize>,
}

impl<'a> Tree<'a> {
    /// Reads a whole text.
    pub fn read(text: &'a str) -> Result<Tree<'a>, ScriptError> {
        let mut tree = Tree { nodes: Vec::new(), roots: Vec::new() };
        let mut open: Vec<(Vec<usize>, usize)> = Vec::new();
        let mut at = 0;
        while let Some((token, start)) = next_token(text, at)? {
            at = start + token.len();
            let node = match token {
                "(" => {
                    open.push((Vec::new(), start));
                    continue;
                }
                ")" => {
                    let (items, from) = open.pop().ok_or_else(|| ScriptError::new(text, start, "nothing to close"))?;
                    tree.add(Node::List(items), from)
                }
                atom => tree.add(Node::Atom(atom), start),
            };
            match open.last_mut() {
                Some((items, _)) => items.push(node),
                None => tree.roots.push(node),
            }
        }
        match open.last() {
            Some(&(_, from)) => Err(ScriptError::new(text, from, "never closed")),
            None => Ok(tree),
        }
    }

    fn add(&mut self, node: Node<'a>, start: usize) -> usize {
        self.nodes.push((node, start));
        self.nodes.len() - 1
    }

    /// The text of an atom, without the bars of a quoted symbol.
    pub fn atom(&self, node: usize) -> Option<&'a str> {
        match &self.nodes[node].0 {
            Node::Atom(text) => Some(text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or(text)),
            Node::List(_) => None,
        }
    }

    /// The elements of a list.
    pub fn list(&self, node: usize) -> Option<&[usize]> {
        match &self.nodes[node].0 {
            Node::Atom(_) => None,
            Node::List(items) => Some(items),
        }
    }

    /// Where an expression starts in the text.
    pub fn start(&self, node: usize) -> usize {
        self.nodes[node].1
    }
}

/// The next token from byte `at` on and where it starts.
fn next_token(text: &str, mut at: usize) -> Result<Option<(&str, usize)>, ScriptError> {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at) {
            None => return Ok(None),
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b';') => at += text[at..].find('\n').unwrap_or(text.len() - at),
            Some(_) => break,
        }
    }
    let rest = &text[at..];
    let length = match bytes[at] {
        b'(' | b')' => 1,
        quote @ (b'|' | b'"') => {
            let end = rest[1..].find(quote as char);
            end.ok_or_else(|| ScriptError::new(text, at, "a quote is never closed"))? + 2
        }
        _ => rest.find(|c: char| c.is_ascii_whitespace() || "();|\"".contains(c)).unwrap_or(rest.len()),
    };
    Ok(Some((&rest[..length], at)))
}
