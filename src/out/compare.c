/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare`: what was compared, what came of it, and which causes explain a change. */
#include "out/compare.h"

#include "analysis/compare_commands.h"
#include "out/export.h"

#define CAUSES_MAX   12
#define LEAST_PART   0.5  /* least part of the change that a cause must explain to be named */
#define LEAST_SHARE  0.1  /* percentage points; a smaller difference would be printed as none */
#define LEAST_STEAL  50.0 /* least steal time in ms: five ticks of the kernel's accounting */
#define LEAST_SPEED  0.02
#define MOST_PERCENT 99.9 /* limit of a cause's share of time: the remaining time is a divisor */

/* Values that are kept of both sides: more than any run has. It limits the work for damaged files. */
#define ENTRIES_MOST 4096u
/* Most values of one setting and side. Two sides that both have so many count as equal: the machines of each side then
 * differ among themselves. */
#define VALUES_MOST 8u
#define LIST_SHOWN  220 /* bytes of the list of differences, without -v */
/* Two standard deviations in medians of the absolute values of normal deviates. */
#define DRIFT_MEDIANS 2.965

/* --- Names. --- */

/* Whether another row of the same metric lacks this word. */
static bool lacks_word(const struct row *other, const struct row *row, const struct row_word *word)
{
    return other != row && !strcmp(other->suite, row->suite) && !strcmp(other->test, row->test) &&
           !strcmp(other->load, row->load) && !strcmp(other->metric, row->metric) &&
           !text_has_word_of(other->param.text, word->text, word->length);
}

/* Whether the row's name needs this word of its param. */
static bool tells_apart(const struct compared *c, const struct row *row, const struct row_word *word)
{
    if (word->of->kind == PARAM_OUTCOME || word->of->kind == PARAM_PLACEMENT)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        if (lacks_word(pair->about, row, word) || (pair->within && lacks_word(pair->side[0].row[0], row, word)))
            return true;
    }
    return false;
}

static void put_row_name(const struct compared *c, const struct pair *pair, const struct row *row, struct text *out)
{
    const char *line = row_command_line(&row->param);
    char protocol[ROW_PROTOCOL_SIZE];
    struct row_word word = {0};

    text_printf(out, "%s", row->suite);
    if (row->test[0] && strcmp(row->suite, row->test))
        text_printf(out, " %s", row->test);
    if (row->load[0])
        text_printf(out, " %s", row->load);
    row_protocol(&row->param, protocol);
    if (protocol[0])
        text_printf(out, " (%s)", protocol);
    while (row_next_word(&row->param, &word))
        if (tells_apart(c, row, &word)) {
            const char *end = word.text + word.length; /* without "command=" */
            const char *from = line && word.text < line && line <= end ? line : word.text;
            text_printf(out, " %.*s", (int)(end - from), from);
        }
    if (row->copies > 1 || (pair->within && row->copies != pair->about->copies))
        text_printf(out, " x%" PRIu64, row->copies);
    if (pair->by_cpus)
        text_printf(out, " CPU %s", row->cpus);
}

static void put_pair_name(const struct compared *c, const struct pair *pair, struct text *out)
{
    if (pair->scores)
        text_printf(out, "speed, mean of %s", pair->about->suite);
    else
        put_row_name(c, pair, pair->about, out);
    if (pair->within) {
        text_printf(out, " against ");
        put_row_name(c, pair, pair->side[0].row[0], out);
    }
    if (!pair->scores)
        text_printf(out, " %s", pair->about->metric);
    if (pair->host[0])
        text_printf(out, " on %s", pair->host);
}

/* --- Causes. --- */

/* A cause, and the time it took on each side: base, new. */
struct cause_share {
    const char *name;
    double pct[2]; /* share of the time */
    double ms[2];
};

/* Of each side, base and new. */
struct explained {
    const struct pair *pair;
    const struct comparison *c;
    double ms[2];     /* wall-clock time of all rows */
    double events[2]; /* number of values on which the rows' statistics are based */
    struct cause_share share[CAUSES_MAX];
    size_t n;
};

/* Over how many CPUs (steal time) or processes a cause of the row is summed. by_cpus: each CPU has a row. */
static double parties_of(const struct row *row, const char *cause, bool by_cpus)
{
    struct cpuset cpus = {0};
    struct error error;

    if (!strcmp(cause, "steal") && !cpuset_parse(row->cpus, &cpus, &error) && cpuset_count(&cpus))
        return cpuset_count(&cpus);
    return by_cpus || !row->copies ? 1 : (double)row->copies;
}

/* Adds the times that the causes took in a side's rows. Limits each share to 100 %, since a copy may also wait while
 * others do not run. */
static void add_side(struct explained *e, size_t s)
{
    const struct pair_side *side = &e->pair->side[s];

    for (size_t i = 0; i < side->n; i++) {
        e->ms[s] += side->row[i]->wall_s > 0 ? side->row[i]->wall_s * 1000 : 0;
        e->events[s] += (double)side->row[i]->stats.n;
    }
    for (size_t i = 0; i < side->n; i++)
        for (size_t k = 0; k < side->row[i]->causes.n; k++) {
            const struct row_cause *cause = &side->row[i]->causes.of[k];
            size_t at = 0;
            while (at < e->n && strcmp(e->share[at].name, cause->name))
                at++;
            if (!cause->is_time || at == CAUSES_MAX || !(e->ms[s] > 0))
                continue;
            e->n += at == e->n;
            e->share[at].name = cause->name;
            e->share[at].ms[s] += cause->number;
            e->share[at].pct[s] +=
                100 * cause->number / parties_of(side->row[i], cause->name, e->pair->by_cpus) / e->ms[s];
        }
    for (size_t i = 0; i < e->n; i++)
        e->share[i].pct[s] = fmin(e->share[i].pct[s], 100);
}

/* In MHz, as measured, else as the kernel gives it. */
static double frequency_of(const struct row *row)
{
    return isnan(row->core_mhz) ? row->freq_khz / 1000 : row->core_mhz;
}

/* Of a property of each side's rows; NAN when one does not have it. */
static void take_means(const struct pair *pair, double (*of)(const struct row *row), double means[2])
{
    for (size_t s = 0; s < 2; s++) {
        means[s] = 0;
        for (size_t i = 0; i < pair->side[s].n; i++)
            means[s] += of(pair->side[s].row[i]) / (double)pair->side[s].n;
    }
}

/* Logarithm of the ratio of the times that the work took, new to base. */
static double log_time(const struct explained *e)
{
    return -compared_sign(e->pair) * log(e->c->ratio);
}

/* Part of the change that the cause alone would explain: 1 is all of it; below 0, it has the opposite effect. Compares
 * the change of the cause's share with that of a metric that is a share; for latencies, which cover only a part of the
 * time, that of its time an event; else the slow-down by losing that share of the time. */
static double part_of_change(const struct explained *e, const struct cause_share *share)
{
    const struct row *row = e->pair->about;
    const struct export_unit *unit = export_unit_find(row->unit);
    const double before = fmin(share->pct[0], MOST_PERCENT) / 100, after = fmin(share->pct[1], MOST_PERCENT) / 100;

    if (!strcmp(row->unit, "%"))
        return -compared_sign(e->pair) * 100 * (after - before) / (e->c->changed - e->c->base);
    if (unit && unit->kind == EXPORT_TIME && e->events[0] > 0 && e->events[1] > 0) {
        const double every[] = {e->ms[0] / 1000 / e->events[0], e->ms[1] / 1000 / e->events[1]};
        const double base = export_base(row, e->c->base), changed = export_base(row, e->c->changed);
        if (fmax(base / every[0], changed / every[1]) < 0.5)
            return (after * every[1] - before * every[0]) / (changed - base);
    }
    return log((1 - before) / (1 - after)) / log_time(e);
}

static bool is_named(const struct explained *e, const struct cause_share *share)
{
    /* Steal time in ms that the base's rate would give over the time of the other side. */
    const double expected = e->ms[0] > 0 ? share->ms[0] * e->ms[1] / e->ms[0] : 0;

    return fabs(share->pct[1] - share->pct[0]) >= LEAST_SHARE &&
           (strcmp(share->name, "steal") || fabs(share->ms[1] - expected) >= LEAST_STEAL) &&
           part_of_change(e, share) >= LEAST_PART;
}

/* Whether a property to which the speed is proportional explains the change. of: its values on the sides. */
static bool is_speed(const struct explained *e, const double of[2])
{
    return of[0] > 0 && of[1] > 0 && fabs(1 - of[1] / of[0]) >= LEAST_SPEED &&
           log(of[0] / of[1]) / log_time(e) >= LEAST_PART;
}

static void explain_change(const struct pair *pair, const struct comparison *c, struct text *out)
{
    struct explained e = {.pair = pair, .c = c};
    const bool explained = (c->change == CHANGE_LOWER || c->change == CHANGE_HIGHER) && pair->about->better[0];
    /* A frequency follows other words also if it explains nothing; a cause begins anew. */
    const size_t start = explained ? out->length : 0;
    double mhz[2], shares[2];

    take_means(pair, frequency_of, mhz);
    take_means(pair, row_core_share, shares);
    for (size_t s = 0; explained && s < 2; s++)
        add_side(&e, s);
    for (size_t i = 0; i < e.n; i++)
        if (is_named(&e, &e.share[i]))
            text_printf(out, "%s%s %.1f %% of the time (base %.1f %%)", out->length > start ? ", " : "",
                        e.share[i].name, e.share[i].pct[1], e.share[i].pct[0]);
    if (explained && !row_is_alone(pair->about) && !(c->share > 0) && is_speed(&e, shares))
        text_printf(out, "%score share %.0f %% (base %.0f %%)", out->length > start ? ", " : "", 100 * shares[1],
                    100 * shares[0]);
    if (pair_other_clock(pair) || (explained && is_speed(&e, mhz)))
        text_printf(out, "%sCPU at %.0f MHz (base %.0f)", out->length > start ? ", " : "", mhz[1], mhz[0]);
}

/* --- What differs between the sides. --- */

/* value "": not known. An entry is side, name and value, with '\x1f' between. */
static void enter_value(struct index *entries, size_t s, const char *name, const char *value)
{
    char entry[SETTING_NAME + 64 + SETTING_VALUE];

    TEXT_PRINT(entry, "%zu\x1f%s\x1f%s", s, name, value);
    if (value[0] && entries->n < ENTRIES_MOST)
        index_enter(entries, entry);
}

/* Names that have values on both sides, and not the same. */
static void put_differences(const struct index *entries, struct text *out)
{
    for (size_t i = 0; i < entries->n; i++) {
        const char *name = entries->name[i] + 2, *values[2][VALUES_MOST];
        const size_t length = strcspn(name, "\x1f") + 1;
        size_t first = SIZE_MAX, same = 0, n[2] = {0};
        for (size_t k = 0; k < entries->n; k++) {
            const size_t s = entries->name[k][0] == '1';
            if (strncmp(entries->name[k] + 2, name, length) != 0 || n[s] == VALUES_MOST)
                continue;
            first = first < k ? first : k;
            values[s][n[s]++] = entries->name[k] + 2 + length;
        }
        for (size_t k = 0; k < n[0] * n[1]; k++)
            same += !strcmp(values[0][k % n[0]], values[1][k / n[0]]);
        if (first != i || !n[0] || !n[1] || (n[0] == n[1] && (same == n[0] || n[0] == VALUES_MOST)))
            continue;
        text_printf(out, "%s%.*s", out->length ? "; " : "", (int)length - 1, name);
        for (size_t s = 0; s < 2; s++)
            for (size_t k = 0; k < n[s]; k++)
                text_printf(out, "%s%s", k ? " or " : s ? " -> " : " ", values[s][k]);
    }
}

static void enter_compared_items(struct index *entries, size_t s, const char *text, bool of_run)
{
    struct setting_items items;

    setting_items_begin(&items, text, of_run);
    while (setting_items_next(&items))
        enter_value(entries, s, items.name, items.value);
}

/* Without the share of huge pages, which varies. */
static void enter_pages(struct index *entries, size_t s, const struct row *row)
{
    const char *pages = ROW_PARAM(&row->param, "pages");
    const char *value = TEXT_LINE("%.*s", (int)strcspn(pages, ": "), pages);

    /* the latter was written by an earlier version, which did not record the pages given */
    if (row->n_samples && strcmp(value, "huge-advised"))
        enter_value(entries, s, TEXT_LINE("%s pages", row->test), value);
}

static void put_run_settings(const struct row_set *base, const struct row_set *changed, struct text *out)
{
    FREED_BY(index_free) struct index entries = {0};

    for (size_t s = 0; s < 2; s++) {
        const struct row_set *set = s ? changed : base;
        for (size_t i = 0; i < set->n_runs; i++)
            enter_compared_items(&entries, s, set->runs[i]->settings, true);
        for (size_t i = 0; i < set->n; i++) {
            enter_pages(&entries, s, &set->rows[i]);
            enter_compared_items(&entries, s, set->rows[i].scratch_disk, false);
        }
    }
    put_differences(&entries, out);
}

/* Properties of the compared rows, but for the host, which is named with its side. */
static void put_properties(const struct compared *c, struct text *out)
{
    FREED_BY(index_free) struct index entries = {0};
    char value[200];

    for (size_t p = 1; p < PAIR_PROPERTIES; p++)
        for (size_t i = 0; i < 2 * c->n_rows; i++) {
            const struct pair_side *side = &c->row[i / 2].pair->side[i % 2];
            for (size_t k = 0; k < side->n; k++) {
                const char *name = pair_property(p, side->row[k], value, sizeof(value));
                enter_value(&entries, i % 2, name, value);
            }
        }
    put_differences(&entries, out);
}

/* --- What was compared, and what came of it. --- */

/* Names a side with its runs (those without an id are one each). Returns the only host; "": several, or not known. */
static const char *put_side(const char *side, const char *name, const struct row_set *set, size_t *runs,
                            const struct doc *doc)
{
    FREED_BY(index_free) struct index ids = {0}, hosts = {0};
    const char *host = set->runs[0]->host;

    for (size_t i = 0; i < set->n_runs; i++) {
        index_enter(&ids, set->runs[i]->run_id[0] ? set->runs[i]->run_id : TEXT_LINE("(%zu)", i));
        index_enter(&hosts, set->runs[i]->host);
    }
    *runs = ids.n;
    doc_say(doc, "%-4s  %s%s%zu run%s on %s", side, name, name[0] ? ": " : "", ids.n, PLURAL(ids.n),
            hosts.n > 1 ? TEXT_LINE("%zu hosts", hosts.n)
            : host[0]   ? host
                        : "an unknown host");
    return hosts.n > 1 ? "" : host;
}

static double drift_of(const struct compared *c)
{
    FREED double *effects = memory_get(c->n_rows, sizeof(*effects));
    size_t n = 0;

    for (size_t i = 0; i < c->n_rows; i++)
        if (c->row[i].of->change == CHANGE_UNKNOWN && c->row[i].of->ratio > 0)
            effects[n++] = fabs(log(c->row[i].of->ratio));
    return fmax(c->min_effect, n ? expm1(DRIFT_MEDIANS * stats_median(effects, n)) : 0);
}

/* Says by how much the other side is faster: the median of the means of suites, else of the rows. */
static void put_middle(const struct compared *c, struct text *out)
{
    FREED double *logs = memory_get(c->n_rows + c->n_means, sizeof(*logs));
    const struct compared_row *row = c->row + (c->n_means ? c->n_rows : 0);
    size_t n = 0;

    for (; row < c->row + c->n_rows + c->n_means; row++)
        if (row->pair->about->better[0] && row->of->ratio > 0)
            logs[n++] = compared_sign(row->pair) * log(row->of->ratio);
    const double pct = 100 * expm1(n ? stats_median(logs, n) : 0);
    const char *by = fabs(pct) < 0.05 ? "no" : TEXT_LINE("%.*f %%", fabs(pct) < 10, fabs(pct));
    text_printf(out, "%s %s", by, pct > -0.05 ? "faster" : "slower");
}

/* Runs of a that are in b. */
static size_t runs_on_both(const struct row_set *a, const struct row_set *b)
{
    size_t found = 0;

    for (size_t i = 0; i < a->n_runs; i++)
        for (size_t k = 0; k < b->n_runs; k++)
            if (a->runs[i]->run_id[0] && !strcmp(a->runs[i]->run_id, b->runs[k]->run_id)) {
                found++;
                break;
            }
    return found;
}

static void put_answer(const struct compared *c, const char *const names[2], const struct doc *doc)
{
    const struct row_set *set[] = {c->pairs->base, c->pairs->changed};
    size_t n[VERDICT_APART + 1] = {0}, means[VERDICT_APART + 1] = {0}, runs[2] = {0, 0}, drifts = 0, builds = 0;
    const char *side[] = {set[1] ? "Base" : "Within", "New"}, *host[] = {"", ""};
    FREED_BY(text_free) struct text middle = {0};

    for (size_t s = 0; s < 2 && set[s]; s++)
        host[s] = put_side(side[s], names[s], set[s], &runs[s], doc);
    const bool apart = host[0][0] && host[1][0] && strcmp(host[0], host[1]);
    if (apart || (names[0][0] && names[1][0] && strcmp(names[0], names[1])))
        for (size_t s = 0; s < 2; s++)
            side[s] = apart ? host[s] : names[s];
    for (size_t i = 0; i < c->n_rows + c->n_means; i++) {
        (i < c->n_rows ? n : means)[compared_verdict(&c->row[i])]++;
        drifts += !apart && c->row[i].of->tested == TESTED_RUNS;
        builds += compared_builds(c->row[i].pair);
    }
    const enum compared_verdict most = n[VERDICT_SLOWER] < n[VERDICT_FASTER] ? VERDICT_FASTER : VERDICT_SLOWER;
    const enum compared_verdict least = VERDICT_FASTER + VERDICT_SLOWER - most;
    const double drift = 100 * drift_of(c);
    doc_gap(doc);
    const size_t same = set[1] ? runs_on_both(set[0], set[1]) : 0;
    if (same && same == set[0]->n_runs && runs_on_both(set[1], set[0]) == set[1]->n_runs) {
        doc_say(doc, "The same run is on both sides: nothing can differ");
        doc_gap(doc);
        return;
    }
    if (same)
        doc_say(doc, "Runs that are on both sides: %zu", same);
    put_middle(c, &middle);
    if (n[most] && set[1])
        doc_say(doc, "%s is %s than %s in %zu of %zu figures and %s in %zu; on the whole %s%s", side[1],
                compared_verdict_names[most], side[0], n[most], c->n_rows, compared_verdict_names[least], n[least],
                middle.data, drifts ? "; measured apart, so drift may be part of it (--interleave)" : "");
    else if (means[VERDICT_FASTER] + means[VERDICT_SLOWER] && set[1])
        doc_say(doc, "On the whole %s is %s than %s, though no single figure is known to be", side[1], middle.data,
                side[0]);
    else if (n[VERDICT_SAME] && set[1])
        doc_say(doc, "No figure is known to be better or worse");
    if (n[VERDICT_UNDECIDED] && n[VERDICT_UNDECIDED] == c->n_rows && set[1])
        doc_say(doc, "Not decided: %s measured %s than %s, %s; %s may be drift; --runs %u on both decides", side[1],
                middle.data, side[0],
                runs[0] + runs[1] == 2 ? "one run each" : TEXT_LINE("%zu and %zu runs", runs[1], runs[0]),
                drift < 100 ? TEXT_LINE("differences below %.*f %%", drift < 10, drift) : "any difference",
                RUNS_ADVISED);
    else if (n[VERDICT_UNDECIDED])
        doc_say(doc,
                builds ? "Not decided: %zu of %zu figures, for too few builds; %u of each side decide"
                       : "Not decided: %zu of %zu figures, for too few runs; --runs %u decides",
                n[VERDICT_UNDECIDED], c->n_rows, builds ? BUILDS_ADVISED : RUNS_ADVISED);
    doc_gap(doc);
}

static void put_differing_settings(const struct compared *c, bool verbose, const struct doc *doc)
{
    FREED_BY(text_free) struct text list = {0};

    if (c->pairs->changed) {
        put_properties(c, &list);
        put_run_settings(c->pairs->base, c->pairs->changed, &list);
    }
    if (!list.length)
        return;
    doc_gap(doc);
    doc_say(doc, "Settings differ: %.*s%s", verbose ? (int)list.length : LIST_SHOWN, list.data,
            !verbose && list.length > LIST_SHOWN ? " ... (-v)" : "");
}

/* --- Cells. --- */

#define CHANGE_TEXT(ratio_) \
    TEXT_LINE((ratio_) < 10 ? "%+.1f %%" : "x %.0f", (ratio_) < 10 ? 100 * ((ratio_)-1) : (ratio_))

/* Why the change is in doubt, the least change that would be found, or the causes of the change. */
static void put_reason(const struct compared *all, const struct compared_row *row, struct text *out)
{
    const struct comparison *c = row->of;
    FREED_BY(text_free) struct text why_raw = {0};

    if (c->doubt == DOUBT_LOAD)
        text_printf(out, "the load did %.0f %% less", 100 * (1 - compared_load(all, row)->of->ratio));
    else if (c->tested == TESTED_NOTHING)
        text_printf(out,
                    compared_builds(row->pair) ? "fewer than %u builds of a side"
                                               : "one value on a side; repeat with --runs %u",
                    compared_builds(row->pair) ? BUILDS_LEAST : RUNS_ADVISED);
    else if (c->doubt == DOUBT_SMALL)
        text_printf(out, "above %g %%", 100 * all->min_effect);
    else if (c->doubt == DOUBT_SHARE && c->unlike_rows)
        text_printf(out, "its rows were brought to the same share of the core, and it cannot be");
    else if (c->doubt == DOUBT_SHARE)
        text_printf(out, "the sides had %.0f %% and %.0f %% of the core; measure in turns", 100 * c->raw.share[0],
                    100 * c->raw.share[1]);
    else if (c->doubt == DOUBT_CHANCE && (c->low > 1 || c->high < 1))
        text_printf(out, "not sure, p %.2g after correcting for %zu row%s", c->p_adjusted, all->n_judged,
                    PLURAL(all->n_judged));
    if (c->least > 0 && c->doubt != DOUBT_SHARE && (c->change == CHANGE_UNKNOWN || c->doubt == DOUBT_CHANCE))
        text_printf(out, "%sleast change %.*f %%", out->length ? ", " : "", c->least < 0.1 ? 1 : 0, 100 * c->least);
    explain_change(row->pair, c, out);
    /* What explains the change as measured, where there is none with the core free or at the same share. */
    if (row->raw && (c->change == CHANGE_NONE || c->change == CHANGE_UNKNOWN) && c->doubt != DOUBT_SHARE)
        explain_change(row->raw, &row->of_raw, &why_raw);
    if (why_raw.length)
        text_printf(out, "%sraw %+.1f %%, by %s", out->length ? "; " : "", 100 * (row->of_raw.ratio - 1), why_raw.data);
}

/* --- Tables. --- */

#define ASKED           5u
#define UNDECIDED_SHOWN 8u /* without -v */
#define REASONS_SHOWN   3u

/* Rows of a table; title: of a figure that people ask for. */
struct told {
    const struct compared_row *row;
    const char *title;
};

static bool is_decided(enum compared_verdict verdict)
{
    return verdict != VERDICT_SAME && verdict != VERDICT_UNDECIDED;
}

static bool is_unstable(const struct pair *pair)
{
    bool any = false;

    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < pair->side[s].n; i++)
            any |= pair->side[s].row[i]->status == ROW_UNSTABLE;
    return any;
}

static void put_compared_rows(const struct compared *c, const struct told *told, size_t n, bool verbose,
                              const struct doc *doc)
{
    static const struct grid_column columns[] = {
        {.title = "Figure", .left = true, .wrap = true},
        {.title = "Base", .optional = true},
        {.title = "New", .optional = true},
        {.title = "Change"},
        {.title = "95 % interval", .optional = true},
        {.title = "Verdict", .left = true, .wrap = true, .optional = true},
    };
    /* faster, slower, lower, higher */
    static const enum color colors[VERDICT_APART + 1] = {COLOR_GREEN, COLOR_RED, COLOR_YELLOW, COLOR_YELLOW};
    struct grid grid = {0};

    GRID_COLUMNS(&grid, columns);
    for (; n--; told++) {
        const struct comparison *of = told->row->of;
        const struct row *about = told->row->pair->about;
        const enum compared_verdict verdict = compared_verdict(told->row);
        const bool equal = !about->better[0] || !(of->ratio < 1 || of->ratio > 1) || verdict == VERDICT_SAME ||
                           verdict == VERDICT_NO_GAIN;
        FREED_BY(text_free) struct text reason = {0};
        struct text *cell = grid_cell(&grid, COLOR_NONE);
        if (told->title)
            text_printf(cell, "%s", told->title);
        else
            put_pair_name(c, told->row->pair, cell);
        grid_value(&grid, told->row->mean ? NAN : of->base, about->unit);
        grid_value(&grid, told->row->mean ? NAN : of->changed, about->unit);
        text_printf(grid_cell(&grid, COLOR_NONE), of->ratio > 0 ? "%s%s" : "-",
                    equal                                                  ? ""
                    : compared_sign(told->row->pair) * (of->ratio - 1) > 0 ? "better "
                                                                           : "worse ",
                    CHANGE_TEXT(of->ratio));
        cell = grid_cell(&grid, COLOR_NONE);
        if (!verbose || isnan(of->low))
            text_printf(cell, "-");
        else if (of->high < 10)
            text_printf(cell, "%+.1f .. %+.1f %%", 100 * (of->low - 1), 100 * (of->high - 1));
        else
            text_printf(cell, "x %.*f .. %.0f", of->low < 10, of->low, of->high);
        if (verbose || is_decided(verdict))
            put_reason(c, told->row, &reason);
        cell = grid_cell(&grid, colors[verdict]);
        if (verbose || verdict != VERDICT_UNDECIDED)
            text_printf(cell, "%s", compared_verdict_names[verdict]);
        if (reason.length)
            text_printf(cell, "%s%s", of->doubt == DOUBT_SMALL ? " " : ": ", reason.data);
        if (is_unstable(told->row->pair))
            text_printf(cell, "%s", verbose || verdict != VERDICT_UNDECIDED ? "; unstable" : "unstable");
    }
    doc_table(doc, &grid);
}

static bool is_in(const struct told *told, size_t n, const struct compared_row *row)
{
    while (n && told[n - 1].row != row)
        n--;
    return n;
}

/* Takes figures that people ask for, the greatest of each; then, up to five, those with the greatest effect. Returns
 * how many. */
static size_t take_asked(const struct compared *c, struct told *told)
{
    static const char *const asked[ASKED][2] = {{"UNIX index", "unix/index/index"},
                                                {"Memory bandwidth (Triad)", "stream/bandwidth/triad_rate"},
                                                {"Memory latency", "memory/steady/memory_latency"},
                                                {"Time lost, New's worst CPU", "noise/noise/lost"},
                                                {"Latest timer wake-up", "wakeup/worst/latency_max"}};
    size_t n = 0;

    for (size_t a = 0; a < ASKED; a++) {
        const struct compared_row *found = NULL;
        for (const struct compared_row *row = c->row; row < c->row + c->n_rows; row++) {
            const struct row *about = row->pair->about;
            const int length = row_is_alone(about) ? (int)row_is_alone(about) : (int)sizeof(about->metric);
            const char *name = TEXT_LINE("%s/%s/%.*s", about->suite, about->test, length, about->metric);
            if (!strcmp(name, asked[a][1]) && (!found || row->of->changed > found->of->changed))
                found = row;
        }
        if (found)
            told[n++] = (struct told){found, asked[a][0]};
    }
    for (size_t i = 0; i < c->n_rows && n < ASKED; i++)
        if (!is_in(told, n, &c->row[i]))
            told[n++].row = &c->row[i];
    return n;
}

/* Puts the rows and means that changed (verbose: all), and how much the others may have. Counts undecided ones that
 * differ by more than the drift, and than their samples vary. */
static void put_changed(const struct compared *c, bool verbose, struct told *told, size_t asked, const struct doc *doc)
{
    const double drift = drift_of(c);
    size_t n = asked, larger = 0, same = 0, undecided = 0;
    double most = 0;

    for (const struct compared_row *row = c->row; row < c->row + c->n_rows + c->n_means; row++) {
        const struct comparison *of = row->of;
        const enum compared_verdict verdict = compared_verdict(row);
        const bool known = row->mean || of->ratio > 0 || !(of->base < of->changed || of->base > of->changed);
        const bool large = verdict == VERDICT_UNDECIDED && fabs(log(of->ratio)) > log1p(drift) &&
                           !(of->low <= 1 && of->high >= 1) && larger < UNDECIDED_SHOWN;
        if (is_in(told, asked, row))
            continue;
        larger += large;
        if (verbose || !c->pairs->changed || large || !known || is_decided(verdict)) {
            told[n++].row = row;
        } else if (!row->mean) {
            same += verdict == VERDICT_SAME;
            undecided += verdict == VERDICT_UNDECIDED;
            most = verdict == VERDICT_SAME ? fmax(most, fmax(1 - of->low, of->high - 1)) : most;
        }
    }
    if (n > asked)
        doc_gap(doc);
    put_compared_rows(c, told + asked, n - asked, verbose, doc);
    if (same)
        doc_say(doc, "The other %zu: no change above %.*f %% (-v)", same, most < 0.1, 100 * most);
    if (undecided)
        doc_say(doc, "The other %zu are not decided (-v)", undecided);
}

/* --- What a gain cost. --- */

/* Which figure of a task the row has: P99, or the mean where P99 is not known. NULL: another. */
static const char *task_figure(const struct compared *c, const struct compared_row *row)
{
    const struct row *about = row->pair->about;
    const bool p99 = strstr(about->metric, "_p99");

    if (!row->judged || !strcmp(about->metric, "load_rate"))
        return NULL;
    for (const struct compared_row *other = c->row; other < c->row + c->n_rows && !p99; other++)
        if (other->judged && strstr(other->pair->about->metric, "_p99") &&
            row_same_measurement(other->pair->about, about) && !strcmp(other->pair->host, row->pair->host))
            return NULL;
    return p99 ? "P99" : "mean";
}

/* A sentence for each task that, or whose load, changed (verbose: each). */
static void put_prices(const struct compared *c, bool verbose, const struct doc *doc)
{
    bool any = false;

    for (const struct compared_row *row = c->row; row < c->row + c->n_rows; row++) {
        const struct row *about = row->pair->about;
        const char *what = task_figure(c, row);
        const struct compared_row *load = what ? compared_load(c, row) : NULL;
        const enum compared_verdict verdict = compared_verdict(row);
        const bool sure = is_decided(verdict);
        if (!load || !(verbose || sure || load->of->change == CHANGE_LOWER || load->of->change == CHANGE_HIGHER))
            continue;
        if (!any)
            doc_gap(doc);
        any = true;
        doc_say(doc, "%s beside %s: %s %s%s, and the load did %.1f %% %s%s", about->test, about->load, what,
                CHANGE_TEXT(row->of->ratio), sure ? "" : " (not sure)", 100 * fabs(load->of->ratio - 1),
                load->of->ratio < 1 ? "less" : "more", verdict == VERDICT_NO_GAIN ? ": not a gain" : "");
    }
}

/* --- Rows that cannot be compared. --- */

static int compare_reasons(const void *a, const void *b)
{
    const char *x = (*(const struct pair *const *)a)->why, *y = (*(const struct pair *const *)b)->why;
    const int failed = starts_with(y, "failed") - starts_with(x, "failed"); /* first */

    return failed ? failed : strcmp(x, y);
}

/* verbose: with the rows. */
static void put_apart(const struct compared *c, bool verbose, const struct doc *doc)
{
    const struct pair *const *pairs = c->not_comparable;
    const size_t n = c->n_not_comparable;
    size_t reasons = 0;

    if (n)
        doc_heading(doc, NULL, "Not comparable");
    SORT(c->not_comparable, n, compare_reasons);
    for (size_t i = 0, end; i < n; i = end) {
        FREED_BY(text_free) struct text line = {0};
        if (++reasons > REASONS_SHOWN && !verbose) {
            doc_say(doc, "%zu more for other reasons (-v)", n - i);
            return;
        }
        for (end = i; end < n && !strcmp(pairs[end]->why, pairs[i]->why); end++)
            ;
        text_printf(&line, "%zu row%s, %s", end - i, PLURAL(end - i), pairs[i]->why);
        if (pairs[i]->reason >= 0)
            text_printf(&line, " (--across %s compares them)", pair_across_names[pairs[i]->reason]);
        for (size_t k = i; k < (verbose ? end : i + 1); k++) {
            text_printf(&line, "%s ", k > i ? "," : ":");
            put_pair_name(c, pairs[k], &line);
        }
        doc_say(doc, "%s%s", line.data, end > i + 1 && !verbose ? ", ..." : "");
    }
}

/* --- CSV. --- */

/* row NULL: the pair cannot be compared. */
static void put_csv_row(const struct compared *c, const struct pair *pair, const struct compared_row *row,
                        struct text *out)
{
    static const char *const tested[] = {"", "within", "runs", "pairs"};
    FREED_BY(text_free) struct text reason = {0}, against = {0};
    const struct row *about = pair->about;
    const struct comparison *of = row ? row->of : &comparison_unknown;
    const struct comparison *raw = row && row->raw ? &row->of_raw : &comparison_unknown;

    if (row)
        put_reason(c, row, &reason);
    if (pair->within)
        put_row_name(c, pair, pair->side[0].row[0], &against);
    csv_print(out, "%s,%s,%s,%s,%f,%s,%s,%s,%s,%s,%f,%f,%f,%f,%f,%f,%f,%f,%s,", about->suite, about->test, about->load,
              about->param.text, about->copies ? (double)about->copies : NAN, pair->by_cpus ? about->cpus : "",
              pair->host, about->metric, about->unit, about->better, of->base, of->changed, of->ratio, of->low,
              of->high, of->p_t, of->p_permutation, of->p_adjusted, row ? tested[of->tested] : "");
    csv_print(out, "%f,%f,%f,%s,%s,%s,%f,%f,%f,%f,%f\r\n", row ? (double)of->n_base : NAN,
              row ? (double)of->n_new : NAN, 100 * of->least,
              compared_verdict_names[row ? compared_verdict(row) : VERDICT_APART],
              reason.length ? reason.data : pair->why, against.length ? against.data : "", raw->base, raw->changed,
              raw->ratio, of->share, of->slope);
}

void compared_put_csv(const struct compared *c, struct text *out)
{
    text_printf(out,
                "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,"
                "ratio_ci95_hi,p_t,p_permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,"
                "raw_base,raw_new,raw_ratio,core_share,core_share_slope\r\n");
    for (size_t i = 0; i < c->n_rows + c->n_means; i++)
        put_csv_row(c, c->row[i].pair, &c->row[i], out);
    for (size_t i = 0; i < c->n_not_comparable; i++)
        put_csv_row(c, c->not_comparable[i], NULL, out);
}

void compared_put(const struct compared *c, const char *const names[2], bool verbose, bool about, const struct doc *doc)
{
    FREED struct told *told = memory_get(c->n_rows + c->n_means, sizeof(*told));
    const size_t asked = c->pairs->changed && c->n_rows && !c->row[0].pair->host[0] ? take_asked(c, told) : 0;

    if (about)
        put_answer(c, names, doc);
    put_compared_rows(c, told, asked, verbose, doc);
    if (about)
        put_differing_settings(c, verbose, doc);
    put_changed(c, verbose, told, asked, doc);
    put_prices(c, verbose, doc);
    put_apart(c, verbose, doc);
    if (c->n_hosts)
        doc_heading(doc, NULL, "Hosts by the geometric mean of their ratios, above 1 is better");
    for (size_t i = 0; i < c->n_hosts; i++)
        doc_say(doc, "  %s  %.4f%s", c->host[i].host, c->host[i].ratio, c->host[i].stands_out ? "  stands out" : "");
    const size_t left_out = about ? c->pairs->degraded + c->pairs->doubles : 0;
    if (left_out) {
        doc_gap(doc);
        doc_say(doc, "Left out: %zu row%s (degraded, skipped, failed, or there twice)", left_out, PLURAL(left_out));
    }
}
