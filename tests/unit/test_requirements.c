/* SPDX-License-Identifier: MIT */
/* Requirements: their form, names and units, and the judging of made-up rows. */

#include "cmd/cmd.h"
#include "fixture.h"
#include "row_fixture.h"

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
