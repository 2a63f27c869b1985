/* SPDX-License-Identifier: MIT */
/* jitbench unix: tests, options, plan, index, and tables. */

#include "cmd/unix.h"
#include "load/load.h"
#include "out/export.h"

/* The index of stable has tests with repeatable results, to compare machines; that of classic compares with
 * published scores of UnixBench, whose processes are not bound and are dynamically linked. */
struct unix_protocol {
    const char *name;
    unsigned index; /* bit in `groups` of its tests */
    /* of the index's row: where context1 runs, and whether spawn and execl have the footprint of a dynamic program */
    const char *context1, *footprint;
};
static const struct unix_protocol protocols[] = {
    {"stable", UNIX_INDEX_STABLE, "same", "bare"},
    {"classic", UNIX_INDEX_CLASSIC, "free", "dynamic"},
};

/* --- Tests. --- */

/* Tests that are a benchmark under another name; unix_test_at() returns them after it. */
static const struct unix_test variants[] = {
    {"context1-same", "Pipe-based Context Switching (one CPU)", &bench_context1,
     UNIX_INDEX_STABLE | UNIX_PROCESS | UNIX_OLDSYSTEM, NULL, HALVES_SAME, 0},
    {"context1-two", "Pipe-based Context Switching (two CPUs)", &bench_context1, UNIX_PROCESS, NULL, HALVES_TWO, 0},
};

static const struct {
    const char *name;
    unsigned groups;
    bool of_index; /* only tests of the protocol's index */
    bool old;      /* UnixBench's name */
} groups[] = {
    {"index", UNIX_INDEX, true, false},
    {"system", UNIX_INDEX, true, true},
    {"cpu", UNIX_CPU, false, false},
    {"file", UNIX_FILES, false, false},
    {"fs", UNIX_FILES, false, true},
    {"process", UNIX_PROCESS, false, false},
    {"arith", UNIX_ARITH, false, false},
    {"arithmetic", UNIX_ARITH, false, true},
    {"shell", UNIX_SHELL, false, false},
    {"misc", UNIX_MISC, false, false},
    {"oldsystem", UNIX_OLDSYSTEM, true, false},
};
enum { N_GROUPS = COUNT(groups) };

struct unix_test unix_test_at(size_t at)
{
    size_t before = at;

    for (size_t b = 0; bench_list[b]; b++) {
        const struct bench *bench = bench_list[b];
        if (strcmp(bench->suite, "unix"))
            continue;
        if (before-- == 0)
            return (struct unix_test){bench->name,      bench->title, bench, bench->groups,
                                      bench->old_names, HALVES_FREE,  at};
        for (size_t v = 0; v < COUNT(variants); v++)
            if (variants[v].bench == bench && before-- == 0) {
                struct unix_test test = variants[v];
                test.at = at;
                return test;
            }
    }
    return (struct unix_test){0};
}

/* Name NULL: none. */
static struct unix_test unix_test_of(const char *name)
{
    for_each_unix_test(test) if (!strcmp(test.name, name)) return test;
    return (struct unix_test){0};
}

static int select_tests(struct measure *m, const char *operand)
{
    const struct unix_protocol *protocol = &protocols[m->preset == PRESET_CLASSIC];
    int found = -1;

    for_each_unix_test(test)
    {
        bool selected = !strcmp(test.name, operand);
        for (size_t i = 0; test.old_names && test.old_names[i]; i++)
            selected |= !strcmp(test.old_names[i], operand);
        for (size_t g = 0; g < N_GROUPS; g++)
            selected |= !strcmp(groups[g].name, operand) && (test.groups & groups[g].groups) &&
                        (!groups[g].of_index || (test.groups & protocol->index));
        m->selected[test.at] |= selected;
        found = selected ? 0 : found;
    }
    return found;
}

static bool test_word(size_t i, struct operand_word *out)
{
    for_each_unix_test(test) if (i-- == 0)
    {
        *out = (struct operand_word){.name = test.name, .help = test.title};
        return true;
    }
    if (i < N_GROUPS) {
        *out = (struct operand_word){
            .name = groups[i].name, .help = groups[i].old ? NULL : "group of tests", .old = groups[i].old};
        return true;
    }
    i -= N_GROUPS;
    for_each_unix_test(test) for (size_t k = 0; test.old_names && test.old_names[k]; k++) if (i-- == 0)
    {
        *out = (struct operand_word){.name = test.old_names[k], .old = true};
        return true;
    }
    return false;
}

/* --- The index: the geometric mean of ten times each test's rate over its baseline, see UNIX_BENCH_OF(). --- */

