/* SPDX-License-Identifier: MIT */
/* Prints the header of a comparison, which says what was compared, and the warnings after it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare_settings.h"
#include "out/compare.h"
#include "rows/text.h"
#include "stats/stats.h"

/* --- The header: what was compared. --- */

/* Properties whose differences do not forbid a comparison, because they may be what the user compares. put_header()
 * lists the differences; those in the column `settings` are listed by settings_diff(). */
static const struct {
    const char *name;
    enum { OF_RUN, OF_ROW, NUMBER, COMMAND, CPUS } kind;
    size_t offset; /* offset of a text in the run or in the row, or of a double in the row */
} settings[] = {
    {"host", OF_RUN, offsetof(struct row_run, host)},
    {"kernel", OF_RUN, offsetof(struct row_run, kernel)},
    {"CPU model", OF_RUN, offsetof(struct row_run, cpu_model)},
    {"command", COMMAND, 0},
    {"CPUs online", CPUS, 0},
    {"nice", NUMBER, offsetof(struct row, nice)},
    {"real-time priority", NUMBER, offsetof(struct row, rt_priority)},
    {"idle CPUs kept awake", OF_ROW, offsetof(struct row, timer_latency_held)},
};
#define SHARES_PCT  5.0 /* least difference of the shares of the core that is mentioned, in percentage points */
#define VALUES_MOST 4u  /* maximum number of values listed for a side */
#define SETTINGS    (sizeof(settings) / sizeof(settings[0]))

static void value_of(const struct row *row, size_t setting, char *buf, size_t size)
{
    const size_t offset = settings[setting].offset;
    const char *line = row_command_line(&row->param);
    double number;

    if (settings[setting].kind == NUMBER) {
        memcpy(&number, (const char *)row + offset, sizeof(number));
        (void)snprintf(buf, size, isnan(number) ? "" : "%g", number);
    } else if (settings[setting].kind == CPUS) {
        (void)snprintf(buf, size, "%" PRIu64, row->run->cpus_online);
    } else if (settings[setting].kind == COMMAND) {
        text_copy(buf, size, line ? line : "");
    } else {
        text_copy(buf, size, (settings[setting].kind == OF_RUN ? (const char *)row->run : (const char *)row) + offset);
    }
}

/* Lists the different values that a property has in the compared rows of one side, as far as there is room. */
static void values_of(const struct compared *c, size_t setting, bool changed, char *buf, size_t size)
{
    FREED_BY(text_free) struct text out = {0};
    FREED_BY(index_free) struct index seen = {0};
    char value[200];

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        const struct row *const *of = changed ? pair->changed : pair->base;
        for (size_t k = 0; k < (changed ? pair->n_changed : pair->n_base); k++) {
            value_of(of[k], setting, value, sizeof(value));
            if (value[0] && seen.n < VALUES_MOST)
                (void)index_enter(&seen, value);
        }
    }
    for (size_t i = 0; i < seen.n; i++)
        text_printf(&out, "%s%s", i ? ";" : "", seen.name[i]);
    text_copy(buf, size, seen.n ? out.data : "");
}

/* Returns the number of different texts that the runs have at this offset. If empty_differ, each run without a text
 * counts. */
static size_t count_different(const struct row_set *set, size_t offset, bool empty_differ)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n_runs; i++) {
        const char *own = (const char *)set->runs[i] + offset;
        bool seen = false;
        for (size_t k = 0; k < i && !seen && (own[0] || !empty_differ); k++)
            seen = !strcmp(own, (const char *)set->runs[k] + offset);
        n += !seen;
    }
    return n;
}

static void put_side(const char *name, const struct row_set *set, struct text *out)
{
    const struct row_run *run = set->runs[0];
    const size_t runs = count_different(set, offsetof(struct row_run, run_id), true);
    const size_t hosts = count_different(set, offsetof(struct row_run, host), false);

    text_printf(out, "%-5s %zu run%s on ", name, runs, runs == 1 ? "" : "s");
    if (hosts > 1)
        text_printf(out, "%zu hosts\n", hosts);
    else
        text_printf(out, "%s\n", run->host[0] ? run->host : "an unknown host");
}

/* Says that the share of the core differs between the sides of rows that were tested in pairs. */
static void put_shares_of_pairs(const struct compared *compared, struct text *out)
{
    struct stats_running shares[2] = {{.n = 0}, {.n = 0}};

    for (size_t i = 0; i < compared->n_rows; i++) {
        const struct pair *pair = compared->row[i].pair;
        if (compared->comparison[compared->row[i].number].tested != TESTED_PAIRS || pair->within)
            continue;
        for (size_t k = 0; k < pair->n_base + pair->n_changed; k++) {
            const bool changed = k >= pair->n_base;
            const double share = row_core_share(changed ? pair->changed[k - pair->n_base] : pair->base[k]);
            if (!isnan(share))
                stats_add(&shares[changed], 100 * share);
        }
    }
    if (fabs(shares[1].mean - shares[0].mean) >= SHARES_PCT)
        text_printf(out,
                    "The sides had %.0f %% and %.0f %% of the core. They were measured in turns, so the change itself "
                    "may be why\n",
                    shares[0].mean, shares[1].mean);
}

