/* SPDX-License-Identifier: MIT */
/* How fast result files are read, for `make perf`: `read fields|rows|all FILE` reads it once by records whose fields
 * are split, by rows without their long fields, or by rows with all of them, and prints seconds and how many there
 * were. Linked with jitbench's own objects. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rows/rows.h"

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* -1 on an error, with the reason. */
static int64_t read_all(const char *path, bool fields, unsigned wanted, struct error *error)
{
    struct reader *r = reader_open(path, wanted, error);
    struct row row;
    int64_t n = 0;
    int more;

    if (!r)
        return -1;
    for (; (more = fields ? reader_next(r) : reader_next_row(r, &row)) == 1; n++)
        if (!fields)
            row_free(&row);
    if (more < 0)
        (void)error_set(error, "%s", reader_error(r));
    reader_close(r);
    return more < 0 ? -1 : n;
}

int main(int argc, char **argv)
{
    const char *what = argc == 3 ? argv[1] : "";
    struct error error;

    if (!strchr("fra", *what) || !*what)
        return fprintf(stderr, "usage: read fields|rows|all FILE\n"), 2;
    const double start = now_s();
    const int64_t n = read_all(argv[2], *what == 'f', *what == 'a' ? ROWS_ALL : 0, &error);
    if (n < 0)
        return fprintf(stderr, "read: %s\n", error.text), 1;
    printf("%.9f %lld\n", now_s() - start, (long long)n);
    return 0;
}
