/* SPDX-License-Identifier: MIT */
/* Requirements: their form, names and units, and the judging of made-up rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cmd/cmd.h"
#include "fixture.h"
#include "out/out.h"
#include "row_fixture.h"
#include "sys/process.h"

static struct requirements set;
static struct error error;

static int begin(void **state)
{
    set = (struct requirements){.metrics = metrics_table(), .clock_unit = "cycles"};
    return 0;
}

static int end(void **state)
{
    requirements_free(&set);
    return 0;
}

static struct requirement *added(const char *text)
{
    if (requirements_add(&set, text, &error))
        fail_msg("%s: %s", text, error.text);
    return &set.of[set.n - 1];
}

static void refused(const char *text, const char *why)
{
    const size_t n = set.n;

    assert_int_equal(requirements_add(&set, text, &error), -1);
    assert_string_equal(error.text, why);
    assert_int_equal(set.n, n);
}

TEST_WITH(test_require_reads_all_forms, begin, end)
{
    struct requirement *r = added("prime/cycles.p99<500");

    assert_string_equal(r->test, "prime");
    assert_string_equal(r->metric, "cycles");
    assert_string_equal(r->stat->name, "p99");
    assert_true(r->below && !r->or_equal);
    assert_true(r->limit >= 500 && r->limit <= 500);
    r = added("  noise / detour.max >= 0.5 us ");
    assert_string_equal(r->text, "noise / detour.max >= 0.5 us");
    assert_string_equal(r->metric, "detour");
    assert_true(!r->below && r->or_equal);
    assert_string_equal(r->limit_unit, "us");
    r = added("prime/cycles > -1e3");
    assert_string_equal(r->stat->name, "value");
    assert_true(r->limit <= -1000 && r->limit >= -1000);
    r = added("prime/cycles<-.25 ticks");
    assert_true(r->limit >= -0.25 && r->limit <= -0.25);
    assert_string_equal(r->limit_unit, "ticks");
    (void)added("prime/cycles>.5");
    char longest[160];
    (void)snprintf(longest, sizeof(longest), "prime/cycles<%0146d", 1);
    r = added(longest);
    assert_string_equal(r->text, longest);
    assert_true(r->limit >= 1 && r->limit <= 1);
    (void)added("index/index>=700");
    (void)added("shell16/rate.rsd_pct<5%"); /* a variant of another test */
    (void)added("dhry2reg/rate>50M");
    (void)added("dhry2reg/rate>50 M lps");
    (void)added("prime/cycles<500ticks");
    (void)added("prime/cycles.n>=5");
    (void)added("bandwidth/copy_rate>=1.5GB/s");
}

TEST_WITH(test_require_refuses_what_it_cannot_read, begin, end)
{
    refused("", "is empty");
    refused("prime/cycles=5", "has no <, <=, > or >=");
    refused("<5", "TEST/METRIC is missing before the operator");
    refused("cycles<5", "'cycles' is not TEST/METRIC or TEST/METRIC.STAT");
    refused("prime/<5", "'prime/' is not TEST/METRIC or TEST/METRIC.STAT");
    refused("prime/cycles<", "the value is missing after the operator");
    for (size_t i = 0; i < 8; i++) {
        static const char *const values[] = {"fast", "nan", "inf", "0x10", "1e999", "-", ".", "- 5"};
        char text[64], why[64];
        (void)snprintf(text, sizeof(text), "prime/cycles<%s", values[i]);
        (void)snprintf(why, sizeof(why), "'%s' is no number", values[i]);
        refused(text, why);
    }
    char line[300];
    (void)snprintf(line, sizeof(line), "prime/cycles<%0200d", 1);
    refused(line, "longer than 159 bytes");
}

TEST_WITH(test_require_names_the_nearest_that_exists, begin, end)
{
    refused("prim/cycles<5", "unknown test 'prim'; did you mean 'prime'?");
    refused("0000/cycles<5", "unknown test '0000'; 'jitbench list --metrics' shows them");
    refused("prime/cycle<5", "unknown metric of test 'prime': 'cycle'; did you mean 'cycles'?");
    refused("prime/copy_rate<5", "unknown metric of test 'prime': 'copy_rate'; 'jitbench list --metrics' shows them");
    refused("prime/cycles.p9<5", "unknown statistic 'p9'; did you mean 'p90'?");
    refused("prime/cycles.policy<5", "unknown statistic 'policy'; one of n value mean sd rsd_pct ci95_lo ci95_hi min "
                                     "median mad p90 p99 p999 max index");
}

