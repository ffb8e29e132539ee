// A counter that is asked for equality may step over its end: odd numbers never become 0.
int main(void) {
    unsigned char left = 7;
    while (left != 0) {
        left -= 2;
    }
    return 0;
}
