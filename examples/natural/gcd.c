// Euclid's algorithm and the binary one agree on numbers of six bits.
//~ verdict: true
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static unsigned gcd(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static unsigned gcd_binary(unsigned a, unsigned b) {
    if (a == 0 || b == 0) return a | b;
    unsigned shift = 0;
    while (((a | b) & 1) == 0) {
        a >>= 1;
        b >>= 1;
        shift++;
    }
    while ((a & 1) == 0) a >>= 1;
    while (b != 0) {
        while ((b & 1) == 0) b >>= 1;
        if (a > b) {
            unsigned swap = a;
            a = b;
            b = swap;
        }
        b -= a;
    }
    return a << shift;
}

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    __VERIFIER_assume(a < 64 && b < 64);
    assert(gcd(a, b) == gcd_binary(a, b));
    return 0;
}
