// A recursive insertion into a tree in an array: what was put in is found again.
//~ verdict: true
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct node { int key, left, right; };
static struct node nodes[4];
static int used;

static int insert(int at, int key) {
    if (at == 0) {
        nodes[++used] = (struct node){key, 0, 0};
        return used;
    }
    if (key < nodes[at].key) nodes[at].left = insert(nodes[at].left, key);
    if (key > nodes[at].key) nodes[at].right = insert(nodes[at].right, key);
    return at;
}

static int find(int at, int key) {
    if (at == 0 || nodes[at].key == key) return at;
    return find(key < nodes[at].key ? nodes[at].left : nodes[at].right, key);
}

int main(void) {
    int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int(), root = 0;
    used = 0;
    root = insert(root, first);
    root = insert(root, second);
    assert(find(root, first) != 0);
    assert(find(root, second) != 0);
    return 0;
}
