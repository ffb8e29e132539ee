// A buffer from malloc is counted down and summed up.
//~ verdict: true
#include <assert.h>
#include <stdlib.h>

#define COUNT 6

int main(void) {
    int *items = malloc(COUNT * sizeof *items), sum = 0;
    if (items == NULL) return 0;
    for (int i = 0; i < COUNT; i++) {
        items[i] = COUNT - i;
    }
    for (int i = 0; i < COUNT; i++) {
        sum += items[i];
    }
    assert(sum == COUNT * (COUNT + 1) / 2);
    free(items);
    return 0;
}