enum { UNIX_N_INDEX = 12 };
enum { METRIC_INDEX, METRIC_ALONE, METRIC_SCALING, N_METRICS };
static const struct metrics_metric index_metrics[N_METRICS] = {
    [METRIC_INDEX] = {"index", "geometric mean of the indices of the tests", "ratio", "higher", true},
    [METRIC_ALONE] = {"index_alone", "the same with the core free", "ratio", "higher", false},
    [METRIC_SCALING] = {"scaling", "index over that of the first number of copies", "ratio", "higher", false},
};
static const struct metrics_test index_test = {
    METRICS_TEST("unix", "index", "Index of the tests above", index_metrics)};

struct unix_index unix_index_of(const struct table_rows *r, uint64_t copies)
{
    double sum = 0, sum_alone = 0;
    size_t n = 0;
    bool any_alone = false;

    for_each_row(row, r) {
        if (strcmp(row->metric, "rate") || row->copies != copies || isnan(row->index))
            continue;
        const struct row *alone = row_alone_of(r->rows, r->n, row);
        const bool known = alone && !isnan(alone->value), core = unix_test_of(row->test).groups & UNIX_CORE_BOUND;
        any_alone |= core;
        sum += log(row->index);
        sum_alone += known ? log(row->index * alone->value / row->value) : core ? NAN : log(row->index);
        n++;
    }
    return (struct unix_index){
        .all = n ? exp(sum / (double)n) : NAN, .alone = any_alone ? exp(sum_alone / (double)n) : NAN, .tests = n};
}

/* number: of the tests in the index; for METRIC_SCALING of the copies with which it is compared. */
static void put_made(struct measure *m, size_t metric, uint64_t copies, uint64_t number, double value)
{
    const struct unix_protocol *protocol = &protocols[m->preset == PRESET_CLASSIC];
    struct row_params param = {0};

    row_param_add(&param, PARAM_WORK, "protocol", "%s", protocol->name);
    row_param_add(&param, PARAM_WORK, "context1", "%s", protocol->context1);
    row_param_add(&param, PARAM_WORK, "footprint", "%s", protocol->footprint);
    row_param_count(&param, PARAM_WORK, metric == METRIC_SCALING ? "over" : "tests", number);
    if (metric != METRIC_SCALING)
        row_param_count(&param, PARAM_WORK, "of", UNIX_N_INDEX);
    measure_put_made(m, &index_test, metric, copies, "", &param, value);
}

size_t unix_copy_counts(const struct table_rows *r, uint64_t *counts)
{
    size_t n = 0;

    for_each_row(row, r) {
        size_t k = 0;
        while (k < n && counts[k] != row->copies)
            k++;
        if (k == n && n < OPTION_COUNTS_MAX)
            counts[n++] = row->copies;
    }
    return n;
}

static void conclude(struct measure *m)
{
    struct table_rows measured = {.rows = m->rows, .n = m->n_rows};
    uint64_t counts[OPTION_COUNTS_MAX] = {0};
    const size_t n = unix_copy_counts(&measured, counts);
    const struct unix_index first = unix_index_of(&measured, counts[0]);

    for (size_t c = 0; c < n; c++) {
        measured.rows = m->rows; /* adding rows may move the array */
        const struct unix_index index = unix_index_of(&measured, counts[c]);
        if (!index.tests)
            continue;
        put_made(m, METRIC_INDEX, counts[c], index.tests, index.all);
        if (!isnan(index.alone))
            put_made(m, METRIC_ALONE, counts[c], index.tests, index.alone);
        if (c > 0 && index.tests == first.tests)
            put_made(m, METRIC_SCALING, counts[c], counts[0], index.all / first.all);
    }
}

/* In ns: unless --time or --classic is given, each of several copies on a CPU has so long. */
#define TURN_NS 40000000u

/* Choices of --pairs. */
enum { PAIRS_CHOICES = 3 };
struct unix_options {
    struct unix_params params;
    bool all_tests, brief;
    uint64_t pairs; /* bits of pairs_names */
    /* for each choice of --pairs, and without it; unix_params point here */
    struct cpu_pairs of[PAIRS_CHOICES + 1];
};
/* CPUs of the two processes of context1-two. */
static const char *const pairs_names[] = {"near", "far", "halves", NULL};
static const struct {
    const char *title;
    enum cpu_pairing pairing;
} pairs_kinds[PAIRS_CHOICES + 1] = {
    {"Pipe-based Context Switching (near CPUs)", PAIRS_NEAR},
    {"Pipe-based Context Switching (far CPUs)", PAIRS_FAR},
    {"Pipe-based Context Switching (CPU halves)", PAIRS_HALVES},
    {NULL, PAIRS_NEXT}, /* without --pairs */
};

