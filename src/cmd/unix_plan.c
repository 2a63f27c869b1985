/* SPDX-License-Identifier: MIT */
/* jitbench unix: reads its options, and makes the plan from them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/files.h"
#include "cmd/unix.h"
#include "sys/scratch.h"

/* With more copies than CPUs, several copies share a CPU. Unless --time or --classic is given, a sample then lasts at
 * least this many ns for each copy on the CPU. */
#define TURN_NS 40000000u

/* Choices of --pairs: the CPUs on which the two processes of context1-two run. */
static const char *const pairs_names[] = {"near", "far", "halves", NULL};
static const struct {
    const char *title;
    enum cpu_pairing pairing;
} pairs_kinds[PAIRS_CHOICES] = {
    {"Pipe-based Context Switching (near CPUs)", PAIRS_NEAR},
    {"Pipe-based Context Switching (far CPUs)", PAIRS_FAR},
    {"Pipe-based Context Switching (CPU halves)", PAIRS_HALVES},
};

static const struct option rows[] = {
    {OPTION("all-tests", 0, struct unix_options, all_tests, "run the tests outside the index too")},
    {OPTION("pairs", 0, struct unix_options, pairs,
            "context1-two between neighbours, between packages or nodes, or from the first half of the CPUs to the "
            "second; a row for each"),
     OPTION_SOME_OF("KIND,...", pairs_names)},
    {OPTION("brief", 'b', struct unix_options, brief, "describe the machine in one line only")},
    {OPTION("unixbench-csv", 0, struct unix_options, unixbench_csv, "write the results in UnixBench's CSV format too"),
     OPTION_WORD("FILE")},
};

const struct suite_options unix_own[2] = {{.heading = "Options of unix", SUITE_ROWS(rows)}};

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

/* Adds a test to the plan. pairs: pairs of CPUs for the two processes of context1-two; pairs_name: the choice of
 * --pairs, NULL if it was not given. */
static void add_test(const struct measure *m, const struct unix_test *t, const struct unix_options *o,
                     const struct cpu_pairs *pairs, const char *pairs_name, uint64_t copies, unsigned phase,
                     struct plan *out)
{
    struct unix_params params = o->params;

    params.halves = t->halves;
    params.pairs = t->halves == HALVES_TWO ? *pairs : (struct cpu_pairs){.n = 0};
    params.pairs_name = pairs_name;
    if (params.pairs.n > copies)
        params.pairs.n = (size_t)copies; /* the other pairs are not used, so the row must not mention their relations */
    params.classic = m->preset == PRESET_CLASSIC;
    (void)snprintf(params.dir, sizeof(params.dir), "%s", scratch(m));
    struct plan_item *item = measure_item(m, out, t->bench, &params, copies, phase);
    item->test = t->name;
    /* If copies share a CPU, lengthens the sample so that each of them has the CPU for several slices of about 10 ms,
     * for which completions are counted; otherwise the window that all copies have in common would contain mostly their
     * first and last slices. */
    uint64_t turns = (copies + m->place.n_order - 1) / m->place.n_order;
    if (!measure_given(m, "time") && !params.classic && item->sampling.time_ns < turns * TURN_NS)
        item->sampling.time_ns = turns * TURN_NS;
    item->no_index = !unix_in_index(unix_protocol_of(m), t);
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

/* Adds a test for each choice of --pairs if it is context1-two, otherwise one test. */
static void add_pairs(const struct measure *m, const struct unix_test *t, const struct unix_options *o, uint64_t copies,
                      unsigned phase, struct plan *out)
{
    if (t->halves != HALVES_TWO || !o->pairs)
        add_test(m, t, o, &o->next, NULL, copies, phase, out);
    else
        for (size_t k = 0; k < PAIRS_CHOICES; k++)
            if (o->pairs & 1u << k)
                add_test(m, t, o, &o->of[k], pairs_names[k], copies, phase, out);
}

static void find_pairs(const struct measure *m, enum cpu_pairing pairing, struct cpu_pairs *out)
{
    if (topology_pairs("", m->place.order, m->place.n_order, pairing, out))
        memory_out();
}

int unix_end(void *options, bool unused)
{
    struct unix_options *o = options;

    (void)unused;
    topology_pairs_free(&o->next);
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        topology_pairs_free(&o->of[k]);
    return 0;
}

int unix_plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size)
{
    struct unix_options *o = options;
    uint64_t counts[OPTION_COUNTS_MAX] = {1, m->place.n_order};
    size_t n = m->options.copies.n ? measure_copies(m, 1, counts) : m->place.n_order > 1 && !m->options.quick ? 2 : 1;
    bool paired = false;
    struct unix_test test;

    if (files_check("--unixbench-csv", o->unixbench_csv, error, error_size))
        return -1;
    find_pairs(m, PAIRS_NEXT, &o->next);
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        if (o->pairs & 1u << k)
            find_pairs(m, pairs_kinds[k].pairing, &o->of[k]);
    o->params.resident_mib = resident_mib();
    /* Interleaves the tests, so that a short disturbance of the machine affects all of them a little and not one of
     * them entirely. UnixBench runs all passes of a test before the next test. */
    if (m->preset == PRESET_CLASSIC)
        out->schedule = SCHEDULE_SEQUENCE;
    for (size_t c = 0; c < n; c++)
        for (size_t t = 0; (test = unix_test_at(t)).name; t++) {
            /* Without operands, selects the tests of either index, and context1 in all its variants. */
            bool wanted =
                m->operands_given ? m->selected[t] : (test.groups & UNIX_INDEX) || test.bench == &bench_context1;
            if (!wanted && !o->all_tests)
                continue;
            paired |= test.halves == HALVES_TWO;
            add_pairs(m, &test, o, counts[c], (unsigned)c, out);
        }
    if (!o->pairs || paired)
        return 0;
    return fail_because(-1, error, error_size, "--pairs places context1-two, which is not among the tests: name it");
}

const char *unix_row_title(const struct row *row)
{
    for (size_t k = 0; k < PAIRS_CHOICES; k++)
        if (row_param_is(&row->param, "pairs", pairs_names[k]))
            return pairs_kinds[k].title;
    const char *title = unix_test_of(row->test).title;
    return title ? title : row->test;
}
