// Function pointers: a table of operations, called through an index that was checked.
//~ verdict: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int zero(int x) { return x - x; }
static int same(int x) { return x; }
static int twice(int x) { return 2 * x; }

static int (*const operations[])(int) = {zero, same, twice};

int main(void) {
    int choice = __VERIFIER_nondet_int();
    if (choice < 0 || choice > 2) {
        return 0;
    }
    if (operations[choice](21) != 21 * choice) {
        reach_error();
    }
    return 0;
}
