/* Functions without a program around them: `argonaut verify --function insert examples/functions/list.c`. */
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

/* Inserts a node after another one. */
void insert(struct node *place, struct node *fresh)
{
    fresh->next = place->next;
    place->next = fresh;
}

/* The same for callers that pass no null pointers.
   requires place != 0 && fresh != 0 */
void insert_checked(struct node *place, struct node *fresh)
{
    fresh->next = place->next;
    place->next = fresh;
}

/* Copies one value; what is left to divide by is 1 unless both are one node. */
int average_step(struct node *from, struct node *to)
{
    if (!from || !to)
        return 0;
    from->value = 1;
    to->value = 0;
    return 100 / from->value;
}