TEST_WITH(test_require_refuses_wrong_units, begin, end)
{
    refused("prime/cycles<5kg", "'kg' is no unit of this figure, which is in cycles");
    refused("prime/cycles<5us", "'us' is no unit of this figure, which is in cycles");
    refused("prime/time<5ticks", "'ticks' is no unit of this figure, which is in ns");
    refused("prime/time<5MB", "'MB' is no unit of this figure, which is in ns");
    refused("noise/lost<5M", "'M' is no unit of this figure, which is in %");
    refused("prime/cycles.n<5ns", "'ns' is no unit of this figure, which is a number");
    refused("prime/cycles.rsd_pct<5ns", "'ns' is no unit of this figure, which is in %");
    refused("prime/time<5seconds-or-there-about-25", "'seconds-or-there-about-25' is no unit");
    char unit[sizeof(set.of->limit_unit) + 1] = "", text[64], why[128];
    for (size_t n = sizeof(unit) - 2; n < sizeof(unit); n++) { /* just short enough for a unit, and one more */
        memset(unit, 'u', n);
        (void)snprintf(text, sizeof(text), "prime/time<5%s", unit);
        (void)snprintf(why, sizeof(why), "'%s' is no unit%s", unit,
                       n < sizeof(unit) - 1 ? " of this figure, which is in ns" : "");
        refused(text, why);
    }
    set.clock_unit = NULL; /* as for files: either clock */
    (void)added("prime/cycles<5us");
    (void)added("prime/cycles<5cycles");
    refused("prime/cycles<5kg", "'kg' is no unit of this figure, which is in ticks");
}

TEST_WITH(test_require_takes_only_what_is_measured, begin, end)
{
    static const struct require_name names[] = {{"run", "make", NULL, NULL}, {"run", "prime", NULL, NULL}};

    set.names = names;
    set.n_names = COUNT(names);
    set.names_only = true;
    (void)added("make/wall.mean<2s");
    (void)added("prime/wall<2s"); /* a command of that name */
    refused("mak/wall<2s", "unknown test 'mak'; did you mean 'make'?");
    refused("noise/lost<5", "test 'noise' is not measured by this command line");
    refused("make/cycles<5", "unknown metric of test 'make': 'cycles'; 'jitbench list --metrics' shows them");
}

TEST_WITH(test_require_takes_names_of_rows, begin, end)
{
    static const struct require_name names[] = {
        {"new", "quantum", "flips", "1/s"}, {"new", "quantum", "flops", "1/s"}, {"new", "lepton", "mass", "kg"}};

    set.names = names;
    set.n_names = COUNT(names);
    (void)added("quantum/flips>5");
    (void)added("prime/cycles<5");
    refused("quantum/flaps>5", "unknown metric of test 'quantum': 'flaps'; did you mean 'flips'?");
    refused("quantum/flips>5s", "'s' is no unit of this figure, which is in 1/s");
    refused("leptom/mass>5", "unknown test 'leptom'; did you mean 'lepton'?");
}

TEST_WITH(test_require_reads_lines, begin, end)
{
    assert_int_equal(
        requirements_add_lines(&set, "# health\n\n  prime/cycles.p99<500 # in ticks\r\nnoise/lost < 1 %", &error), 0);
    assert_int_equal(set.n, 2);
    assert_string_equal(set.of[0].text, "prime/cycles.p99<500");
    assert_string_equal(set.of[1].text, "noise/lost < 1 %");
    assert_int_equal(requirements_add_lines(&set, "\n# none\n", &error), -1);
    assert_string_equal(error.text, "there is no requirement in it");
    assert_int_equal(requirements_add_lines(&set, "noise/lost<1\n\nnoise/lost", &error), -1);
    assert_string_equal(error.text, "line 3: has no <, <=, > or >=");
    char line[800];
    (void)snprintf(line, sizeof(line), "%700s", "noise/lost<1");
    assert_int_equal(requirements_add_lines(&set, line, &error), -1);
    assert_string_equal(error.text, "line 1: longer than 639 bytes");
}

/* The requirements that README shows are some: the words in quotes behind printf's format. */
TEST_WITH(test_require_readme_has_requirements, begin, end)
{
    static const char begins[] = "printf '%s\\n' ";
    char *text = procfs_read_all("README.md"), *at;

    assert_non_null(text);
    at = strstr(text, begins);
    assert_non_null(at);
    for (at += strlen(begins); *at == '\''; at += strspn(at, " ")) {
        char *const end = strchr(++at, '\'');
        assert_non_null(end);
        *end = '\0';
        assert_int_equal(requirements_add_lines(&set, at, &error), 0);
        at = end + 1;
    }
    assert_true(set.n >= 3);
    free(text);
}

