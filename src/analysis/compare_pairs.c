/* SPDX-License-Identifier: MIT */
/* Pairs the rows of two sets of files. */
#include "analysis/compare_pairs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/text.h"
#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/machine.h"

#define LEAST_CLOCK 0.02 /* smaller differences of the core's frequency do not count */

const char *const pair_across_names[] = {
    [ACROSS_BUILD] = "build",     [ACROSS_CPU] = "cpu",   [ACROSS_SCHEDULER] = "scheduler",
    [ACROSS_POLICY] = "policy",   [ACROSS_CPUS] = "cpus", [ACROSS_LAYOUT] = "layout",
    [ACROSS_BESIDE] = "beside",   [ACROSS_FS] = "fs",     [ACROSS_DEGRADED] = "degraded",
    [ACROSS_COMMAND] = "command", [ACROSS_COUNT] = NULL,
};

bool pair_same_run(const struct row *a, const struct row *b)
{
    return a->run == b->run || (a->run->run_id[0] && !strcmp(a->run->run_id, b->run->run_id));
}

/* --- What identifies a row. --- */

static bool is_across(uint64_t across, enum pair_across what)
{
    return across >> what & 1;
}

/* Appends the parameters whose kind is in a set of bits, separated by spaces. */
static void append_params(struct text *out, const struct row_params *params, unsigned kinds_wanted)
{
    const size_t before = out->length;

    for (size_t i = 0; i < params->n; i++)
        if (kinds_wanted >> params->of[i].kind & 1) {
            text_append(out, " ", out->length > before);
            text_append(out, params->text + params->of[i].at, params->of[i].length);
        }
}

struct entry {
    char *key;    /* freed with the entry */
    size_t loose; /* length of the key before the parameters */
    size_t work;  /* length of the key before the user's command */
    const struct row *row;
    bool changed;
};

/* Appends the parameters that identify the measured work, followed by the user's command line. Returns the length of
 * the key without the command line. */
static size_t append_work(struct text *key, const struct row_params *params)
{
    const char *command = row_command(params);

    append_params(key, params, 1u << PARAM_WORK | 1u << PARAM_CPU | 1u << PARAM_BUILD);
    text_append(key, "\x1f", 1);
    const size_t work = key->length;
    text_printf(key, "%s", command ? command : "");
    return work;
}

/* Completes the key and moves it into the entry. When out of memory, moves it as far as it was written, so that it is
 * freed with the entry, and returns -1. */
static int end_key(struct text *key, struct entry *entry)
{
    entry->work = append_work(key, &entry->row->param);
    entry->key = key->data;
    return key->failed ? -1 : 0;
}

/* Writes the part of the key before the parameters. Returns its length. */
static size_t begin_key(const struct row *row, struct text *key)
{
    text_printf(key, "%s\x1f%s\x1f%s\x1f%" PRIu64 "\x1f%s\x1f", row->suite, row->test, row->load, row->copies,
                row->metric);
    return key->length;
}

size_t pair_key(const struct row *row, struct text *key)
{
    const size_t loose = begin_key(row, key);

    (void)append_work(key, &row->param);
    return loose;
}

static int make_entry(const struct row *row, bool changed, struct entry *entry)
{
    struct text key = {0};

    *entry = (struct entry){.loose = begin_key(row, &key), .row = row, .changed = changed};
    return end_key(&key, entry);
}

static int make_within_entry(const struct row *row, struct entry *entry)
{
    struct text key = {0};

    if (row_command(&row->param))
        text_printf(&key, "%s\x1f\x1f%" PRIu64 "\x1f%s\x1f", row->suite, row->copies, row->metric);
    else
        text_printf(&key, "%s\x1f%s\x1f\x1f%s\x1f", row->suite, row->test, row->metric);
    *entry = (struct entry){.loose = key.length, .row = row};
    text_printf(&key, "%s\x1f%s\x1f%" PRIu64 "\x1f", row->test, row->load, row->copies);
    return end_key(&key, entry);
}

/* Orders rows by CPUs, then base before changed, then by position in the files. */
static int compare_places(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->row->cpus, y->row->cpus);

    if (!order)
        order = x->changed - y->changed;
    return order ? order : ORDER_OF(x->row->number, y->row->number);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = strcmp(x->key, y->key);

    return order ? order : compare_places(a, b);
}

