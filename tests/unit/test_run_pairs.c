/* SPDX-License-Identifier: MIT */
/* When commands that take turns have enough runs, --fail-on, and how often a run with early stopping claims a
 * difference that is not there. `make stats` simulates 2000 runs of each kind, the test a few. */

#include "../test.h"
#include "analysis/compare_commands.h"
#include "cmd/run.h"
#include "normal_fixture.h"
#include "row_fixture.h"
#include "said.h"

#define SECOND    UINT64_C(1000000000)
#define RUNS_MOST 400
#define MADE_UP   10

/* --- Runs that are made up. --- */

/* Some commands, and the time that they take. */
struct made_up {
    double margin; /* logarithm of the ratio by which difference_of() tests */
    size_t n, runs;
    struct command_params params[MADE_UP];
    struct plan_item items[MADE_UP];
    double samples[MADE_UP][RUNS_MOST];
    const double *of[MADE_UP];
    uint64_t each_ns, limit_ns;
};

static void make(struct made_up *run, size_t n, uint64_t limit_ns)
{
    memset(run, 0, sizeof(*run));
    run->n = n;
    run->each_ns = SECOND;
    run->limit_ns = limit_ns;
    for (size_t i = 0; i < n; i++) {
        run->items[i] = (struct plan_item){.params = &run->params[i], .copies = 1, .sampling = {.precision_pct = 0.5}};
        run->of[i] = run->samples[i];
    }
}

/* Adds a block A B B A of these times. Returns whether the run ends with it. */
static bool add_block(struct made_up *run, const double *first, const double *second)
{
    assert_true(run->runs + 2 <= RUNS_MOST);
    for (size_t i = 0; i < run->n; i++) {
        run->samples[i][run->runs] = first[i];
        run->samples[i][run->runs + 1] = second[i];
    }
    run->runs += 2;
    const struct plan_samples samples = {
        .of = run->of, .n = run->runs, .spent_ns = run->runs * run->n * run->each_ns, .limit_ns = run->limit_ns};
    return run_enough(run->items, run->n, &samples);
}

/* Adds blocks in which the second takes as many times as long as `ratio` says, and both vary by `spread`, until it
 * ends. Returns the number of blocks. */
static size_t run_to_end(struct made_up *run, double ratio, double spread)
{
    for (size_t blocks = 1;; blocks++) {
        double times[2][MADE_UP];
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < run->n; i++)
                times[k][i] = (i == 1 ? ratio : 1) * exp(spread * normal());
        if (add_block(run, times[0], times[1]))
            return blocks;
    }
}

static struct command_difference difference_of(const struct made_up *run, size_t i)
{
    struct command_difference d;

    assert_int_equal(commands_differ(run->samples[0], run->samples[i], run->runs, (size_t)run->params[i].planned,
                                     run->margin, 0.05, &d),
                     0);
    return d;
}

/* --- When it ends. --- */

TEST(test_run_pairs_end_when_a_difference_is_sure)
{
    struct made_up run;

    seed = 1;
    make(&run, 2, 400 * SECOND); /* 100 blocks of 4 s */
    const size_t blocks = run_to_end(&run, 1.2, 0.02);
    assert_in_range(blocks, 8, 15);
    assert_int_equal(run.params[0].planned, 100);
    assert_int_equal(run.params[1].planned, 100);
    assert_true(difference_of(&run, 1).claimed);
}

/* Alike, and each known to half a per cent. */
TEST(test_run_pairs_end_when_no_difference_is_left_to_find)
{
    struct made_up run;

    seed = 2;
    make(&run, 2, 400 * SECOND);
    const size_t blocks = run_to_end(&run, 1, 0.005);
    const struct command_difference d = difference_of(&run, 1);
    assert_in_range(blocks, 8, 20);
    assert_true(d.logs.high - d.logs.low <= 0.013 && d.logs.low <= 0 && d.logs.high >= 0 && !d.claimed);
}

/* With a large spread neither is known, and the time ends it, but not before there are six blocks. */
TEST(test_run_pairs_end_when_the_time_is_over)
{
    struct made_up run;

    seed = 4;
    make(&run, 2, 200 * SECOND);
    assert_int_equal(run_to_end(&run, 1, 0.2), 50);
    make(&run, 2, SECOND);
    assert_int_equal(run_to_end(&run, 1, 0.2), 6);
    assert_int_equal(run.params[1].planned, 6);
    /* The commands take longer than they did at first. */
    make(&run, 2, 200 * SECOND);
    for (size_t i = 0; i < 6; i++)
        assert_false(add_block(&run, (const double[]){1, 1}, (const double[]){1.2, 0.8}));
    run.each_ns *= 10;
    assert_true(add_block(&run, (const double[]){1, 1}, (const double[]){1.2, 0.8}));
}

