/* SPDX-License-Identifier: MIT */
/* Estimates from the detours of one CPU the delay of the slowest of N ranks. */
#include "stats/stats.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sys/base.h"

#define POINTS_MOST  (1u << 18)
#define POINTS_LEAST (1u << 14)
/* Maximum number of grid points of all hosts together, so that a whole fleet takes only seconds. */
#define POINTS_ALL (1u << 22)
/* The grid ends at the mean plus this many standard deviations plus twice the longest delay. */
#define DEVIATIONS 12.0
/* Values up to this are rounding errors, which the Fourier transform leaves at grid points of probability 0. */
#define NOTHING 1e-15

struct grid {
    size_t n;
    double width_ns;
    double complex *twiddle; /* factors of the Fourier transform: n / 2 points */
    double complex *rate;    /* transform of the random detours per ns of work, without the constant term */
    double complex *kind;    /* transforms of the lengths of each periodic kind of a host, one after the other */
    size_t n_kinds;          /* allocated number of kinds */
    double complex *shared;  /* transform of the delays caused by other users of the core; part of kind, after the
                              * last periodic kind */
    double complex *work;
    double *log_below; /* logarithm of the probability by step and point: sum over the hosts of weight * log F */
    double total_weight;
};

static double complex polar(double size, double angle)
{
    return size * cos(angle) + I * (size * sin(angle));
}

/* --- Fourier transform, in place (Cooley and Tukey 1965, radix 2). The forward transform leaves the points
 * bit-reversed, and the backward transform expects them so: operations in between are point by point. --- */

static void transform(const struct grid *g, double complex *a)
{
    for (size_t half = g->n / 2; half > 0; half /= 2) {
        size_t stride = g->n / (2 * half);
        for (size_t start = 0; start < g->n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                double complex *low = &a[start + k], *high = low + half;
                const double complex difference = *low - *high;
                *low += *high;
                *high = difference * conj(g->twiddle[k * stride]);
            }
    }
}

/* Inverse Fourier transform, without the division by n. */
static void transform_back(const struct grid *g, double complex *a)
{
    for (size_t half = 1; half < g->n; half *= 2) {
        size_t stride = g->n / (2 * half);
        for (size_t start = 0; start < g->n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                double complex *low = &a[start + k], *high = low + half;
                const double complex turned = g->twiddle[k * stride] * *high;
                *high = *low - turned;
                *low += turned;
            }
    }
}

/* --- Size and filling of the grid. --- */

static bool counts(const struct stats_point *pair)
{
    return pair->value > 0 && pair->at > 0 && isfinite(pair->value) && isfinite(pair->at);
}

/* Computes mean and variance of the delay of a step (as if all detours were random, which has the greater variance),
 * and the longest detour. */
static void spread_of(const struct project_host *host, double step_ns, double *mean, double *variance, double *longest)
{
    *mean = *variance = *longest = 0;
    for (size_t d = 0; d < host->n; d++)
        for (size_t i = 0; i < host->detours[d].n; i++) {
            const struct stats_point *pair = &host->detours[d].lengths[i];
            if (!counts(pair))
                continue;
            double number = pair->value * step_ns / host->detours[d].work_ns;
            *mean += number * pair->at;
            *variance += number * pair->at * pair->at;
            *longest = fmax(*longest, pair->at);
        }
}

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

static double room_ns(const struct project_host *hosts, size_t n, double longest_step_ns)
{
    double room = 1, mean, variance, longest, slowest;

    for (size_t h = 0; h < n; h++) {
        const double slower = slower_of(&hosts[h], &slowest);
        spread_of(&hosts[h], slower * longest_step_ns, &mean, &variance, &longest);
        room = fmax(room, mean + DEVIATIONS * sqrt(variance) + 2 * (longest + (slowest - 1) * longest_step_ns));
    }
    return room;
}

static size_t most_kinds(const struct project_host *hosts, size_t n_hosts)
{
    size_t most = 0;

    for (size_t h = 0; h < n_hosts; h++) {
        size_t n = 0;
        for (size_t d = 0; d < hosts[h].n; d++)
            n += hosts[h].detours[d].periodic;
        most = n > most ? n : most;
    }
    return most;
}

