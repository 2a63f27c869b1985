/* SPDX-License-Identifier: MIT */
/* jitbench unix: its tests and groups, its plan, its tables and the index. */
#include "bench/unix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/files.h"
#include "cmd/suites.h"
#include "load/disk.h"
#include "out/grid.h"
#include "sys/folder.h"
#include "sys/scratch.h"

/* With more copies than CPUs, a sample lasts at least this long for each turn. */
#define TURN_NS 40000000u

#define TITLE "runs UNIX microbenchmarks; index: stable protocol or classic protocol"

enum group {
    INDEX_STABLE = 1,
    INDEX_CLASSIC = 2,
    INDEX = INDEX_STABLE | INDEX_CLASSIC,
    CPU = 4,
    FILES = 8,
    PROCESS = 16,
    ARITH = 32,
    SHELL = 64,
    MISC = 128,
    OLDSYSTEM = 256,
    CORE = 512 /* slowed down by a neighbour on the core: no children, no files */
};

/* The protocols. The index of the stable protocol is for comparing machines, so it has tests with repeatable results.
 * That of the classic one is comparable with published scores of UnixBench, whose processes are not bound and are
 * dynamically linked. */
static const struct protocol {
    const char *name;
    unsigned index;                   /* the group of its index's tests */
    const char *context1, *footprint; /* how these tests differ from those of the other protocol */
} protocols[] = {
    {"stable", INDEX_STABLE, "same", "bare"},
    {"classic", INDEX_CLASSIC, "free", "dynamic"},
};

/* A test as named on the command line. Several may run one benchmark with different parameters. */
struct test {
    const char *name;
    const struct bench *bench;
    unsigned groups;
    const char *old_names; /* separated by spaces; NULL for none */
    int halves;
    const char *title; /* NULL: the benchmark's */
};

static const struct test unix_tests[] = {
    {"dhry2reg", &bench_dhry2reg, INDEX | CPU | CORE, "dhry", 0, NULL},
    {"whetstone", &bench_whetstone, INDEX | CPU | CORE, "whetstone-double whets", 0, NULL},
    {"execl", &bench_execl, INDEX | PROCESS | OLDSYSTEM, NULL, 0, NULL},
    {"fcopy1024", &bench_fcopy1024, INDEX | FILES | OLDSYSTEM, "fstime", 0, NULL},
    {"fcopy256", &bench_fcopy256, INDEX | FILES | OLDSYSTEM, "fsbuffer", 0, NULL},
    {"fcopy4096", &bench_fcopy4096, INDEX | FILES | OLDSYSTEM, "fsdisk", 0, NULL},
    {"pipe", &bench_pipe, INDEX | PROCESS | OLDSYSTEM | CORE, NULL, 0, NULL},
    {"context1", &bench_context1, INDEX_CLASSIC | PROCESS | OLDSYSTEM, NULL, HALVES_FREE, NULL},
    {"context1-same", &bench_context1, INDEX_STABLE | PROCESS | OLDSYSTEM, NULL, HALVES_SAME,
     "Pipe-based Context Switching (one CPU)"},
    {"context1-two", &bench_context1, PROCESS, NULL, HALVES_TWO, "Pipe-based Context Switching (two CPUs)"},
    {"spawn", &bench_spawn, INDEX | PROCESS | OLDSYSTEM, NULL, 0, NULL},
    {"shell1", &bench_shell1, INDEX | SHELL, NULL, 0, NULL},
    {"shell8", &bench_shell8, INDEX | SHELL, NULL, 0, NULL},
    {"syscall", &bench_syscall, INDEX | PROCESS | OLDSYSTEM | CORE, NULL, 0, NULL},
    {"fwrite1024", &bench_fwrite1024, FILES, "fstime-w", 0, NULL},
    {"fwrite256", &bench_fwrite256, FILES, "fsbuffer-w", 0, NULL},
    {"fwrite4096", &bench_fwrite4096, FILES, "fsdisk-w", 0, NULL},
    {"fread1024", &bench_fread1024, FILES, "fstime-r", 0, NULL},
    {"fread256", &bench_fread256, FILES, "fsbuffer-r", 0, NULL},
    {"fread4096", &bench_fread4096, FILES, "fsdisk-r", 0, NULL},
    {"short", &bench_short, ARITH, NULL, 0, NULL},
    {"int", &bench_int, ARITH, NULL, 0, NULL},
    {"long", &bench_long, ARITH, NULL, 0, NULL},
    {"float", &bench_float, ARITH, NULL, 0, NULL},
    {"double", &bench_double, ARITH, NULL, 0, NULL},
    {"arithoh", &bench_arithoh, ARITH, NULL, 0, NULL},
    {"hanoi", &bench_hanoi, MISC | CPU, NULL, 0, NULL},
    {"sysexec", &bench_sysexec, PROCESS | MISC, NULL, 0, NULL},
    {"shell16", &bench_shell16, SHELL, NULL, 0, NULL},
    {"sysclose", &bench_sysclose, PROCESS | MISC, NULL, 0, NULL},
    {"sysgetpid", &bench_sysgetpid, PROCESS | MISC, NULL, 0, NULL},
};
enum { N_TESTS = sizeof(unix_tests) / sizeof(unix_tests[0]) };

