// x stays odd, so it is never 0; no pair of x and step comes again for longer than anyone waits.
unsigned long step = 6;

int main(void) {
    unsigned long x = 1;
    while (x != 0) {
        x = x + step;
        step = step * 3;
    }
    return 0;
}
