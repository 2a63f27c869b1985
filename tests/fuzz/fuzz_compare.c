/* SPDX-License-Identifier: MIT */
/* Two CSV files (a byte 0x1e between; without it one and itself) compared. The first byte says how. */

#include "tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ways[][8] = {
        {"compare", "a.csv", "b.csv", NULL},
        {"compare", "--all", "a.csv", "b.csv", NULL},
        {"compare", "--format", "markdown", "a.csv", "b.csv", NULL},
        {"compare", "--format", "csv", "a.csv", "b.csv", NULL},
        {"compare", "--by", "host", "--all", "a.csv", "b.csv", NULL},
        {"compare", "--fail-on", "slower", "-o", "x.csv", "a.csv", "b.csv", NULL},
        {"compare", "--across", "build,cpu", "a.csv", "b.csv", NULL},
    };
    const uint8_t *second = size > 1 ? memchr(data + 1, 0x1e, size - 1) : NULL;
    size_t at = 0;

    if (!size)
        return -1;
    world_reset();
    const size_t first = second ? (size_t)(second - data) : size;
    world_put("a.csv", data + 1, first - 1);
    if (first < size)
        world_put("b.csv", second + 1, size - first - 1);
    else
        world_put("b.csv", data + 1, size - 1);
    int status = tables_run(ways[data[0] % (sizeof(ways) / sizeof(ways[0]))]);
    FUZZ_CHECK(status == 4 ? data[0] % 7 == 5 : true);
    if (status == 0 && data[0] % 7 != 3)
        FUZZ_CHECK_OF(wellformed_lines(world_out.data, world_out.length, &at), world_out.data + at,
                      world_out.length - at);
    return 0;
}
