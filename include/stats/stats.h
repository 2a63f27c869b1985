/* SPDX-License-Identifier: MIT */
/* Statistics: pure functions without clock, input or output. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats_point {
    double at, value;
};

/* Mean and variance in one pass (Welford 1962), mergeable (Chan, Golub, LeVeque 1979). All zero is empty. */
struct stats_running {
    uint64_t n;
    double mean, m2, min, max;
};
void stats_add(struct stats_running *s, double value);
struct stats_running stats_running_of(const double *values, size_t n);
void stats_merge(struct stats_running *into, const struct stats_running *other);
double stats_sd(const struct stats_running *s); /* returns the standard deviation (divides by n - 1); NAN below two
                                                 * values */

/* Returns quantile p (0..1) of n sorted values by linear interpolation between order statistics (Hyndman and Fan's
 * type 7). NAN when n is 0. */
double stats_quantile(const double *sorted, size_t n, double p);

/* Returns the two-sided critical value of Student's t: P(|T| <= t) = confidence (0..1, e.g. 0.95), df >= 1. */
double stats_student_t(double confidence, double df);
/* Returns the two-sided probability P(|T| > |t|), df >= 1. NAN when t is. */
double stats_student_p(double t, double df);

/* Returns the next number of a pseudo-random sequence, from any seed: splitmix64 (Steele, Lea, Flood 2014). */
uint64_t stats_random(uint64_t *state);

/* Returns the median absolute deviation from the median, not scaled. Sorts scratch (n values). NAN when n is 0. */
double stats_mad(const double *values, size_t n, double *scratch);

/* Sorts the values, with NAN last. */
void stats_sort(double *values, size_t n);
/* Returns the mean of n values; 0 when n is 0. */
double stats_mean(const double *values, size_t n);
/* Sorts the values and returns their median. NAN when n is 0. */
double stats_median(double *values, size_t n);

/* Summary of a row's values. NAN is 'not known': sd below two values, the interval below five, a percentile p with
 * fewer than 1/(1-p) values (p90 and above; the median of one value is that value), rsd_pct also at mean 0. ci95 is
 * the interval of the mean by Student's t. rsd_pct is 100 sd / |mean|. */
struct stats_summary {
    uint64_t n;
    double mean, sd, rsd_pct, ci95_lo, ci95_hi, min, median, mad, p90, p99, p999, max;
};
/* Summarises n values. Returns 0, or -1 when out of memory. When n is 0 everything is NAN. */
int stats_summarise(const double *values, size_t n, struct stats_summary *out);

/* Computes the interval of the mean of n values by Student's t; confidence is e.g. 0.95. NAN below five values. */
void stats_mean_interval(const double *values, size_t n, double confidence, double *low, double *high);

/* Returns the ratio of the means of a and b, with its 95 % interval by the delta method on its logarithm: the
 * squares of the relative standard errors add up, the degrees of freedom are Welch's. The interval is NAN below five
 * values a side, or where a mean is not positive. */
double stats_ratio_of_means(const struct stats_summary *a, const struct stats_summary *b, double *low, double *high);

/* --- A histogram in constant memory, plain data. Above base HIST_LINEAR bins of width 1, then HIST_SUB bins per
 * doubling of the distance, at most 1/64 of it wide; these, underflow and overflow keep exact sums: the mean is
 * exact, and a bin's mean stands for its values. --- */

#define HIST_LINEAR  65536u
#define HIST_SUB     64u /* log-linear bins per octave */
#define HIST_OCTAVES 32u /* range of the log-linear bins: base + 2^16 to base + 2^48; 2^48 ns are 78 hours */
#define HIST_LOG     (HIST_SUB * HIST_OCTAVES)

struct hist {
    uint64_t base;
    uint64_t width; /* width of the bins of the linear part */
    uint64_t n, underflow, overflow;
    uint64_t min, max;       /* exact smallest and largest value; undefined when n is 0 */
    double sum, sum_squares; /* sums of value - base, so that large bases lose no digits, and of its square; underflow
                              * and overflow are included */
    double underflow_sum, overflow_sum; /* sums of the values themselves */
    uint64_t linear[HIST_LINEAR];
    uint64_t log[HIST_LOG];
    double log_sum[HIST_LOG]; /* sums of the values themselves, by bin */
};

/* Empties the histogram. A base above 2^64 - 2^48 is lowered to about that, so that no limit of a bin wraps round. */
void hist_init(struct hist *h, uint64_t base);
/* Empties the histogram, with base 0 and classes of this width, from 1 to 2^15. hist_add_class() adds to it. */
void hist_init_classes(struct hist *h, uint64_t width);

/* Adds a value to a histogram made by hist_init(). It is called in measuring loops, so it is inline and does not
 * divide. */
static inline void hist_add(struct hist *h, uint64_t value);
/* Adds a value to a histogram made by hist_init() or hist_init_classes(). */
void hist_add_class(struct hist *h, uint64_t value);