/* Returns whether a run has several of the entries' rows, with different CPUs. The entries are sorted by CPUs. */
static bool told_by_cpus(const struct entry *entries, size_t n)
{
    const struct row *first = entries[0].row;

    if (!strcmp(first->cpus, entries[n - 1].row->cpus))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (entries[i].changed == entries[k].changed && strcmp(entries[i].row->cpus, entries[k].row->cpus) != 0 &&
                pair_same_run(entries[i].row, entries[k].row))
                return true;
    return false;
}

/* --- Which rows have figures. --- */

static bool has_figures(const struct row *row, uint64_t across)
{
    bool usable = row->status < ROW_DEGRADED || (row->status == ROW_DEGRADED && across >> ACROSS_DEGRADED & 1);

    return usable && (row->n_samples > 0 || isfinite(row->value));
}

static bool same_figures(const struct row *a, const struct row *b)
{
    return pair_same_run(a, b) && a->n_samples == b->n_samples && !strcmp(a->cpus, b->cpus) &&
           (a->n_samples ? !memcmp(a->samples, b->samples, a->n_samples * sizeof(*a->samples)) : a->value == b->value);
}

/* Removes rows without figures and duplicates; *n is the number of rows left. */
static void drop_rows(const struct row **rows, size_t *n, uint64_t across, struct pairs *pairs)
{
    size_t kept = 0, left_out = 0;

    for (size_t i = 0; i < *n; i++) {
        bool is_double = false;
        if (!has_figures(rows[i], across)) {
            left_out++;
            continue;
        }
        for (size_t k = 0; k < kept && !is_double; k++)
            is_double = same_figures(rows[k], rows[i]);
        pairs->doubles += is_double;
        if (!is_double)
            rows[kept++] = rows[i];
    }
    if (kept)
        pairs->degraded += left_out;
    *n = kept;
}

/* --- Differences that forbid a comparison. --- */

static void beside_of(const struct row *row, char *buf, size_t size)
{
    FREED_BY(text_free) struct text words = {0};

    append_params(&words, &row->param, 1u << PARAM_PLACEMENT);
    text_copy(buf, size, words.length ? words.data : "");
}

static void cpus_of(const struct row *row, char *buf, size_t size)
{
    struct cpuset set = {{0}};
    char error[128];

    if (!row->cpus[0] && !row->bind[0])
        text_copy(buf, size, "");
    else if (cpuset_parse(row->cpus, &set, error, sizeof(error)))
        (void)snprintf(buf, size, "CPUs %.60s, bind %s", row->cpus, row->bind);
    else
        (void)snprintf(buf, size, "%u CPU%s, bind %s", cpuset_count(&set), cpuset_count(&set) == 1 ? "" : "s",
                       row->bind);
}

static void scheduler_of(const struct row *row, char *buf, size_t size)
{
    struct setting_items items;

    text_copy(buf, size, "");
    setting_items_begin(&items, row->run->settings, true);
    while (setting_items_next(&items))
        if (!strcmp(items.name, "scheduler"))
            text_copy(buf, size, items.value);
}

/* Properties that must agree in rows that are compared. If several differ, the first in this order is given as the
 * reason. */
static const struct kind {
    const char *name;
    int across; /* enum pair_across that allows a difference; -1: none */
    bool empty; /* a value that is missing on one side is a difference */
    void (*of)(const struct row *row, char *buf, size_t size);
    bool in_run; /* if `of` is NULL: the property is a text at `offset` in the row's run, not in the row */
    size_t offset;
} kinds[] = {
    {"unit", -1, .offset = offsetof(struct row, unit)},
    {"direction", -1, .empty = true, .offset = offsetof(struct row, better)},
    {"architecture", ACROSS_BUILD, .in_run = true, .offset = offsetof(struct row_run, arch)},
    {"build of jitbench", ACROSS_BUILD, .in_run = true, .offset = offsetof(struct row_run, build)},
    {"CPU model", ACROSS_CPU, .in_run = true, .offset = offsetof(struct row_run, cpu_model)},
    {"scheduler", ACROSS_SCHEDULER, .of = scheduler_of},
    {"scheduling policy", ACROSS_POLICY, .offset = offsetof(struct row, policy)},
    {"placement", ACROSS_CPUS, .of = cpus_of},
    {"memory layout", ACROSS_LAYOUT, .offset = offsetof(struct row, layout)},
    {"policy or CPUs of what ran beside it", ACROSS_BESIDE, .empty = true, .of = beside_of},
    {"file system", ACROSS_FS, .offset = offsetof(struct row, scratch_fs)},
};

