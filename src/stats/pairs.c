/* SPDX-License-Identifier: MIT */
/* Tests and intervals for pairs: Wilcoxon's signed-rank test, Hodges and Lehmann's interval, a group sequential test by
 * flips of signs, and the least effect that would be found. */
#include "stats/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/inference.h"
#include "stats/stats.h"
#include "sys/base.h"

#define SEED     0x7061697265644142u
#define FLIPS    2047u /* number of random flips of the signs; 2,048 with the observed signs */
#define RESAMPLE 500u

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return n > 0;
}

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

/* Computes twice the rank of each |difference|, and 0 for differences of 0 (which have no sign). */
static void rank(const double *differences, size_t n, struct inference_ranked *room, uint64_t *ranks)
{
    for (size_t i = 0; i < n; i++)
        room[i].value = fabs(differences[i]);
    (void)inference_ranks(room, n, ranks);
    for (size_t i = 0; i < n && !(room[i].value > 0); i++)
        ranks[room[i].at] = 0;
}

/* --- The distribution of the sum of positive ranks. --- */

/* Returns the distribution of the sum of positive ranks when both signs are equally likely: p[s] is the probability of
 * sum s, from 0 to sum. The caller frees it. NULL when out of memory. */
static double *rank_sums(const uint64_t *ranks, size_t n, size_t sum)
{
    double *p = calloc(sum + 1, sizeof(*p));
    size_t reached = 0;

    if (!p)
        return NULL;
    p[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t of = (size_t)ranks[i];
        reached += of;
        for (size_t s = reached + 1; s-- > 0;)
            p[s] = (p[s] + (s >= of ? p[s - of] : 0)) / 2;
    }
    return p;
}

/* Returns the standard deviation of the sum of positive ranks, with its mean in *mean. */
static double rank_sum_sd(const uint64_t *ranks, size_t n, double *mean)
{
    double squares = 0;

    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        *mean += (double)ranks[i] / 2;
        squares += (double)ranks[i] * (double)ranks[i];
    }
    return sqrt(squares) / 2;
}

/* Returns the two-sided p of the signed-rank test; NAN when out of memory. */
static double signed_rank_p(const double *differences, const uint64_t *ranks, size_t n)
{
    size_t positive = 0, sum = 0;
    double mean, below = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (size_t)ranks[i];
        positive += differences[i] > 0 ? (size_t)ranks[i] : 0;
    }
    const size_t lower = positive < sum - positive ? positive : sum - positive;
    if (n > PAIRED_EXACT) {
        /* 1 is the correction for continuity: half a rank, doubled as the ranks are. */
        const double sd = rank_sum_sd(ranks, n, &mean), beyond = mean - (double)lower - 1;
        return sd > 0 && beyond > 0 ? erfc(beyond / sd / sqrt(2)) : 1;
    }
    FREED_BY(memory_free) double *p = rank_sums(ranks, n, sum);
    if (!p)
        return (double)NAN;
    for (size_t s = 0; s <= lower; s++)
        below += p[s];
    return fmin(1, 2 * below);
}

/* --- Means of two differences (Walsh averages). --- */

/* Counts the means of two of n sorted values, of a value with itself too, that are at most x. */
static size_t count_up_to(const double *sorted, size_t n, double x)
{
    size_t count = 0, j = n;

    for (size_t i = 0; i < n && sorted[i] <= x; i++) {
        while (j > i && (sorted[i] + sorted[j - 1]) / 2 > x)
            j--;
        if (j <= i)
            break;
        count += j - i;
    }
    return count;
}

/* Returns the kth smallest of the means of two of n sorted values, k from 1, by bisection: of 10,000 values there are
 * 50 million means. */
static double mean_of_two(const double *sorted, size_t n, size_t k)
{
    double low = sorted[0], high = sorted[n - 1];

    if (count_up_to(sorted, n, low) >= k)
        return low;
    for (unsigned i = 0; i < 64; i++) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            break;
        *(count_up_to(sorted, n, middle) >= k ? &high : &low) = middle;
    }
    return high;
}

/* Finds where the interval of n differences without ties begins: at which of the means of two differences, counted from
 * the smallest one as 1. 0 when n is too small for the confidence. Returns -1 when out of memory. */