/* With three, the one that differs does not end it while the other one is open; one that has failed is not waited for.
 * Commands of other numbers of copies are not compared. */
TEST(test_run_pairs_end_when_all_are_settled)
{
    struct made_up run;

    seed = 5;
    make(&run, 3, 600 * SECOND);
    assert_int_equal(run_to_end(&run, 2, 0.1), 100);
    make(&run, 3, 600 * SECOND);
    run.of[2] = NULL;
    assert_in_range(run_to_end(&run, 2, 0.1), 8, 15);
    make(&run, 3, 600 * SECOND);
    run.of[0] = NULL;
    assert_in_range(run_to_end(&run, 2, 0.1), 8, 15);
    make(&run, 3, 600 * SECOND);
    run.items[2].copies = 2;
    assert_in_range(run_to_end(&run, 2, 0.1), 8, 15);
}

/* With slower:50 a command that takes twice as long is found out as fast as without a limit, and one that takes 20 %
 * longer too, as below it. With changed:50 both limits are tested: the sides of 0.5 and 1.5. */
TEST(test_run_pairs_end_by_the_margin)
{
    struct made_up run;

    seed = 6;
    make(&run, 2, 400 * SECOND);
    run.margin = log(1.5);
    assert_true(fail_on_add(&run.params[1].fail_on, "slower", 50));
    assert_in_range(run_to_end(&run, 2, 0.05), 8, 15);
    assert_true(difference_of(&run, 1).claimed && difference_of(&run, 1).logs.low > log(1.5));
    make(&run, 2, 400 * SECOND);
    run.margin = log(1.5);
    assert_true(fail_on_add(&run.params[1].fail_on, "slower", 50));
    assert_in_range(run_to_end(&run, 1.2, 0.05), 8, 15);
    assert_true(difference_of(&run, 1).claimed && difference_of(&run, 1).logs.high < log(1.5));
    for (int k = 0; k < 2; k++) {
        make(&run, 2, 400 * SECOND);
        assert_true(fail_on_add(&run.params[1].fail_on, k ? "changed" : "slower", 50));
        const size_t blocks = run_to_end(&run, 0.5, 0.05);
        run.margin = log(0.5);
        assert_true(k ? blocks > 15 && !difference_of(&run, 1).claimed : blocks < 15);
    }
}

/* As much slower as the limit: nothing is left to find. */
TEST(test_run_pairs_end_at_the_margin)
{
    struct made_up run;

    seed = 2;
    make(&run, 2, 400 * SECOND);
    assert_true(fail_on_add(&run.params[1].fail_on, "slower", 50));
    assert_in_range(run_to_end(&run, 1.5, 0.005), 8, 20);
}

/* A command against itself does not end by what seems to be a difference. */
TEST(test_run_pairs_of_itself_end_when_narrow)
{
    struct made_up run;

    seed = 7;
    make(&run, 2, 400 * SECOND);
    run.params[0].aa = run.params[1].aa = true;
    assert_int_equal(run_to_end(&run, 1.2, 0.1), 100);
    make(&run, 2, 400 * SECOND);
    run.params[0].aa = run.params[1].aa = true;
    assert_in_range(run_to_end(&run, 1, 0.005), 8, 20);
}

/* Times of 0 give no ratio, and end nothing early. */
TEST(test_run_pairs_without_times)
{
    struct made_up run;

    make(&run, 2, 40 * SECOND);
    for (size_t i = 1; i < 10; i++)
        assert_false(add_block(&run, (const double[]){1, 0}, (const double[]){0, 0}));
    assert_true(add_block(&run, (const double[]){1, 0}, (const double[]){0, 0}));
}

/* --- Simulated runs. --- */

/* The machine drifts by 20 % in a time of ten runs or so, one run in ten is disturbed and takes up to twice as long,
 * and all vary by 3 %. noise: factor of all that. */