static void property_of(const struct kind *kind, const struct row *row, char *buf, size_t size)
{
    if (kind->of)
        kind->of(row, buf, size);
    else
        text_copy(buf, size, (kind->in_run ? (const char *)row->run : (const char *)row) + kind->offset);
}

/* Returns whether a property differs in a way that forbids the comparison, and sets the reason. A value missing on one
 * side (a file of an earlier version) is not a difference, unless `empty` is set. */
static bool differs(const struct row *a, const struct row *b, uint64_t across, struct pair *pair)
{
    char x[256], y[256];

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].across >= 0 && across >> kinds[i].across & 1)
            continue;
        property_of(&kinds[i], a, x, sizeof(x));
        property_of(&kinds[i], b, y, sizeof(y));
        if (((!x[0] || !y[0]) && !kinds[i].empty) || !strcmp(x, y))
            continue;
        pair->reason = kinds[i].across;
        pair->differs = true;
        (void)snprintf(pair->why, sizeof(pair->why), "other %s: %.80s against %.80s", kinds[i].name, x[0] ? x : "none",
                       y[0] ? y : "none");
        return true;
    }
    return false;
}

static void check_kind(struct pair *pair, uint64_t across)
{
    for (size_t i = 1; i < pair->n_base + pair->n_changed; i++)
        if (differs(pair->base[0], i < pair->n_base ? pair->base[i] : pair->changed[i - pair->n_base], across, pair))
            return;
}

/* Sets the reason why the pair cannot be compared: no row of this side has values. row: the first row of the side. */
static void no_figures(const struct row *row, const char *side, struct pair *pair)
{
    pair->reason = row->status == ROW_DEGRADED ? ACROSS_DEGRADED : -1;
    (void)snprintf(pair->why, sizeof(pair->why), "%s in %s%s%.160s", row_status_name(row->status), side,
                   row->reason[0] ? ": " : "", row->reason);
    if (row->status < ROW_DEGRADED)
        (void)snprintf(pair->why, sizeof(pair->why), "no figures in %s", side);
}

static void settle(struct pair *pair, uint64_t across, struct pairs *pairs)
{
    size_t n_base = pair->n_base, n_changed = pair->n_changed;

    if (pair->why[0])
        return;
    if (!n_base || !n_changed) {
        pair->reason = -1;
        (void)snprintf(pair->why, sizeof(pair->why), "only in %s%s", n_base ? "BASE" : "NEW",
                       row_command(&pair->about->param)
                           ? ": commands belong together by their --name, with --across command"
                           : "");
        return;
    }
    drop_rows(pair->base, &pair->n_base, across, pairs);
    drop_rows(pair->changed, &pair->n_changed, across, pairs);
    if (!pair->n_base)
        no_figures(pair->base[0], "BASE", pair);
    else if (!pair->n_changed)
        no_figures(pair->changed[0], "NEW", pair);
    else
        check_kind(pair, across);
    if (pair->n_changed)
        pair->about = pair->changed[0];
    if (!pair->n_base || !pair->n_changed) {
        pair->n_base = n_base;
        pair->n_changed = n_changed;
    }
}

/* --- Making pairs. --- */

/* Appends a pair of n entries, in which those of the base come first. */
static int take_pair(const struct entry *entries, size_t n, bool by_cpus, bool within, struct pairs *out)
{
    struct pair *pair = &out->pair[out->n++];

    *pair = (struct pair){.about = entries[n - 1].row, .by_cpus = by_cpus, .within = within};
    pair->base = calloc(n, sizeof(const struct row *));
    pair->changed = calloc(n, sizeof(const struct row *));
    if (!pair->base || !pair->changed)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (entries[i].changed)
            pair->changed[pair->n_changed++] = entries[i].row;
        else
            pair->base[pair->n_base++] = entries[i].row;
    }
    return 0;
}

static bool may_differ(unsigned kind, uint64_t across)
{
    return kind == PARAM_OUTCOME || kind == PARAM_PLACEMENT ||
           (kind == PARAM_BUILD && is_across(across, ACROSS_BUILD)) ||
           (kind == PARAM_CPU && is_across(across, ACROSS_CPU)) ||
           (kind == PARAM_COMMAND && is_across(across, ACROSS_COMMAND));
}

/* Appends the parameters that `other` lacks, unless parameters of their kind may differ. */
static void append_lacking(const struct row_params *params, const struct row_params *other, uint64_t across,
                           struct text *out)
{
    struct row_word word = {0};
    const size_t before = out->length;

