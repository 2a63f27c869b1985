/* SPDX-License-Identifier: MIT */
/* Section N8 of Whetstone, compiled without -ffast-math: with it a compiler makes one multiplication of the three
 * functions, and the result still passes the check. */
#include <math.h>

#include "bench/whetstone.h"

#ifdef __FAST_MATH__
#error "section N8 must be compiled without -ffast-math"
#endif

double whetstone_n8(double x, double t1, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        x = sqrt(exp(log(x) / t1));
    return x;
}
