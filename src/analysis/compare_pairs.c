/* SPDX-License-Identifier: MIT */
/* Pairs the rows of two sets of files. */

#include "analysis/compare.h"

#define LEAST_CLOCK 0.02 /* smaller differences of the core's frequency do not count */
#define LEVEL_MOST  2.0  /* a level of another run may reach so many times as far */

const char *const pair_across_names[] = {
    [ACROSS_BUILD] = "build",     [ACROSS_CPU] = "cpu",   [ACROSS_SCHEDULER] = "scheduler",
    [ACROSS_POLICY] = "policy",   [ACROSS_CPUS] = "cpus", [ACROSS_LAYOUT] = "layout",
    [ACROSS_BESIDE] = "beside",   [ACROSS_FS] = "fs",     [ACROSS_DEGRADED] = "degraded",
    [ACROSS_COMMAND] = "command", [ACROSS_COUNT] = NULL,
};

static const char *const side_names[] = {"BASE", "NEW"};

bool pair_same_run(const struct row *a, const struct row *b)
{
    return a->run == b->run || (a->run->run_id[0] && !strcmp(a->run->run_id, b->run->run_id));
}

static bool is_across(uint64_t across, int what)
{
    return what >= 0 && across >> what & 1;
}

/* --- What identifies a row. --- */

#define KIND(kind) (1u << (kind))

/* Appends the words of the parameters of some kinds (a set of bits) that `other`, unless it is NULL, lacks. */
static void append_words(const struct row_params *params, unsigned kinds, const struct row_params *other,
                         struct text *out)
{
    struct row_word word = {0};
    const size_t before = out->length;

    while (row_next_word(params, &word)) {
        if (!(kinds & KIND(word.of->kind)) || (other && text_has_word_of(other->text, word.text, word.length)))
            continue;
        text_append(out, " ", out->length > before);
        text_append(out, word.text, word.length);
    }
}

size_t pair_key(const struct row *row, bool within, bool with_command, struct text *key)
{
    /* Builds of a side are other files. */
    const char *command = row_build(row) ? NULL : row_command(&row->param);
    /* Alternatives of a command have other names, those of a test other loads and numbers of copies. */
    const bool alternatives = within && row_command(&row->param);
    const char *copies = TEXT_LINE("%" PRIu64, row->copies), *test = alternatives ? "" : row->test;

    text_printf(key, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f", row->suite, test, within ? "" : row->load,
                within && !alternatives ? "" : copies, row->metric);
    const size_t shared = key->length;
    if (within)
        text_printf(key, "%s\x1f%s\x1f%s\x1f", row->test, row->load, copies);
    append_words(&row->param, KIND(PARAM_WORK) | KIND(PARAM_CPU) | KIND(PARAM_BUILD), NULL, key);
    text_printf(key, "\x1f%s", with_command && command ? command : "");
    return shared;
}

struct entry {
    struct text key;
    size_t shared; /* length of the key that alternatives share */
    const struct row *row;
    bool changed, by_cpus;
};

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->key.data, ((const struct entry *)b)->key.data);
}

static const char *told_by(const struct entry *entry, bool cpus)
{
    const char *command = row_build(entry->row) ? NULL : row_command(&entry->row->param);

    return cpus ? entry->row->cpus : command ? command : "";
}

