/* SPDX-License-Identifier: MIT */
/* Pairs: the logarithms of their ratios, a group sequential test by flips of signs, and the least effect that would be
 * found. */
#include "stats/pairs.h"

#include <math.h>

#include "stats/stats.h"
#include "sys/base.h"

#define SEED  0x7061697265644142u
#define FLIPS 2048u /* number of flips of the signs: the observed signs, and random ones */

size_t paired_log_ratios(const double *a, const double *b, size_t n, size_t each, double *out)
{
    const size_t pairs = each ? n / each : 0;

    for (size_t i = 0; i < pairs; i++) {
        double sum_a = 0, sum_b = 0;
        for (size_t k = 0; k < each; k++) {
            sum_a += a[i * each + k];
            sum_b += b[i * each + k];
        }
        if (!(sum_a > 0) || !(sum_b > 0) || !isfinite(sum_a) || !isfinite(sum_b))
            return 0;
        out[i] = log(sum_b / sum_a);
    }
    return pairs;
}

/* --- The sequential test. --- */

/* Number of pairs at the first look (test during the measurement); each further look has a quarter more. Looks are
 * frequent enough to end a measurement soon, and rare enough to be computed while it runs. */
#define LOOK_FIRST 8u
static size_t next_look(size_t n)
{
    return n < LOOK_FIRST ? LOOK_FIRST : n + n / 4;
}

bool paired_is_look(size_t n)
{
    size_t look = LOOK_FIRST;

    while (look < n)
        look = next_look(look);
    return look == n;
}

struct flipped {
    uint64_t extreme; /* |sum of the positive ranks - sum of the negative ranks| */
    unsigned flip;    /* number of the flip; 0: the signs as observed */
};

static int compare_flipped(const void *a, const void *b)
{
    const struct flipped *x = a, *y = b;

    return ORDER_OF(y->extreme, x->extreme);
}

/* Returns |sum of the positive ranks - sum of the negative ranks| after flipping random signs. The number `flip` seeds
 * the random bits, so that they are the same in all tests of a measurement; 0 flips none. */
static uint64_t extreme_of(const double *differences, const uint64_t *ranks, size_t n, unsigned flip)
{
    uint64_t state = SEED + flip, bits = 0;
    int64_t sum = 0;

    state = stats_random(&state);
    for (size_t i = 0; i < n; i++) {
        if (flip && i % 64 == 0)
            bits = stats_random(&state);
        const bool minus = (differences[i] < 0) != ((bits >> i % 64 & 1) != 0);
        sum += minus ? -(int64_t)ranks[i] : (int64_t)ranks[i];
    }
    return (uint64_t)(sum < 0 ? -sum : sum);
}

int paired_sequential(const double *differences, size_t n, size_t planned, double error, struct paired_looks *out)
{
    FREED_BY(memory_free) struct flipped *flips = calloc(FLIPS, sizeof(*flips));
    FREED_BY(memory_free) struct inference_ranked *room = calloc(n + 1, sizeof(*room));
    FREED_BY(memory_free) uint64_t *ranks = calloc(n + 1, sizeof(*ranks));
    size_t beyond = 0, before = 0, extreme = 0; /* the flips that were beyond the limit of a look come first */

    *out = (struct paired_looks){.level = 0};
    if (!flips || !room || !ranks)
        return -1;
    for (unsigned i = 0; i < FLIPS; i++)
        flips[i].flip = i;
    for (size_t look = 0; !out->claimed && look < n;) {
        look = next_look(look) < n ? next_look(look) : n;
        const double spent = error * (look < planned ? (double)look / (double)planned : 1);
        inference_signed_ranks(differences, look, room, ranks);
        before = beyond;
        for (size_t i = before; i < FLIPS; i++)
            flips[i].extreme = extreme_of(differences, ranks, look, flips[i].flip);
        qsort(flips + before, FLIPS - before, sizeof(*flips), compare_flipped);
        beyond = (size_t)fmax(spent * FLIPS, (double)before);
        /* Of equally extreme flips, all or none are beyond the limit. */
        while (beyond > before && beyond < FLIPS && flips[beyond - 1].extreme == flips[beyond].extreme)
            beyond--;
        for (size_t i = before; i < beyond; i++)
            out->claimed |= flips[i].flip == 0;
    }
    if (out->claimed || beyond == before)
        return 0;
    for (size_t i = 0; i < FLIPS; i++)
        extreme += extreme_of(differences, ranks, n, flips[i].flip) >= flips[beyond - 1].extreme;
    out->level = (double)extreme / FLIPS;
    return 0;
}

/* --- The least effect. --- */

/* With looks, and the chance of a false claim spent evenly, a measurement needs some 30 % more pairs to find the same
 * effect (Pocock 1977). */
#define LOOKS_COST 1.3

double paired_least_effect(const struct inference_shift *found, size_t pairs, bool looks, double narrow, double error,
                           double power)
{
    const double n = (double)found->n, half = (found->high - found->low) / 2;
    const double narrow_at = narrow > 0 ? fmax(LOOK_FIRST, n * pow(2 * half / narrow, 2)) : INFINITY;
    const double t = stats_student_t(1 - error, n - 1);
    /* What is needed beyond the half-width of t errors: z errors. With few pairs the error itself has an error of the
     * part sqrt(1 / 2 df), here as in the measurement to come, and (t + z)^2 + t^2 is some 3.2 t^2. */
    const double beyond = stats_student_t(2 * power - 1, 1e9) * sqrt(1 + 1.6 * t * t / (n - 1));

    if (!isnan(half) && inference_rank_least(0, pairs) > error)
        return INFINITY;
    return half * (1 + beyond / t) * sqrt(n / fmin((double)pairs / (looks ? LOOKS_COST : 1), narrow_at));
}
