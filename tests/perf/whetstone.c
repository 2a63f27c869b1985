/* SPDX-License-Identifier: MIT */
/* Double-precision Whetstone (Curnow and Wichmann, in R. Longbottom's sections), to hold jitbench's own against.
 *
 * gcc -std=c99 -D_GNU_SOURCE -O3 -ffast-math -march=native -o whetstone whetstone.c -lm
 *
 * Usage: whetstone SECONDS. Prints MWIPS.
 * Shares no code with jitbench and is written in the style of the older programs: the parameters are global variables
 * that the compiler has to read from memory. It inlines the three procedures. Each section runs all passes before the
 * next one starts. N1 runs ten times as often as its weight and a tenth of its time counts, in MWIPS and calibration.
 * SECONDS is the counted time: the run takes about a tenth longer. Exits 1 if the first pass gives wrong results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { N1_REPEATS = 10 };

/* Not static and not const, so that gcc cannot treat them as constants. If it knows that N8 starts from 0.75 and reads
 * t1 from memory, it replaces the log and exp of each turn by one multiplication. */
double t, t1 = 0.50000025, t2 = 2.0, n8_start = 0.75;
double e[4];
long x100 = 100;

static const double t_start = 0.49999975;

static void procedure_n2(double a[4])
{
    for (int i = 0; i < 6; i++) {
        a[0] = (a[0] + a[1] + a[2] - a[3]) * t;
        a[1] = (a[0] + a[1] - a[2] + a[3]) * t;
        a[2] = (a[0] - a[1] + a[2] + a[3]) * t;
        a[3] = (-a[0] + a[1] + a[2] + a[3]) / t2;
    }
}

static void procedure_n6(double *x, double *y, double *z)
{
    *x = *y;
    *y = *z;
    *x = t * (*x + *y);
    *y = t1 * (*x + *y);
    *z = (*x + *y) / t2;
}

static void procedure_n7(double a[4], int j, int k, int l)
{
    a[j] = a[k];
    a[k] = a[l];
    a[l] = a[j];
}

/* Array elements. */
static double n1(long passes)
{
    long n = 12 * x100 * N1_REPEATS;
    t = t_start;
    e[0] = 1.0;
    e[1] = e[2] = e[3] = -1.0;
    for (long pass = 0; pass < passes; pass++) {
        for (long i = 0; i < n; i++) {
            e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
            e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
            e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
            e[3] = (-e[0] + e[1] + e[2] + e[3]) * t;
        }
        t = 1.0 - t;
    }
    return e[3];
}

/* Array as parameter; goes on with the array of N1. */
static double n2(long passes)
{
    long n = 14 * x100;
    t = t_start;
    for (long pass = 0; pass < passes; pass++) {
        for (long i = 0; i < n; i++)
            procedure_n2(e);
        t = 1.0 - t;
    }
    return e[3];
}

/* Conditional jumps. */
static double n3(long passes)
{
    long n = 345 * x100;
    int j = 1;
    for (long pass = 0; pass < passes; pass++)
        for (long i = 0; i < n; i++) {
            if (j == 1)
                j = 2;
            else
                j = 3;
            if (j > 2)
                j = 0;
            else
                j = 1;
            if (j < 1)
                j = 1;
            else
                j = 0;
        }
    return j;
}

/* Integer arithmetic. */
static double n4(long passes)
{
    long n = 210 * x100;
    int j = 1, k = 2, l = 3;
    for (long pass = 0; pass < passes; pass++)
        for (long i = 0; i < n; i++) {
            j = j * (k - j) * (l - k);
            k = l * k - (l - j) * k;
            l = (l - k) * (k + j);
            e[l - 2] = j + k + l;
            e[k - 2] = j * k * l;
        }
    return e[0] + e[1];
}

/* Trigonometric functions. */
static double n5(long passes)
{
    long n = 32 * x100;
    double x = 0.5, y = 0.5;
    t = t_start;
    for (long pass = 0; pass < passes; pass++) {
        for (long i = 1; i < n; i++) {
            x = t * atan(t2 * sin(x) * cos(x) / (cos(x + y) + cos(x - y) - 1.0));
            y = t * atan(t2 * sin(y) * cos(y) / (cos(x + y) + cos(x - y) - 1.0));
        }
        t = 1.0 - t;
    }
    return y;
}

/* Procedure calls with pointers. */
static double n6(long passes)
{
    long n = 899 * x100;
    double x = 1.0, y = 1.0, z = 1.0;
    t = t_start;
    for (long pass = 0; pass < passes; pass++)
        for (long i = 0; i < n; i++)
            procedure_n6(&x, &y, &z);
    return z;
}

/* Array references. */
static double n7(long passes)
{
    long n = 616 * x100;
    int j = 0, k = 1, l = 2;
    e[0] = 1.0;
    e[1] = 2.0;
    e[2] = 3.0;
    for (long pass = 0; pass < passes; pass++)
        for (long i = 0; i < n; i++)
            procedure_n7(e, j, k, l);
    return e[2];
}

/* Standard functions. Each pass starts again from the same x, so that more passes are not numerically harder work. */
static double n8(long passes)
{
    long n = 93 * x100;
    double x = n8_start;
    for (long pass = 0; pass < passes; pass++) {
        x = n8_start;
        for (long i = 0; i < n; i++)
            x = sqrt(exp(log(x) / t1));
    }
    return x;
}

/* In order: N2 works on the array that N1 leaves. expected: the result of the first pass. */
static const struct {
    double (*run)(long passes);
    double expected;
} sections[] = {
    {n1, -1.12398255667391900}, {n2, -1.12187079889284425}, {n3, 1.0}, {n4, 12.0},
    {n5, 0.49902937281518261},  {n6, 0.99999987890802811},  {n7, 3.0}, {n8, 0.75100163018458665},
};

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Runs all sections and returns the sum of their counted seconds. Compares integers: -ffast-math allows the compiler to
 * assume that no value is NaN. */
static double run(long passes)
{
    double sum = 0.0;
    for (size_t i = 0; i < COUNT(sections); i++) {
        double start = now();
        long long result = (long long)(sections[i].run(passes) * 1e9),
                  expected = (long long)(sections[i].expected * 1e9);
        sum += (now() - start) / (i == 0 ? N1_REPEATS : 1);
        if (passes == 1 && llabs(result - expected) > 1000) {
            fprintf(stderr, "whetstone: N%zu gives %lld, not %lld\n", i + 1, result, expected);
            exit(1);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    double wanted = argc == 2 ? atof(argv[1]) : 0, sum = run(1);
    long passes = 1;
    if (!(wanted > 0.0))
        return 2;
    while (sum <= 0.5) {
        passes *= 5;
        sum = run(passes);
    }
    passes = (long)((double)passes * wanted / sum);
    passes = passes < 2 ? 2 : passes;
    sum = run(passes);
    printf("%.1f\n", (double)(passes * x100) / (10.0 * sum));
    return 0;
}
