/* SPDX-License-Identifier: MIT */
/* The slowest of N ranks, against closed forms. */

#include "memory_fixture.h"
#include "stats/stats.h"

#define US 1e3
#define MS 1e6

/* Detours that come together, by the time of work in which they were counted. */
struct detour_kind {
    const struct stats_point *lengths; /* at: length in ns, value: number of detours */
    size_t n;
    double work_ns;
    bool periodic;
};

/* A host with them, until the next one but seven. */
static struct project_host host_of(const struct detour_kind *kinds, size_t n)
{
    static struct project_detour detours[8][200000];
    static unsigned next;
    struct project_host host = {.detours = detours[next++ % 8]};

    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < kinds[k].n; i++)
            if (kinds[k].lengths[i].value > 0)
                detours[(next - 1) % 8][host.n++] = (struct project_detour){
                    kinds[k].lengths[i].at, kinds[k].lengths[i].value / kinds[k].work_ns, kinds[k].periodic};
    return host;
}

static double slowdown_of(const struct detour_kind *detours, size_t n, double step_ns, double ranks)
{
    const struct project_host host = host_of(detours, n);
    double slowdown = NAN;

    project_slowdown_on(0, &host, 1, &step_ns, 1, &ranks, 1, &slowdown);
    return slowdown;
}

static void expect_near(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%.9g, expected %.9g (off by %.3g %%)", got, expected, 100 * (got / expected - 1));
}

/* --- Closed forms. --- */

TEST(test_project_no_noise_costs_nothing)
{
    const struct stats_point none = {5 * US, 0};
    const struct detour_kind detours = {&none, 1, 1e9, false};

    expect_near(slowdown_of(NULL, 0, MS, 1e6), 1, 1e-12);
    expect_near(slowdown_of(&detours, 1, MS, 1e6), 1, 1e-12);
}

/* A single rank does not wait: its slowdown is its own loss. */
TEST(test_project_one_rank_loses_the_mean)
{
    const struct stats_point lengths[] = {{3 * US, 2000}, {11.7 * MS, 2}, {70 * US, 30}};
    const struct detour_kind detours = {lengths, 3, 1e9, false};
    const double lost = (3 * US * 2000 + 70 * US * 30 + 11.7 * MS * 2) / 1e9;

    for (double step = 10 * US; step < 200 * MS; step *= 10)
        expect_near(slowdown_of(&detours, 1, step, 1) - 1, lost, 1e-4);
}

/* A detour of constant length at even distances, P: a step of 2.5 P has two of them or three. */
TEST(test_project_constant_period)
{
    const struct stats_point length = {20 * US, 1000};
    const struct detour_kind detours = {&length, 1, 1e9, true};

    for (double ranks = 1; ranks <= 1e6; ranks *= 10) {
        expect_near(slowdown_of(&detours, 1, 3 * MS, ranks), 1 + 3 * 20 * US / (3 * MS), 1e-4);
        expect_near(slowdown_of(&detours, 1, 2.5 * MS, ranks), 1 + 20 * US * (2 + 1 - pow(0.5, ranks)) / (2.5 * MS),
                    1e-4);
    }
}

/* A step of 3 ms has three detours; half of the ranks have a fourth one with probability 0.6, and half none. */
TEST(test_project_periods_of_unlike_hosts)
{
    const struct stats_point length = {20 * US, 1200};
    const struct detour_kind kind = {&length, 1, 1e9, true};
    const struct project_host unlike[] = {host_of(&kind, 1), {.n = 0}};
    const double step = 3 * MS;

    for (double ranks = 2; ranks <= 1e6; ranks *= 10) {
        double slowdown = NAN;
        project_slowdown_on(0, unlike, 2, &step, 1, &ranks, 1, &slowdown);
        expect_near(slowdown, 1 + 20 * US * (3 + 1 - pow(0.4, ranks / 2)) / step, 1e-4);
    }
}

/* None or one: 1 - (1-p)^N of the steps have it. */
TEST(test_project_bernoulli_detours)
{
    const struct stats_point length = {300 * US, 10};
    const struct detour_kind detours = {&length, 1, 10e9, true};

    for (double ranks = 1; ranks <= 1e6; ranks *= 10)
        expect_near(slowdown_of(&detours, 1, MS, ranks) - 1, -expm1(ranks * log1p(-MS / 1e9)) * 300 * US / MS, 1e-3);
}

