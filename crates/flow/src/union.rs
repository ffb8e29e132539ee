//! Disjoint sets of numbers.

/// Sets of `0..n`, joined as one goes.
#[derive(Default)]
pub struct Union {
    parent: Vec<u32>,
}

impl Union {
    /// A new number, alone.
    pub fn add(&mut self) -> u32 {
        self.parent.push(self.parent.len() as u32);
        self.parent.len() as u32 - 1
    }

    /// The number that stands for the set.
    pub fn find(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let above = self.parent[at as usize];
            self.parent[at as usize] = self.parent[above as usize];
            at = above;
        }
        at
    }

    /// Makes two sets one.
    pub fn join(&mut self, a: u32, b: u32) {
        debug_assert!(a.max(b) < self.parent.len() as u32, "numbers that were added");
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