static double level, noise = 1;
static double machine(void)
{
    level = 0.9 * level + 0.09 * normal();
    return exp(noise * (level + 0.03 * normal() + (uniform() < 0.1 ? uniform() * log(2) : 0)));
}

/* Counts of the outcomes of simulated runs. */
struct outcomes {
    unsigned claimed, wrong, covered, blocks;
};

/* Makes a whole run of blocks of 4 s on that machine. Returns the number of blocks. */
static size_t run_on_machine(struct made_up *run, double ratio, bool aa, uint64_t limit_ns)
{
    make(run, 2, limit_ns);
    run->params[0].aa = run->params[1].aa = aa;
    for (size_t blocks = 1;; blocks++) {
        const double a1 = machine(), b1 = ratio * machine(), b2 = ratio * machine(), a2 = machine();
        if (add_block(run, (const double[]){a1, b1}, (const double[]){a2, b2}))
            return blocks;
    }
}

static struct outcomes simulate(unsigned runs, double ratio)
{
    struct outcomes seen = {0};

    for (unsigned r = 0; r < runs; r++) {
        struct made_up run;
        seen.blocks += (unsigned)run_on_machine(&run, ratio, false, 160 * SECOND);
        const struct command_difference d = difference_of(&run, 1);
        const bool apart = d.logs.low > 0 || d.logs.high < 0;
        seen.claimed += d.claimed && apart;
        seen.wrong += d.claimed && (ratio > 1 ? d.logs.high < 0 : ratio < 1 ? d.logs.low > 0 : apart);
        seen.covered += d.logs.low <= log(ratio) && d.logs.high >= log(ratio);
    }
    printf("%u runs of ratio %g: %u claims, %u of them false, interval right %.1f %%, %.1f blocks\n", runs, ratio,
           seen.claimed, seen.wrong, 100.0 * seen.covered / runs, (double)seen.blocks / runs);
    return seen;
}

TEST(test_run_pairs_false_claims_of_whole_runs)
{
    const bool all_of_it = getenv("JITBENCH_STATS") != NULL;
    const unsigned runs = all_of_it ? 2000 : 12;

    seed = 8;
    level = 0;
    const struct outcomes none = simulate(runs, 1), few = simulate(runs, 1.08), some = simulate(runs, 1.2);
    if (!all_of_it) {
        assert_true(none.wrong <= 2 && some.wrong == 0);
        assert_true(few.claimed >= none.claimed && some.claimed >= 8 && some.blocks < none.blocks);
        return;
    }
    assert_true(none.wrong <= runs * 0.06); /* 5 %, and two standard errors */
    assert_true(none.covered >= runs * 0.93 && none.covered <= runs * 0.97);
    assert_true(few.covered >= runs * 0.93 && few.covered <= runs * 0.97 && few.wrong <= runs * 0.01);
    assert_true(some.wrong <= runs * 0.01 && some.claimed >= runs * 0.8);
    assert_true(some.covered >= runs * 0.93 && some.covered <= runs * 0.97);
}

/* Simulates a command against itself, and then one that is slower by the least effect that this run gives: with as much
 * time. Returns how many of the latter are found. */
static unsigned find_least_effect(unsigned runs, double noise_of, uint64_t limit_ns)
{
    double sum = 0;
    unsigned found = 0;

    noise = noise_of;
    for (unsigned r = 0; r < runs; r++) {
        struct made_up run;
        (void)run_on_machine(&run, 1, true, limit_ns);
        struct command_difference itself;
        assert_int_equal(commands_differ(run.samples[0], run.samples[1], run.runs, 0, 0, COMMANDS_ERROR, &itself), 0);
        const double least =
            paired_least_effect(&itself.logs, (size_t)run.params[1].planned, true, 0.01, COMMANDS_ERROR, 0.8);
        (void)run_on_machine(&run, exp(least), false, limit_ns);
        const struct command_difference d = difference_of(&run, 1);
        found += d.claimed && d.logs.low > 0;
        sum += least;
    }
    printf("least effect of %u runs of at most %g s, noise %g: %.2f %%, found in %.1f %%\n", runs,
           (double)limit_ns / SECOND, noise, 100 * sum / runs, 100.0 * found / runs);
    noise = 1;
    return found;
}

/* The least effect that --aa prints is found in at least 80 % of measurements: also by runs that end early, after few
 * pairs, or because the intervals are soon narrow enough. It is found more often, up to 85 %, where the noise is small:
 * the kernel that smooths the noise widens it. */
