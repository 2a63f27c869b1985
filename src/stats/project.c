/* SPDX-License-Identifier: MIT */
/* Estimates from the detours of one CPU the delay of the slowest of N ranks. */
#include "stats/stats.h"

#include <complex.h>
#include <math.h>

#include "sys/base.h"

#define POINTS_MOST  (1u << 18)
#define POINTS_LEAST (1u << 14)
/* Maximum number of grid points of all hosts together, so that a whole fleet takes only seconds. */
#define POINTS_ALL (1u << 22)
/* The grid ends at the mean plus this many standard deviations plus twice the longest delay. */
#define DEVIATIONS 12.0
/* Values up to this are rounding errors, which the Fourier transform leaves at grid points of probability 0. */
#define NOTHING 1e-15

struct delay_grid {
    size_t n;
    double width_ns;
    double complex *twiddle; /* factors of the Fourier transform: n / 2 points; the others have n */
    double complex *rate;    /* transform of the random detours per ns of work, without the constant term */
    double complex *kind;    /* transform of the lengths of the periodic detours */
    double complex *shared;  /* transform of the delays caused by other users of the core */
    double complex *work;
    double periodic_per_ns; /* number of periodic detours in a ns of work */
    double *log_below;      /* logarithm of the probability by step and point: mean of log F over the hosts */
};

/* --- Fourier transform, in place (Cooley and Tukey 1965, radix 2). The forward transform leaves the points
 * bit-reversed, as the factors are, and the backward transform, without the division by n, expects them so: operations
 * in between are point by point. --- */

static void transform(const struct delay_grid *g, double complex *a, bool back)
{
    for (size_t half = back ? 1 : g->n / 2; half > 0 && half < g->n; half = back ? half * 2 : half / 2)
        for (size_t block = 0; 2 * half * block < g->n; block++) {
            const double complex turn = g->twiddle[block];
            double complex *low = &a[2 * half * block], *high = low + half;
            for (; high < &a[2 * half * (block + 1)]; low++, high++) {
                const double complex other = back ? *high : *high * conj(turn);
                *high = back ? (*low - *high) * turn : *low - other;
                *low += other;
            }
        }
}

/* --- The grid. --- */

/* Returns the mean factor by which a rank's work takes longer than on a core of its own. most: set to the largest
 * factor. */
static double slower_of(const struct project_host *host, double *most)
{
    double sum = 0, n = 0;

    *most = 1;
    for (size_t i = 0; i < host->n_shares; i++) {
        sum += host->shares[i].value / host->shares[i].at;
        n += host->shares[i].value;
        *most = fmax(*most, 1 / host->shares[i].at);
    }
    return n > 0 ? sum / n : 1;
}

/* Returns the longest delay that the grid must hold. All detours count as random, which has the greater variance. */
static double room_ns(const struct project_host *hosts, size_t n_hosts, double step_ns)
{
    double room = 1;

    for (size_t h = 0; h < n_hosts; h++) {
        double most, mean = 0, variance = 0, longest = 0;
        const double busy_ns = step_ns * slower_of(&hosts[h], &most);
        for (size_t i = 0; i < hosts[h].n; i++) {
            const double ns = hosts[h].detours[i].ns, number = busy_ns * hosts[h].detours[i].per_ns;
            mean += number * ns;
            variance += number * ns * ns;
            longest = fmax(longest, ns);
        }
        room = fmax(room, mean + DEVIATIONS * sqrt(variance) + 2 * (longest + (most - 1) * step_ns));
    }
    return room;
}

static void make_grid(struct delay_grid *g, size_t points, const struct project_host *hosts, size_t n_hosts,
                      double longest_step_ns, size_t n_steps)
{
    g->n = points ? points : POINTS_MOST;
    while (g->n > POINTS_LEAST && g->n > POINTS_ALL / n_hosts)
        g->n /= 2;
    g->width_ns = room_ns(hosts, n_hosts, longest_step_ns) / (double)g->n;
    g->rate = memory_get(4 * g->n + g->n / 2, sizeof(*g->rate));
    g->log_below = memory_get(n_steps * g->n, sizeof(*g->log_below));
    g->kind = g->rate + g->n;
    g->shared = g->kind + g->n;
    g->work = g->shared + g->n;
    g->twiddle = g->work + g->n;
    for (size_t i = 1, half = 1; i < g->n / 2; half = ++i < 2 * half ? half : i)
        g->twiddle[i] = g->twiddle[i - half] + 3.14159265358979323846 / 2 / (double)half;
    for (size_t i = 0; i < g->n / 2; i++)
        g->twiddle[i] = cexp(I * g->twiddle[i]);
}