/* Adds the CPUs (or the command) to the keys of those measurements of which a run has several on one side. */
static void tell_apart(struct entry *entries, size_t n, bool cpus)
{
    FREED_BY(index_free) struct index keys = {0}, runs = {0};
    FREED
    const struct entry **first = memory_get(n, sizeof(*first)); /* of each run and key */
    FREED bool *several = memory_get(n, sizeof(*several));      /* for each key */

    for (size_t i = 0; i < n; i++) {
        const struct row_run *run = entries[i].row->run;
        const size_t key = index_enter(&keys, entries[i].key.data), before = runs.n;
        const size_t number = index_enter(&runs, TEXT_LINE("%zu %d %p %s", key, entries[i].changed,
                                                           run->run_id[0] ? NULL : (const void *)run, run->run_id));
        first[number] = number == before ? &entries[i] : first[number];
        several[key] = several[key] || strcmp(told_by(first[number], cpus), told_by(&entries[i], cpus));
    }
    for (size_t i = 0; i < n; i++)
        if (several[index_find(&keys, entries[i].key.data)]) {
            text_printf(&entries[i].key, "\x1f%s", told_by(&entries[i], cpus));
            entries[i].by_cpus = cpus;
        }
}

/* --- Which rows have figures. --- */

static bool has_figures(const struct row *row, uint64_t across)
{
    const bool usable =
        row->status < ROW_DEGRADED || (row->status == ROW_DEGRADED && is_across(across, ACROSS_DEGRADED));

    return usable && (row->n_samples > 0 || isfinite(row->value));
}

static bool same_figures(const struct row *a, const struct row *b)
{
    return pair_same_run(a, b) && row_build(a) == row_build(b) && a->n_samples == b->n_samples &&
           !strcmp(a->cpus, b->cpus) &&
           (a->n_samples ? !memcmp(a->samples, b->samples, a->n_samples * sizeof(*a->samples)) : a->value == b->value);
}

/* Removes rows without figures and duplicates, unless no row has figures. */
static void drop_rows(struct pair_side *side, uint64_t across, struct pairs *pairs)
{
    size_t kept = 0, left_out = 0;

    for (size_t i = 0; i < side->n; i++) {
        size_t k = 0;
        if (!has_figures(side->row[i], across)) {
            left_out++;
            continue;
        }
        while (k < kept && !same_figures(side->row[k], side->row[i]))
            k++;
        pairs->doubles += k < kept;
        if (k == kept)
            side->row[kept++] = side->row[i];
    }
    if (kept) {
        pairs->degraded += left_out;
        side->n = kept;
    }
}

/* --- Properties in which rows may differ. --- */

#define SLICE "slice_us" /* of the row's own policy, not of what ran beside it */

static void policy_of(const struct row *row, char *buf, size_t size)
{
    const char *slice = ROW_PARAM(&row->param, SLICE);

    if (row->policy[0])
        snprintf(buf, size, slice[0] ? "%s, slice %s us" : "%s", row->policy, slice);
}

static void beside_of(const struct row *row, char *buf, size_t size)
{
    FREED_BY(text_free) struct text words = {0};
    struct row_params own = {0};
    const char *slice = ROW_PARAM(&row->param, SLICE);

    if (slice[0])
        row_param_add(&own, PARAM_PLACEMENT, SLICE, "%s", slice);
    append_words(&row->param, KIND(PARAM_PLACEMENT), &own, &words);
    text_copy(buf, size, words.length ? words.data : "");
}

static void placement_of(const struct row *row, char *buf, size_t size)
{
    struct cpuset set = {0};
    struct error error;

    if (!row->cpus[0] && !row->bind[0])
        return;
    if (cpuset_parse(row->cpus, &set, &error))
        snprintf(buf, size, "CPUs %.60s, bind %s", row->cpus, row->bind);
    else
        snprintf(buf, size, "%u CPU%s, bind %s", cpuset_count(&set), PLURAL(cpuset_count(&set)), row->bind);
}

static void scheduler_of(const struct row *row, char *buf, size_t size)
{
    struct setting_items items;

    setting_items_begin(&items, row->run->settings, true);
    while (setting_items_next(&items))
        if (!strcmp(items.name, "scheduler"))
            text_copy(buf, size, items.value);
}

static void command_of(const struct row *row, char *buf, size_t size)
{
    const char *line = row_command_line(&row->param);

    text_copy(buf, size, line ? line : "");
}