TEST(test_run_pairs_least_effect_is_found)
{
    const bool all_of_it = getenv("JITBENCH_STATS") != NULL;
    const unsigned runs = all_of_it ? 1000 : 8;
    const struct {
        double noise;
        uint64_t limit_s;
    } cases[] = {{1, 160}, {1, 40}, {0.1, 160}};

    seed = 9;
    level = 0;
    for (size_t i = 0; i < (all_of_it ? 3 : 1); i++) {
        const unsigned found = find_least_effect(runs, cases[i].noise, cases[i].limit_s * SECOND);
        if (all_of_it)
            assert_in_range(found, runs * 0.775, runs * 0.87); /* 80 to 85 %, and two standard errors */
        else
            assert_in_range(found, 4, 8); /* fewer by chance once in 100 seeds */
    }
}

/* --- Builds of a side. --- */

/* Measures `each` builds of two sides in turns, whose layouts differ by so much, on that machine. */
static struct command_difference run_builds(size_t each, double layout, double effect, size_t *rounds)
{
    static struct made_up run;
    struct comparison_run runs[2][MADE_UP];
    struct command_difference d;
    double factor[MADE_UP], times[2][MADE_UP];

    make(&run, 2 * each, 200 * each * SECOND);
    for (size_t i = 0; i < run.n; i++) {
        run.items[i].test = i % 2 ? "head" : "base";
        run.params[i].build = (unsigned)(i / 2) + 1;
        factor[i] = exp(layout * normal() + (i % 2 ? effect : 0));
    }
    do {
        for (size_t i = 0; i < run.n; i++)
            times[0][i] = factor[i] * machine();
        for (size_t i = run.n; i-- > 0;)
            times[1][i] = factor[i] * machine();
    } while (!add_block(&run, times[0], times[1]));
    for (size_t i = 0; i < run.n; i++)
        runs[i % 2][i / 2] = (struct comparison_run){.samples = run.samples[i], .n = run.runs};
    commands_builds_differ(&(struct comparison_side){runs[0], each}, &(struct comparison_side){runs[1], each}, 0,
                           COMMANDS_ERROR, &d);
    *rounds += run.runs;
    return d;
}

/* The table of jitbench-run(1), BUILDS. */
TEST(test_run_pairs_builds_of_sides)
{
    static const double layouts[] = {0.005, 0.01, 0.015, 0.02}, effects[] = {0, 0.01, 0.02, 0.05};
    const bool all_of_it = getenv("JITBENCH_STATS") != NULL;
    const unsigned runs = all_of_it ? 2000 : 20;

    seed = 10;
    level = 0;
    noise = 0.2;
    for (size_t each = 3; each <= 5; each += 2)
        for (size_t i = all_of_it ? 0 : 3; i < 4; i++)
            for (size_t k = 0; k < 4; k++) {
                const unsigned n = k && all_of_it ? runs / 4 : runs;
                unsigned claimed = 0, held = 0;
                size_t rounds = 0;
                if (k && !all_of_it && each == 3)
                    continue;
                for (unsigned r = 0; r < n; r++) {
                    const struct command_difference d = run_builds(each, layouts[i], log1p(effects[k]), &rounds);
                    claimed += d.claimed;
                    held += d.logs.low <= log1p(effects[k]) && d.logs.high >= log1p(effects[k]);
                }
                printf("%zu builds a side, layout %.1f %%, %g %% slower: claimed %.1f %%, interval right %.1f %%, %zu "
                       "runs of each\n",
                       each, 100 * layouts[i], 100 * effects[k], 100.0 * claimed / n, 100.0 * held / n, rounds / n);
                if (!k)
                    assert_true(claimed <= n * (all_of_it ? 0.065 : 0.2));
                if (k == 3 && each == 5 && (all_of_it ? i < 3 : i == 3))
                    assert_true(claimed >= n * (all_of_it ? 0.9 : 0.5));
            }
    noise = 1;
}

