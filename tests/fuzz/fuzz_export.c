/* SPDX-License-Identifier: MIT */
/* A CSV file exported: the first byte says in which format. JSON is JSON, and the others are lines of text. */
#include <string.h>

#include "out/export.h"
#include "tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = 0, length, at = 0;

    if (!size)
        return -1;
    while (export_names[n])
        n++;
    const char *format = export_names[data[0] % n];
    world_reset();
    world_put("a.csv", data + 1, size - 1);
    int status = tables_run((const char *[]){"export", "-f", format, "-o", "x", "a.csv", NULL});
    const char *text = world_get("x", &length);
    FUZZ_CHECK((status == 0) == (text != NULL));
    if (!text)
        return 0;
    if (!strcmp(format, "json") || !strcmp(format, "pyperf") || !strcmp(format, "hyperfine") || !strcmp(format, "gbench"))
        FUZZ_CHECK_OF(wellformed_json(text, length, &at), text + at, length - at);
    else if (!strcmp(format, "openmetrics"))
        FUZZ_CHECK_OF(length >= 6 && !memcmp(text + length - 6, "# EOF\n", 6) && wellformed_lines(text, length, &at),
                      text + at, length - at);
    else if (!strcmp(format, "unixbench"))
        FUZZ_CHECK_OF(wellformed_lines(text, length, &at), text + at, length - at);
    return 0;
}
