// Pointers, arrays, strings, function pointers, const tables.
#include <stdio.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } static int mul(int a, int b) { return a * b; }
static int (*const table[])(int, int) = { add, sub, &mul };
static int apply(int (*f)(int, int), int a, int b) { return (*f)(a, b) + f(b, a); }
typedef int (*op)(int, int); static op choose(int i) { return i ? table[i] : *table[0]; }
static int grid[3][4] = { { 1, 2 }, { [2] = 7, 8 }, [2] = { 9 } };
static const char *names[] = { "zero", "one", "two" "and a half", [5] = "five" };
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
struct node { int value; struct node *next; };
static int sum(const struct node *n) { int s = 0; for (; n; n = n->next) s += n->value; return s; }
static void fill(int a[static 3][4], int n) { for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) a[i][j] = n++; }
int g = 5; int *pg = &g; int **ppg = &pg; char *inner = &((char *)&g)[1]; int *elem = &grid[1][2];
int main(void) {
  printf("%d %d %d %d\n", table[0](7, 3), table[1](7, 3), (**table[2])(7, 3), apply(sub, 9, 4)); printf("%d\n", choose(2)(6, 7));
  for (int i = 0; i < 3; i++) { for (int j = 0; j < 4; j++) printf("%d ", grid[i][j]); } printf("%d\n", (int)(sizeof grid / sizeof grid[0]));
  printf("%s %s %c %d %d\n", names[0], names[2], *names[1], names[3] == NULL, (int)(sizeof names / sizeof *names));
  int a = 1, b = 2; swap(&a, &b); printf("%d %d\n", a, b); **ppg = 6; printf("%d %d %d\n", g, *inner, *elem);
  int arr[10]; for (int i = 0; i < 10; i++) arr[i] = i * i; int *p = arr + 3, *q = &arr[8];
  printf("%d %d %d %d %d\n", *p, p[2], 2[p], *(q - 1), (int)(q - p)); p += 2; printf("%d\n", *p++); printf("%d\n", *++p); printf("%d %d %d\n", p < q, p == &arr[7], !p);
  char s[20] = "hello"; strcat(s, ", you"); printf("%s %d %d\n", s, (int)strlen(s), (int)sizeof s); s[0] -= 32; puts(s);
  printf("%d %d %d\n", strcmp("abc", "abd") < 0, strncmp("abc", "abd", 2), memcmp("a\0b", "a\0c", 3) < 0);
  printf("%s %s\n", strchr(s, 'y'), strrchr(s, 'o')); char t[8]; strncpy(t, "abcdefghijk", 7); t[7] = 0; puts(t); memset(t, 'x', 3); puts(t); memmove(t + 1, t, 5); puts(t);
  struct node n3 = { 3, NULL }, n2 = { 2, &n3 }, n1 = { 1, &n2 }; printf("%d\n", sum(&n1)); n1.next->next->value = 30; printf("%d\n", sum(&n1));
  fill(grid, 100); printf("%d %d\n", grid[2][3], (*(grid + 1))[1]); int (*row)[4] = &grid[1]; printf("%d %d\n", (*row)[0], row[1][3]);
  uintptr_t bits = (uintptr_t)&arr[4]; int *back = (int *)(bits + sizeof(int)); printf("%d\n", *back); back = (int *)((bits ^ 5) ^ 5); printf("%d\n", *back);
  unsigned char *bytes = (unsigned char *)&(int){ 0x01020304 }; printf("%d %d\n", bytes[0], bytes[3]); void *v = &a; printf("%d\n", *(int *)v);
  const char *str = "tail" + 1; printf("%s %c %d\n", str, "xyz"[1], (int)sizeof("abc")); char *escaped = "tab\there \"q\" \\ \101 \x42\n"; printf("%s", escaped);
  int *null = 0; printf("%d %d\n", null == NULL, null ? 1 : 0); ptrdiff_t d = &arr[2] - &arr[9]; printf("%d\n", (int)d);
  int copy[3]; int *dst = copy; const int *src = arr + 1; while (dst < copy + 3) *dst++ = *src++; printf("%d %d %d\n", copy[0], copy[1], copy[2]);
  char multi[2][3] = { "ab", { 'c', 'd' } }; printf("%s %s\n", multi[0], multi[1]); struct node *pp[2] = { &n1, &n2 }; printf("%d\n", pp[1]->value + (*pp)->value);
  int i = 2; i[arr] = 77; printf("%d\n", arr[2]); printf("%d\n", (int)(&arr[3] > &arr[2]));
  return 0;
}
