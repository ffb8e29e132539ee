// CRC-16 (CCITT) by shifts of whole bytes gives what the bitwise definition gives, for two bytes.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static uint16_t by_bits(uint16_t crc, uint8_t byte) {
    crc ^= (uint16_t)(byte << 8);
    for (int i = 0; i < 8; i++) {
        if (crc & 0x8000) {
            crc = (uint16_t)(crc << 1 ^ 0x1021);
        } else {
            crc = (uint16_t)(crc << 1);
        }
    }
    return crc;
}

static uint16_t by_bytes(uint16_t crc, uint8_t byte) {
    uint8_t x = (uint8_t)(crc >> 8 ^ byte);
    x ^= x >> 4;
    return (uint16_t)(crc << 8 ^ x << 12 ^ x << 5 ^ x);
}

int main(void) {
    uint16_t a = 0xffff, b = 0xffff;
    for (int i = 0; i < 2; i++) {
        uint8_t byte = __VERIFIER_nondet_uchar();
        a = by_bits(a, byte);
        b = by_bytes(b, byte);
    }
    assert(a == b);
    return 0;
}