static int make_grid(struct grid *g, size_t points, const struct project_host *hosts, size_t n_hosts,
                     double longest_step_ns, size_t n_steps)
{
    g->n = POINTS_MOST;
    while (g->n > POINTS_LEAST && g->n > POINTS_ALL / n_hosts)
        g->n /= 2;
    if (points && points < g->n)
        g->n = points;
    g->width_ns = room_ns(hosts, n_hosts, longest_step_ns) / (double)g->n;
    g->twiddle = malloc(g->n / 2 * sizeof(*g->twiddle));
    g->rate = malloc(g->n * sizeof(*g->rate));
    g->n_kinds = most_kinds(hosts, n_hosts);
    g->kind = malloc((g->n_kinds + 1) * g->n * sizeof(*g->kind));
    g->work = malloc(g->n * sizeof(*g->work));
    g->log_below = calloc(n_steps * g->n, sizeof(*g->log_below));
    if (!g->twiddle || !g->rate || !g->kind || !g->work || !g->log_below)
        return -1;
    g->shared = g->kind + g->n_kinds * g->n;
    for (size_t i = 0; i < g->n / 2; i++) {
        double angle = 2 * 3.14159265358979323846 * (double)i / (double)g->n;
        g->twiddle[i] = polar(1, angle);
    }
    for (size_t h = 0; h < n_hosts; h++)
        g->total_weight += hosts[h].weight;
    return 0;
}

static void free_grid(struct grid *g)
{
    free(g->twiddle);
    free(g->rate);
    free(g->kind);
    free(g->work);
    free(g->log_below);
}

/* Adds a number of delays to the grid. A delay between two points is divided between them so that the mean is
 * preserved. */
static void put_delay(const struct grid *g, double ns, double number, double complex *out)
{
    const double at = ns / g->width_ns, upper = at - floor(at);
    const size_t point = (size_t)at;

    out[point] += number * (1 - upper);
    out[point + 1] += number * upper;
}

static void put_lengths(const struct grid *g, const struct project_detours *detours, double scale, double complex *out)
{
    for (size_t i = 0; i < detours->n; i++) {
        const struct stats_point *pair = &detours->lengths[i];
        if (counts(pair))
            put_delay(g, pair->at, pair->value * scale, out);
    }
}

static double count_of(const struct project_detours *detours)
{
    double n = 0;

    for (size_t i = 0; i < detours->n; i++)
        if (counts(&detours->lengths[i]))
            n += detours->lengths[i].value;
    return n;
}

/* --- Delays of one host. --- */

static double complex power_of(double complex a, double n)
{
    return n > 0 ? polar(pow(cabs(a), n), n * carg(a)) : 1;
}

/* Computes the Fourier transform of the rates of the random detours by length. */
static void transform_rates(struct grid *g, const struct project_host *host)
{
    memset(g->rate, 0, g->n * sizeof(*g->rate));
    for (size_t d = 0; d < host->n; d++)
        if (!host->detours[d].periodic)
            put_lengths(g, &host->detours[d], 1 / host->detours[d].work_ns, g->rate);
    double all = 0;
    for (size_t i = 0; i < g->n; i++)
        all += creal(g->rate[i]);
    transform(g, g->rate);
    for (size_t i = 0; i < g->n; i++)
        g->rate[i] -= all;
}

/* Computes the Fourier transforms of the lengths of the periodic detours, one for each kind. */
static void transform_kinds(struct grid *g, const struct project_host *host)
{
    double complex *kind = g->kind;

    for (size_t d = 0; d < host->n; d++) {
        if (!host->detours[d].periodic)
            continue;
        memset(kind, 0, g->n * sizeof(*kind));
        put_lengths(g, &host->detours[d], 1 / count_of(&host->detours[d]), kind);
        transform(g, kind);
        kind += g->n;
    }
}

/* Multiplies g->work by the transforms of the periodic detours in a step. If a step has x detours of a kind on average,
 * it has floor(x) of them, and one more with the probability x - floor(x). */
static void multiply_kinds(struct grid *g, const struct project_host *host, double step_ns)
{
    const double complex *kind = g->kind;

    for (size_t d = 0; d < host->n; d++) {
        if (!host->detours[d].periodic)
            continue;
        const double number = step_ns * count_of(&host->detours[d]) / host->detours[d].work_ns;
        const double whole = floor(number), share = number - whole;
        for (size_t i = 0; i < g->n && number > 0; i++)
            g->work[i] *= power_of(kind[i], whole) * (1 - share + share * kind[i]);
        kind += g->n;
    }
}

