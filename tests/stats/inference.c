/* SPDX-License-Identifier: MIT */
/* The engine's tests of two samples, for another program to compare: reads lines "a a a ; b b b", and prints for each
 * "t df p  u p u p", Welch's test, Mann and Whitney's as jitbench does it, and by the normal approximation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/inference.h"

#define VALUES_MAX 4096

static size_t take_values(const char *text, double *values)
{
    size_t n = 0;
    char *end;

    for (double value = strtod(text, &end); end != text && n < VALUES_MAX; value = strtod(text, &end)) {
        values[n++] = value;
        text = end;
    }
    return n;
}

int main(void)
{
    static double a[VALUES_MAX], b[VALUES_MAX];
    struct inference_rank rank, normal;
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        const char *second = strchr(line, ';');
        if (!second)
            return 1;
        const size_t n_a = take_values(line, a), n_b = take_values(second + 1, b);
        const struct inference_welch welch = inference_welch(a, n_a, b, n_b);
        if (inference_mann_whitney(a, n_a, b, n_b, &rank) || inference_mann_whitney_normal(a, n_a, b, n_b, &normal))
            return 1;
        (void)printf("%.17g %.17g %.17g %d %.17g %.17g %.17g %.17g\n", welch.t, welch.df, welch.p, rank.exact, rank.u,
                     rank.p, normal.u, normal.p);
    }
    free(line);
    return 0;
}
