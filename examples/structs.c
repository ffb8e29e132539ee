// Structs, unions, bit-fields and pointers: a packed date survives the way through its bytes.
//~ verdict: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

union date {
    struct {
        unsigned day : 5;
        unsigned month : 4;
        unsigned year : 12;
    } parts;
    unsigned char bytes[4];
};

static void copy(union date *to, const union date *from) {
    for (int i = 0; i < 4; i++) {
        to->bytes[i] = from->bytes[i];
    }
}

int main(void) {
    union date date = {{0, 0, 0}};
    union date other = {{0, 0, 0}};
    unsigned day = __VERIFIER_nondet_uint();
    if (day >= 1 && day <= 31) {
        date.parts.day = day;
        date.parts.month = 12;
        date.parts.year = 1999;
        copy(&other, &date);
        if (other.parts.day != day || other.parts.month != 12 || other.parts.year != 1999) {
            reach_error();
        }
    }
    return 0;
}
