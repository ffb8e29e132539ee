//! Ends of scopes: the objects of a block end when control leaves it, by its end or by any jump, and live again when a jump
//! leads into it, past their declarations. Where nothing asks what lives, `transform::drop_unseen_ends` keeps only those that
//! an execution could notice. Where lost memory is looked for, registers of a block that may hold an address are zero from then
//! on, so that they keep nothing reachable.
//!
//! Where a `goto` leads and what the blocks around it declare further down is only known when the whole body is, so jumps are
//! kept until then ([`Lowering::finish_scoped_jumps`]). A variable-length array also ends when a jump goes back before its
//! declaration; no jump may lead past one into its scope; one that `longjmp` leaves stays until the function returns.
//! Copies of aggregates that a call passes end after the call; aggregates that a call returns end with the full expression
//! around it [C11 6.2.4p8], which is a block of its own here.

use crate::context::Lowering;
use base::Span;
use cfa::{Check, Expr, ExprId, Node, Op, Scalar, VarId};

/// A block or a full expression, open or closed.
#[derive(Debug)]
pub(crate) struct Block {
    /// The block around it.
    outer: Option<usize>,
    /// What ends with it, each with the time of its declaration.
    own: Vec<(Owned, usize)>,
    /// Whether it is a full expression, to which only temporary objects belong.
    is_expression: bool,
}

/// What ends with a block.
#[derive(Clone, Copy, Debug)]
enum Owned {
    /// The object at this address.
    Object(ExprId),
    /// The pointer in this register, or the number that may have been made from one.
    Register(VarId),
}

/// The blocks of a function, and the jumps between them.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    all: Vec<Block>,
    /// The innermost open one.
    open: Option<usize>,
    jumps: Vec<Jump>,
    /// Whether there are variable-length arrays.
    has_own_lengths: bool,
    /// Declarations and labels so far.
    time: usize,
}

/// A place in the text: the block around it, and what was declared before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    block: Option<usize>,
    time: usize,
}

/// A jump whose ends of scopes are not written yet.
#[derive(Debug)]
struct Jump {
    at: Node,
    from: Position,
    to: Destination,
    span: Span,
}

/// Where a jump leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    /// A place that is known.
    Known(Node, Position),
    /// A label.
    Label(base::Symbol),
}