/* One side alone ends when its builds are known; a build that failed is not waited for. */
TEST(test_run_pairs_builds_end_when_known)
{
    static struct made_up run;

    for (int sides = 1; sides <= 2; sides++) {
        seed = 11;
        make(&run, 3, 400 * SECOND);
        for (size_t i = 0; i < 3; i++) {
            run.items[i].test = sides == 2 && i == 1 ? "head" : "base";
            run.params[i].build = sides == 2 && i ? 1 : (unsigned)i + 1;
        }
        run.of[2] = sides == 2 ? NULL : run.of[2];
        assert_in_range(run_to_end(&run, 1.1, 0.001), 8, 8);
        run.runs = 0;
        assert_true(run_to_end(&run, 1, 0.05) > 20);
    }
}

/* --- --fail-on. --- */

static void set_row(struct row *row, const char *test, double level_of, size_t n)
{
    static const double around[] = {-0.01, 0.012, 0, 0.006, -0.005};

    *row = ROW(NULL, NAN, .test = test, .metric = "wall", .better = "lower");
    row->copies = 1;
    row->samples = malloc(n * sizeof(*row->samples));
    assert_non_null(row->samples);
    for (size_t i = 0; i < n; i++)
        row->samples[row->n_samples++] = level_of * (1 + around[(i + 2 * (size_t)test[0]) % 5]);
}

static int status_of(double level_of, const char *word, double percent)
{
    static struct measure m;
    struct row rows[2];
    static struct run_options options;

    options.command.fail_on = (struct fail_on){0};
    assert_true(!word || fail_on_add(&options.command.fail_on, word, percent));
    set_row(&rows[0], "A", 1, 40);
    set_row(&rows[1], "B", level_of, 40);
    m.rows = rows;
    m.n_rows = 2;
    const int status = run_fail(&m, &options);
    row_free(&rows[0]);
    row_free(&rows[1]);
    return status;
}

TEST(test_run_pairs_fail_on)
{
    static const struct {
        double level;
        const char *word;
        double percent;
        int status;
    } cases[] = {
        {1.1, "slower", NAN, EXIT_FINDING},   {1.1, "slower", 5, EXIT_FINDING},
        {1.1, "worse", 15, EXIT_DONE},        {1.0, "slower", NAN, EXIT_DONE},
        {0.9, "slower", NAN, EXIT_DONE},      {1.1, NULL, NAN, EXIT_DONE},
        {0.9, "faster", NAN, EXIT_FINDING},   {0.9, "faster", 8, EXIT_FINDING},
        {0.9, "faster", 10.5, EXIT_DONE},     {0.9, "faster", 500, EXIT_DONE},
        {1.1, "faster", NAN, EXIT_DONE},      {1.1, "changed", 5, EXIT_FINDING},
        {0.9, "changed", 5, EXIT_FINDING},    {0.9, "change", NAN, EXIT_FINDING},
        {1.1, "changed", 15, EXIT_DONE},      {1.0, "undecided", NAN, EXIT_DONE},
        {1.0, "undecided", 50, EXIT_DONE},    {1.0, "undecided", 0.01, EXIT_FINDING},
        {1.1, "undecided", 0.01, EXIT_DONE},  {0.0, "undecided", NAN, EXIT_FINDING},
        {0.0, "undecided", 50, EXIT_FINDING},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        if (status_of(cases[i].level, cases[i].word, cases[i].percent) != cases[i].status)
            fail_msg("case %zu: not %d", i, cases[i].status);
}

static const char *error_of(const char *word, size_t n, uint64_t samples)
{
    static struct measure m;
    static struct run_options options;
    struct commands c = {.m = &m, .options = &options, .n = n};
    static const struct option rows[] = {{.name = "samples"}};

    said.text[0] = '\0';
    options.command.fail_on = (struct fail_on){0};
    assert_true(!word || fail_on_add(&options.command.fail_on, word, NAN));
    m.options.samples = samples;
    m.tables[0] = (struct option_table){.rows = rows, .n = 1, .given = {samples > 0}};
    m.n_tables = 1;
    const int result = run_check_fail_on(&c);
    assert_int_equal(result, said.text[0] ? EXIT_USAGE : 0);
    return said.text;
}

TEST(test_run_pairs_fail_on_can_find)
{
    assert_string_equal(error_of("slower", 2, 12), "");
    assert_string_equal(error_of("slower", 3, 0), "");
    assert_string_equal(error_of(NULL, 1, 0), "");
    assert_string_equal(error_of("slower", 1, 0), "--fail-on needs two commands or more");
    assert_string_equal(error_of("slower", 2, 10),
                        "--fail-on needs --samples 12 or more: fewer than 6 pairs cannot show a difference");
}