static const struct {
    const char *name;
    unsigned groups;
    bool of_index; /* only tests of the protocol's index */
} groups[] = {{"index", INDEX, true},  {"system", INDEX, true},       {"cpu", CPU, false},
              {"file", FILES, false},  {"fs", FILES, false},          {"process", PROCESS, false},
              {"arith", ARITH, false}, {"arithmetic", ARITH, false},  {"shell", SHELL, false},
              {"misc", MISC, false},   {"oldsystem", OLDSYSTEM, true}};
enum { N_GROUPS = sizeof(groups) / sizeof(groups[0]), N_INDEX = 12 };

/* Valid operands, for suggestions: tests and groups, in the same order as above. */
static const char *const names[] = {"dhry2reg",      "whetstone",    "execl",      "fcopy1024",
                                    "fcopy256",      "fcopy4096",    "pipe",       "context1",
                                    "context1-same", "context1-two", "spawn",      "shell1",
                                    "shell8",        "syscall",      "fwrite1024", "fwrite256",
                                    "fwrite4096",    "fread1024",    "fread256",   "fread4096",
                                    "short",         "int",          "long",       "float",
                                    "double",        "arithoh",      "hanoi",      "sysexec",
                                    "shell16",       "sysclose",     "sysgetpid",  "index",
                                    "system",        "cpu",          "file",       "fs",
                                    "process",       "arith",        "arithmetic", "shell",
                                    "misc",          "oldsystem",    "dhry",       "whetstone-double",
                                    "whets",         "fstime",       "fsbuffer",   "fsdisk",
                                    "fstime-w",      "fsbuffer-w",   "fsdisk-w",   "fstime-r",
                                    "fsbuffer-r",    "fsdisk-r",     NULL};

/* Placement of the halves of context1-two by --pairs. */
enum { PAIRS_CHOICES = 3 };
static const char *const pairs_names[] = {"near", "far", "halves", NULL};
static const char *const pairs_titles[] = {"Pipe-based Context Switching (near CPUs)",
                                           "Pipe-based Context Switching (far CPUs)",
                                           "Pipe-based Context Switching (CPU halves)"};
static const enum cpu_pairing pairings[] = {PAIRS_NEAR, PAIRS_FAR, PAIRS_HALVES};

struct unix_options {
    struct unix_params params;
    bool all_tests, brief;
    uint64_t pairs;                           /* bit mask of pairs_names */
    struct cpu_pairs next, of[PAIRS_CHOICES]; /* without --pairs, and for each of its choices; unix_params has copies of
                                               * these */
    char unixbench_csv[1024];
};