impl Lowering<'_> {
    pub fn open_block(&mut self) {
        self.open(false);
    }

    fn open(&mut self, is_expression: bool) {
        let blocks = &mut self.body.blocks;
        blocks.all.push(Block { outer: blocks.open, own: Vec::new(), is_expression });
        blocks.open = Some(blocks.all.len() - 1);
    }

    /// The innermost block ends here.
    pub fn close_block(&mut self) {
        let Some(block) = self.body.blocks.open else { return };
        self.end_all(block);
        self.body.blocks.open = self.body.blocks.all[block].outer;
    }

    fn end_all(&mut self, block: usize) {
        let own: Vec<Owned> = self.body.blocks.all[block].own.iter().map(|(owned, _)| *owned).collect();
        for owned in own {
            let op = self.end_of(owned);
            self.emit(op);
        }
    }

    fn end_of(&mut self, owned: Owned) -> Op {
        match owned {
            Owned::Object(pointer) => Op::End(pointer),
            Owned::Register(var) => {
                let scalar = self.program.register(var).expect("it was noted as a register");
                Op::Assign(var, if scalar == Scalar::Ptr { self.null() } else { self.number(scalar, 0) })
            }
        }
    }

    /// Lowers a full expression: what calls in it return ends with it.
    pub fn full_expression<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.open(true);
        let result = f(self);
        self.close_block();
        result
    }

    /// The same of a condition, which ends at both places that it leads to.
    pub fn full_condition(&mut self, f: impl FnOnce(&mut Self) -> (Node, Node)) -> (Node, Node) {
        self.open(true);
        let (yes, no) = f(self);
        let block = self.body.blocks.open.expect("opened above");
        let [yes, no] = [yes, no].map(|node| {
            self.body.at = node;
            self.end_all(block);
            self.body.at
        });
        self.body.blocks.open = self.body.blocks.all[block].outer;
        (yes, no)
    }

    /// The innermost block ends with its function, and its objects with the frame.
    pub fn close_last_block(&mut self) {
        let blocks = &mut self.body.blocks;
        let last = blocks.open.take();
        debug_assert!(last.is_none_or(|last| blocks.all[last].outer.is_none()), "blocks inside are closed");
    }

    /// Whether something ends with the innermost block.
    pub fn block_has_objects(&self) -> bool {
        let blocks = &self.body.blocks;
        blocks.open.is_some_and(|open| !blocks.all[open].own.is_empty())
    }

    /// An object made for a single purpose ends here.
    pub fn end_object(&mut self, pointer: ExprId) {
        self.emit(Op::End(pointer));
    }

    /// An object of the innermost block comes into being.
    pub fn note_object(&mut self, pointer: ExprId) {
        let block = self.innermost_block();
        self.note_owned(block, Owned::Object(pointer));
    }

    /// An object of the full expression comes into being.
    pub fn note_temporary(&mut self, pointer: ExprId) {
        self.note_owned(self.body.blocks.open, Owned::Object(pointer));
    }

    /// The innermost block declares a register.
    pub fn note_register(&mut self, var: VarId) {
        let width = self.program.model.pointer_bits();
        let may_point = |scalar| match scalar {
            Scalar::Ptr => true,
            Scalar::Int { bits, .. } => u32::from(bits) >= width,
            Scalar::Bool | Scalar::Float(_) => false,
        };
        if self.options.checks.has(Check::Track) && self.program.register(var).is_some_and(may_point) {
            let block = self.innermost_block();
            self.note_owned(block, Owned::Register(var));
        }
    }

    fn innermost_block(&self) -> Option<usize> {
        let all = &self.body.blocks.all;
        std::iter::successors(self.body.blocks.open, |&block| all[block].outer).find(|&block| !all[block].is_expression)
    }

    fn note_owned(&mut self, block: Option<usize>, owned: Owned) {
        let has_own_length = self.has_own_length(owned);
        let blocks = &mut self.body.blocks;
        blocks.has_own_lengths |= has_own_length;
        blocks.time += 1;
        if let Some(block) = block {
            blocks.all[block].own.push((owned, blocks.time));
        }
    }

    /// Where the text is.
    pub fn position(&mut self) -> Position {
        self.body.blocks.time += 1;
        Position { block: self.body.blocks.open, time: self.body.blocks.time }
    }

    /// Control goes on at `to`, a place in a block around this one; what follows here is dead unless labelled.
    pub fn leave_blocks(&mut self, to: Node, position: Position) {
        self.keep_jump(Destination::Known(to, position));
    }

    /// Control goes on at a label.
    pub fn jump_to_label(&mut self, name: base::Symbol) {
        self.keep_jump(Destination::Label(name));
    }

    fn keep_jump(&mut self, to: Destination) {
        let from = self.position();
        self.body.blocks.jumps.push(Jump { at: self.body.at, from, to, span: self.here });
        self.body.at = self.node();
    }

    /// Control that is at the node goes on at `to`, which may be in other blocks.
    pub fn join_scoped(&mut self, at: Node, from: Position, to: (Node, Position)) {
        let to = Destination::Known(to.0, to.1);
        self.body.blocks.jumps.push(Jump { at, from, to, span: self.here });
    }

    /// Control comes here from a call that does not return, out of any block: only what is around this place lives.
    pub fn arrive(&mut self, to: Destination) {
        let Some((node, position)) = self.found(to) else { return };
        let around = self.blocks_around(position);
        let others = self.body.blocks.all.iter().enumerate().filter(|(block, _)| !around.contains(block));
        let dead = others.flat_map(|(_, block)| block.own.iter().map(|(owned, _)| *owned));
        let dead: Vec<Owned> = dead.filter(|&owned| !self.has_own_length(owned)).collect();
        for owned in dead {
            let op = self.end_of(owned);
            self.emit(op);
        }
        let at = self.body.at;
        self.join(at, node);
    }

    /// `None`: a label that is missing, which was reported.
    fn found(&self, to: Destination) -> Option<(Node, Position)> {
        match to {
            Destination::Known(node, position) => Some((node, position)),
            Destination::Label(name) => self.body.labels.get(&name).map(|label| (label.node, label.position)),
        }
    }

    /// All labels are known: writes what ends and begins at the jumps.
    pub fn finish_scoped_jumps(&mut self) {
        let (end, here) = (self.body.at, self.here);
        for jump in std::mem::take(&mut self.body.blocks.jumps) {
            let Some((node, position)) = self.found(jump.to) else { continue };
            (self.body.at, self.here) = (jump.at, jump.span);
            for op in self.changes(jump.from, position) {
                self.emit(op);
            }
            let at = self.body.at;
            self.join(at, node);
        }
        (self.body.at, self.here) = (end, here);
    }

    /// What ends and what begins when control goes from one place to another.
    fn changes(&mut self, from: Position, to: Position) -> Vec<Op> {
        let all = &self.body.blocks.all;
        let (mut left, mut entered) = (Vec::new(), Vec::new());
        let (mut inner, mut other) = (from.block, to.block);
        // A block has a larger number than those around it.
        while inner != other {
            let (side, blocks) = if inner > other { (&mut inner, &mut left) } else { (&mut other, &mut entered) };
            let block = side.expect("nothing is around the whole body");
            blocks.push(block);
            *side = all[block].outer;
        }
        let mut ended = Vec::new();
        for &(owned, time) in left.iter().flat_map(|&block| &all[block].own) {
            ended.extend((!self.has_own_length(owned) || time < from.time).then_some(owned));
        }
        if self.body.blocks.has_own_lengths {
            let around = std::iter::successors(inner, |&block| all[block].outer);
            let passed =
                around.flat_map(|block| &all[block].own).filter(|(_, time)| to.time < *time && *time < from.time);
            ended.extend(passed.map(|(owned, _)| *owned).filter(|&owned| self.has_own_length(owned)));
        }
        let mut ops: Vec<Op> = ended.into_iter().map(|owned| self.end_of(owned)).collect();
        for block in entered {
            ops.extend(self.body.blocks.all[block].own.iter().filter_map(|&(owned, _)| match owned {
                Owned::Object(pointer) => match self.program.exprs.node(pointer) {
                    Expr::Addr(var) => Some(Op::Declare(var)),
                    _ => None,
                },
                Owned::Register(_) => None,
            }));
        }
        ops
    }

    /// Whether it is a variable-length array.
    fn has_own_length(&self, owned: Owned) -> bool {
        matches!(owned, Owned::Object(pointer) if matches!(self.program.exprs.node(pointer), Expr::Var(_)))
    }

    /// From the innermost to the outermost.
    fn blocks_around(&self, place: Position) -> Vec<usize> {
        std::iter::successors(place.block, |&block| self.body.blocks.all[block].outer).collect()
    }
}