    while (row_next_word(params, &word)) {
        if (may_differ(word.of->kind, across) || text_has_word_of(other->text, word.text, word.length))
            continue;
        text_append(out, " ", out->length > before);
        text_append(out, word.text, word.length);
    }
}

/* Returns whether two command lines differ. Unlike other parameters, command lines are compared with the order and
 * repetition of their words. */
static bool other_command(const struct row *a, const struct row *b)
{
    const char *x = row_command(&a->param), *y = row_command(&b->param);

    return x && y && strcmp(x, y) != 0;
}

/* Returns whether two rows are indices (total scores) of different protocols, which are computed from different tests;
 * then writes the reason. */
static bool other_index(const struct row *base, const struct row *changed, char *why, size_t size)
{
    char before[ROW_PROTOCOL_SIZE], after[ROW_PROTOCOL_SIZE];

    row_protocol(&base->param, before);
    row_protocol(&changed->param, after);
    if (!before[0] || !after[0] || !strcmp(before, after))
        return false;
    (void)snprintf(why, size, "another index: %s against %s", before, after);
    return true;
}

/* Returns whether the rows could be compared with --across command. */
static bool differs_in_command_only(const struct row_params *base, const struct row_params *changed, uint64_t across)
{
    const uint64_t commands = across | UINT64_C(1) << ACROSS_COMMAND;
    FREED_BY(text_free) struct text words = {0};

    append_lacking(base, changed, commands, &words);
    append_lacking(changed, base, commands, &words);
    return !words.length && !words.failed && row_command(base) && row_command(changed);
}

/* Joins a pair that has rows of the base only with one that has rows of the other side only, and gives the parameters
 * that differ as the reason why they cannot be compared. Moves the rows into `changed`. */
static void join(struct pair *base, struct pair *changed, uint64_t across)
{
    FREED_BY(text_free) struct text lacking = {0}, surplus = {0};
    const struct row **rows = changed->base;
    const bool by_command = differs_in_command_only(&base->about->param, &changed->about->param, across);

    append_lacking(&base->about->param, &changed->about->param, across, &lacking);
    append_lacking(&changed->about->param, &base->about->param, across, &surplus);
    changed->base = base->base;
    changed->n_base = base->n_base;
    base->base = rows;
    base->n_base = 0;
    if (other_index(base->about, changed->about, changed->why, sizeof(changed->why))) {
        changed->reason = -1;
    } else if (lacking.length || surplus.length) {
        changed->reason = by_command ? ACROSS_COMMAND : -1;
        (void)snprintf(changed->why, sizeof(changed->why), "other work: %.100s against %.100s",
                       lacking.length ? lacking.data : "without", surplus.length ? surplus.data : "without");
    } else if (!is_across(across, ACROSS_COMMAND) && other_command(base->about, changed->about)) {
        changed->reason = ACROSS_COMMAND;
        text_copy(changed->why, sizeof(changed->why), "other work: the same words in another order or number");
    }
}

static void join_leftovers(struct pair *pair, size_t n, uint64_t across)
{
    struct pair *base = NULL, *changed = NULL;

    for (size_t i = 0; i < n; i++) {
        if (pair[i].n_base && pair[i].n_changed)
            continue;
        struct pair **side = pair[i].n_base ? &base : &changed;
        if (*side)
            return;
        *side = &pair[i];
    }
    if (base && changed && base->by_cpus == changed->by_cpus)
        join(base, changed, across);
}

static bool same_work(const struct entry *a, const struct entry *b)
{
    return a->work == b->work && !strncmp(a->key, b->key, a->work);
}

/* Returns the number of sorted entries, from the first on, that are the same measurement. */
static size_t same_entries(struct entry *entries, size_t n, uint64_t across)
{
    size_t same = 1, work = 1;

    while (same < n && !strcmp(entries[same].key, entries[0].key))
        same++;
    while (work < n && same_work(&entries[work], &entries[0]))
        work++;
    if (!is_across(across, ACROSS_COMMAND) || work == same)
        return same;
    for (size_t i = 0; i < work; i++)
        for (size_t k = i + 1; k < work; k++)
            if (entries[i].changed == entries[k].changed && strcmp(entries[i].key, entries[k].key) != 0 &&
                pair_same_run(entries[i].row, entries[k].row))
                return same;
    qsort(entries, work, sizeof(*entries), compare_places);
    return work;
}

