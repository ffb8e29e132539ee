// The same machine without a test for room in one instruction.
//~ verdict: false
//~ property: valid-deref
//~ inputs: 0 2 2 2 2
extern unsigned char __VERIFIER_nondet_uchar(void);

#define ROOM 3
#define LENGTH 5

enum { PUSH, ADD, DUP, SWAP, DROP };

static int run(const unsigned char *code, int length) {
    int stack[ROOM], top = 0;
    for (int at = 0; at < length; at++) {
        switch (code[at]) {
        case PUSH:
            if (top == ROOM) return -1;
            stack[top++] = at;
            break;
        case ADD:
            if (top < 2) return -1;
            top--;
            stack[top - 1] += stack[top];
            break;
        case DUP:
            if (top < 1) return -1;
            stack[top] = stack[top - 1];
            top++;
            break;
        case SWAP: {
            if (top < 2) return -1;
            int swap = stack[top - 1];
            stack[top - 1] = stack[top - 2];
            stack[top - 2] = swap;
            break;
        }
        case DROP:
            if (top < 1) return -1;
            top--;
            break;
        default:
            return -1;
        }
    }
    return top > 0 ? stack[top - 1] : 0;
}

int main(void) {
    unsigned char code[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        code[i] = __VERIFIER_nondet_uchar();
    }
    return run(code, LENGTH) < 0;
}