static const struct option rows[] = {
    {.name = "all-tests",
     .type = OPTION_FLAG,
     OPTION_AT(struct unix_options, all_tests),
     .help = "run the tests outside the index too"},
    {.name = "pairs",
     .type = OPTION_NAMES,
     .value_name = "KIND,...",
     .choices = pairs_names,
     OPTION_AT(struct unix_options, pairs),
     .help = "context1-two between neighbours, between packages or nodes, or from the first half of the CPUs to the "
             "second; a row for each"},
    {.name = "brief",
     .letter = 'b',
     .type = OPTION_FLAG,
     OPTION_AT(struct unix_options, brief),
     .help = "describe the machine in one line only"},
    {.name = "unixbench-csv",
     .type = OPTION_TEXT,
     .value_name = "FILE",
     OPTION_AT(struct unix_options, unixbench_csv),
     .help = "write the results in UnixBench's CSV format too"},
};

static size_t tables(void *options, struct option_table *out)
{
    out[0] = (struct option_table){
        .heading = "Options of unix", .rows = rows, .n = sizeof(rows) / sizeof(rows[0]), .target = options};
    return 1;
}

static const struct protocol *protocol_of(const struct measure *m)
{
    return &protocols[m->preset == PRESET_CLASSIC];
}

static bool in_index(const struct protocol *protocol, const struct test *test)
{
    return test->groups & protocol->index;
}

static int select_test(struct measure *m, const char *operand)
{
    int found = -1;

    for (size_t t = 0; t < N_TESTS; t++)
        if (!strcmp(unix_tests[t].name, operand) || text_has_word(unix_tests[t].old_names, operand)) {
            m->selected[t] = true;
            found = 0;
        }
    for (size_t g = 0; g < N_GROUPS; g++)
        if (!strcmp(groups[g].name, operand)) {
            for (size_t t = 0; t < N_TESTS; t++)
                m->selected[t] |= (unix_tests[t].groups & groups[g].groups) != 0 &&
                                  (!groups[g].of_index || in_index(protocol_of(m), &unix_tests[t]));
            found = 0;
        }
    return found;
}

/* Returns whether a test runs by default: those of the index, and context1 in all three variants. */
static bool is_default(const struct test *t)
{
    return (t->groups & INDEX) || t->bench == &bench_context1;
}

static const char *scratch(const struct measure *m)
{
    const char *original = getenv("UB_TMPDIR");
    return !m->options.dir[0] && original && original[0] && access(original, W_OK | X_OK) == 0 ? original
                                                                                               : measure_dir(m);
}

static uint64_t resident_mib(void)
{
    uint64_t bytes = machine_resident_bytes(""), mib = 1;

    while (mib << 20 < bytes)
        mib *= 2;
    return mib;
}

/* Returns why there are no such pairs here. */
static const char *no_such_pair(const char *pairs_name)
{
    return strcmp(pairs_name, "far") ? "there is only one CPU to measure on"
                                     : "no two of the CPUs are known to be in different packages or NUMA nodes";
}

/* Adds a test to the plan. pairs: for context1-two; pairs_name: the choice of --pairs, otherwise NULL. */
static int add_test(const struct measure *m, const struct test *t, const struct unix_options *o,
                    const struct cpu_pairs *pairs, const char *pairs_name, uint64_t copies, unsigned phase,
                    struct plan *out)
{
    struct unix_params params = o->params;