static int interval_begin(size_t n, double confidence, size_t *begin)
{
    FREED_BY(memory_free) uint64_t *ranks = malloc((n ? n : 1) * sizeof(*ranks));
    const size_t sum = n * (n + 1) / 2;
    double below = 0, mean;

    *begin = 0;
    if (!ranks)
        return -1;
    for (size_t i = 0; i < n; i++)
        ranks[i] = i + 1;
    if (n > PAIRED_EXACT) {
        const double sd = rank_sum_sd(ranks, n, &mean), z = stats_student_t(confidence, 1e9);
        *begin = (size_t)fmax(0, mean - z * sd + 0.5);
        return 0;
    }
    FREED_BY(memory_free) double *p = rank_sums(ranks, n, sum);
    while (p && *begin < sum && below + p[*begin] <= (1 - confidence) / 2)
        below += p[(*begin)++];
    return p ? 0 : -1;
}

int paired_test(const double *differences, size_t n, double confidence, struct paired *out)
{
    FREED_BY(memory_free) double *sorted = malloc((n ? n : 1) * sizeof(*sorted));
    FREED_BY(memory_free) uint64_t *ranks = malloc((n ? n : 1) * sizeof(*ranks));
    FREED_BY(memory_free) struct inference_ranked *room = malloc((n ? n : 1) * sizeof(*room));
    const size_t means = n * (n + 1) / 2;
    size_t begin = 0;

    *out = (struct paired){.n = n, .centre = (double)NAN, .low = (double)NAN, .high = (double)NAN, .p = (double)NAN};
    if (!all_finite(differences, n))
        return 0;
    if (!sorted || !ranks || !room || interval_begin(n, confidence, &begin))
        return -1;
    rank(differences, n, room, ranks);
    out->p = signed_rank_p(differences, ranks, n);
    if (isnan(out->p))
        return -1;
    memcpy(sorted, differences, n * sizeof(*sorted));
    stats_sort(sorted, n);
    out->centre = (mean_of_two(sorted, n, (means + 1) / 2) + mean_of_two(sorted, n, means / 2 + 1)) / 2;
    out->low = begin ? mean_of_two(sorted, n, begin) : (double)NAN;
    out->high = begin ? mean_of_two(sorted, n, means + 1 - begin) : (double)NAN;
    return 0;
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

/* Returns how many of n random flips of the signs, sorted from the most extreme one on, are beyond the limit that at
 * most `most` of them may exceed. Of equally extreme flips, all or none are beyond it. */
static size_t extreme_at_most(const struct flipped *sorted, size_t n, size_t most)
{
    size_t beyond = most < n ? most : n;

    while (beyond && beyond < n && sorted[beyond - 1].extreme == sorted[beyond].extreme)
        beyond--;
    return beyond;
}

/* all: random flips of the signs. First come those beyond the limit of some look (test during the measurement) so far;
 * the `left` others begin at alive, and are sorted from the most extreme one on. */
struct flips {
    struct flipped *all, *alive;
    size_t left;
    uint64_t *ranks;
    struct inference_ranked *room;
};

/* Makes one look (test during the measurement), after n differences. spent: probability of a false claim that is
 * allowed up to this look. Returns how many random flips of the signs are beyond the look's limit, without those that
 * were beyond the limit of an earlier look. */
static size_t look_at(const double *differences, size_t n, double spent, struct flips *flips)
{
    const size_t most = (size_t)(spent * (FLIPS + 1)), before = FLIPS + 1 - flips->left;

    rank(differences, n, flips->room, flips->ranks);
    for (size_t i = 0; i < flips->left; i++)
        flips->alive[i].extreme = extreme_of(differences, flips->ranks, n, flips->alive[i].flip);
    qsort(flips->alive, flips->left, sizeof(*flips->alive), compare_flipped);
    return most > before ? extreme_at_most(flips->alive, flips->left, most - before) : 0;
}

/* Returns the share of all flips of the signs that are at least as extreme as the least extreme one beyond the limit of
 * the last look (test during the measurement). */
static double level_of(const double *differences, size_t n, const struct flips *flips)
{
    const size_t beyond = FLIPS + 1 - flips->left;
    size_t extreme = 0;

    if (!beyond)
        return 0;
    const uint64_t limit = flips->alive[-1].extreme;
    for (size_t i = 0; i <= FLIPS; i++)
        extreme += extreme_of(differences, flips->ranks, n, flips->all[i].flip) >= limit;
    return (double)extreme / (FLIPS + 1);
}

static void free_flips(struct flips *flips)
{
    free(flips->room);
    free(flips->ranks);
    free(flips->all);
}

/* Prepares tests of at most n differences. Returns false when out of memory; free_flips() follows in both cases. */
static bool prepare_flips(size_t n, struct flips *flips)
{
    *flips = (struct flips){.all = malloc((FLIPS + 1) * sizeof(*flips->all)),
                            .ranks = malloc((n ? n : 1) * sizeof(*flips->ranks)),
                            .room = malloc((n ? n : 1) * sizeof(*flips->room)),
                            .left = FLIPS + 1};
    flips->alive = flips->all;
    for (unsigned i = 0; flips->all && i <= FLIPS; i++)
        flips->all[i].flip = i;
    return flips->all && flips->ranks && flips->room;
}

/* Returns the probability of a false claim that is allowed up to a look (test during the measurement after `look`
 * pairs); it grows with the share of the planned pairs. */
static double spent_at(size_t look, size_t planned, double error)
{
    return error * (look < planned ? (double)look / (double)planned : 1);
}

int paired_sequential(const double *differences, size_t n, size_t planned, double error, struct paired_looks *out)
{
    FREED_BY(free_flips) struct flips flips = {0};
    const bool ready = prepare_flips(n, &flips);
    size_t beyond = 0;

    *out = (struct paired_looks){.level = 0};
    for (size_t look = 0; ready && !out->claimed && look < n && all_finite(differences, n);) {
        look = next_look(look) < n ? next_look(look) : n;
        beyond = look_at(differences, look, spent_at(look, planned, error), &flips);
        for (size_t i = 0; i < beyond; i++)
            out->claimed |= flips.alive[i].flip == 0;
        flips.alive += beyond;
        flips.left -= beyond;
    }
    if (beyond && !out->claimed)
        out->level = level_of(differences, n, &flips);
    return ready ? 0 : -1;
}

/* --- The least effect. --- */

/* A look: the test after the first n pairs, expressed by the means of any two differences (Walsh averages), sorted and
 * numbered from 1 on. It claims a positive difference when mean number `claim` is above 0, and its confidence interval
 * begins at mean number `interval`. claim 0: it cannot claim any; interval 0: there are too few pairs for an
 * interval. */
struct look {
    size_t n, claim, interval;
};
#define LOOKS_MAX 64u /* enough for more than a million pairs */

/* Sets n and claim of each look (test during a measurement) of up to `pairs` pairs. claim hardly depends on the order
 * of the ranks, which is random here. Returns the number of looks; 0 when out of memory. */
static size_t look_limits(size_t pairs, double error, struct look looks[LOOKS_MAX])
{
    FREED_BY(free_flips) struct flips flips = {0};
    FREED_BY(memory_free) double *differences = malloc((pairs ? pairs : 1) * sizeof(*differences));
    const bool ready = prepare_flips(pairs, &flips) && differences;
    uint64_t state = SEED;
    size_t n_looks = 0;

    for (size_t i = 0; ready && i < pairs; i++)
        differences[i] = (double)(stats_random(&state) >> 11) + 1;
    for (size_t n = 0; ready && n < pairs && n_looks < LOOKS_MAX; n_looks++) {
        n = next_look(n) < pairs ? next_look(n) : pairs;
        const size_t beyond = look_at(differences, n, spent_at(n, pairs, error), &flips);
        /* extreme is 2 |W+ - W-|, since ranks are doubled; W- is the number of means of two differences below 0. */
        looks[n_looks] =
            (struct look){n, beyond ? (n * (n + 1) - (size_t)flips.alive[beyond - 1].extreme) / 4 + 1 : 0, 0};
        flips.alive += beyond;
        flips.left -= beyond;
    }
    return n_looks;
}

/* Sets `interval` of each look (test during a measurement). Returns 0, or -1 when out of memory. */
static int set_intervals(struct look *looks, size_t n_looks, double confidence)
{
    for (size_t i = 0; i < n_looks; i++)
        if (interval_begin(looks[i].n, confidence, &looks[i].interval))
            return -1;
    return 0;
}

/* Returns the kernel width of the smoothed bootstrap: the standard deviation of a random number to be added to each
 * value drawn from n differences. It follows the normal reference rule (Silverman 1986) for the differences with both
 * signs. sizes has room for n. */
static double kernel_width(const double *differences, size_t n, double *sizes)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sizes[i] = fabs(differences[i]);
        squares += sizes[i] * sizes[i];
    }
    stats_sort(sizes, n);
    const double quartiles = 2 * stats_quantile(sizes, n, 0.5); /* interquartile range with both signs */
    return 1.06 * fmin(sqrt(squares / (double)n), quartiles / 1.34) * pow(2 * (double)n, -0.2);
}

