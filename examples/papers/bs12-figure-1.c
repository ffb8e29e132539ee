// [BS12], Figure 1: an event, conditions that compare with constants, actions that assign constants. BDDs join the
// states of all paths where they meet.
//~ verdict: true
extern int nondet(void);
int main(void) {
    int a = 0;
    int in;
    in = nondet();
    if (in != 1) {
        if (a == 3) {
            a = 1;
        }
    } else {
        if (a == 0) {
            a = 3;
        }
    }
    if (in == 1) {
        if (a != 3) {
            ERROR: return 1;
        }
    }
    return 0;
}
