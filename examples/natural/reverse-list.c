// A list of up to four nodes from the heap, reversed: the order is turned around.
//~ verdict: true
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct node {
    int value;
    struct node *next;
};

static struct node *reversed(struct node *list) {
    struct node *result = NULL;
    while (list != NULL) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

int main(void) {
    int count = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= count && count <= 4);
    struct node *list = NULL;
    for (int i = 0; i < count; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL) abort();
        node->value = i;
        node->next = list;
        list = node;
    }
    list = reversed(list);
    for (int i = 0; i < count; i++) {
        assert(list != NULL && list->value == i);
        struct node *next = list->next;
        free(list);
        list = next;
    }
    assert(list == NULL);
    return 0;
}
