//! Affine spaces over the integers modulo 2^w [MS07, ELL+14]: a point and the module that its differences span. Wrapping
//! arithmetic is exact here, so no overflow is ever an issue.

/// Vectors of one space; entries are kept below 2^w by [`Space`].
pub type Vector = Box<[u64]>;

/// γ = { point + Σ λᵢ·rowᵢ }. The rows are in Howell form: at most one row per leading position, leading entries are
/// powers of two, and every vector of the module with a later leading position is spanned by the later rows; so
/// membership is decided by reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    mask: u64,
    point: Vector,
    /// By leading position.
    rows: Vec<Option<Vector>>,
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    assert!(odd & 1 == 1, "even numbers have no inverse");
    let mut x = odd;
    for _ in 0..5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    assert!(odd.wrapping_mul(x) == 1, "five rounds double three right bits to 96");
    x
}

impl Space {
    /// Only the origin, in `dimension` variables of `width` bits.
    pub fn origin(dimension: usize, width: u32) -> Space {
        assert!((1..=64).contains(&width), "entries are words of at most 64 bits");
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        Space { mask, point: vec![0; dimension].into(), rows: vec![None; dimension] }
    }

    /// All points.
    pub fn full(dimension: usize, width: u32) -> Space {
        let mut space = Space::origin(dimension, width);
        for at in 0..dimension {
            space.forget(at);
        }
        space
    }

    fn width(&self) -> u32 {
        self.mask.count_ones()
    }

    /// How many variables there are.
    pub fn dimension(&self) -> usize {
        self.point.len()
    }

    /// Some point.
    pub fn point(&self) -> &[u64] {
        &self.point
    }

    /// Vectors that span the differences of points.
    pub fn rows(&self) -> impl Iterator<Item = &Vector> {
        self.rows.iter().flatten()
    }

