#define LIMIT 9
extern void reach_error(void);
int main(void) {
    for (int i = 0; i < LIMIT; i++)
        if (i == LIMIT) reach_error();
    return 0;
}