struct property {
    const char *name;
    const char *column; /* of the CSV, if `of` is NULL */
    void (*of)(const struct row *row, char *buf, size_t size);
    int across; /* the enum pair_across that allows a difference; -1: none */
    bool empty; /* a value that is missing on one side is a difference */
};

/* Those that must agree in rows that are compared; the first that differs is the reason. */
static const struct property fixed[] = {
    {"unit", "unit", NULL, -1, false},
    {"direction", "better", NULL, -1, true},
    {"architecture", "arch", NULL, ACROSS_BUILD, false},
    {"build of jitbench", "build", NULL, ACROSS_BUILD, false},
    {"CPU model", "cpu_model", NULL, ACROSS_CPU, false},
    {"scheduler", NULL, scheduler_of, ACROSS_SCHEDULER, false},
    {"scheduling policy", NULL, policy_of, ACROSS_POLICY, false},
    {"placement", NULL, placement_of, ACROSS_CPUS, false},
    {"memory layout", "layout", NULL, ACROSS_LAYOUT, false},
    {"policy or CPUs of what ran beside it", NULL, beside_of, ACROSS_BESIDE, true},
    {"file system", "scratch_fs", NULL, ACROSS_FS, false},
};

/* Those that may differ, and the CPU model and the policy, which may with --across. */
static const struct property free_to_differ[PAIR_PROPERTIES] = {
    {.name = "host", .column = "host"},
    {.name = "kernel", .column = "kernel"},
    {.name = "CPU model", .column = "cpu_model"},
    {.name = "command", .of = command_of},
    {.name = "CPUs online", .column = "cpus_online"},
    {.name = "policy", .column = "policy"},
    {.name = "nice", .column = "nice"},
    {.name = "real-time priority", .column = "rt_priority"},
    {.name = "idle CPUs kept awake", .column = "timer_latency_held"},
};

/* "": not known. */
static void value_of_property(const struct property *property, const struct row *row, char *buf, size_t size)
{
    buf[0] = '\0';
    if (property->of)
        property->of(row, buf, size);
    if (!property->column)
        return;
    const struct row_column *column = row_column(property->column);
    const void *field = (column->in_run ? (const char *)row->run : (const char *)row) + column->offset;
    if (column->type == COLUMN_TEXT)
        text_copy(buf, size, field);
    else if (column->type == COLUMN_UINT && *(const uint64_t *)field)
        snprintf(buf, size, "%" PRIu64, *(const uint64_t *)field);
    else if (column->type == COLUMN_REAL && !isnan(*(const double *)field))
        snprintf(buf, size, "%g", *(const double *)field);
}

const char *pair_property(size_t number, const struct row *row, char *buf, size_t size)
{
    value_of_property(&free_to_differ[number], row, buf, size);
    return free_to_differ[number].name;
}

/* --- Differences that forbid a comparison. --- */

/* Sets the reason if a property differs in a way that forbids the comparison. A value missing on one side (a file of an
 * earlier version) is not a difference, unless `empty` is set. */
static void compare_properties(const struct row *a, const struct row *b, uint64_t across, struct pair *pair)
{
    char x[256], y[256];

    for (const struct property *of = fixed; of < fixed + COUNT(fixed) && !pair->why[0]; of++) {
        if (is_across(across, of->across))
            continue;
        value_of_property(of, a, x, sizeof(x));
        value_of_property(of, b, y, sizeof(y));
        if ((!(x[0] && y[0]) && !of->empty) || !strcmp(x, y))
            continue;
        pair->reason = of->across;
        TEXT_PRINT(pair->why, "other %s: %.80s against %.80s", of->name, x[0] ? x : "none", y[0] ? y : "none");
    }
}

/* Sets the reason if the rows of the sides, which were joined, did other work: indices (total scores) of different
 * protocols, parameters that differ, or another command line. Parameters are compared as sets of words; command lines
 * also in the order and repetition of theirs. */