    /// `a + factor * b`
    fn combine(&self, a: &mut [u64], factor: u64, b: &[u64]) {
        debug_assert_eq!(a.len(), b.len(), "vectors of one space have one length");
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.wrapping_add(factor.wrapping_mul(*b)) & self.mask;
        }
    }

    fn scaled(&self, a: &[u64], factor: u64) -> Vector {
        a.iter().map(|entry| entry.wrapping_mul(factor) & self.mask).collect()
    }

    /// Adds a vector to the module.
    pub fn span(&mut self, vector: Vector) {
        assert_eq!(vector.len(), self.dimension(), "vectors of one space have one length");
        debug_assert!(vector.iter().all(|entry| entry & !self.mask == 0), "entries are kept below 2^w");
        self.span_all(vector);
        debug_assert!(self.is_howell(), "rows begin with powers of two, each at its own place");
    }

    /// The rows are what the type says of them, as far as single rows show it.
    fn is_howell(&self) -> bool {
        let row = |(at, row): (usize, &Option<Vector>)| {
            row.as_ref().is_none_or(|row| row[..at].iter().all(|&entry| entry == 0) && row[at].is_power_of_two())
        };
        self.rows.iter().enumerate().all(row)
    }

    fn span_all(&mut self, vector: Vector) {
        let mut todo = vec![vector];
        while let Some(mut vector) = todo.pop() {
            while let Some(at) = vector.iter().position(|&entry| entry != 0) {
                let shift = vector[at].trailing_zeros();
                match self.rows[at].take() {
                    Some(row) if row[at].trailing_zeros() <= shift => {
                        let factor = vector[at] >> row[at].trailing_zeros();
                        self.combine(&mut vector, factor.wrapping_neg(), &row);
                        self.rows[at] = Some(row);
                    }
                    old => {
                        let new = self.scaled(&vector, inverse(vector[at] >> shift));
                        // What is left of the row when its leading entry is multiplied away.
                        todo.push(if shift == 0 {
                            vec![0; new.len()].into()
                        } else {
                            self.scaled(&new, 1 << (self.width() - shift))
                        });
                        self.rows[at] = Some(new);
                        match old {
                            Some(old) => vector = old,
                            None => break,
                        }
                    }
                }
            }
        }
    }

    /// Whether the vector is a difference of two points.
    fn spans(&self, mut vector: Vector) -> bool {
        debug_assert_eq!(vector.len(), self.dimension(), "vectors of one space have one length");
        for at in 0..vector.len() {
            if vector[at] == 0 {
                continue;
            }
            match &self.rows[at] {
                Some(row) if row[at].trailing_zeros() <= vector[at].trailing_zeros() => {
                    let factor = vector[at] >> row[at].trailing_zeros();
                    self.combine(&mut vector, factor.wrapping_neg(), row);
                }
                _ => return false,
            }
        }
        true
    }

    fn difference(&self, other: &Space) -> Vector {
        assert_eq!((self.mask, self.dimension()), (other.mask, other.dimension()), "spaces of the same variables");
        self.point.iter().zip(&other.point).map(|(a, b)| a.wrapping_sub(*b) & self.mask).collect()
    }

    /// Whether every point is one of `other`.
    pub fn leq(&self, other: &Space) -> bool {
        other.spans(self.difference(other)) && self.rows().all(|row| other.spans(row.clone()))
    }

    /// The least space that holds both.
    pub fn join(&self, other: &Space) -> Space {
        let mut joined = self.clone();
        joined.span(other.difference(self));
        for row in other.rows() {
            joined.span(row.clone());
        }
        debug_assert!(self.leq(&joined) && other.leq(&joined), "the join holds both");
        joined
    }

    /// Any value for one variable.
    pub fn forget(&mut self, at: usize) {
        assert!(at < self.dimension(), "{at} of {} variables", self.dimension());
        let mut unit = vec![0; self.dimension()];
        unit[at] = 1;
        self.span(unit.into());
    }

    /// The image under an affine map into a space of another dimension.
    pub fn map(&self, dimension: usize, apply: impl Fn(&[u64], Degree) -> Vector) -> Space {
        let mut image =
            Space { mask: self.mask, point: apply(&self.point, Degree::Point), rows: vec![None; dimension] };
        assert_eq!(image.point.len(), dimension, "the image has the dimension that was said");
        for entry in image.point.iter_mut() {
            *entry &= image.mask;
        }
        for row in self.rows() {
            let moved = apply(row, Degree::Difference);
            let moved = moved.iter().map(|entry| entry & self.mask).collect();
            image.span(moved);
        }
        image
    }

    /// The points where `coefficients · x = constant`; `None` if there is none.
    pub fn restrict(&self, coefficients: &[u64], constant: u64) -> Option<Space> {
        assert_eq!(coefficients.len(), self.dimension(), "a coefficient for each variable");
        let dot = |vector: &[u64]| {
            let sum = vector.iter().zip(coefficients).fold(0u64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
            sum & self.mask
        };
        let missing = constant.wrapping_sub(dot(&self.point)) & self.mask;
        let rows: Vec<&Vector> = self.rows().collect();
        let pivot = rows.iter().copied().filter(|row| dot(row) != 0).min_by_key(|row| dot(row).trailing_zeros());
        let Some(pivot) = pivot else { return (missing == 0).then(|| self.clone()) };
        let shift = dot(pivot).trailing_zeros();
        if missing != 0 && missing.trailing_zeros() < shift {
            return None;
        }
        let unit = inverse(dot(pivot) >> shift);
        let multiple = |of: u64| (of >> shift).wrapping_mul(unit);
        let mut result = Space { mask: self.mask, point: self.point.clone(), rows: vec![None; self.dimension()] };
        let mut point = self.point.clone();
        self.combine(&mut point, multiple(missing), pivot);
        result.point = point;
        for row in &rows {
            if !std::ptr::eq(*row, pivot) {
                let mut moved = (*row).clone();
                self.combine(&mut moved, multiple(dot(row)).wrapping_neg(), pivot);
                result.span(moved);
            }
        }
        if shift > 0 {
            result.span(self.scaled(pivot, 1 << (self.width() - shift)));
        }
        debug_assert!(result.leq(self), "restricting adds no point");
        debug_assert_eq!(dot(&result.point), constant & self.mask, "the point satisfies the equation");
        Some(result)
    }

    /// Equations `coefficients · x = constant` that together say all that the space says, from the Smith form of
    /// the rows: U·rows·V = D, and the null space of D is known.
    pub fn equations(&self) -> Vec<(Vector, u64)> {
        let (n, width) = (self.dimension(), self.width());
        let mut rows: Vec<Vector> = self.rows().cloned().collect();
        let mut columns: Vec<Vec<u64>> = (0..n).map(|at| (0..n).map(|row| u64::from(row == at)).collect()).collect();
        let mut found = Vec::new();
        for step in 0..n {
            let pivot = (step..rows.len())
                .flat_map(|r| (step..n).map(move |c| (r, c)))
                .filter(|&(r, c)| rows[r][c] != 0)
                .min_by_key(|&(r, c)| rows[r][c].trailing_zeros());
            let Some((r, c)) = pivot else {
                found.extend(columns[step..].iter().cloned());
                break;
            };
            rows.swap(step, r);
            rows.iter_mut().for_each(|row| row.swap(step, c));
            columns.swap(step, c);
            let shift = rows[step][step].trailing_zeros();
            let unit = inverse(rows[step][step] >> shift);
            for column in step + 1..n {
                let factor = (rows[step][column] >> shift).wrapping_mul(unit).wrapping_neg();
                if factor != 0 {
                    for row in rows.iter_mut() {
                        row[column] = row[column].wrapping_add(factor.wrapping_mul(row[step])) & self.mask;
                    }
                    let base = columns[step].clone();
                    self.combine(&mut columns[column], factor, &base);
                }
            }
            let top = rows[step].clone();
            for row in rows.iter_mut().skip(step + 1) {
                let factor = (row[step] >> shift).wrapping_mul(unit).wrapping_neg();
                self.combine(row, factor, &top);
            }
            if shift > 0 {
                found.push(self.scaled(&columns[step], 1 << (width - shift)).into_vec());
            }
        }
        let constant = |coefficients: &[u64]| {
            let terms = coefficients.iter().zip(&self.point);
            terms.fold(0u64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b))) & self.mask
        };
        found
            .into_iter()
            .map(|equation| {
                let right = constant(&equation);
                (equation.into(), right)
            })
            .collect()
    }
}

