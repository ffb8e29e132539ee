//! Ends of scopes, where somebody asks what lives: the objects of a block end when it is left by its end, and those of
//! everything inside a loop or `switch` when that goes on to its next round or is left, by `break` and `continue` as well.
//!
//! Blocks that are entered by a jump to a label inside keep their objects until the function returns, since their
//! declarations may be passed over; so do blocks that are left by `goto`. Objects of statement expressions end with the
//! block around them, behind the use of the value.

use crate::context::Lowering;
use cfa::{Check, ExprId, Op};

/// What an open block declared.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Addresses of its objects.
    own: Vec<ExprId>,
    /// Variables of blocks inside that are closed.
    inner: Vec<ExprId>,
    /// How many `switch` statements are open around it.
    switches: usize,
    /// Whether there is a label inside that is jumped to from outside.
    is_jumped_into: bool,
}

impl Lowering<'_> {
    pub fn open_block(&mut self) {
        let switches = self.body.switches.len();
        self.body.blocks.push(Block { switches, ..Block::default() });
    }

    /// The innermost block ends here.
    pub fn close_block(&mut self) {
        let Some(block) = self.body.blocks.pop() else { return };
        let (mut own, inner) = (block.own, block.inner);
        if block.is_jumped_into {
            own.clear();
        }
        self.end_all(&own);
        // How far a variable-length array came to be is not known where a jump leads.
        own.retain(|&pointer| matches!(self.program.exprs.node(pointer), cfa::Expr::Addr(_)));
        if let Some(outer) = self.body.blocks.last_mut() {
            outer.inner.extend(own.into_iter().chain(inner));
        }
    }

    /// The innermost block ends, but what it holds is still used.
    pub fn hand_on_block(&mut self) {
        let Some(block) = self.body.blocks.pop() else { return };
        if let Some(outer) = self.body.blocks.last_mut() {
            outer.own.extend(block.own);
            outer.inner.extend(block.inner);
        }
    }

    /// An object of the innermost block comes into being.
    pub fn note_object(&mut self, pointer: ExprId) {
        let wanted = self.options.checks.has(Check::Deref) || self.options.checks.has(Check::Bounds);
        if let Some(block) = self.body.blocks.last_mut().filter(|_| wanted) {
            block.own.push(pointer);
        }
    }

    /// How many variables of closed blocks there are so far.
    pub fn inner_count(&self) -> usize {
        self.body.blocks.last().map_or(0, |block| block.inner.len())
    }

    /// Those that came since then end here.
    pub fn end_inner(&mut self, since: usize) {
        let inner = self.body.blocks.last().map_or(Vec::new(), |block| block.inner[since..].to_vec());
        self.end_all(&inner);
    }

    fn end_all(&mut self, pointers: &[ExprId]) {
        for &pointer in pointers {
            self.emit(Op::End(pointer));
        }
    }

    /// A `goto` is here, which may leave blocks whose objects it does not end.
    pub fn note_jump(&mut self) {
        if self.body.blocks.iter().skip(1).any(|block| !block.own.is_empty() || !block.inner.is_empty()) {
            self.assume("objects of blocks that goto leaves are not accessed afterwards");
        }
    }

    /// A label is here: all blocks that are inside `switches` open ones may be entered by a jump to it.
    pub fn jump_into_blocks(&mut self, switches: usize) {
        let inside = self.body.blocks.iter_mut().filter(|block| block.switches >= switches);
        inside.for_each(|block| block.is_jumped_into = true);
    }
}