static void compare_work(struct pair *pair, uint64_t across)
{
    const struct row_params *base = &pair->side[0].row[0]->param, *changed = &pair->side[1].row[0]->param;
    const unsigned kinds = KIND(PARAM_WORK) | (is_across(across, ACROSS_BUILD) ? 0 : KIND(PARAM_BUILD)) |
                           (is_across(across, ACROSS_CPU) ? 0 : KIND(PARAM_CPU));
    const unsigned all = kinds | (is_across(across, ACROSS_COMMAND) ? 0 : KIND(PARAM_COMMAND));
    FREED_BY(text_free) struct text lacking = {0}, surplus = {0}, work = {0};
    const char *before = row_command(base), *after = row_command(changed);
    char protocol[2][ROW_PROTOCOL_SIZE];

    row_protocol(base, protocol[0]);
    row_protocol(changed, protocol[1]);
    append_words(base, all, changed, &lacking);
    append_words(changed, all, base, &surplus);
    append_words(base, kinds, changed, &work);
    append_words(changed, kinds, base, &work);
    if (protocol[0][0] && protocol[1][0] && strcmp(protocol[0], protocol[1])) {
        TEXT_PRINT(pair->why, "another index: %s against %s", protocol[0], protocol[1]);
    } else if (lacking.length || surplus.length) {
        pair->reason = !work.length && before && after ? ACROSS_COMMAND : -1;
        TEXT_PRINT(pair->why, "other work: %.100s against %.100s", lacking.length ? lacking.data : "without",
                   surplus.length ? surplus.data : "without");
    } else if (!is_across(across, ACROSS_COMMAND) && before && after && strcmp(before, after)) {
        pair->reason = ACROSS_COMMAND;
        TEXT_SET(pair->why, "other work: the same words in another order or number");
    }
}

/* No row of the side has values. */
static void refuse_figures(struct pair *pair, size_t s)
{
    const struct row *row = pair->side[s].row[0];

    pair->reason = row->status == ROW_DEGRADED ? ACROSS_DEGRADED : -1;
    if (row->status < ROW_DEGRADED)
        TEXT_PRINT(pair->why, "no figures in %s", side_names[s]);
    else
        TEXT_PRINT(pair->why, "%s in %s%s%.160s", row_status_name(row->status), side_names[s],
                   row->reason[0] ? ": " : "", row->reason);
}

/* Sets the reason if levels of memory without a cache's name, which have a number, reach other sizes. */
static void compare_levels(const struct row_params *a, const struct row_params *b, struct pair *pair)
{
    const double x = row_param_number(a, "up_to"), y = row_param_number(b, "up_to");

    if (row_param_is(a, "level", "level") && (x > LEVEL_MOST * y || y > LEVEL_MOST * x))
        TEXT_PRINT(pair->why, "other levels: up to %s against %s", TEXT_BYTES((uint64_t)x), TEXT_BYTES((uint64_t)y));
}

static void settle_pair(struct pair *pair, uint64_t across, struct pairs *pairs)
{
    const bool both = pair->side[0].n && pair->side[1].n;

    for (size_t s = 0; s < 2; s++) {
        if (both && !pair->why[0])
            drop_rows(&pair->side[s], across, pairs);
        if (pair->side[s].n)
            pair->about = pair->side[s].row[0];
    }
    if (!both)
        TEXT_PRINT(pair->why, "only in %s%s", side_names[!pair->side[0].n],
                   row_command(&pair->about->param)
                       ? ": commands belong together by their --name, with --across command"
                       : "");
    for (size_t s = 0; s < 2; s++)
        if (!pair->why[0] && !has_figures(pair->side[s].row[0], across))
            refuse_figures(pair, s);
    if (both && !pair->why[0])
        compare_levels(&pair->side[0].row[0]->param, &pair->side[1].row[0]->param, pair);
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < pair->side[s].n; i++)
            compare_properties(pair->side[0].row[0], pair->side[s].row[i], across, pair);
    text_sanitize(pair->why);
}

