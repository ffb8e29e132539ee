//! Linear combinations with small integer coefficients that give back observed numbers: elimination modulo a prime, then
//! a look at all observations.

/// The Mersenne prime 2^61 - 1: far larger than what is observed, and products fit.
const PRIME: i128 = (1 << 61) - 1;
/// Larger coefficients are chance.
const MOST: i128 = 1 << 20;

/// So many rows more than the solution needs make a fit.
const MORE: usize = 2;

/// The `c` with `Σ c[i] * row[i] = value` in every row, modulo 2^`bits`.
pub fn fit(rows: &[Vec<i128>], values: &[i128], bits: u32) -> Option<Vec<i128>> {
    let columns = rows.first()?.len();
    let mut matrix: Vec<Vec<i128>> = rows
        .iter()
        .zip(values)
        .map(|(row, value)| row.iter().chain([value]).map(|number| number.rem_euclid(PRIME)).collect())
        .collect();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns {
        let rank = pivots.len();
        let Some(at) = (rank..matrix.len()).find(|&row| matrix[row][column] != 0) else { continue };
        matrix.swap(rank, at);
        let inverse = inverse(matrix[rank][column]);
        let pivot: Vec<i128> = matrix[rank].iter().map(|number| number * inverse % PRIME).collect();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(at, row)| *at != rank && row[column] != 0) {
            let factor = row[column];
            for (number, by) in row.iter_mut().zip(&pivot) {
                *number = (*number - factor * by % PRIME).rem_euclid(PRIME);
            }
        }
        matrix[rank] = pivot;
        pivots.push(column);
    }
    if pivots.len() + MORE > rows.len() {
        return None;
    }
    let mut solution = vec![0; columns];
    for (row, &column) in pivots.iter().enumerate() {
        let number = matrix[row][columns];
        solution[column] = if number > PRIME / 2 { number - PRIME } else { number };
    }
    let holds = |(row, value): (&Vec<i128>, &i128)| {
        let sum = row.iter().zip(&solution).fold(0_i128, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
        sum.wrapping_sub(*value) as u128 & semantics::scalar::mask(bits) == 0
    };
    (solution.iter().all(|number| number.abs() <= MOST) && rows.iter().zip(values).all(holds)).then_some(solution)
}

/// By Fermat's little theorem.
fn inverse(number: i128) -> i128 {
    let (mut result, mut base, mut exponent) = (1, number, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[[i128; 3]], values: &[i128], expected: Option<&[i128]>) {
        let rows: Vec<Vec<i128>> = rows.iter().map(|row| row.to_vec()).collect();
        assert_eq!(fit(&rows, values, 32).as_deref(), expected, "{rows:?}");
    }

    #[test]
    fn coefficients_are_found() {
        check(&[[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 2, 3], [1, 1, 1]], &[3, 5, -4, -14, -2], Some(&[3, 2, -7]));
        // One column is left out where others suffice.
        check(&[[1, 1, 1], [1, 2, 2], [1, 3, 3], [1, 4, 4]], &[2, 4, 6, 8], Some(&[0, 2, 0]));
    }

    #[test]
    fn chance_is_no_fit() {
        check(&[[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], &[3, 5, -4, -2], None);
        check(&[[1, 0, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0]], &[0, 1, 4, 9], None);
        // Halves are not integers.
        check(&[[1, 0, 0], [1, 2, 0], [1, 4, 0], [1, 6, 0]], &[0, 1, 2, 3], None);
    }
}