static const struct option rows[] = {
    {OPTION("all-tests", 0, struct unix_options, all_tests, "run the tests outside the index too")},
    {OPTION("pairs", 0, struct unix_options, pairs,
            "context1-two between neighbours, between packages or nodes, or from the first half of the CPUs to the "
            "second; a row for each"),
     OPTION_SOME_OF("KIND,...", pairs_names)},
    {OPTION("brief", 'b', struct unix_options, brief, "describe the machine in one line only")},
};

/* kind: in pairs_kinds. */
static void add_test(const struct measure *m, const struct unix_test *t, const struct unix_options *o, size_t kind,
                     uint64_t copies, unsigned phase)
{
    const struct cpu_pairs *pairs = &o->of[kind];
    const char *pairs_name = pairs_names[kind];
    struct unix_params params = o->params;

    params.halves = t->halves;
    params.pairs = t->halves == HALVES_TWO ? *pairs : (struct cpu_pairs){0};
    params.pairs_name = pairs_name;
    if (params.pairs.n > copies)
        params.pairs.n = (size_t)copies; /* the row must not mention relations of others */
    params.classic = m->preset == PRESET_CLASSIC;
    const char *original = getenv("UB_TMPDIR");
    const bool uses_original = !m->options.dir[0] && original && original[0] && !access(original, W_OK | X_OK);
    TEXT_SET(params.dir, uses_original ? original : measure_dir(m));
    struct plan_item *item = measure_item(m, t->bench, &params, copies, phase);
    item->test = t->name;
    /* each copy has the CPU for several slices of about 10 ms, for which completions are counted; the common window
     * would otherwise hold mostly their first and last ones */
    uint64_t turns = (copies + m->place.n_order - 1) / m->place.n_order;
    if (!measure_given(m, "time") && !params.classic && item->sampling.time_ns < turns * TURN_NS)
        item->sampling.time_ns = turns * TURN_NS;
    item->no_index = !(t->groups & protocols[m->preset == PRESET_CLASSIC].index);
    if (params.classic) {
        item->sampling.classic = true;
        item->sampling.pause_ns = 3000000000u;
        /* -i N: short tests get (N+1)/3 passes, as in UnixBench. */
        if (m->options.samples && t->bench->sampling[PRESET_CLASSIC].min_samples <= 3)
            item->sampling.min_samples = item->sampling.max_samples =
                m->options.samples >= 5 ? (m->options.samples + 1) / 3 : 1;
    }
    if (pairs_name && !pairs->n)
        item->skip = strcmp(pairs_name, "far")
                         ? "there is only one CPU to measure on"
                         : "no two of the CPUs are known to be in different packages or NUMA nodes";
}

static int end(void *options, bool unused)
{
    struct unix_options *o = options;

    (void)unused;
    for (size_t k = 0; k <= PAIRS_CHOICES; k++)
        topology_pairs_free(&o->of[k]);
    return 0;
}

static int plan(struct measure *m, void *options)
{
    struct unix_options *o = options;
    const struct option_counts one_and_all = {.n = m->place.n_order > 1 && !m->options.quick ? 2 : 1,
                                              .value = {1, m->place.n_order}};
    const struct option_counts *copies = m->options.copies.n ? &m->options.copies : &one_and_all;
    bool paired = false;

    for (size_t k = 0; k <= PAIRS_CHOICES; k++)
        if ((k == PAIRS_CHOICES || o->pairs & 1u << k) &&
            topology_pairs(m->place.order, m->place.n_order, pairs_kinds[k].pairing, &o->of[k]))
            memory_out();
    const char *dir = getenv("UB_RESULTDIR"), *report = getenv("UB_OUTPUT_FILE_NAME");
    if (report && report[0] && !m->options.force &&
        files_check("UB_OUTPUT_FILE_NAME", TEXT_LINE("%.300s/%.250s", dir && dir[0] ? dir : ".", report)))
        return EXIT_USAGE;
    m->brief = o->brief;
    o->params.resident_mib = 1;
    while (o->params.resident_mib << 20 < machine_resident_bytes())
        o->params.resident_mib *= 2;
    /* a short disturbance affects all tests a little; UnixBench runs all passes of a test before the next */
    if (m->preset == PRESET_CLASSIC)
        m->plan->schedule = SCHEDULE_SEQUENCE;
    for (size_t c = 0; c < copies->n; c++)
        for_each_unix_test(test)
        {
            /* of either index, and context1 in all its variants */
            const bool wanted =
                m->operands_given ? m->selected[test.at] : (test.groups & UNIX_INDEX) || test.bench == &bench_context1;
            if (!wanted && !o->all_tests)
                continue;
            paired |= test.halves == HALVES_TWO;
            const uint64_t kinds = o->pairs && test.halves == HALVES_TWO ? o->pairs : UINT64_C(1) << PAIRS_CHOICES;
            for (size_t k = 0; k <= PAIRS_CHOICES; k++)
                if (kinds & 1u << k)
                    add_test(m, &test, o, k, copies->value[c], (unsigned)c);
        }
    if (!o->pairs || paired)
        return 0;
    return usage_error("--pairs places context1-two, which is not among the tests: name it");
}