/* Appends a line for each kind of statistical test that was used. */
static void put_tested(const struct compared *compared, struct text *out)
{
    size_t hosts = 0, in_turn = 0, shares = 0, n[TESTED_PAIRS + 1] = {0};

    for (size_t i = 0; i < compared->n_rows; i++) {
        const struct compared_row *row = &compared->row[i];
        const struct comparison *c = &compared->comparison[row->number];
        const bool samples = c->tested == TESTED_PAIRS && row->pair->n_base == 1;
        hosts += row->by_hosts;
        shares += c->share > 0;
        in_turn += samples;
        n[c->tested] += !row->by_hosts && !samples;
    }
    if (hosts)
        text_printf(out, "Tested: the means of the hosts%s\n",
                    n[TESTED_RUNS] || n[TESTED_WITHIN] ? ", for rows with three or more a side" : "");
    if (n[TESTED_RUNS])
        text_printf(out, "Tested: the means of the runs%s\n",
                    hosts || n[TESTED_WITHIN] ? ", for rows with three or more a side" : "");
    if (hosts || n[TESTED_RUNS])
        text_printf(out, "Measured apart: a drift between the sides cannot be told from the change; in turns (A B B A) "
                         "it can\n");
    if (n[TESTED_PAIRS])
        text_printf(out, "Tested: pairs of runs as measured, since those of both sides alternate in time\n");
    put_shares_of_pairs(compared, out);
    if (compared->n_raw > shares)
        text_printf(out,
                    "Metrics with " ROW_ALONE ": without other users of the core, as both sides know it; Raw is the "
                    "ratio as measured\n");
    if (shares)
        text_printf(out,
                    "Rows with a Raw ratio%s: figures at the same share of the core; Raw is the ratio as measured\n",
                    compared->n_raw > shares ? " and without " ROW_ALONE : "");
    if (in_turn)
        text_printf(
            out,
            "Tested: pairs of samples, since commands were measured in turns and drift affects all of them equally\n");
    if (n[TESTED_WITHIN])
        text_printf(
            out,
            "Not decided%s: the drift between runs cannot be seen in fewer than three runs a side. Interval and\n"
            "       least change are those within the runs; repeat both sides with --runs %u\n",
            hosts || n[TESTED_RUNS] || n[TESTED_PAIRS] || in_turn ? " elsewhere" : "", RUNS_ADVISED);
    if (hosts || in_turn || n[TESTED_RUNS] || n[TESTED_PAIRS] || n[TESTED_WITHIN])
        text_printf(out, "Least change: the smallest that 80 %% of such comparisons would find\n");
}

/* Prints what was compared. changed NULL: rows of the same files were compared. */
static void put_header(const struct compared *c, const struct row_set *base, const struct row_set *changed,
                       struct text *out)
{
    FREED_BY(text_free) struct text differences = {0};
    char before[420], after[420];

    put_side(changed ? "Base" : "Within", base, out);
    if (!changed) {
        text_printf(out, "Base  the first row of each test and metric; for `run`, the first command\n");
        put_tested(c, out);
        text_append(out, "\n", 1);
        return;
    }
    put_side("New", changed, out);
    for (size_t i = 0; i < SETTINGS; i++) {
        values_of(c, i, false, before, sizeof(before));
        values_of(c, i, true, after, sizeof(after));
        if (before[0] && after[0] && strcmp(before, after) != 0)
            text_printf(out, "Differs: %s: %s against %s\n", settings[i].name, before, after);
    }
    settings_diff(base, changed, &differences);
    if (differences.length)
        text_printf(out, "Settings differ: %s\n", differences.data);
    put_tested(c, out);
    text_append(out, "\n", 1);
}

/* --- Warnings. --- */

static void warn(struct text *out, size_t n, const char *one, const char *many)
{
    if (n)
        text_printf(out, "Warning: %zu %s\n", n, n == 1 ? one : many);
}

static size_t count_unstable(const struct pair *pair)
{
    size_t n = 0;

    for (size_t i = 0; i < pair->n_base; i++)
        n += pair->base[i]->status == ROW_UNSTABLE;
    for (size_t i = 0; i < pair->n_changed; i++)
        n += pair->changed[i]->status == ROW_UNSTABLE;
    return n;
}

/* Prints warnings about doubtful rows, after an empty line. */
static void put_warnings(const struct compared *c, const struct pairs *pairs, struct text *out)
{
    size_t drifted = 0, unstable = 0, single = 0;
    double worst = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *row = &c->row[i];
        single += c->comparison[row->number].tested == TESTED_NOTHING;
        unstable += count_unstable(row->pair) > 0;
        drifted += row->drift_pct > 0;
        worst = fmax(worst, row->drift_pct);
    }
    if (single || unstable || drifted || pairs->doubles || pairs->degraded)
        text_append(out, "\n", 1);
    warn(out, single, "row is not decided: one value does not show its spread",
         "rows are not decided: one value does not show their spread");
    warn(out, unstable, "row is unstable: its samples spread by more than --max-rsd (5 % by default)",
         "rows are unstable: their samples spread by more than --max-rsd (5 % by default)");
    if (drifted)
        text_printf(out, "Warning: the machine drifted during a run, by up to %.1f %%, in %zu row%s\n", worst, drifted,
                    drifted == 1 ? "" : "s");
    warn(out, pairs->doubles, "row occurs twice and is counted once", "rows occur twice and are counted once");
    warn(out, pairs->degraded, "degraded, skipped or failed row is left out of its side",
         "degraded, skipped or failed rows are left out of their side");
}

void compared_put_page(const struct compared *compared, const struct pairs *pairs, const struct row_set *base,
                       const struct row_set *changed, const struct compared_print *how, struct text *out)
{
    put_header(compared, base, changed, out);
    compared_put(compared, how, out);
    put_warnings(compared, pairs, out);
}
