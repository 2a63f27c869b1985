/* SPDX-License-Identifier: MIT */
/* The program's test of pairs, for another program: reads lines of differences, prints centre, low, high and p of each.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stats/inference.h"

#define VALUES_MAX 65536

int main(void)
{
    static double values[VALUES_MAX];
    struct inference_shift shift;
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        const char *text = line;
        char *end;
        size_t n = 0;
        for (double value = strtod(text, &end); end != text && n < VALUES_MAX; value = strtod(text, &end)) {
            values[n++] = value;
            text = end;
        }
        if (inference_rank_test(NULL, 0, values, n, 0.95, &shift))
            return 1;
        (void)printf("%.17g %.17g %.17g %.17g\n", shift.centre, shift.low, shift.high, shift.p);
    }
    free(line);
    return 0;
}
