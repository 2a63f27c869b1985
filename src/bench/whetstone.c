/* SPDX-License-Identifier: MIT */
/* Double-precision Whetstone: a count is one pass over the eight sections with x100 = 100; ten passes a second are
 * 100 MWIPS. H. Curnow and B. Wichmann, 'A synthetic benchmark', Computer Journal 19(1), 1976, with R. Longbottom's
 * sections. Each has its constants and its result in memory, so that no compiler knows them. */
#include "bench/unix.h"

enum { X100 = 100 };
enum { N1, N2, N3, N4, N5, N6, N7, N8 };

/* The published method runs N1 ten times as often and divides its time by ten. Here the whole pass is timed, so only
 * the first pass repeats it, for its published results. */
enum { N1_TIMES_FIRST = 10 };

/* n * X100, hidden from the compiler, which could otherwise compute the loop's result. */
static inline uint64_t turns(uint64_t n)
{
    n *= X100;
    __asm__ volatile("" : "+r"(n));
    return n;
}

/* Hidden from the compiler. */
static inline double hidden(double value)
{
    __asm__ volatile("" : "+m"(value));
    return value;
}

static __attribute__((noinline)) void n1(struct whetstone *w, uint64_t times)
{
    const double t = w->t;
    const uint64_t n = turns(12 * times);
    double *e = w->e;

    e[0] = 1.0;
    e[1] = e[2] = e[3] = -1.0;
    for (uint64_t i = 0; i < n; i++) {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) * t;
    }
    w->result[N1] = e[3];
}

static void pa(double *e, double t, double t2)
{
    for (int j = 0; j < 6; j++) {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) / t2;
    }
}

/* Goes on with N1's values of e. */
static __attribute__((noinline)) void n2(struct whetstone *w)
{
    const double t = w->t, t2 = w->t2;
    const uint64_t n = turns(14);

    for (uint64_t i = 0; i < n; i++)
        pa(w->e, t, t2);
    w->result[N2] = w->e[3];
}

static __attribute__((noinline)) void n3(struct whetstone *w)
{
    const uint64_t n = turns(345);
    int j = 1;

    for (uint64_t i = 0; i < n; i++) {
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
        __asm__ volatile("" : "+r"(i)); /* no vectors, with several turns at once */
    }
    w->result[N3] = j;
}

/* Compilers may remove this section, whose variables never change; those of the published figures do. */
static __attribute__((noinline)) void n4(struct whetstone *w)
{
    const uint64_t n = turns(210);
    int j = 1, k = 2, l = 3;
    double *e = w->e;

    for (uint64_t i = 0; i < n; i++) {
        j = j * (k - j) * (l - k);
        k = l * k - (l - j) * k;
        l = (l - k) * (k + j);
        e[l - 2] = j + k + l;
        e[k - 2] = j * k * l;
    }
    w->result[N4] = e[0] + e[1];
}

static __attribute__((noinline)) void n5(struct whetstone *w)
{
    const double t = w->t, t2 = w->t2;
    const uint64_t n = turns(32);
    double x = hidden(0.5), y = hidden(0.5);

    for (uint64_t i = 1; i < n; i++) {
        x = t * atan(t2 * sin(x) * cos(x) / (cos(x + y) + cos(x - y) - 1.0));
        y = t * atan(t2 * sin(y) * cos(y) / (cos(x + y) + cos(x - y) - 1.0));
    }
    w->result[N5] = y;
}

static void p3(double *x, double *y, double *z, double t, double t1, double t2)
{
    *x = *y;
    *y = *z;
    *x = t * (*x + *y);
    *y = t1 * (*x + *y);
    *z = (*x + *y) / t2;
}

static __attribute__((noinline)) void n6(struct whetstone *w)
{
    const double t = w->t0, t1 = w->t1, t2 = w->t2;
    const uint64_t n = turns(899);
    double x = 1.0, y = 1.0, z = 1.0;

    for (uint64_t i = 0; i < n; i++)
        p3(&x, &y, &z, t, t1, t2);
    w->result[N6] = z;
}

static void po(double *e, int j, int k, int l)
{
    e[j] = e[k];
    e[k] = e[l];
    e[l] = e[j];
}

