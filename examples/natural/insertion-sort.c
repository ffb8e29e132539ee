// Insertion sort of four numbers: the result is sorted and a permutation.
//~ verdict: true
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define COUNT 4

static void sort(int *items, int count) {
    for (int i = 1; i < count; i++) {
        int item = items[i], at = i;
        while (at > 0 && items[at - 1] > item) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = item;
    }
}

static int occurrences(const int *items, int item) {
    int found = 0;
    for (int i = 0; i < COUNT; i++) found += items[i] == item;
    return found;
}

int main(void) {
    int items[COUNT], before[COUNT];
    for (int i = 0; i < COUNT; i++) {
        before[i] = items[i] = __VERIFIER_nondet_int();
    }
    sort(items, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert(i == 0 || items[i - 1] <= items[i]);
        assert(occurrences(items, before[i]) == occurrences(before, before[i]));
    }
    return 0;
}
