/* SPDX-License-Identifier: MIT */
/* Prints a CSV between two marker lines, for consoles, which carry text only and change line ends. */
#include "report/report.h"

#define POLYNOMIAL UINT32_C(0x04c11db7)

/* Continues a POSIX checksum (cksum). */
static uint32_t checksum_add(uint32_t crc, const char *data, size_t length)
{
    for (; length; length--) {
        crc ^= (uint32_t)(unsigned char)*data++ << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 ? POLYNOMIAL : 0);
    }
    return crc;
}

void frame_csv(const char *name, const char *csv, size_t length, struct text *out)
{
    unsigned long long sum = 0; /* number of bytes */
    uint32_t crc = 0;

    text_printf(out, FRAME_BEGIN " %s-----\n", name);
    while (length) {
        const char *end = memchr(csv, '\n', length);
        size_t whole = end ? (size_t)(end - csv) : length, kept = whole;
        while (kept && csv[kept - 1] == '\r')
            kept--;
        crc = checksum_add(checksum_add(crc, csv, kept), "\r\n", 2);
        sum += kept + 2;
        text_append(out, csv, kept);
        text_append(out, "\n", 1);
        whole += end != NULL;
        csv += whole;
        length -= whole;
    }
    /* The number of bytes completes the checksum, lowest byte first, without leading zeros. */
    for (unsigned long long rest = sum; rest; rest >>= 8)
        crc = checksum_add(crc, (const char[]){(char)(rest & 0xff)}, 1);
    text_printf(out, FRAME_END ", cksum %" PRIu32 " %llu-----\n", ~crc, sum);
}
