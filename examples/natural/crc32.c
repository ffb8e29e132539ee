// CRC-32 by a table that is built at the start gives what the bitwise definition gives, for up to three bytes.
//~ verdict: true
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

#define POLYNOMIAL 0xedb88320u
#define MOST 3

static uint32_t table[256];

static void build(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        }
        table[byte] = crc;
    }
}

static uint32_t crc32(const uint8_t *data, size_t length) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++) {
        crc = table[(crc ^ data[i]) & 0xff] ^ crc >> 8;
    }
    return ~crc;
}

static uint32_t crc32_bitwise(const uint8_t *data, size_t length) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (POLYNOMIAL & -(crc & 1));
        }
    }
    return ~crc;
}

int main(void) {
    uint8_t data[MOST];
    unsigned length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(length <= MOST);
    for (unsigned i = 0; i < length; i++) {
        data[i] = __VERIFIER_nondet_uchar();
    }
    build();
    assert(crc32(data, length) == crc32_bitwise(data, length));
    return 0;
}