/* Returns a random number with mean 0 and standard deviation 1, nearly normal: the sum of three that are uniform. */
static double draw_kernel(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 3; i++)
        sum += (double)(stats_random(state) >> 11) * 0x1p-53;
    return 2 * (sum - 1.5);
}

/* Draws `pairs` values of noise like that of n differences (a smoothed bootstrap). They are not drawn from the
 * differences themselves, but from a resample of them, since another measurement would have had others. known has room
 * for n. */
static void draw_noise(const double *differences, size_t n, double width, double *known, double *drawn, size_t pairs,
                       uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        known[i] = differences[stats_random(state) % n];
    for (size_t i = 0; i < pairs; i++) {
        const uint64_t random = stats_random(state);
        const double of = known[(random >> 1) % n];
        drawn[i] = (random & 1 ? of : -of) + width * draw_kernel(state);
    }
}

/* Returns the least shift that, added to all drawn differences, makes a look (test during the measurement) claim a
 * difference. An earlier look may end the measurement without a claim, if its interval is at most `width` wide and
 * contains 0 after the shift. sorted has room for all differences. */
static double needed_shift(const double *drawn, double *sorted, const struct look *looks, size_t n_looks, double width)
{
    double needed = (double)INFINITY; /* least shift with which one of the later looks claims a difference */

    for (size_t i = n_looks; i-- > 0;) {
        const struct look *look = &looks[i];
        memcpy(sorted, drawn, look->n * sizeof(*sorted));
        stats_sort(sorted, look->n);
        const size_t means = look->n * (look->n + 1) / 2;
        const double low = look->interval ? mean_of_two(sorted, look->n, look->interval) : -(double)INFINITY;
        if (isfinite(low) && isfinite(needed) &&
            mean_of_two(sorted, look->n, means + 1 - look->interval) - low <= width)
            needed = fmax(needed, -low);
        if (look->claim && (isinf(needed) || count_up_to(sorted, look->n, -needed) < look->claim))
            needed = -mean_of_two(sorted, look->n, look->claim);
    }
    return needed;
}