static void free_grid(struct delay_grid *g)
{
    free(g->rate);
    free(g->log_below);
}

/* Adds a number of delays to the grid. A delay between two points is divided between them so that the mean is
 * preserved. */
static void put_delay(const struct delay_grid *g, double ns, double number, double complex *out)
{
    const double at = ns / g->width_ns, upper = at - floor(at);
    const size_t point = (size_t)at;

    out[point] += number * (1 - upper);
    out[point + 1] += number * upper;
}

/* --- Delays of one host. --- */

static void transform_detours(struct delay_grid *g, const struct project_host *host)
{
    double random_per_ns = 0;

    g->periodic_per_ns = 0;
    memset(g->rate, 0, g->n * sizeof(*g->rate));
    memset(g->kind, 0, g->n * sizeof(*g->kind));
    for (size_t i = 0; i < host->n; i++) {
        const struct project_detour *detour = &host->detours[i];
        *(detour->periodic ? &g->periodic_per_ns : &random_per_ns) += detour->per_ns;
        put_delay(g, detour->ns, detour->per_ns, detour->periodic ? g->kind : g->rate);
    }
    transform(g, g->rate, false);
    if (g->periodic_per_ns > 0)
        transform(g, g->kind, false);
    for (size_t i = 0; i < g->n; i++) {
        g->rate[i] -= random_per_ns;
        g->kind[i] /= g->periodic_per_ns > 0 ? g->periodic_per_ns : 1;
    }
}

/* Transforms the delay of a step that other users of the core cause. */
static void transform_shares(struct delay_grid *g, const struct project_host *host, double step_ns)
{
    double n = 0;

    memset(g->shared, 0, g->n * sizeof(*g->shared));
    for (size_t i = 0; i < host->n_shares; i++)
        n += host->shares[i].value;
    for (size_t i = 0; i < host->n_shares; i++)
        put_delay(g, step_ns * (1 / host->shares[i].at - 1), host->shares[i].value / n, g->shared);
    transform(g, g->shared, false);
}

/* Adds log F / n_hosts to log_below, where F is the distribution of a host's delay in a step of step_ns of work. Work
 * that takes longer, because others use the core, meets more detours. If it has x periodic detours on average, it has
 * floor(x) of them, and one more with the probability x - floor(x). */
static void add_step(struct delay_grid *g, const struct project_host *host, size_t n_hosts, double step_ns,
                     double *log_below)
{
    double above = 0, most;
    const double busy_ns = step_ns * slower_of(host, &most), number = busy_ns * g->periodic_per_ns;
    const double whole = floor(number), share = number - whole;

    if (host->n_shares)
        transform_shares(g, host, step_ns);
    /* Of real numbers: the second half of a block between powers of two is the first one's mirror image. */
    for (size_t i = 0, block = 1; i < g->n; block = ++i < 2 * block ? block : i) {
        const size_t mirror = 3 * block - 1 - i;
        g->work[i] = mirror < i ? conj(g->work[mirror])
                                : cexp(busy_ns * g->rate[i] + (whole > 0 ? whole * clog(g->kind[i]) : 0)) *
                                      (1 - share + share * g->kind[i]) * (host->n_shares ? g->shared[i] : 1);
    }
    transform(g, g->work, true);
    for (size_t i = g->n; i-- > 0;) {
        double p = creal(g->work[i]) / (double)g->n;
        log_below[i] += (above < 1 ? log1p(-above) : -INFINITY) / (double)n_hosts;
        above += p > NOTHING ? p : 0;
    }
}

void project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                         size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown)
{
    FREED_BY(free_grid) struct delay_grid g = {0};
    double longest_step = 0;

    for (size_t s = 0; s < n_steps; s++)
        longest_step = fmax(longest_step, step_ns[s]);
    make_grid(&g, points, hosts, n_hosts, longest_step, n_steps);
    for (size_t h = 0; h < n_hosts; h++) {
        transform_detours(&g, &hosts[h]);
        for (size_t s = 0; s < n_steps; s++)
            add_step(&g, &hosts[h], n_hosts, step_ns[s], &g.log_below[s * g.n]);
    }
    for (size_t s = 0; s < n_steps; s++)
        for (size_t r = 0; r < n_ranks; r++) {
            double slowest = 0;
            for (size_t i = 0; i < g.n; i++)
                slowest -= expm1(ranks[r] * g.log_below[s * g.n + i]);
            slowdown[s * n_ranks + r] = 1 + slowest * g.width_ns / step_ns[s];
        }
}