    params.halves = t->halves;
    params.pairs = t->halves == HALVES_TWO ? *pairs : (struct cpu_pairs){.n = 0};
    params.pairs_name = pairs_name;
    if (params.pairs.n > copies)
        params.pairs.n = (size_t)copies; /* the other pairs are not used, and the row does not mention their
                                          * relations */
    params.classic = m->preset == PRESET_CLASSIC;
    (void)snprintf(params.dir, sizeof(params.dir), "%s", scratch(m));
    struct plan_item *item = plan_add(out, t->bench, &params);
    if (!item)
        return -1;
    item->test = t->name;
    item->copies = (unsigned)copies;
    item->phase = phase;
    item->sampling = measure_sampling(m, t->bench);
    /* Gives each copy several slices in its turn; otherwise the common window would contain mostly first and last
     * slices. */
    uint64_t turns = (copies + m->place.n_order - 1) / m->place.n_order;
    if (!measure_given(m, "time") && !params.classic && item->sampling.time_ns < turns * TURN_NS)
        item->sampling.time_ns = turns * TURN_NS;
    item->no_index = !in_index(protocol_of(m), t);
    if (params.classic) {
        item->sampling.classic = true;
        item->sampling.pause_ns = 3000000000u;
        /* -i N: short tests get (N+1)/3 passes, as in the original. */
        if (m->options.samples && t->bench->sampling[PRESET_CLASSIC].min_samples <= 3)
            item->sampling.min_samples = item->sampling.max_samples =
                m->options.samples >= 5 ? (m->options.samples + 1) / 3 : 1;
    }
    if (pairs_name && !pairs->n && !(item->skip = strdup(no_such_pair(pairs_name))))
        return -1;
    return 0;
}

/* Adds a test for each choice of --pairs if it is context1-two, otherwise one test. */
static int add_pairs(const struct measure *m, const struct test *t, const struct unix_options *o, uint64_t copies,
                     unsigned phase, struct plan *out)
{
    if (t->halves != HALVES_TWO || !o->pairs)
        return add_test(m, t, o, &o->next, NULL, copies, phase, out);
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        if (o->pairs & 1u << k && add_test(m, t, o, &o->of[k], pairs_names[k], copies, phase, out))
            return -1;
    return 0;
}

static int find_pairs(const struct measure *m, struct unix_options *o)
{
    if (topology_pairs("", m->place.order, m->place.n_order, PAIRS_NEXT, &o->next))
        return -1;
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        if (o->pairs & 1u << k && topology_pairs("", m->place.order, m->place.n_order, pairings[k], &o->of[k]))
            return -1;
    return 0;
}

static void end(void *options, bool unused)
{
    struct unix_options *o = options;

    (void)unused;
    topology_pairs_free(&o->next);
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        topology_pairs_free(&o->of[k]);
}

/* Checks before measuring that the original's CSV can be created; finish() creates it. */
static int check_unixbench_csv(const char *path, char *error, size_t error_size)
{
    if (!path[0])
        return 0;
    int fd = scratch_unnamed(path);
    const bool named = fd < 0 && fd != -EEXIST;
    if (named) /* this path does not exist */
        fd = folder_create(path);
    if (fd < 0) {
        (void)snprintf(error, error_size, "--unixbench-csv '%.200s': %s", path, folder_why_not(fd));
        return -1;
    }
    if (named)
        folder_remove(path, fd);
    (void)close(fd);
    return 0;
}

static int plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size)
{
    struct unix_options *o = options;
    uint64_t counts[OPTION_COUNTS_MAX] = {1, m->place.n_order};
    size_t n = m->options.copies.n ? measure_copies(m, 1, counts) : m->place.n_order > 1 && !m->options.quick ? 2 : 1;
    bool paired = false;

    if (check_unixbench_csv(o->unixbench_csv, error, error_size))
        return -1;
    if (find_pairs(m, o))
        goto no_memory;
    o->params.resident_mib = resident_mib();
    /* Interleaves the tests, so that a short disturbance of the machine affects all of them a little and not one of
     * them entirely. The original runs all passes of a test before the next test. */
    if (m->preset == PRESET_CLASSIC)
        out->schedule = SCHEDULE_SEQUENCE;
    for (size_t c = 0; c < n; c++)
        for (size_t t = 0; t < N_TESTS; t++) {
            const struct test *test = &unix_tests[t];
            bool wanted = m->operands_given ? m->selected[t] : is_default(test);
            if (!wanted && !o->all_tests)
                continue;
            paired |= test->halves == HALVES_TWO;
            if (add_pairs(m, test, o, counts[c], (unsigned)c, out))
                goto no_memory;
        }
    if (!o->pairs || paired)
        return 0;
    (void)snprintf(error, error_size, "--pairs places context1-two, which is not among the tests: name it");
    return -1;
no_memory:
    (void)snprintf(error, error_size, "out of memory");
    return -1;
}