static struct row detour(double max, const char *cpus)
{
    struct row row = ROW(NULL, 5, .suite = "noise", .test = "noise", .metric = "detour", .unit = "ns", .cpus = cpus);

    row.stats.max = max;
    return row;
}

static void judge_row(const struct row *row)
{
    requirements_row(&set, row);
}

TEST_WITH(test_require_judges_by_each_operator, begin, end)
{
    static const struct {
        const char *op;
        bool met[3]; /* below, at and above the limit */
    } cases[] = {{"<", {true, false, false}},
                 {"<=", {true, true, false}},
                 {">", {false, false, true}},
                 {">=", {false, true, true}}};
    static const double values[] = {19999, 20000, 20001};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t v = 0; v < COUNT(values); v++) {
            char text[64];
            (void)snprintf(text, sizeof(text), "noise/detour.max%s20us", cases[i].op);
            const struct requirement *r = added(text);
            const struct row row = detour(values[v], "1");
            judge_row(&row);
            assert_int_equal(requirement_met(r), cases[i].met[v]);
            assert_string_equal(requirement_unknown(r), "");
            end(NULL);
        }
}

TEST_WITH(test_require_is_met_by_all_rows_or_not, begin, end)
{
    const struct requirement *r = added("noise/detour.max<20us");
    const struct row rows[] = {detour(5000, "0"), detour(41000, "1"), detour(30000, "2")};

    for (size_t i = 0; i < COUNT(rows); i++)
        judge_row(&rows[i]);
    assert_false(requirement_met(r));
    assert_int_equal(r->n_rows, 3);
    assert_int_equal(r->n_failed, 2);
    assert_string_equal(r->where, "CPU 1");
    assert_true(r->value >= 41000 && r->value <= 41000);
    assert_int_equal(requirements_failed(&set), 1);
}

/* The first of the rows that are equally far on the wrong side, or the least far on the right side, and where it was.
 */
TEST_WITH(test_require_names_the_worst_row, begin, end)
{
    static const struct {
        const char *op;
        double of[4];
        const char *cpu;
    } cases[] = {{"<", {5, 7, 7, 6}, "CPU 1"},         {"<", {105, 107, 3, 108}, "CPU 3"},
                 {">", {107, 105, 105, 106}, "CPU 1"}, {">", {7, 5, 106, 3}, "CPU 3"},
                 {"<=", {100, 100, 1, 2}, "CPU 0"},    {"<", {NAN, 7, NAN, 8}, "CPU 3"}};

    for (size_t c = 0; c < COUNT(cases); c++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "noise/detour.max%s100", cases[c].op);
        const struct requirement *r = added(text);
        for (size_t i = 0; i < 4; i++) {
            const struct row row = detour(cases[c].of[i], (const char[]){(char)('0' + i), '\0'});
            judge_row(&row);
        }
        assert_string_equal(r->where, cases[c].cpu);
        assert_string_equal(r->unit, "ns");
        assert_true(r->value == cases[c].of[r->where[4] - '0']);
        end(NULL);
    }
}

TEST_WITH(test_require_says_where_a_row_was, begin, end)
{
    static const struct {
        const char *load, *param, *cpus;
        uint64_t copies;
        bool several_runs;
        const char *host, *where;
    } cases[] = {{"burn", "limit=5 w=1", "1", 3, true, "h", "burn, limit 5, CPU 1, h"},
                 {"burn", "limit=5", "1", 3, false, "h", "burn, limit 5, CPU 1"},
                 {"", "command=a b", "0-3", 1, true, "h", "a b, CPU 0-3, h"},
                 {"", "limit=5", "", 2, true, "", "limit 5, 2 copies"},
                 {"burn", "", "", 1, false, "", "burn"},
                 {"", "", "", 1, false, "", ""}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct requirement *r = added("noise/detour.max<10");
        struct row_run run;
        struct row row = detour(5, cases[i].cpus);
        row_run_init(&run);
        row.run = &run;
        row.copies = cases[i].copies;
        (void)snprintf(run.host, sizeof(run.host), "%s", cases[i].host);
        (void)snprintf(row.load, sizeof(row.load), "%s", cases[i].load);
        set_params(&row, cases[i].param);
        set.several_runs = cases[i].several_runs;
        judge_row(&row);
        assert_string_equal(r->where, cases[i].where);
        requirements_free(&set);
        begin(NULL);
    }
}