/// What [`Space::map`] is asked to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Degree {
    /// A point: constants count.
    Point,
    /// A difference of points: constants cancel out.
    Difference,
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 3;

    fn points(space: &Space) -> Vec<[u64; 2]> {
        let all = (0..8).flat_map(|x| (0..8).map(move |y| [x, y]));
        all.filter(|p| {
            let mut single = Space::origin(2, WIDTH);
            single.point = (*p).into();
            single.leq(space)
        })
        .collect()
    }

    /// Spaces spanned by every pair of vectors from a sample, at several points.
    fn samples() -> Vec<Space> {
        let vectors = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 4], [3, 5], [4, 4], [4, 2], [6, 1]];
        let mut all = Vec::new();
        for a in vectors {
            for b in vectors {
                let mut space = Space::origin(2, WIDTH);
                space.point = vec![a[1], b[0]].into();
                space.span(a.into());
                space.span(b.into());
                all.push(space);
            }
        }
        all
    }

    #[test]
    fn spaces_hold_exactly_the_combinations() {
        let vectors = [[0, 0], [1, 0], [2, 4], [3, 5], [4, 2], [6, 1]];
        for a in vectors {
            for b in vectors {
                let mut space = Space::origin(2, WIDTH);
                space.span(a.into());
                space.span(b.into());
                let mut expected: Vec<[u64; 2]> = Vec::new();
                for i in 0..8 {
                    for j in 0..8 {
                        let p = [(i * a[0] + j * b[0]) % 8, (i * a[1] + j * b[1]) % 8];
                        if !expected.contains(&p) {
                            expected.push(p);
                        }
                    }
                }
                expected.sort_unstable();
                assert_eq!(points(&space), expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn order_join_and_restriction_agree_with_the_points() {
        for a in samples() {
            let inside = points(&a);
            for b in samples().into_iter().step_by(7) {
                let other = points(&b);
                assert_eq!(a.leq(&b), inside.iter().all(|p| other.contains(p)));
                let joined = points(&a.join(&b));
                assert!(inside.iter().chain(&other).all(|p| joined.contains(p)));
            }
            for coefficients in [[1, 0], [2, 1], [4, 6], [3, 3]] {
                for constant in 0..8 {
                    let expected: Vec<[u64; 2]> = inside
                        .iter()
                        .copied()
                        .filter(|p| (p[0] * coefficients[0] + p[1] * coefficients[1]) % 8 == constant)
                        .collect();
                    let found = a.restrict(&coefficients, constant).map_or(vec![], |space| points(&space));
                    assert_eq!(found, expected, "{a:?} {coefficients:?} {constant}");
                }
            }
        }
    }

    #[test]
    fn equations_say_exactly_what_the_space_says() {
        for space in samples() {
            let equations = space.equations();
            let holds = |p: &[u64; 2]| equations.iter().all(|(c, k)| (c[0] * p[0] + c[1] * p[1]) % 8 == *k);
            let all = (0..8).flat_map(|x| (0..8).map(move |y| [x, y]));
            let solutions: Vec<[u64; 2]> = all.filter(holds).collect();
            assert_eq!(solutions, points(&space), "{space:?} {equations:?}");
        }
    }
}