/* With --pairs, context1-two is named by the kind of pairs. */
static const char *unix_row_title(const struct row *row)
{
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        if (row_param_is(&row->param, "pairs", pairs_names[k]))
            return pairs_kinds[k].title;
    const char *title = unix_test_of(row->test).title;
    return title ? title : row->test;
}

/* --- Tables in UnixBench's layout. --- */

/* NULL: it did, or the row is of another test. */
static const char *not_a_disk(const struct row *row)
{
    return (unix_test_of(row->test).groups & UNIX_FILES) && row->status < ROW_SKIPPED ? disk_is_not(row->scratch_fs)
                                                                                      : NULL;
}

/* Rows made with --classic record it. */
static const struct unix_protocol *protocol_of_rows(const struct table_rows *r)
{
    for_each_row(row, r)
        if (row_param_is(&row->param, "protocol", "classic"))
            return &protocols[1];
    return &protocols[0];
}

/* With the widths of UnixBench's table; BASELINE, which never changes, is left out first. */
static void put_columns(bool whole, bool probed, struct grid *grid)
{
    const struct grid_column columns[] = {
        {.title = whole ? "System Benchmarks Index Values" : "System Benchmarks Partial Index",
         .width = 38,
         .most = 38,
         .left = true},
        {"BASELINE", .width = 9, .rank = 3},
        {"RESULT", .width = 13, .most = 13},
        {.width = 5, .left = true}, /* unit */
        {"INDEX", .width = 7, .most = 7},
        {"RSD %", .rank = 1},
        {.left = true}, /* status */
        {.left = true}, /* file system */
    };
    const struct grid_column of_core[] = {{"Core %", .rank = 3}, {"Alone", .width = 11, .rank = 2}};

    grid_columns(grid, columns, 6);
    grid_columns(grid, of_core, probed ? 2 : 0);
    grid_columns(grid, columns + 6, 2);
}

static void put_line(const struct unix_protocol *protocol, const struct table_rows *r, const struct row *row,
                     bool probed, struct grid *grid)
{
    const struct unix_test test = unix_test_of(row->test);
    double baseline =
        test.name && (test.groups & protocol->index) ? bench_metric(test.bench, UNIX_RATE)->baseline : NAN;

    grid_text(grid, unix_row_title(row));
    grid_number(grid, baseline, 1);
    grid_number(grid, row->value, 1);
    grid_text(grid, row->unit);
    grid_number(grid, row->index, 1);
    grid_number(grid, row->stats.rsd_pct, 1);
    if (probed) {
        const struct row *alone = row_alone_of(r->rows, r->n, row);
        const double share = row_core_share(row);
        if (isnan(share) && row->core_share[0])
            grid_text(grid, row->core_share);
        else
            grid_number(grid, 100 * share, 0);
        grid_number(grid, alone ? alone->value : NAN, 1);
    }
    grid_status(grid, row->status);
    grid_text(grid, table_is_whole(r) && not_a_disk(row) ? row->scratch_fs : "");
}

static void put_index(const char *name, const char *kind, const char *value, struct grid *grid)
{
    const char *const cells[] = {name, "", kind, "", value};

    for (size_t i = 0; i < COUNT(cells); i++)
        grid_text(grid, cells[i]);
    grid_end_row(grid);
}