/* --- The index. --- */

static bool is_rate(const struct row *row, uint64_t copies)
{
    return !strcmp(row->metric, "rate") && row->copies == copies && !isnan(row->index);
}

/* Returns the geometric mean of the tests' indices; n is set to their number. */
static double system_index(const struct table_rows *r, uint64_t copies, size_t *n)
{
    double sum = 0;

    *n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (is_rate(&r->rows[i], copies)) {
            sum += log(r->rows[i].index);
            ++*n;
        }
    return *n ? exp(sum / (double)*n) : (double)NAN;
}

static const struct test *test_of(const char *name)
{
    for (size_t t = 0; t < N_TESTS; t++)
        if (!strcmp(unix_tests[t].name, name))
            return &unix_tests[t];
    return NULL;
}

/* Returns the system index with the core free: from each test's rate with the core free if it has one, otherwise from
 * its normal rate. NAN if a core-bound test lacks that rate. */
static double alone_index(const struct table_rows *r, uint64_t copies)
{
    double sum = 0;
    size_t n = 0, n_alone = 0;

    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        if (!is_rate(row, copies))
            continue;
        const struct test *test = test_of(row->test);
        const struct row *alone = row_alone_of(r->rows, r->n, row);
        bool known = alone && !isnan(alone->value);
        if (test && test->groups & CORE && !known)
            return (double)NAN;
        n_alone += known && test && test->groups & CORE;
        sum += log(known ? row->index * alone->value / row->value : row->index);
        n++;
    }
    return n_alone ? exp(sum / (double)n) : (double)NAN;
}

static void describe_protocol(const struct protocol *protocol, struct row_params *out)
{
    row_param_add(out, PARAM_WORK, "protocol", "%s", protocol->name);
    row_param_add(out, PARAM_WORK, "context1", "%s", protocol->context1);
    row_param_add(out, PARAM_WORK, "footprint", "%s", protocol->footprint);
}

static void put_index_row(struct measure *m, uint64_t copies, const char *metric, const struct row_params *param,
                          double value)
{
    struct row row;

    row_init(&row, &m->run);
    (void)snprintf(row.suite, sizeof(row.suite), "unix");
    (void)snprintf(row.test, sizeof(row.test), "index");
    (void)snprintf(row.metric, sizeof(row.metric), "%s", metric);
    row.param = *param;
    (void)snprintf(row.unit, sizeof(row.unit), "%s", "ratio");
    (void)snprintf(row.better, sizeof(row.better), "higher");
    row.copies = copies;
    row.value = value;
    measure_put_row(m, &row);
}

/* Lists the numbers of copies in the order in which they were measured. */
static size_t copy_counts(const struct table_rows *r, uint64_t *counts)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        size_t k = 0;
        while (k < n && counts[k] != r->rows[i].copies)
            k++;
        if (k == n && n < OPTION_COUNTS_MAX)
            counts[n++] = r->rows[i].copies;
    }
    return n;
}