/* A requirement is found by its test among others, in whatever order they were added. */
TEST_WITH(test_require_finds_the_requirements_of_a_row, begin, end)
{
    static const char *const texts[] = {"prime/cycles<1", "noise/lost<1", "array/cycles<1",
                                        "noise/detour<9", "pipe/rate>1",  "noise/detour.max<9"};
    const struct row row = detour(5, "0");

    for (size_t i = 0; i < COUNT(texts); i++)
        (void)added(texts[i]);
    judge_row(&row);
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(set.of[i].measured, !strncmp(texts[i], "noise", 5));
        assert_int_equal(set.of[i].n_rows, !strncmp(texts[i], "noise/detour", 12));
    }
    assert_int_equal(requirements_failed(&set), 4);
}

/* Whatever is not known does not pass, and says why. */
TEST_WITH(test_require_says_why_a_figure_is_not_known, begin, end)
{
    const struct requirement *r = added("noise/detour.p99<20us");
    struct row row = detour(5, "0");

    assert_string_equal(requirement_unknown(r), "the test was not measured");
    struct row other = ROW(NULL, 5, .suite = "noise", .test = "noise", .metric = "lost", .unit = "%");
    judge_row(&other);
    assert_string_equal(requirement_unknown(r), "the test has no row of this metric");
    row.stats.p99 = (double)NAN;
    row.stats.n = 7;
    judge_row(&row);
    assert_string_equal(requirement_unknown(r), "p99 needs 100 values, and there are 7");
    assert_false(requirement_met(r));
    end(NULL);

    r = added("noise/detour<20us");
    other.status = ROW_SKIPPED; /* a test that did not run has a row of any metric */
    (void)snprintf(other.reason, sizeof(other.reason), "no clock");
    judge_row(&other);
    assert_string_equal(requirement_unknown(r), "skipped: no clock");
    assert_int_equal(r->n_failed, 1);
    end(NULL);

    r = added("noise/detour<20us");
    row.value = (double)NAN;
    (void)snprintf(row.reason, sizeof(row.reason), "the core was free in 0 of 2 slices");
    judge_row(&row);
    assert_string_equal(requirement_unknown(r), row.reason);
    end(NULL);

    r = added("noise/detour<20us");
    row = detour(5, "0");
    (void)snprintf(row.unit, sizeof(row.unit), "parsec");
    judge_row(&row);
    assert_string_equal(requirement_unknown(r), "the row is in parsec");
    assert_false(requirement_met(r));
}

/* The least number of values that a statistic needs; with as many it is not known for another reason. */
TEST_WITH(test_require_says_how_many_values_are_needed, begin, end)
{
    static const struct {
        const char *stat;
        unsigned least;
    } cases[] = {{"sd", 2}, {"rsd_pct", 2}, {"ci95_lo", 5}, {"ci95_hi", 5}, {"p90", 10}, {"p99", 100}, {"p999", 1000}};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (unsigned k = 0; k < 3; k++) {
            char text[64], needed[96], unknown[64];
            struct row row = detour(5, "0");
            (void)snprintf(text, sizeof(text), "noise/detour.%s>0", cases[i].stat);
            const struct requirement *r = added(text);
            row.stats.n = k == 0 ? 0 : cases[i].least - (k == 1);
            (void)snprintf(needed, sizeof(needed), "%s needs %u values, and there %s %u", cases[i].stat, cases[i].least,
                           cases[i].least == 2 ? "is" : "are", cases[i].least - 1);
            (void)snprintf(unknown, sizeof(unknown), "%s is not known", cases[i].stat);
            judge_row(&row);
            assert_string_equal(requirement_unknown(r), k == 1 ? needed : unknown);
            end(NULL);
        }
}

TEST_WITH(test_require_prints_figures_and_distances, begin, end)
{
    const struct row rows[] = {detour(5000, "0"), detour(41000, "1")};
    struct text out = {0};

    (void)added("noise/detour.max<20us");
    (void)added("noise/detour.max<1ms");
    (void)added("noise/detour<0");
    (void)added("noise/lost<1");
    for (size_t i = 0; i < COUNT(rows); i++)
        judge_row(&rows[i]);
    require_put(&set, &(struct doc){.out = &out});
    assert_string_equal(out.data,
                        "Requirements: 1 passed, 3 failed\n"
                        "Requirement            Figure  Off the limit  Verdict\n"
                        "noise/detour.max<20us   41 us    105 % above  failed; 1 of 2 rows; worst: CPU 1\n"
                        "noise/detour<0           5 ns     5 ns above  failed; 2 of 2 rows; worst: CPU 0\n"
                        "noise/lost<1                -              -  failed: the test has no row of this metric\n"
                        "noise/detour.max<1ms    41 us  95.90 % below  passed; all 2 rows; worst: CPU 1\n");
    text_free(&out);
}
