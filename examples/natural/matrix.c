// Matrices of two rows: the product with the unit matrix, and the transposed product.
//~ verdict: true
#include <assert.h>

extern signed char __VERIFIER_nondet_schar(void);

#define N 2

static void multiply(int a[N][N], int b[N][N], int out[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            out[i][j] = 0;
            for (int k = 0; k < N; k++) {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

static void transpose(int a[N][N], int out[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) out[j][i] = a[i][j];
    }
}

int main(void) {
    int a[N][N], b[N][N], unit[N][N] = {{1, 0}, {0, 1}};
    int at[N][N], bt[N][N], ab[N][N], abt[N][N], btat[N][N], same[N][N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = __VERIFIER_nondet_schar();
            b[i][j] = __VERIFIER_nondet_schar();
        }
    }
    multiply(a, unit, same);
    multiply(a, b, ab);
    transpose(ab, abt);
    transpose(a, at);
    transpose(b, bt);
    multiply(bt, at, btat);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            assert(same[i][j] == a[i][j]);
            assert(abt[i][j] == btat[i][j]);
        }
    }
    return 0;
}