/* Adds the events of another histogram. Exact when bases and widths are equal; otherwise all events of a bin are added
 * at the bin's mean. */
void hist_merge(struct hist *into, const struct hist *other);

double hist_mean(const struct hist *h); /* returns the mean of all events; NAN when empty */
double hist_sd(const struct hist *h);   /* returns the standard deviation (divides by n - 1); NAN below two events */
/* Returns quantile p as stats_quantile() would if all values of a bin were equal to hist_bin.mean: exact in a linear
 * part of width 1. NAN when empty. */
double hist_quantile(const struct hist *h, double p);
/* The 95 % interval of quantile p by order statistics, for any distribution. clustering: how many times as large as for
 * independent events the variance of the number below p is (Woodruff 1952). NAN when a rank is beyond the events. */
void hist_quantile_interval(const struct hist *h, double p, double clustering, double *low, double *high);
/* Returns the mean of this share (0..1) of the events, the largest ones; of one at least. NAN when empty. */
double hist_top_mean(const struct hist *h, double share);
double hist_mad(const struct hist *h); /* returns the median absolute deviation from the median; NAN when empty */

/* Counts the events with low < value <= high and sums their values, as if all values of a bin were equal to
 * hist_bin.mean. exact is false when a limit falls inside a bin that is wider than 1 and holds more than one event. */
struct hist_range {
    uint64_t count;
    double sum;
    bool exact;
};
struct hist_range hist_range(const struct hist *h, double low, double high);

/* Iterates over the non-empty bins in rising order. Start with *position 0; returns false at the end. low is the lower
 * limit of the bin, mean and sum are those of its values. Underflow comes first (low = min), overflow last. */
struct hist_bin {
    uint64_t low, count;
    uint64_t first, last; /* lowest and highest possible value of the bin */
    double mean, sum;
};
bool hist_next(const struct hist *h, size_t *position, struct hist_bin *out);

static inline void hist_add(struct hist *h, uint64_t value)
{
    uint64_t offset = value - h->base; /* a value below base wraps round to a huge offset, and so fails the test */
    if (__builtin_expect(offset < HIST_LINEAR, 1)) {
        double x = (double)offset;
        h->linear[offset]++;
        h->n++;
        h->sum += x;
        h->sum_squares += x * x;
        if (value < h->min)
            h->min = value;
        if (value > h->max)
            h->max = value;
    } else {
        hist_add_class(h, value);
    }
}

/* Finds series of events that recur with a period, such as timer ticks, among events at other times. Finds a
 * series' period and phase, and marks its events. Times are in units of the caller, for instance ticks of a clock. Pure
 * functions on arrays of the caller. */

struct periodic_event {
    uint64_t at, length; /* start and length, in the caller's unit of time */
    unsigned periodic;   /* low 16 bits: number of the series that the event belongs to; 0: none */
    unsigned moved;      /* the caller's: by so much the start is put off */
};

struct periodic {
    double period, phase; /* the series' events are expected at phase + k * period */
    uint64_t length;      /* median length of its events */
    uint64_t shortest;    /* least length of an event that belongs to the series */
    size_t periods;       /* number of periods from the first event to the last */
    /* Share of the periods that have an event within 1/32 of a period from the expected time, less those that have one
     * by chance. Computed for all periods, for every second, ... and for every fifth one; this is the least of the
     * results. (All periods alone are not enough: a series of 4 ms has an event in every second period of 2 ms.) */
    double share;
};

/* Least number of periods: periodic_fit() finds no series in events that span fewer. */
#define PERIODIC_PERIODS_LEAST 50u

/* Fits a series whose period differs from `period` by at most the share `tolerance` to those of n events, by time, that
 * belong to no series yet. Its events are at most `reach` (less than half of the period) away from the expected time.
 * Returns false when there is none. The caller decides whether out->share is large enough.
 *
 * Only the longest events are looked at, four for each period: those of a series are alike, and short ones of other
 * origin may be many. The period is found by epoch folding: of a range of periods, the one whose phases, counted in
 * bins, have the highest bin (D. A. Leahy et al., Astrophys. J. 266, 1983, take chi-squared). Then period and phase
 * follow the median of the events nearby. */
bool periodic_fit(const struct periodic_event *events, size_t n, double period, double tolerance, double reach,
                  struct periodic *out);

/* Marks the events of the series with `number`: in each period the nearest one to the expected time, if it is at most
 * `reach` away, long enough, and belongs to no other series. Returns the number of events marked. */
size_t periodic_take(const struct periodic *periodic, struct periodic_event *events, size_t n, double reach,
                     unsigned number);

/* Finds outliers among many machines. Pure functions. */

/* Chance that at least one machine of a fleet of equal machines is called an outlier; each of the two rules below
 * gets half of it. */
#define OUTLIER_ALPHA 0.01
/* Minimum number of machines with a value for a metric to be judged. */
#define OUTLIER_HOSTS_LEAST 4