/* A range of sorted entries: the rows of one measurement. */
struct range {
    size_t at, n;
    bool by_cpus;
};

/* Splits sorted entries into ranges of one measurement each. Returns their number. */
static size_t split(struct entry *entries, size_t n, uint64_t across, struct range *ranges)
{
    size_t found = 0;

    for (size_t i = 0, end; i < n; i = end) {
        end = i + same_entries(entries + i, n - i, across);
        const bool by_cpus = told_by_cpus(entries + i, end - i);
        for (size_t k = i, stop; k < end; k = stop) {
            for (stop = k; stop < end && (!by_cpus || !strcmp(entries[stop].row->cpus, entries[k].row->cpus)); stop++)
                ;
            ranges[found++] = (struct range){.at = k, .n = stop - k, .by_cpus = by_cpus};
        }
    }
    return found;
}

/* Makes a pair of each of n ranges of sorted entries from two sets of files; all entries agree except in parameters. */
static int pair_sides(struct entry *entries, const struct range *ranges, size_t n, uint64_t across, struct pairs *out)
{
    const size_t first = out->n;

    for (size_t i = 0; i < n; i++)
        if (take_pair(entries + ranges[i].at, ranges[i].n, ranges[i].by_cpus, false, out))
            return -1;
    join_leftovers(out->pair + first, out->n - first, across);
    return 0;
}

/* Orders rows by the position of their test in the run (for `jitbench run`: of the command on the command line, while
 * the rows stand in the order in which commands ended), then by position in the files. */
static int compare_positions(const struct row *x, const struct row *y)
{
    const int order = ORDER_OF(x->item, y->item);

    return order ? order : ORDER_OF(x->number, y->number);
}

/* Pairs the range whose first row is the first in the run with each of the other ranges. */
static int pair_alternatives(struct entry *entries, const struct range *ranges, size_t n, struct pairs *out)
{
    const struct range *base = ranges, *last = &ranges[n - 1];
    FREED_BY(memory_free) struct entry *both = calloc(last->at + last->n, sizeof(*both));

    if (!both)
        return -1;
    for (size_t i = 1; i < n; i++)
        if (compare_positions(entries[ranges[i].at].row, entries[base->at].row) < 0)
            base = &ranges[i];
    for (const struct range *of = ranges; of <= last; of++) {
        if (of == base)
            continue;
        memcpy(both, entries + base->at, base->n * sizeof(*both));
        memcpy(both + base->n, entries + of->at, of->n * sizeof(*both));
        for (size_t k = 0; k < of->n; k++)
            both[base->n + k].changed = true;
        if (take_pair(both, base->n + of->n, of->by_cpus, true, out))
            return -1;
    }
    return 0;
}

/* Finds out which pairs from `first` on can be compared, and removes pairs whose rows were moved to another pair. */
static void settle_all(struct pairs *out, size_t first, const char *host, uint64_t across)
{
    size_t kept = first;

    for (size_t i = first; i < out->n; i++) {
        struct pair *pair = &out->pair[i];
        if (!pair->n_base && !pair->n_changed) {
            free(pair->base);
            free(pair->changed);
            continue;
        }
        settle(pair, across, out);
        text_copy(pair->host, sizeof(pair->host), host);
        out->pair[kept++] = *pair;
    }
    out->n = kept;
}

static int pair_entries(struct entry *entries, size_t n, const char *host, uint64_t across, bool within,
                        struct pairs *out)
{
    const size_t first = out->n;
    struct pair *pair = realloc(out->pair, (out->n + n + 1) * sizeof(*pair));
    FREED_BY(memory_free) struct range *ranges = calloc(n + 1, sizeof(*ranges));

    out->pair = pair ? pair : out->pair;
    if (!pair || !ranges)
        return -1;
    qsort(entries, n, sizeof(*entries), compare_entries);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && entries[end].loose == entries[i].loose &&
                      !strncmp(entries[end].key, entries[i].key, entries[i].loose);
             end++)
            ;
        const size_t found = split(entries + i, end - i, within ? 0 : across, ranges);
        if (within ? pair_alternatives(entries + i, ranges, found, out)
                   : pair_sides(entries + i, ranges, found, across, out))
            return -1;
    }
    settle_all(out, first, host, across);
    return 0;
}

/* --- By host. --- */

static bool has_host(const struct row_set *set, const char *host)
{
    for (size_t i = 0; i < set->n_runs; i++)
        if (!strcmp(set->runs[i]->host, host))
            return true;
    return false;
}

