// A record of type, length and value (TLV) in eight bytes: the reader never looks behind the end.
//~ verdict: true
//~ property: valid-deref
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 8

static int find(const uint8_t *data, size_t size, uint8_t type) {
    size_t at = 0;
    while (size - at >= 2) {
        uint8_t length = data[at + 1];
        if (length > size - at - 2) return -1;
        if (data[at] == type) {
            int total = 0;
            for (uint8_t i = 0; i < length; i++) total += data[at + 2 + i];
            return total;
        }
        at += 2 + (size_t)length;
    }
    return -1;
}

int main(void) {
    uint8_t data[SIZE];
    for (int i = 0; i < SIZE; i++) {
        data[i] = __VERIFIER_nondet_uchar();
    }
    return find(data, SIZE, __VERIFIER_nondet_uchar()) < 0;
}
