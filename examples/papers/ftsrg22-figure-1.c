// [FTSRG22], Figure 1: a program and its control-flow automaton (`argonaut cfa --svg`); there is nothing to violate.
//~ verdict: true, there is no error
int main(void) {
    int x = 1;
    int y = 0;
    while (x < 10) {
        if (x % 3 == 0) {
            y++;
        }
        x++;
    }
}