/* Pairs the rows of one host, that of the run `of`; if it is NULL, all rows. within: pairs rows of `changed` with each
 * other; base is empty. */
static int pair_host(const struct row_set *base, const struct row_set *changed, const struct row_run *of,
                     uint64_t across, bool within, struct pairs *out)
{
    FREED_BY(memory_free) struct entry *entries = calloc(base->n + changed->n + 1, sizeof(*entries));
    const bool beside_all = !of || !has_host(base, of->host);
    int result = entries ? 0 : -1;
    size_t n = 0;

    for (size_t i = 0; !result && i < base->n + changed->n; i++) {
        const bool of_base = i < base->n;
        const struct row *row = of_base ? &base->rows[i] : &changed->rows[i - base->n];
        if (!(of_base && beside_all) && of && strcmp(row->run->host, of->host) != 0)
            continue;
        result = within ? make_within_entry(row, &entries[n++]) : make_entry(row, !of_base, &entries[n++]);
    }
    if (!result)
        result = pair_entries(entries, n, of ? of->host : "", across, within, out);
    for (size_t i = 0; i < n; i++)
        free(entries[i].key);
    return result;
}

/* An index is refused with its tests: it has no placement, policy or file system of its own. */
static void refuse_indices(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        struct pair *index = &pairs->pair[i];
        for (size_t k = 0; k < pairs->n && row_is_index(index->about) && !index->why[0]; k++) {
            const struct pair *test = &pairs->pair[k];
            if (test->reason < 0 || !test->differs || strcmp(test->about->suite, index->about->suite) != 0 ||
                test->about->copies != index->about->copies || strcmp(test->host, index->host) != 0)
                continue;
            index->reason = test->reason;
            text_copy(index->why, sizeof(index->why), test->why);
        }
    }
}

int pairs_make(const struct row_set *base, const struct row_set *changed, uint64_t across, bool by_host,
               struct pairs *out)
{
    memset(out, 0, sizeof(*out));
    if (!by_host && pair_host(base, changed, NULL, across, false, out))
        return -1;
    for (size_t i = 0; by_host && i < changed->n_runs; i++) {
        const struct row_run *run = changed->runs[i];
        bool seen = !run;
        for (size_t k = 0; k < i && !seen; k++)
            seen = changed->runs[k] && !strcmp(changed->runs[k]->host, run->host);
        if (!seen && pair_host(base, changed, run, across, false, out))
            return -1;
    }
    refuse_indices(out);
    return 0;
}

int pairs_within(const struct row_set *set, uint64_t across, struct pairs *out)
{
    /* The rows differ on purpose in loads and copies, and so also in their CPUs and in the processes that ran beside
     * the measured ones. */
    const uint64_t wanted = across | UINT64_C(1) << ACROSS_BESIDE | UINT64_C(1) << ACROSS_CPUS;

    memset(out, 0, sizeof(*out));
    return pair_host(&(struct row_set){.n = 0}, set, NULL, wanted, true, out);
}

/* --- Frequency of the core, and figures with the core free. --- */

bool pair_other_clock(const struct pair *pair, double mhz[2])
{
    double of[2] = {0, 0};

    for (size_t i = 0; i < pair->n_base; i++)
        of[0] += pair->base[i]->core_mhz / (double)pair->n_base;
    for (size_t i = 0; i < pair->n_changed; i++)
        of[1] += pair->changed[i]->core_mhz / (double)pair->n_changed;
    if (mhz)
        memcpy(mhz, of, sizeof(of));
    return fabs(of[1] / of[0] - 1) >= LEAST_CLOCK;
}

const struct pair *pair_alone_of(const struct pairs *pairs, const struct pair *raw)
{
    for (size_t i = 0; i < pairs->n && !raw->why[0] && !pair_other_clock(raw, NULL); i++) {
        const struct pair *alone = &pairs->pair[i];
        if (row_is_alone_of(alone->about, raw->about) && !alone->why[0] && alone->n_base >= raw->n_base &&
            alone->n_changed >= raw->n_changed && (!raw->within || row_is_alone_of(alone->base[0], raw->base[0])))
            return alone;
    }
    return NULL;
}

void pairs_free(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        free(pairs->pair[i].base);
        free(pairs->pair[i].changed);
    }
    free(pairs->pair);
    memset(pairs, 0, sizeof(*pairs));
}