static void conclude(struct measure *m)
{
    struct table_rows measured = {.rows = m->rows, .n = m->n_rows};
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = copy_counts(&measured, counts), tests, first_tests;
    double first = system_index(&measured, counts[0], &first_tests);
    const struct protocol *protocol = protocol_of(m);

    for (size_t c = 0; c < n; c++) {
        measured.rows = m->rows; /* adding rows may move the array */
        double index = system_index(&measured, counts[c], &tests);
        if (!tests)
            continue;
        struct row_params param = {.n = 0}, scaling = {.n = 0};
        describe_protocol(protocol, &param);
        row_param_add(&param, PARAM_WORK, "tests", "%zu", tests);
        row_param_add(&param, PARAM_WORK, "of", "%d", N_INDEX);
        put_index_row(m, counts[c], "index", &param, index);
        measured.rows = m->rows;
        double alone = alone_index(&measured, counts[c]);
        if (!isnan(alone))
            put_index_row(m, counts[c], "index_alone", &param, alone);
        if (c > 0 && tests == first_tests) {
            describe_protocol(protocol, &scaling);
            row_param_add(&scaling, PARAM_WORK, "over", "%llu", (unsigned long long)counts[0]);
            put_index_row(m, counts[c], "scaling", &scaling, index / first);
        }
    }
}

/* --- Tables in the original's layout. --- */

static const char *title_of(const struct test *test)
{
    return test->title ? test->title : test->bench->title;
}

const char *unix_title(const char *name)
{
    const struct test *test = test_of(name);
    return test ? title_of(test) : NULL;
}

/* Returns why the row of a file test is not about a disk, or NULL. */
static const char *not_a_disk(const struct row *row)
{
    const struct test *test = test_of(row->test);
    return test && (test->groups & FILES) && row->status < ROW_SKIPPED ? disk_is_not(row->scratch_fs) : NULL;
}

/* Returns the title of the row's test, with the kind of pairs of context1-two. */
static const char *row_title(const struct test *test, const struct row *row)
{
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        if (row_param_is(&row->param, "pairs", pairs_names[k]))
            return pairs_titles[k];
    return test ? title_of(test) : row->test;
}

/* Returns the protocol of the rows, as far as it is recorded: rows made with --classic record it. */
static const struct protocol *protocol_of_rows(const struct table_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (row_param_is(&r->rows[i].param, "protocol", "classic"))
            return &protocols[1];
    return &protocols[0];
}

/* Has the widths of the original's table. BASELINE never changes, so it is left out first. */
static void put_columns(bool whole, bool probed, struct grid *grid)
{
    const struct grid_column columns[] = {
        {.title = whole ? "System Benchmarks Index Values" : "System Benchmarks Partial Index",
         .width = 44,
         .left = true},
        {.title = "BASELINE", .width = 9, .rank = 3},
        {.title = "RESULT", .width = 13, .most = 13},
        {.width = 5, .left = true}, /* unit */
        {.title = "INDEX", .width = 7, .most = 7},
        {.title = "RSD %", .rank = 1},
        {.left = true}, /* status */
        {.left = true}, /* file system */
    };
    const struct grid_column of_core[] = {{.title = "Core %", .rank = 3}, {.title = "Alone", .width = 11, .rank = 2}};

    grid_columns(grid, columns, 6);
    grid_columns(grid, of_core, probed ? 2 : 0);
    grid_columns(grid, columns + 6, 2);
    grid->hint = "(shown with -v)";
}

/* Prints the share of the core that the test had, and its value with the core free. */
static void put_core(const struct row *row, const struct row *alone, struct grid *grid)
{
    char *end;
    double share = strtod(row->core_share, &end);

    if (end == row->core_share && row->core_share[0])
        grid_text(grid, row->core_share);
    else
        grid_number(grid, end == row->core_share ? (double)NAN : 100 * share, 0);
    grid_number(grid, alone ? alone->value : (double)NAN, 1);
}

static void put_line(const struct protocol *protocol, const struct table_rows *r, const struct row *row, bool probed,
                     struct grid *grid)
{
    const struct test *test = test_of(row->test);
    double baseline = test && in_index(protocol, test) ? bench_metric(test->bench, UNIX_RATE)->baseline : (double)NAN;

