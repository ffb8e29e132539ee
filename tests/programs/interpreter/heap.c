// malloc and friends, lists and trees, variable-length arrays, alloca.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int key; struct node *left, *right; };
static struct node *insert(struct node *n, int key) { if (!n) { n = malloc(sizeof *n); n->key = key; n->left = n->right = NULL; } else if (key < n->key) n->left = insert(n->left, key); else n->right = insert(n->right, key); return n; }
static void walk(const struct node *n) { if (n) { walk(n->left); printf("%d ", n->key); walk(n->right); } } static void drop(struct node *n) { if (n) { drop(n->left); drop(n->right); free(n); } }
static int vla(int n) { int a[n], s = 0; for (int i = 0; i < n; i++) a[i] = i; for (int i = 0; i < n; i++) s += a[i]; int m[n][n + 1]; m[n - 1][n] = 5; return s + (int)(sizeof a / sizeof *a) + m[n - 1][n] + (int)(sizeof m / sizeof(int)); }
static int param(int r, int c, int m[r][c]) { return m[1][2] + (int)(sizeof m[0] / sizeof(int)); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void sort(int *a, int n, int (*cmp)(const void *, const void *)) { for (int i = 1; i < n; i++) for (int j = i; j > 0 && cmp(&a[j - 1], &a[j]) > 0; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; } }
int main(void) {
  struct node *root = NULL; unsigned seed = 12345; for (int i = 0; i < 15; i++) { seed = seed * 1103515245u + 12345u; root = insert(root, seed >> 16 & 0xFF); } walk(root); printf("\n"); drop(root);
  int *a = malloc(4 * sizeof *a); for (int i = 0; i < 4; i++) a[i] = 10 - i; a = realloc(a, 8 * sizeof *a); for (int i = 4; i < 8; i++) a[i] = i; sort(a, 8, compare); for (int i = 0; i < 8; i++) printf("%d ", a[i]); free(a); char *z = calloc(3, 5); printf("%d\n", z[0] + z[14]); free(z); free(NULL);
  printf("%d %d\n", vla(5), vla(7)); int m[3][4] = { { 0 }, { 1, 2, 3 } }; printf("%d\n", param(3, 4, m)); char *s = __builtin_alloca(10); strcpy(s, "alloca"); puts(s); void **pp = malloc(3 * sizeof *pp); pp[0] = pp; pp[1] = &pp[0]; printf("%d\n", *(void **)pp[1] == pp); free(pp);
  struct list { int n; struct list *next; } *head = NULL; for (int i = 0; i < 5; i++) { struct list *e = malloc(sizeof *e); e->n = i; e->next = head; head = e; } struct list *rev = NULL; while (head) { struct list *next = head->next; head->next = rev; rev = head; head = next; } for (struct list *e = rev; e; e = e->next) printf("%d ", e->n); printf("\n"); while (rev) { struct list *e = rev; rev = rev->next; free(e); }
  printf("%d %d\n", abs(-5), atoi("123") + 0); exit(7);
}
