/* SPDX-License-Identifier: MIT */
/* Prints a CSV between two marker lines, for consoles, which carry text only and change line ends. */
#include "report/frame.h"

#include <string.h>

#define POLYNOMIAL UINT32_C(0x04c11db7)

struct sum {
    uint32_t crc;
    uint64_t length;
};

static uint32_t add_byte(uint32_t crc, unsigned char byte)
{
    crc ^= (uint32_t)byte << 24;
    for (int bit = 0; bit < 8; bit++)
        crc = crc << 1 ^ (crc >> 31 ? POLYNOMIAL : 0);
    return crc;
}

static void add(struct sum *sum, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum->crc = add_byte(sum->crc, (unsigned char)data[i]);
    sum->length += length;
}

/* Completes the checksum with the number of bytes, lowest byte first, without leading zeros. */
static uint32_t finish(const struct sum *sum)
{
    uint32_t crc = sum->crc;

    for (uint64_t length = sum->length; length; length >>= 8)
        crc = add_byte(crc, (unsigned char)length);
    return ~crc;
}

/* Returns the length of a line without its line end. */
static size_t line_length(const char *line, size_t length)
{
    while (length && line[length - 1] == '\r')
        length--;
    return length;
}

void frame_csv(const char *name, const char *csv, size_t length, struct text *out)
{
    struct sum sum = {.crc = 0};

    text_printf(out, FRAME_BEGIN " %s-----\n", name);
    while (length) {
        const char *end = memchr(csv, '\n', length);
        size_t whole = end ? (size_t)(end - csv) : length, kept = line_length(csv, whole);
        add(&sum, csv, kept);
        add(&sum, "\r\n", 2);
        text_append(out, csv, kept);
        text_append(out, "\n", 1);
        whole += end != NULL;
        csv += whole;
        length -= whole;
    }
    text_printf(out, FRAME_END ", cksum %lu %llu-----\n", (unsigned long)finish(&sum), (unsigned long long)sum.length);
}