/* --- Making pairs. --- */

static int compare_times(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    const int order = strcmp(x->run->utc, y->run->utc);

    return order ? order : ORDER_OF(x->number, y->number);
}

/* Of entries with one key. */
static void take_pair(const struct entry *entries, size_t n, struct pairs *out)
{
    MEMORY_GROW(out->pair, out->capacity, out->n);
    struct pair *pair = &out->pair[out->n++];

    *pair = (struct pair){.by_cpus = entries[0].by_cpus, .reason = -1};
    for (size_t s = 0; s < 2; s++) {
        struct pair_side *side = &pair->side[s];
        side->row = out->rows + out->n_rows;
        for (size_t i = 0; i < n; i++)
            if (entries[i].changed == (s == 1))
                side->row[side->n++] = entries[i].row;
        SORT(side->row, side->n, compare_times);
        out->n_rows += side->n;
    }
}

static void remove_pair(struct pairs *out, struct pair *pair)
{
    memmove(pair, pair + 1, (size_t)(out->pair + --out->n - pair) * sizeof(*pair));
}

/* Joins the pair from `first` on that has rows of the base only with the one that has rows of the other side only, if
 * there is one of each. */
static void join_leftovers(struct pairs *out, size_t first, uint64_t across)
{
    struct pair *left[2] = {0};

    for (struct pair *pair = out->pair + first; pair < out->pair + out->n; pair++) {
        const size_t s = pair->side[0].n ? 0 : 1;
        if (pair->side[1 - s].n)
            continue;
        if (left[s])
            return;
        left[s] = pair;
    }
    if (!left[0] || !left[1] || left[0]->by_cpus != left[1]->by_cpus)
        return;
    left[1]->side[0] = left[0]->side[0];
    compare_work(left[1], across);
    remove_pair(out, left[0]);
}

/* Makes the first of alternatives, which all have one side, the base of the others: by the position of their test in
 * the run (for `jitbench run`: of the command on the command line, while the rows stand in the order in which commands
 * ended), then by position in the files. */
static void take_base(struct pairs *out, size_t first, uint64_t across)
{
    struct pair *base = out->pair + first;

    for (struct pair *pair = base; pair < out->pair + out->n; pair++) {
        const struct row *row = pair->side[0].row[0], *least = base->side[0].row[0];
        if (row->item < least->item || (row->item == least->item && row->number < least->number))
            base = pair;
    }
    if (out->n - first > 1)
        drop_rows(&base->side[0], across, out);
    for (struct pair *pair = out->pair + first; pair < out->pair + out->n; pair++)
        if (pair != base) {
            pair->within = true;
            pair->side[1] = pair->side[0];
            pair->side[0] = base->side[0];
        }
    remove_pair(out, base);
}

/* Pairs the rows of one host (NULL: all rows) with those of the base: with all of these unless in_base, the host is one
 * of the base. */
static void pair_host(struct pairs *out, const char *host, bool in_base, uint64_t across)
{
    const struct row_set *base = out->base, *changed = out->changed;
    const size_t most = base->n + (changed ? changed->n : 0), first = out->n;
    FREED struct entry *entries = memory_get(most, sizeof(*entries));
    const bool with_command = !changed || !is_across(across, ACROSS_COMMAND);
    size_t n = 0;

    for (size_t i = 0; i < most; i++) {
        const bool of_base = i < base->n;
        const struct row *row = of_base ? &base->rows[i] : &changed->rows[i - base->n];
        if (host && !(of_base && !in_base) && strcmp(row->run->host, host))
            continue;
        entries[n].row = row;
        entries[n].changed = !of_base;
        entries[n].shared = pair_key(row, !changed, with_command, &entries[n].key);
        n++;
    }
    if (!with_command)
        tell_apart(entries, n, false);
    tell_apart(entries, n, true);
    SORT(entries, n, compare_keys);
    for (size_t i = 0, end, group = first; i < n; i = end) {
        for (end = i; end < n && !compare_keys(&entries[end], &entries[i]); end++)
            ;
        take_pair(entries + i, end - i, out);
        if (end < n && entries[end].shared == entries[i].shared &&
            !strncmp(entries[end].key.data, entries[i].key.data, entries[i].shared))
            continue;
        if (changed)
            join_leftovers(out, group, across);
        else
            take_base(out, group, across);
        group = out->n;
    }
    for (size_t i = first; i < out->n; i++) {
        TEXT_SET(out->pair[i].host, host ? host : "");
        settle_pair(&out->pair[i], across, out);
    }
    for (size_t i = 0; i < n; i++)
        text_free(&entries[i].key);
}

