struct S { int x; };
int f(int a) { struct S a; switch (a) { case 1 ... -1u: ; } return a.x; }
int main(void) { return f(1); }