static __attribute__((noinline)) void n7(struct whetstone *w)
{
    const uint64_t n = turns(616);
    double e[4] = {1.0, 2.0, 3.0, 0.0};
    int j = 0, k = 1, l = 2;

    for (uint64_t i = 0; i < n; i++) {
        po(e, j, k, l);
        __asm__ volatile("" : "+r"(i)); /* no unrolling: the assignments of eight turns cancel out */
    }
    w->result[N7] = e[2];
}

/* x starts from 0.75 in each pass: it would drift, and a faster CPU would reach slower values. With -ffast-math gcc
 * computes exp(log(x) * (0.5 / t1)), clang sqrt(exp(log(x) * (1 / t1))). 0.75 and t1 are hidden: with a known first
 * x, one multiplication could replace log and exp. */
__attribute__((noinline)) void whetstone_n8(struct whetstone *w)
{
    const double t1 = w->t1;
    const uint64_t n = turns(93);
    double x = hidden(0.75);

    for (uint64_t i = 0; i < n; i++)
        x = sqrt(exp(log(x) / t1));
    w->result[N8] = x;
}

static void pass(struct whetstone *w, uint64_t n1_times)
{
    n1(w, n1_times);
    n2(w);
    n3(w);
    n4(w);
    n5(w);
    n6(w);
    n7(w);
    whetstone_n8(w);
    w->t = 1.0 - w->t;
}

/* Against published results (first pass) or a Python program's (later ones, without repeated N1), to 1e-6, as
 * -ffast-math changes the order of sums. Closer for N8: one turn changes its result by 1e-7; rounding adds up to
 * less than 1e-11. */
static void check(struct checks *checks, const struct whetstone *w, unsigned which)
{
    static const double expected[3][WHETSTONE_SECTIONS] = {
        {-1.12398255667391900, -1.12187079889284425, 1, 12, 0.49902937281518261, 0.99999987890802811, 3,
         0.75100163018458665},
        {-1.13427239349855840, -1.13640435284187200, 1, 12, 0.50097303731480280, 0.99999987890802811, 3,
         0.75100163018458665},
        {-1.13239499303135970, -1.13027102478474980, 1, 12, 0.49902937281518261, 0.99999987890802811, 3,
         0.75100163018458665},
    };
    static const double tolerance[WHETSTONE_SECTIONS] = {1e-6, 1e-6, 0, 0, 1e-6, 1e-6, 0, 1e-9};
    static const char *const passes[3] = {"the first pass", "an even pass", "an odd pass"};

    for (int i = 0; i < WHETSTONE_SECTIONS; i++)
        checks_add(checks, TEXT_LINE("N%d of %s", i + 1, passes[which]), w->result[i], expected[which][i],
                   tolerance[i]);
}

static int setup(struct party_context *context)
{
    struct whetstone *w = context->state;

    w->t = w->t0 = 0.49999975;
    w->t1 = 0.50000025;
    w->t2 = 2.0;
    pass(w, N1_TIMES_FIRST);
    check(context->recorder[UNIX_CHECKS], w, 0);
    return 0;
}

static int work(struct party_context *context, uint64_t count)
{
    struct whetstone *w = context->state;

    for (uint64_t i = 0; i < count; i++)
        pass(w, 1);
    w->passes += count;
    return 0;
}

/* Even and odd passes differ. w->passes lacks the first: odd means that the last was even. */
static int verify(struct party_context *context)
{
    const struct whetstone *w = context->state;

    check(context->recorder[UNIX_CHECKS], w, w->passes % 2 ? 1 : 2);
    return 0;
}

/* passes * x100 / (10 * seconds) MWIPS. */
const struct bench bench_whetstone = {
    UNIX_CPU_BENCH("whetstone", "Double-Precision Whetstone", "MWIPS", X100 / 10, 55.0,
                   .state_size = sizeof(struct whetstone), .setup = setup, .work = work, .verify = verify),
    .groups = UNIX_INDEX | UNIX_CPU | UNIX_CORE_BOUND,
    .old_names = UNIX_OLD_NAMES("whetstone-double", "whets"),
};
