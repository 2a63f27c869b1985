/* SPDX-License-Identifier: MIT */
/* Compares a whole output with the expected text, and names the first line that differs. */
#ifndef GOLDEN_FIXTURE_H
#define GOLDEN_FIXTURE_H

#include "../test.h"
#include "rows/text.h"

/* Frees the text. */
static inline void expect_golden(struct text *out, const char *expected)
{
    const char *got = out->data ? out->data : "";
    size_t line = 1, at = 0;

    assert_false(out->failed);
    for (; got[at] && got[at] == expected[at]; at++)
        line += got[at] == '\n';
    if (got[at] || expected[at]) {
        (void)fprintf(stderr, "<<<<\n%s>>>>\n", got);
        fail_msg("line %zu differs, where '%.60s' is expected", line, expected + at);
    }
    text_free(out);
}

#endif
