/* SPDX-License-Identifier: MIT */
/* A CSV file exported: the first byte says in which format. JSON is JSON, and the others are lines of text. */

#include "fuzz.h"
#include "out/export.h"

/* UTF-8, of which OpenMetrics 1.0 allows all characters in texts, in lines of which each says by its first word what it
 * is; the last one, and only that, is the end. */
static bool is_openmetrics(const char *text, size_t length)
{
    static const char end[] = "# EOF\n";

    if (length < sizeof(end) || !wellformed_utf8(text, length) || memchr(text, 0, length))
        return false;
    for (const char *line = text, *newline; line < text + length; line = newline + 1) {
        newline = memchr(line, '\n', (size_t)(text + length - line));
        if (!newline)
            return false;
        if (newline == text + length - 1)
            return !strncmp(line, end, sizeof(end) - 1);
        if (strncmp(line, "# HELP jitbench_", 16) && strncmp(line, "# TYPE jitbench_", 16) &&
            strncmp(line, "# UNIT jitbench_", 16) && strncmp(line, "jitbench_", 9))
            return false;
    }
    return false;
}

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
    int status = run_way((way){"export", "-f", format, "-o", "x", "a.csv"});
    const char *text = world_get("x", &length);
    FUZZ_CHECK((status == 0) == (text != NULL));
    if (!text)
        return 0;
    if (!strcmp(format, "json") || !strcmp(format, "pyperf") || !strcmp(format, "gbench"))
        FUZZ_CHECK_OF(wellformed_json(text, length, &at), text + at, length - at);
    else if (!strcmp(format, "openmetrics"))
        FUZZ_CHECK_OF(is_openmetrics(text, length), text, length);
    else if (strcmp(format, "unixbench") != 0)
        FUZZ_CHECK_OF(wellformed_utf8(text, length), text, length); /* CSV */
    else
        FUZZ_CHECK_OF(wellformed_lines(text, length, &at), text + at, length - at);
    return 0;
}