/* Multiplies g->work by the transform of the delay of a step that other users of the core cause. */
static void multiply_shares(struct grid *g, const struct project_host *host, double step_ns)
{
    double n = 0;

    if (!host->n_shares)
        return;
    memset(g->shared, 0, g->n * sizeof(*g->shared));
    for (size_t i = 0; i < host->n_shares; i++)
        n += host->shares[i].value;
    for (size_t i = 0; i < host->n_shares; i++)
        put_delay(g, step_ns * (1 / host->shares[i].at - 1), host->shares[i].value / n, g->shared);
    transform(g, g->shared);
    for (size_t i = 0; i < g->n; i++)
        g->work[i] *= g->shared[i];
}

/* Adds weight * log F to log_below, where F is the distribution of a host's delay in a step of step_ns of work. Work
 * that takes longer, because others use the core, meets more detours. */
static void add_step(struct grid *g, const struct project_host *host, double step_ns, double *log_below)
{
    double above = 0, most;
    const double busy_ns = step_ns * slower_of(host, &most);

    for (size_t i = 0; i < g->n; i++)
        g->work[i] = polar(exp(busy_ns * creal(g->rate[i])), busy_ns * cimag(g->rate[i]));
    multiply_kinds(g, host, busy_ns);
    multiply_shares(g, host, step_ns);
    transform_back(g, g->work);
    for (size_t i = g->n; i-- > 0;) {
        double p = creal(g->work[i]) / (double)g->n;
        log_below[i] += host->weight / g->total_weight * (above < 1 ? log1p(-above) : -INFINITY);
        above += p > NOTHING ? p : 0;
    }
}

/* --- All hosts. --- */

static bool all_positive(const double *values, size_t n, size_t most)
{
    for (size_t i = 0; i < n; i++)
        if (!(values[i] > 0) || !isfinite(values[i]))
            return false;
    return n > 0 && n <= most;
}

static bool are_valid(const struct project_host *hosts, size_t n)
{
    for (size_t h = 0; h < n; h++) {
        if (!(hosts[h].weight > 0) || !isfinite(hosts[h].weight))
            return false;
        for (size_t d = 0; d < hosts[h].n; d++)
            if (!(hosts[h].detours[d].work_ns > 0))
                return false;
        for (size_t i = 0; i < hosts[h].n_shares; i++) {
            const struct stats_point *share = &hosts[h].shares[i];
            if (!(share->at > 0) || share->at > 1 || !(share->value > 0) || !isfinite(share->value))
                return false;
        }
    }
    return n > 0;
}

static double slowest(const struct grid *g, const double *log_below, double ranks)
{
    double sum = 0;

    for (size_t i = 0; i < g->n; i++)
        sum -= expm1(ranks * log_below[i]);
    return sum * g->width_ns;
}

int project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                        size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown)
{
    FREED_BY(free_grid) struct grid g = {.n = 0};
    double longest_step = 0;

    if (!all_positive(step_ns, n_steps, PROJECT_STEPS_MAX) || !all_positive(ranks, n_ranks, PROJECT_RANKS_MAX) ||
        !are_valid(hosts, n_hosts))
        return -1;
    for (size_t s = 0; s < n_steps; s++)
        longest_step = fmax(longest_step, step_ns[s]);
    if (make_grid(&g, points, hosts, n_hosts, longest_step, n_steps))
        return -1;
    for (size_t h = 0; h < n_hosts; h++) {
        transform_rates(&g, &hosts[h]);
        transform_kinds(&g, &hosts[h]);
        for (size_t s = 0; s < n_steps; s++)
            add_step(&g, &hosts[h], step_ns[s], &g.log_below[s * g.n]);
    }
    for (size_t s = 0; s < n_steps; s++)
        for (size_t r = 0; r < n_ranks; r++)
            slowdown[s * n_ranks + r] = 1 + slowest(&g, &g.log_below[s * g.n], ranks[r]) / step_ns[s];
    return 0;
}
