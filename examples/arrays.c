// Arrays: after one pass of bubble sort the largest element is the last one.
//~ verdict: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define LENGTH 4

int main(void) {
    int a[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        a[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i + 1 < LENGTH; i++) {
        if (a[i] > a[i + 1]) {
            int swap = a[i];
            a[i] = a[i + 1];
            a[i + 1] = swap;
        }
    }
    for (int i = 0; i < LENGTH; i++) {
        if (a[i] > a[LENGTH - 1]) {
            reach_error();
        }
    }
    return 0;
}
