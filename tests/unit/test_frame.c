/* SPDX-License-Identifier: MIT */
/* A CSV between marker lines. */

#include "../test.h"
#include "report/report.h"

static uint32_t add_byte(uint32_t crc, unsigned byte)
{
    crc ^= byte << 24;
    for (int bit = 0; bit < 8; bit++)
        crc = (crc << 1) ^ (crc & 0x80000000 ? 0x04c11db7 : 0);
    return crc;
}

/* The checksum that POSIX cksum(1) prints: over the bytes, then over their number. */
static uint32_t cksum_of(const char *data, size_t length)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < length; i++)
        crc = add_byte(crc, (unsigned char)data[i]);
    for (size_t rest = length; rest; rest >>= 8)
        crc = add_byte(crc, rest & 0xff);
    return ~crc;
}

/* Figures printed by cksum(1) of GNU coreutils 9.1. */
TEST(test_frame_cksum_is_that_of_posix)
{
    char *zeros = calloc(1, 70000);

    assert_non_null(zeros);
    assert_int_equal(cksum_of("", 0), 4294967295u);
    assert_int_equal(cksum_of("hello", 5), 3287646509u);
    assert_int_equal(cksum_of("123456789", 9), 930766865u);
    assert_int_equal(cksum_of(zeros, 70000), 1774371287u);
    free(zeros);
}

static void expect(const char *csv, const char *lines, const char *received)
{
    struct text out = {0};
    char expected[512];

    frame_csv("a.csv", csv, strlen(csv), &out);
    assert_false(out.failed);
    (void)snprintf(expected, sizeof(expected), FRAME_BEGIN " a.csv-----\n%s" FRAME_END ", cksum %lu %zu-----\n", lines,
                   (unsigned long)cksum_of(received, strlen(received)), strlen(received));
    assert_string_equal(out.data, expected);
    text_free(&out);
}

TEST(test_frame_holds_the_lines_and_sums_the_file)
{
    expect("a,b\r\n1,2\r\n", "a,b\n1,2\n", "a,b\r\n1,2\r\n");
    expect("a,b\r\n", "a,b\n", "a,b\r\n");
    expect("", "", "");
}

/* The checksum is that of the output of sed, which turns every line end into CRLF. */
TEST(test_frame_sums_other_line_ends_as_they_arrive)
{
    expect("a\n\"1\n2\"\r\n", "a\n\"1\n2\"\n", "a\r\n\"1\r\n2\"\r\n");
    expect("a\r\r\nb", "a\nb\n", "a\r\nb\r\n");
    expect("a\rb\r\n\r\n", "a\rb\n\n", "a\rb\r\n\r\n");
}
