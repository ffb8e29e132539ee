//! And-inverter graphs, and bit vectors in them (`blast`). Literals are numbered as in the AIGER format: twice the number
//! of a node, plus one where it is negated; node 0 is false. Equal conjunctions are one node.

mod blast;

pub use blast::Blaster;

use rustc_hash::FxHashMap;

/// A node of a graph, perhaps negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub u32);

impl Lit {
    /// Never true.
    pub const FALSE: Lit = Lit(0);
    /// Always true.
    pub const TRUE: Lit = Lit(1);

    /// Without its negation.
    pub fn node(self) -> usize {
        self.0 as usize / 2
    }

    /// Whether it is negated.
    pub fn is_negated(self) -> bool {
        self.0 % 2 == 1
    }

    /// The same where `yes` holds, else its negation.
    pub fn with(self, yes: bool) -> Lit {
        if yes { self } else { !self }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// False.
    Constant,
    /// Given from outside.
    Input,
    /// Both operands hold. They have smaller numbers.
    And(Lit, Lit),
}

/// A graph.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Gate>,
    ands: FxHashMap<(Lit, Lit), Lit>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig { nodes: vec![Gate::Constant], ands: FxHashMap::default() }
    }
}

impl Aig {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constant is always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, operands first.
    pub fn nodes(&self) -> &[Gate] {
        &self.nodes
    }

    fn push(&mut self, node: Gate) -> Lit {
        if let Gate::And(a, b) = node {
            debug_assert!(a < b && b.node() < self.nodes.len(), "operands come first, in order");
        }
        let number = u32::try_from(self.nodes.len()).ok().and_then(|number| number.checked_mul(2));
        self.nodes.push(node);
        Lit(number.expect("fewer than 2^31 nodes"))
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    /// `a` and `b`.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::FALSE, _) => return Lit::FALSE,
            (Lit::TRUE, other) => return other,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        if let Some(&known) = self.ands.get(&(a, b)) {
            return known;
        }
        let new = self.push(Gate::And(a, b));
        self.ands.insert((a, b), new);
        new
    }

    /// `a` or `b`.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// One of both.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (only_a, only_b) = (self.and(a, !b), self.and(!a, b));
        self.or(only_a, only_b)
    }

    /// `yes` where the condition holds, else `no`.
    pub fn ite(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    /// All of them.
    pub fn all(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        parts.into_iter().fold(Lit::TRUE, |all, part| self.and(all, part))
    }

    /// The values of all nodes, given those of inputs in the order of their numbers.
    pub fn evaluate(&self, inputs: &[bool]) -> Vec<bool> {
        let mut values = Vec::with_capacity(self.nodes.len());
        let mut given = inputs.iter();
        for node in &self.nodes {
            let of = |lit: Lit| values_of(&values, lit);
            values.push(match *node {
                Gate::Constant => false,
                Gate::Input => *given.next().expect("a value for every input"),
                Gate::And(a, b) => of(a) && of(b),
            });
        }
        assert!(given.next().is_none(), "no more values than inputs");
        values
    }
}

/// The value of a literal, given those of nodes.
pub fn values_of(values: &[bool], lit: Lit) -> bool {
    values[lit.node()] != lit.is_negated()
}
