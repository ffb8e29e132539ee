// Binary search: the part of the array that is left shrinks.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int low = 0, high = 1000, wanted = __VERIFIER_nondet_int();
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (middle < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