double paired_least_effect(const double *differences, size_t n, const struct paired_plan *plan, double error,
                           double power)
{
    struct look looks[LOOKS_MAX] = {{plan->pairs, 0, 0}};
    const size_t pairs = plan->pairs, room = pairs > n ? pairs : n;
    FREED_BY(memory_free) double *drawn = malloc((room ? room : 1) * sizeof(*drawn));
    FREED_BY(memory_free) double *other = malloc((room ? room : 1) * sizeof(*other));
    FREED_BY(memory_free) double *needed = malloc(RESAMPLE * sizeof(*needed));
    size_t n_looks = 1;
    uint64_t state = SEED;
    bool ready = drawn && other && needed && all_finite(differences, n);

    if (ready && plan->sequential && pairs)
        ready = (n_looks = look_limits(pairs, error, looks)) > 0 &&
                (!(plan->narrow > 0) || !set_intervals(looks, n_looks, 1 - error));
    else if (ready)
        ready = !interval_begin(pairs, 1 - error, &looks[0].claim);
    const double width = ready ? kernel_width(differences, n, other) : 0;
    for (size_t r = 0; ready && r < RESAMPLE; r++) {
        draw_noise(differences, n, width, other, drawn, pairs, &state);
        needed[r] = needed_shift(drawn, other, looks, n_looks, plan->narrow);
    }
    if (!ready)
        return (double)NAN;
    stats_sort(needed, RESAMPLE);
    return isinf(needed[RESAMPLE - 1]) ? (double)INFINITY : stats_quantile(needed, RESAMPLE, power);
}
