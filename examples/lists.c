// The heap: a list built by pushing has its elements in reverse order. The check is wrong by one.
//~ verdict: false
#include <stdlib.h>
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = list;
        list = node;
    }
    int expected = 3;
    for (struct node *node = list; node != NULL; node = node->next) {
        if (node->value != expected) {
            reach_error();
        }
        expected--;
    }
    return 0;
}
