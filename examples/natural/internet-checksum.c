// The checksum of IP packets: with it in the packet, the sum of all words is 0xffff.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 8

static uint16_t sum(const uint8_t *packet, int size) {
    uint32_t total = 0;
    for (int i = 0; i + 1 < size; i += 2) {
        total += (uint32_t)packet[i] << 8 | packet[i + 1];
    }
    if (size % 2 != 0) {
        total += (uint32_t)packet[size - 1] << 8;
    }
    while (total >> 16 != 0) {
        total = (total & 0xffff) + (total >> 16);
    }
    return (uint16_t)total;
}

int main(void) {
    uint8_t packet[SIZE];
    for (int i = 0; i < SIZE; i++) {
        packet[i] = __VERIFIER_nondet_uchar();
    }
    packet[2] = packet[3] = 0;
    uint16_t checksum = (uint16_t)~sum(packet, SIZE);
    packet[2] = (uint8_t)(checksum >> 8);
    packet[3] = (uint8_t)checksum;
    assert(sum(packet, SIZE) == 0xffff);
    return 0;
}