static void put_block(const struct table_rows *r, uint64_t copies, struct text *out)
{
    const struct unix_index index = unix_index_of(r, copies);
    const struct unix_protocol *of = protocol_of_rows(r);
    const char *protocol = TEXT_LINE("%s protocol", of->name);
    const bool whole = index.tests == UNIX_N_INDEX;
    struct grid grid = {0};
    bool probed = false;

    text_printf(out, "%" PRIu64 " parallel cop%s of tests, %s\n", copies, copies == 1 ? "y" : "ies", protocol);
    for_each_row(row, r)
        probed |= !strcmp(row->metric, "rate_alone");
    put_columns(whole, probed, &grid);
    for_each_row(row, r)
        if (!strcmp(row->metric, "rate") && row->copies == copies &&
            (table_is_whole(r) || !isnan(row->index) || row->status >= ROW_DEGRADED)) {
            put_line(of, r, row, probed, &grid);
            for (size_t k = 0; r->verbose && k < row->n_samples; k++) {
                text_printf(grid_cell(&grid, COLOR_NONE), "    pass %zu", k + 1);
                grid_text(&grid, "");
                grid_number(&grid, row->samples[k], 1);
                grid_text(&grid, row->unit);
                grid_end_row(&grid);
            }
        }
    if (index.tests) {
        put_index("", "", "========", &grid);
        put_index(whole ? "System Benchmarks Index Score" : "System Benchmarks Index Score (Partial Only)", protocol,
                  TEXT_LINE("%.1f", index.all), &grid);
    }
    if (!isnan(index.alone))
        put_index("", "with the core free", TEXT_LINE("%.1f", index.alone), &grid);
    grid_print(&grid, r->table_width, out);
    text_append(out, "\n", r->alone);
}

static void print(const struct table_rows *r, struct text *out)
{
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = unix_copy_counts(r, counts);

    for (size_t c = 0; c < n; c++)
        put_block(r, counts[c], out);
    for_each_row(row, r)
        if (!strcmp(row->metric, "scaling"))
            text_printf(out,
                        "Scaling: the index of %" PRIu64 " copies is %.2f times that of %" PRIu64 " (%s protocol)\n",
                        row->copies, row->value, counts[0], protocol_of_rows(r)->name);
    table_put_reasons(r->rows, r->n, out);
    for_each_row(row, r)
        if (not_a_disk(row)) { /* in one line: all use the same directory */
            text_printf(out, "%s is not a disk: %s (%s); --dir names another directory\n", row->scratch_fs,
                        not_a_disk(row), row->test);
            break;
        }
}

/* UnixBench's environment variables UB_OUTPUT_CSV=true, UB_OUTPUT_FILE_NAME (of its report, and of that CSV with an
 * ending) and UB_RESULTDIR: what export writes. */
static int finish(const struct measure *m, const void *options)
{
    const char *csv = getenv("UB_OUTPUT_CSV"), *dir = getenv("UB_RESULTDIR"), *given = getenv("UB_OUTPUT_FILE_NAME");
    const bool named = given && given[0];
    const struct {
        bool wanted;
        const struct export_format *format;
        const char *ending;
    } files[] = {{named, &export_unixbench, ""}, {csv && !strcmp(csv, "true"), &export_unixbench_csv, ".csv"}};
    char name[300];
    struct error error;
    struct export_left_out left_out;
    int status = 0;

    (void)options;
    if (named)
        TEXT_PRINT(name, "%.250s", given);
    else if (names_expand("UB_OUTPUT_CSV", "unixbench-%h", &m->run, true, name, sizeof(name), &error))
        return 0;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct text out = {0};
        const char *path = TEXT_LINE("%.300s/%s%s%.8s%s", dir && dir[0] ? dir : ".", name, named ? "" : "-",
                                     named ? "" : m->run.run_id, files[i].ending);
        if (files[i].wanted && export_write(files[i].format, m->rows, m->n_rows, metrics_table(), 0, &out, &left_out) &&
            files_write(path, m->options.force, &out))
            status = EXIT_ROW_FAILED;
    }
    return status;
}

const struct suite suite_unix = {
    .command =
        {
            .name = "unix",
            .operands = "[TEST|GROUP...]",
            .title = "the tests of UnixBench and its index",
            .description =
                "The twelve tests of UnixBench's index, one copy first and then as many as there are CPUs. The default "
                "protocol takes many short samples; --classic keeps the original's passes, times and pauses, to hold "
                "against published scores. Groups: index, cpu, file, process, arith, shell, misc.",
            COMMAND_MEASURES(suite_unix),
        },
    .seconds = {155, 22, 3600},
    .options_size = sizeof(struct unix_options),
    .options = {{SUITE_ROWS(rows)}, SUITE_TIMED, SUITE_COPIES},
    .schedule = SCHEDULE_INTERLEAVED,
    .test = test_word,
    .select = select_tests,
    .plan = plan,
    .print = print,
    .conclude = conclude,
    .made = &index_test,
    .finish = finish,
    .end = end,
};
