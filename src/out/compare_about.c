/* SPDX-License-Identifier: MIT */
/* Says what was compared, what came of it, and what differs between the sides. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/compare.h"

/* Values that are kept of both sides: more than any run has. It limits the work for damaged files. */
#define ENTRIES_MOST 4096u
/* Most values of one setting and side. Two sides that both have so many count as equal: the machines of each side then
 * differ among themselves. */
#define VALUES_MOST 8u
#define LIST_SHOWN  220 /* bytes of the list of differences, without -v */
/* Two standard deviations in medians of the absolute values of normal deviates. */
#define DRIFT_MEDIANS 2.965

/* --- What differs between the sides. --- */

/* Enters a value; "": it is not known. An entry is the number of the side, the name and the value, each ended by
 * '\x1f' but the last. */
static void enter(struct index *entries, size_t s, const char *name, const char *value)
{
    char entry[SETTING_NAME + 64 + SETTING_VALUE];

    snprintf(entry, sizeof(entry), "%zu\x1f%s\x1f%s", s, name, value);
    if (value[0] && entries->n < ENTRIES_MOST)
        index_enter(entries, entry);
}

/* Appends each name whose values differ: both sides have values, and not the same. */
static void put_differences(const struct index *entries, struct text *out)
{
    for (size_t i = 0; i < entries->n; i++) {
        const char *name = entries->name[i] + 2, *values[2][VALUES_MOST];
        const size_t length = strcspn(name, "\x1f") + 1;
        size_t first = SIZE_MAX, same = 0, n[2] = {0, 0};
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

static void enter_items(struct index *entries, size_t s, const char *text, bool of_run)
{
    struct setting_items items;

    setting_items_begin(&items, text, of_run);
    while (setting_items_next(&items))
        enter(entries, s, items.name, items.value);
}

/* Adds the kind of pages that a test got. The share of huge pages varies from run to run, so what follows the ':' is
 * cut. */
static void enter_pages(struct index *entries, size_t s, const struct row *row)
{
    size_t length = 0;
    const char *pages = row_param(&row->param, "pages", &length);
    const char *value = pages ? TEXT_LINE("%.*s", (int)strcspn(pages, ": "), pages) : "";

    /* the latter was written by an earlier version, which did not record the pages given */
    if (row->n_samples && strcmp(value, "huge-advised") != 0)
        enter(entries, s, TEXT_LINE("%s pages", row->test), value);
}

/* Appends "thp always -> never; autogroup 1 -> 0": every item of the columns settings and scratch_disk (named
 * scratch_mount, ...), and the pages given to a test (named "bandwidth pages"), whose values differ between the sides.
 * Several values of a side are joined by " or ". An item that one side has not recorded, as in files of earlier
 * versions, is no difference. Appends nothing when there is no difference. */
static void compared_put_settings(const struct row_set *base, const struct row_set *changed, struct text *out)
{
    FREED_BY(index_free) struct index entries = {0};

    for (size_t s = 0; s < 2; s++) {
        const struct row_set *set = s ? changed : base;
        for (size_t i = 0; i < set->n_runs; i++)
            enter_items(&entries, s, set->runs[i]->settings, true);
        for (size_t i = 0; i < set->n; i++) {
            enter_pages(&entries, s, &set->rows[i]);
            enter_items(&entries, s, set->rows[i].scratch_disk, false);
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
                enter(&entries, i % 2, name, value);
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

double compared_drift(const struct compared *c)
{
    FREED_BY(memory_free) double *effects = memory_get(c->n_rows, sizeof(*effects));
    size_t n = 0;

    for (size_t i = 0; i < c->n_rows; i++)
        if (c->row[i].of->change == CHANGE_UNKNOWN && c->row[i].of->ratio > 0)
            effects[n++] = fabs(log(c->row[i].of->ratio));
    return fmax(c->min_effect, n ? expm1(DRIFT_MEDIANS * stats_median(effects, n)) : 0);
}

/* Says by how much the other side is faster: the median of the means of suites, or if there are none, of the rows. */
static void put_middle(const struct compared *c, struct text *out)
{
    FREED_BY(memory_free) double *logs = memory_get(c->n_rows + c->n_means, sizeof(*logs));
    const struct compared_row *row = c->row + (c->n_means ? c->n_rows : 0);
    size_t n = 0;

    for (; row < c->row + c->n_rows + c->n_means; row++)
        if (row->pair->about->better[0] && row->of->ratio > 0)
            logs[n++] = (strcmp(row->pair->about->better, "higher") ? -1 : 1) * log(row->of->ratio);
    const double pct = 100 * expm1(n ? stats_median(logs, n) : 0);
    const char *by = fabs(pct) < 0.05 ? "no" : TEXT_LINE("%.*f %%", fabs(pct) < 10, fabs(pct));
    text_printf(out, "%s %s", by, pct > -0.05 ? "faster" : "slower");
}

/* Returns how many runs of a are in b. */
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

void compared_put_answer(const struct compared *c, const char *const names[2], const struct doc *doc)
{
    const struct row_set *set[] = {c->pairs->base, c->pairs->changed};
    size_t n[VERDICT_APART + 1] = {0}, means[VERDICT_APART + 1] = {0}, runs[2] = {0, 0}, drifts = 0;
    const char *side[] = {set[1] ? "Base" : "Within", "New"}, *host[] = {"", ""};
    FREED_BY(text_free) struct text middle = {0};

    for (size_t s = 0; s < 2 && set[s]; s++)
        host[s] = put_side(side[s], names[s], set[s], &runs[s], doc);
    const bool apart = host[0][0] && host[1][0] && strcmp(host[0], host[1]) != 0;
    if (apart || (names[0][0] && names[1][0] && strcmp(names[0], names[1]) != 0))
        for (size_t s = 0; s < 2; s++)
            side[s] = apart ? host[s] : names[s];
    for (size_t i = 0; i < c->n_rows + c->n_means; i++) {
        (i < c->n_rows ? n : means)[compared_verdict(c->row[i].of, c->row[i].pair->about->better)]++;
        drifts += !apart && c->row[i].of->tested == TESTED_RUNS;
    }
    const enum compared_verdict most = n[VERDICT_SLOWER] < n[VERDICT_FASTER] ? VERDICT_FASTER : VERDICT_SLOWER;
    const enum compared_verdict least = VERDICT_FASTER + VERDICT_SLOWER - most;
    const double drift = 100 * compared_drift(c);
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
        doc_say(doc, "Not decided: %zu of %zu figures, for too few runs; --runs %u decides", n[VERDICT_UNDECIDED],
                c->n_rows, RUNS_ADVISED);
    doc_gap(doc);
}

void compared_put_differences(const struct compared *c, bool verbose, const struct doc *doc)
{
    FREED_BY(text_free) struct text list = {0};

    if (c->pairs->changed) {
        put_properties(c, &list);
        compared_put_settings(c->pairs->base, c->pairs->changed, &list);
    }
    if (!list.length)
        return;
    doc_gap(doc);
    doc_say(doc, "Settings differ: %.*s%s", verbose ? (int)list.length : LIST_SHOWN, list.data,
            !verbose && list.length > LIST_SHOWN ? " ... (-v)" : "");
}
