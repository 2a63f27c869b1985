/* SPDX-License-Identifier: MIT */
/* The engine's tests of two samples, for another program to compare: reads lines "a a a ; b b b", and prints for each
 * "t df p p": Welch's test, and p of Mann and Whitney's. */
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
    struct inference_shift shift;
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        const char *second = strchr(line, ';');
        if (!second)
            return 1;
        const size_t n_a = take_values(line, a), n_b = take_values(second + 1, b);
        const struct inference_welch welch = inference_welch(a, n_a, b, n_b);
        if (inference_rank_test(a, n_a, b, n_b, 0.95, &shift))
            return 1;
        (void)printf("%.17g %.17g %.17g %.17g\n", welch.t, welch.df, welch.p, shift.p);
    }
    free(line);
    return 0;
}
