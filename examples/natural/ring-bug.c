// The same ring buffer with a test for fullness that comes one item too late.
//~ verdict: false
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

#define SIZE 4
#define CALLS 8

struct ring {
    int items[SIZE];
    unsigned head, count;
};

static bool put(struct ring *ring, int item) {
    if (ring->count > SIZE) return false;
    ring->items[(ring->head + ring->count) % SIZE] = item;
    ring->count++;
    return true;
}

static bool take(struct ring *ring, int *item) {
    if (ring->count == 0) return false;
    *item = ring->items[ring->head];
    ring->head = (ring->head + 1) % SIZE;
    ring->count--;
    return true;
}

int main(void) {
    struct ring ring = {{0}, 0, 0};
    int sent[CALLS];
    unsigned in = 0, out = 0;
    for (int call = 0; call < CALLS; call++) {
        if (__VERIFIER_nondet_bool()) {
            int item = __VERIFIER_nondet_int();
            if (put(&ring, item)) {
                sent[in++] = item;
            } else {
                assert(in - out == SIZE);
            }
        } else {
            int item;
            if (take(&ring, &item)) {
                assert(out < in && item == sent[out]);
                out++;
            } else {
                assert(in == out);
            }
        }
    }
    return 0;
}