    grid_text(grid, row_title(test, row));
    grid_number(grid, baseline, 1);
    grid_number(grid, row->value, 1);
    grid_text(grid, row->unit);
    grid_number(grid, row->index, 1);
    grid_number(grid, row->stats.rsd_pct, 1);
    if (probed)
        put_core(row, row_alone_of(r->rows, r->n, row), grid);
    grid_status(grid, row->status);
    grid_text(grid, not_a_disk(row) ? row->scratch_fs : "");
}

/* --verbose: prints a line for each pass. */
static void put_samples(const struct row *row, struct grid *grid)
{
    for (size_t i = 0; i < row->n_samples; i++) {
        text_printf(grid_cell(grid, COLOR_NONE), "    pass %zu", i + 1);
        grid_text(grid, "");
        grid_number(grid, row->samples[i], 1);
        grid_text(grid, row->unit);
        grid_end_row(grid);
    }
}

/* Prints an index: its name, of what it is, and its value. */
static void put_index(const char *name, const char *kind, const char *value, struct grid *grid)
{
    const char *const cells[] = {name, "", kind, "", value};

    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
        grid_text(grid, cells[i]);
    grid_end_row(grid);
}

static void put_indices(const struct table_rows *r, uint64_t copies, const char *protocol, struct grid *grid)
{
    size_t tests;
    char value[32];
    double index = system_index(r, copies, &tests), alone = alone_index(r, copies);

    if (!tests)
        return;
    put_index("", "", "========", grid);
    (void)snprintf(value, sizeof(value), "%.1f", index);
    put_index(tests == N_INDEX ? "System Benchmarks Index Score" : "System Benchmarks Index Score (Partial Only)",
              protocol, value, grid);
    (void)snprintf(value, sizeof(value), "%.1f", alone);
    if (!isnan(alone))
        put_index("", "with the core free", value, grid);
}

static void put_block(const struct table_rows *r, uint64_t copies, struct text *out)
{
    size_t tests;
    const struct protocol *of = protocol_of_rows(r);
    struct grid grid = {.n_columns = 0};
    char protocol[24];
    bool probed = false;

    (void)snprintf(protocol, sizeof(protocol), "%s protocol", of->name);
    text_printf(out, "%llu parallel cop%s of tests, %s\n\n", (unsigned long long)copies, copies == 1 ? "y" : "ies",
                protocol);
    for (size_t i = 0; i < r->n; i++)
        probed |= !strcmp(r->rows[i].metric, "rate_alone");
    (void)system_index(r, copies, &tests);
    put_columns(tests == N_INDEX, probed, &grid);
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "rate") && r->rows[i].copies == copies) {
            put_line(of, r, &r->rows[i], probed, &grid);
            if (r->verbose)
                put_samples(&r->rows[i], &grid);
        }
    put_indices(r, copies, protocol, &grid);
    grid_print(&grid, r->table_width, out);
    text_append(out, "\n", 1);
}

/* Prints one line for all tests, because they use the same directory. */
static void put_not_a_disk(const struct table_rows *r, struct text *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (not_a_disk(&r->rows[i])) {
            text_printf(out, "%s is not a disk: %s (%s); --dir names another directory\n", r->rows[i].scratch_fs,
                        not_a_disk(&r->rows[i]), r->rows[i].test);
            return;
        }
}

static void print(const struct table_rows *r, struct text *out)
{
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = copy_counts(r, counts);

    for (size_t c = 0; c < n; c++)
        put_block(r, counts[c], out);
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].metric, "scaling"))
            text_printf(out, "Scaling: the index of %llu copies is %.2f times that of %llu (%s protocol)\n",
                        (unsigned long long)r->rows[i].copies, r->rows[i].value, (unsigned long long)counts[0],
                        protocol_of_rows(r)->name);
    table_put_reasons(r->rows, r->n, out);
    put_not_a_disk(r, out);
}

/* --- The original's CSV. --- */