/* Links each pair with that of the same measurement whose values were measured only while no one else used the core, if
 * that is judged in its place: not at another frequency of the core, and if every row has it, since a figure known in
 * some runs would not be that of the others. */
static void link_alone(struct pairs *pairs)
{
    for (struct pair *raw = pairs->pair; raw < pairs->pair + pairs->n; raw++)
        for (struct pair *of = pairs->pair; of < pairs->pair + pairs->n && !raw->why[0] && !raw->alone; of++) {
            if (row_is_alone_of(of->about, raw->about) && !of->why[0] && !pair_other_clock(raw) &&
                of->side[0].n >= raw->side[0].n && of->side[1].n >= raw->side[1].n &&
                (!raw->within || row_is_alone_of(of->side[0].row[0], raw->side[0].row[0]))) {
                raw->alone = of;
                of->raw = raw;
            }
        }
}

/* An index is refused with its tests: it has no placement, policy or file system of its own. */
static void refuse_indices(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        struct pair *index = &pairs->pair[i];
        for (size_t k = 0; k < pairs->n && row_is_index(index->about) && !index->why[0]; k++) {
            const struct pair *test = &pairs->pair[k];
            if (test->reason < 0 || test->reason > ACROSS_FS || strcmp(test->about->suite, index->about->suite) ||
                test->about->copies != index->about->copies || strcmp(test->host, index->host))
                continue;
            index->reason = test->reason;
            TEXT_SET(index->why, test->why);
        }
    }
}

void pairs_make(const struct row_set *base, const struct row_set *changed, uint64_t across, bool by_host,
                struct pairs *out)
{
    FREED_BY(index_free) struct index hosts = {0}, of_base = {0};

    for (size_t i = 0; by_host && i < base->n_runs; i++)
        index_enter(&of_base, base->runs[i]->host);
    for (size_t i = 0; by_host && i < changed->n_runs; i++)
        index_enter(&hosts, changed->runs[i]->host);
    if (!changed) /* rows differ on purpose in loads and copies, and so also in CPUs and in what ran beside them */
        across |= UINT64_C(1) << ACROSS_BESIDE | UINT64_C(1) << ACROSS_CPUS;
    const size_t n = by_host ? hosts.n : 1;
    *out = (struct pairs){.base = base,
                          .changed = changed,
                          .rows = memory_get(n * base->n + (changed ? changed->n : 0), sizeof(*out->rows))};
    for (size_t i = 0; i < n; i++)
        pair_host(out, by_host ? hosts.name[i] : NULL, by_host && index_find(&of_base, hosts.name[i]) != SIZE_MAX,
                  across);
    if (changed)
        refuse_indices(out);
    link_alone(out);
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->pair);
    free(pairs->rows);
    *pairs = (struct pairs){0};
}

bool pair_other_clock(const struct pair *pair)
{
    double mhz[2] = {0};

    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < pair->side[s].n; i++)
            mhz[s] += pair->side[s].row[i]->core_mhz / (double)pair->side[s].n;
    return fabs(mhz[1] / mhz[0] - 1) >= LEAST_CLOCK;
}