/* Median and spread of one metric over all machines. The spread is 1.4826 times the median absolute deviation (the
 * standard deviation for a normal distribution; Hampel 1974). Where all values are positive it is the spread of their
 * logarithms, so that a rate and its reciprocal are judged alike. */
struct outlier_metric {
    double median; /* median of the values themselves */
    double scale;  /* spread of the logarithms, or of the values divided by |median| */
    bool logarithmic;
    size_t n;
};

/* Computes median and spread of n machines' values (NAN: none); scratch has room for n. The scale is at least `least`,
 * the relative spread of the measurement itself (its standard error, the clock's resolution), since quantised values
 * have a deviation of 0. Returns false when fewer than OUTLIER_HOSTS_LEAST machines have a value, or the median is 0 or
 * not finite. */
bool outlier_measure(const double *values, size_t n, double least, double *scratch, struct outlier_metric *out);

/* Returns the distance of a value from the median in units of scale; positive above the median. */
double outlier_distance(const struct outlier_metric *metric, double value);
/* Returns the distance as a share of the median: 0.05 is 5 % above. */
double outlier_effect(const struct outlier_metric *metric, double value);

/* First rule, for a single metric: returns the distance (outlier_distance()) beyond which a value of a metric with
 * n_hosts machines is an outlier, of n_tests values judged: Student's t with Bonferroni's correction. The median
 * absolute deviation is as good as the standard deviation of 0.37 times as many values, which gives the degrees of
 * freedom. */
double outlier_threshold(size_t n_hosts, size_t n_tests);

/* Second rule, for many metrics together: returns in how many of them a machine must be the worst of all to be an
 * outlier. Among equal machines each is the worst in one of n_hosts metrics by chance. Returns more than n_metrics
 * when no number is enough. */
size_t outlier_worst_threshold(size_t n_hosts, size_t n_metrics);
/* The same where not every machine has every metric: returns whether a machine that is the worst in `count` of its
 * n_metrics metrics is so more often than by chance. share: the mean, over its metrics, of one over the number of
 * machines that have it (at least as cautious as the exact distribution: Hoeffding 1956). */
bool outlier_worst_too_often(size_t n_hosts, size_t n_metrics, double share, size_t count);

/* Estimates from the noise of one CPU the slow-down of N ranks that work in steps with a barrier after each: a step
 * takes as long as its slowest rank (Petrini, Kerbyson, Pakin 2003; Hoefler, Schneider, Lumsdaine 2010). Pure
 * functions. */

/* Detours of one length. They come at random times (a Poisson process), or periodically with an unknown phase (a
 * timer). */
struct project_detour {
    double ns, per_ns; /* both above 0; per_ns: how many in a ns of work, the time without detours */
    bool periodic;
};

/* One machine; all have the same share of the ranks, which are independent of each other. A rank works at the speed of
 * its share of the core, which is drawn anew for each step. */
struct project_host {
    const struct project_detour *detours;
    size_t n;
    const struct stats_point *shares; /* at: share, above 0, at most 1; value: how often it occurs, above 0 */
    size_t n_shares;                  /* 0: each rank has its core to itself */
};

#define PROJECT_STEPS_MAX 32
#define PROJECT_RANKS_MAX 64

/* The expected time of a step of step_ns[s] of work on ranks[r] ranks, as a multiple of it, into
 * slowdown[s * n_ranks + r]: 1 + E[max of the ranks' delays] / step (a rank's delay is the time of its detours, plus
 * the time by which its work takes longer because others use the core), where E[max] = integral of 1 - F(t)^N. F comes
 * from the measured lengths by Fourier transform (compound Poisson; n-fold convolution), on a grid that preserves the
 * mean exactly. Detours too rare to occur in the measured time are missing. points: the most of the grid (a power of 2;
 * 0: as many as useful); fewer are coarser and faster. Steps and ranks are above 0. Ends the program when out of
 * memory. */
void project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                         size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown);

/* Finds the places at which the level of a sequence of values changes. Pure functions. */

/* Least number of values on each side of a change point, so that a single outlier is not taken for one. */
#define CHANGE_POINTS_SIDE 3u

/* Finds the change points of n finite values, in ascending order: at[i] is the index of the first value after the
 * change. at has room for n / CHANGE_POINTS_SIDE. If nothing changes, the chance that a point is found is at most alpha
 * (more than 0, less than 1). The same seed gives the same result. Returns their number, or SIZE_MAX when out of
 * memory.
 *
 * The method is E-divisive means (Matteson, James 2014): a segment is split where the energy distance between the
 * values before and after is largest, if it is larger than in random permutations of the segment; then its parts
 * likewise. In one dimension this distance is 2 * integral of (F - G)^2, F and G being the distribution functions of
 * the two sides (Székely, Rizzo 2013), here of counts in classes of equal width. Values beyond Tukey's fences (1.5
 * interquartile ranges from the quartiles) count as on the fence, so that a wild one neither hides a change nor is one.
 */
size_t change_points(const double *values, size_t n, double alpha, uint64_t seed, size_t *at);

#endif