static void csv_line(const struct measure *m, uint64_t copies, bool titles, struct text *out)
{
    for (size_t i = 0; i < m->n_rows; i++) {
        const struct row *row = &m->rows[i];
        const struct test *test = test_of(row->test);
        if (!test || !in_index(protocol_of(m), test) || strcmp(row->metric, "rate") || row->copies != copies)
            continue;
        if (titles)
            text_printf(out, ",%s", title_of(test));
        else if (isnan(row->value))
            text_printf(out, ",");
        else
            text_printf(out, ",%.1f", row->value);
    }
    text_append(out, "\n", 1);
}

/* Chooses the path of the original's CSV: --unixbench-csv FILE, or the original's environment variables
 * UB_OUTPUT_CSV=true and UB_RESULTDIR. */
static void original_csv_path(const struct measure *m, const struct unix_options *o, char *path, size_t size)
{
    const char *wanted = getenv("UB_OUTPUT_CSV"), *dir = getenv("UB_RESULTDIR");

    path[0] = 0;
    if (o->unixbench_csv[0])
        (void)snprintf(path, size, "%s", o->unixbench_csv);
    else if (wanted && !strcmp(wanted, "true"))
        (void)snprintf(path, size, "%s/unixbench-%s-%.8s.csv", dir && dir[0] ? dir : ".", m->run.host, m->run.run_id);
}

static int finish(const struct measure *m, const void *options)
{
    const struct unix_options *o = options;
    const struct table_rows measured = {.rows = m->rows, .n = m->n_rows};
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = copy_counts(&measured, counts);
    struct text out = {0};
    char path[1200];

    original_csv_path(m, o, path, sizeof(path));
    if (!path[0] || !n)
        return 0;
    text_printf(&out, "Concurrency");
    csv_line(m, counts[0], true, &out);
    for (size_t c = 0; c < n; c++) {
        text_printf(&out, "%llu", (unsigned long long)counts[c]);
        csv_line(m, counts[c], false, &out);
    }
    return files_write("unix", path, &out) ? EXIT_ROW_FAILED : 0;
}

static bool brief(const void *options)
{
    return ((const struct unix_options *)options)->brief;
}

const struct suite suite_unix = {
    .name = "unix",
    .title = TITLE,
    .seconds = {[PRESET_DEFAULT] = 155, [PRESET_QUICK] = 22, [PRESET_CLASSIC] = 3600},
    .options_size = sizeof(struct unix_options),
    .tables = tables,
    .timed = true,
    .copies = true,
    .schedule = SCHEDULE_INTERLEAVED,
    .tests = names,
    .select = select_test,
    .plan = plan,
    .print = print,
    .conclude = conclude,
    .finish = finish,
    .brief = brief,
    .end = end,
};

/* Returns whether the group stands for the same tests as an earlier group. */
static bool is_same_group(size_t group)
{
    for (size_t g = 0; g < group; g++)
        if (groups[g].groups == groups[group].groups)
            return true;
    return false;
}

static bool operand_word(const struct command *command, size_t i, struct operand_word *out)
{
    (void)command;
    if (!names[i])
        return false;
    *out = (struct operand_word){.name = names[i]};
    if (i < N_TESTS)
        out->help = title_of(&unix_tests[i]);
    else if (i < N_TESTS + N_GROUPS && !is_same_group(i - N_TESTS))
        out->help = "group of tests";
    else
        out->old = true;
    return true;
}

static const struct operands operands = {.kind = OPERANDS_WORDS, .noun = "test", .word = operand_word};

const struct command command_unix = {
    .name = "unix",
    .operands = "[TEST|GROUP...]",
    .title = TITLE,
    .description =
        "The twelve tests of the BYTE UNIX Benchmarks' index, one copy first and then as many as there are CPUs. "
        "The default protocol takes many short samples, each in a fresh process; --classic keeps the original's "
        "passes, times and pauses, and gives an index of its own, to hold against published scores. Groups: index, "
        "cpu, file, process, arith, shell, misc.",
    .suite = &suite_unix,
    .run = measure_suite_main,
    .tables = measure_tables,
    .takes = &operands,
};
