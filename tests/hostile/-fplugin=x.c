extern void reach_error(void);
#define ONE 1
int main(void) {
    if (ONE) reach_error();
    return 0;
}
