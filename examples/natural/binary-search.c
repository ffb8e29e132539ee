// Binary search in up to seven sorted numbers finds what is there, and nothing else.
//~ verdict: true
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

#define MOST 7

static int search(const int *items, int count, int key) {
    int low = 0, high = count - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (items[middle] == key) return middle;
        if (items[middle] < key) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}

int main(void) {
    int items[MOST];
    int count = __VERIFIER_nondet_int(), key = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= count && count <= MOST);
    for (int i = 0; i < count; i++) {
        items[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(i == 0 || items[i - 1] <= items[i]);
    }
    int at = search(items, count, key);
    bool present = false;
    for (int i = 0; i < count; i++) {
        present |= items[i] == key;
    }
    assert((at >= 0) == present);
    if (at >= 0) assert(at < count && items[at] == key);
    return 0;
}