/* One detour a step, of exponential length: the greatest of N has the mean 1 + 1/2 + ... + 1/N times that of one. */
TEST(test_project_exponential_lengths)
{
    enum { BINS = 200000 };
    struct stats_point *lengths = calloc(BINS, sizeof(*lengths));
    const double mean = 50 * US;
    double harmonic = 0;

    assert_non_null(lengths);
    for (size_t i = 0; i < BINS; i++) {
        double low = 40 * mean * (double)i / BINS, high = 40 * mean * (double)(i + 1) / BINS;
        lengths[i] = (struct stats_point){(low + high) / 2, 1e15 * (exp(-low / mean) - exp(-high / mean))};
    }
    const struct detour_kind detours = {lengths, BINS, 1e15 * MS, true};
    for (unsigned n = 1; n <= 100000; n++) {
        harmonic += 1.0 / n;
        if (n == 1 || n == 10 || n == 1000 || n == 100000)
            expect_near(slowdown_of(&detours, 1, MS, n) - 1, harmonic * mean / MS, 2e-3);
    }
    free(lengths);
}

/* Poisson numbers of equal detours: the sum over k of 1 - P(at most k)^N. */
TEST(test_project_poisson_numbers)
{
    const struct stats_point length = {25 * US, 1500};
    const struct detour_kind detours = {&length, 1, 1e9, false};

    for (double ranks = 1; ranks <= 1e6; ranks *= 100) {
        double number = 2 * MS * 1500 / 1e9, p = exp(-number), below = p, expected = 0;
        for (int k = 0; k < 100; k++) {
            expected += -expm1(ranks * log(below < 1 ? below : 1));
            p *= number / (k + 1);
            below += p;
        }
        expect_near(slowdown_of(&detours, 1, 2 * MS, ranks) - 1, expected * 25 * US / (2 * MS), 1e-3);
    }
}

/* --- Hosts. --- */

/* The ranks are spread evenly over the hosts. */
TEST(test_project_hosts_have_equal_shares)
{
    const struct stats_point length = {100 * US, 100};
    const struct detour_kind detours = {&length, 1, 1e9, false};
    const struct project_host mixed[] = {host_of(&detours, 1), {.n = 0}, {.n = 0}, {.n = 0}};
    const double step = MS, all = 400;
    double slowdown;

    project_slowdown_on(0, mixed, 4, &step, 1, &all, 1, &slowdown);
    expect_near(slowdown, slowdown_of(&detours, 1, MS, 100), 1e-3);
}

/* --- The share of the core. --- */

static double slowdown_with(const struct stats_point *shares, size_t n, double ranks)
{
    const struct stats_point length = {20 * US, 1000};
    const struct detour_kind detours = {&length, ranks > 1 ? 0 : 1, 1e9, false};
    struct project_host host = host_of(&detours, 1);
    const double step = MS;
    double slowdown = NAN;

    host.shares = shares;
    host.n_shares = n;
    project_slowdown_on(0, &host, 1, &step, 1, &ranks, 1, &slowdown);
    return slowdown;
}

/* With 60 % of the core the work takes 1/0.6 as long, and meets that many more detours: 2 % of noise. */
TEST(test_project_a_share_of_the_core_slows_down)
{
    const struct stats_point part = {0.6, 5}, all = {1, 3};

    expect_near(slowdown_with(&part, 1, 1), 1.02 / 0.6, 1e-6);
    expect_near(slowdown_with(&part, 1, 1e6), 1 / 0.6, 1e-4);
    expect_near(slowdown_with(&all, 1, 1), 1.02, 1e-6);
    expect_near(slowdown_with(&all, 1, 1e6), 1, 1e-4);
}

/* Three of four steps of a rank have the core to themselves, the others half of it: the slowest of N ranks has half
 * unless all of them are lucky. */
TEST(test_project_the_slowest_rank_has_the_least_share)
{
    const struct stats_point shares[] = {{0.5, 1}, {1, 3}};

    expect_near(slowdown_with(shares, 2, 1), 1.02 * 1.25, 1e-6);
    for (double ranks = 2; ranks < 100; ranks *= 3)
        expect_near(slowdown_with(shares, 2, ranks), 2 - pow(0.75, ranks), 1e-4);
}

/* The slowest rank is on the host that has a neighbour. */
TEST(test_project_hosts_with_and_without_a_neighbour)
{
    const struct stats_point part = {0.8, 1};
    const struct project_host hosts[] = {{.n = 0}, {.shares = &part, .n_shares = 1}};
    const double step = MS, ranks = 100;
    double slowdown;

    project_slowdown_on(0, hosts, 2, &step, 1, &ranks, 1, &slowdown);
    expect_near(slowdown, 1.25, 1e-4);
}
