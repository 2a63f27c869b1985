/* SPDX-License-Identifier: MIT */
/* One or two CSV files (a byte 0x1e between) as a page of `jitbench report`, which is well-formed HTML. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *second = size ? memchr(data, 0x1e, size) : NULL;
    size_t first = second ? (size_t)(second - data) : size, length, at = 0;
    static const way two = {"report", "-o", "x.html", "a.csv", "b.csv"}, one = {"report", "-o", "x.html", "a.csv"};

    world_reset();
    world_put("a.csv", data, first);
    if (second)
        world_put("b.csv", second + 1, size - first - 1);
    int status = run_way(second ? two : one);
    const char *page = world_get("x.html", &length);
    FUZZ_CHECK((status == 0) == (page != NULL));
    if (page)
        FUZZ_CHECK_OF(wellformed_html(page, length, &at), page + at, length - at);
    return 0;
}
