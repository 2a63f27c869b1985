/* SPDX-License-Identifier: MIT */
/* jitbench run: compares commands by pairs of their runs (when to stop, --fail-on), and prints their table. */
#include "cmd/run.h"

#include <float.h>

#include "out/chart.h"
#include "out/compare_commands.h"

#define COLUMNS_MAX 20

/* --- Comparison in pairs. --- */

int run_check_fail_on(struct commands *c)
{
    const bool counted = c->options->command.judge == JUDGED_INSTRUCTIONS;
    bool sides = c->n > 1 && !c->build[0];

    if (!c->options->command.fail_on.kinds)
        return 0;
    for (size_t i = 0; i < c->n && c->build[0]; i++) {
        const char *name = c->options->names[i].text;
        const size_t builds = run_count_named(c, name);
        sides |= builds < c->n;
        if (builds < BUILDS_LEAST)
            return usage_error("--fail-on needs %u builds or more of each side (--name), and there %s %zu of '%s'",
                               BUILDS_LEAST, builds == 1 ? "is" : "are", builds, name);
    }
    if (!sides)
        return usage_error("--fail-on needs two commands or more");
    const size_t least = c->build[0] ? 1 : counted ? 2 : 2 * commands_pairs_least(c->n - 1);
    if (!measure_given(c->m, "samples") || c->m->options.samples >= least)
        return 0;
    return usage_error("--fail-on needs --samples %zu or more%s", least,
                       counted ? "" : TEXT_LINE(": fewer than %zu pairs cannot show a difference", least / 2));
}

/* --- The stop rule. --- */

/* 1, or the limits of --fail-on. Returns their number. */
static size_t margins_of(const struct command_params *params, double margin[2])
{
    const double slower = fail_on_limit(&params->fail_on, FAIL_ON_SLOWER);
    const double faster = fail_on_limit(&params->fail_on, FAIL_ON_FASTER);
    size_t n = 0;

    if (slower > 0)
        margin[n++] = log1p(slower / 100);
    if (faster > 0)
        margin[n++] = log(fmax(1 - faster / 100, DBL_MIN));
    if (!n || slower <= 0 || faster <= 0)
        margin[n++] = 0;
    return n;
}

/* The first with the same number of copies that has not ended early; i: none before it. */
static size_t base_of(const struct plan_item *items, const struct plan_samples *samples, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (samples->of[k] && items[k].copies == items[i].copies)
            return k;
    return i;
}

enum found { FOUND_NOTHING, FOUND_CLAIM, FOUND_NARROW };

/* margin: logarithm of the tested ratio. A claim is never made with --aa, where a false one would end sampling. Narrow:
 * the interval is no wider than the precision, and contains the tested ratio: any other difference is too small to
 * matter. With --aa only the width counts. */
static enum found look(const struct plan_item *items, const struct plan_samples *samples, size_t i, double margin,
                       double error)
{
    const struct command_params *params = items[i].params;
    const double *base = samples->of[base_of(items, samples, i)], *of = samples->of[i];
    struct command_difference d;

    if (!params->aa && !commands_differ(base, of, samples->n, (size_t)params->planned, margin, error, &d) && d.logs.n &&
        d.claimed && !(d.logs.low <= margin && d.logs.high >= margin))
        return FOUND_CLAIM;
    /* as if the number of runs had been fixed */
    if (!commands_differ(base, of, samples->n, 0, margin, error, &d) && d.logs.n &&
        d.logs.high - d.logs.low <= 2 * items[i].sampling.precision_pct / 100 &&
        (params->aa || (d.logs.low <= margin && d.logs.high >= margin)))
        return FOUND_NARROW;
    return FOUND_NOTHING;
}

/* Takes the builds of the side of item i. Returns their number. */
static size_t take_builds(const struct plan_item *items, size_t n, const struct plan_samples *samples, size_t i,
                          struct comparison_run builds[COMMANDS_MAX])
{
    size_t taken = 0;

    for (size_t k = 0; k < n; k++)
        if (samples->of[k] && items[k].copies == items[i].copies && !strcmp(items[k].test, items[i].test))
            builds[taken++] = (struct comparison_run){.samples = samples->of[k], .n = samples->n};
    return taken;
}

/* Returns whether each build is known to the precision, or better than builds of a side differ, which more runs do not
 * change. Neither depends on how the sides differ, so that no look can claim a difference by chance. */
static bool builds_known(const struct plan_item *items, size_t n, const struct plan_samples *samples)
{
    struct comparison_run base[COMMANDS_MAX], of[COMMANDS_MAX];
    struct command_difference d;

    for (size_t i = 0; i < n; i++) {
        const size_t first = base_of(items, samples, i),
                     n_of = samples->of[i] ? take_builds(items, n, samples, i, of) : 0;
        size_t all = 0;
        for (size_t k = 0; k < n; k++)
            all += samples->of[k] && items[k].copies == items[i].copies;
        /* each other side by its first build, with the base's; the base alone if it is the only one */
        if (!n_of || of[0].samples != samples->of[i] || (first == i && n_of < all))
            continue;
        const size_t n_base = take_builds(items, n, samples, first, base);
        const struct comparison_side side = {of, first == i ? 0 : n_of}, bases = {base, n_base};
        commands_builds_differ(&bases, &side, 0, COMMANDS_ERROR, &d);
        if (!(d.noise <= items[i].sampling.precision_pct / 100 || d.noise <= d.spread))
            return false;
    }
    return true;
}

/* --- Commands in pairs. --- */

/* Blocks (A B B A) that fit into the time limit. */
static size_t plan_blocks(struct plan_item *items, size_t n, const struct plan_samples *samples, size_t blocks)
{
    const uint64_t left = samples->limit_ns > samples->spent_ns ? samples->limit_ns - samples->spent_ns : 0;
    const uint64_t of_one = samples->spent_ns / blocks;
    size_t planned = 0;

    for (size_t i = 0; i < n; i++) {
        struct command_params *params = items[i].params;
        if (!params->planned)
            params->planned = blocks + left / (of_one ? of_one : 1);
        planned = (size_t)params->planned;
    }
    return planned;
}

/* Once, when wall-clock time is judged in place of instructions: how long it takes. */
static void say_how_long(const struct plan_item *items, size_t n, const struct plan_samples *samples)
{
    struct command_params *first = items[0].params;
    double longest = 0;

    for (size_t i = 0; i < n && first->in_place; i++) {
        const size_t base = samples->of[i] ? base_of(items, samples, i) : i;
        struct command_difference d;
        if (base == i || commands_differ(samples->of[base], samples->of[i], samples->n, 0, 0, COMMANDS_ERROR, &d))
            continue;
        const double narrower = (d.logs.high - d.logs.low) / (2 * items[i].sampling.precision_pct / 100);
        longest = fmax(longest, (double)samples->spent_ns * fmax(1, narrower * narrower));
    }
    if (longest > 0)
        command_fail(0, "wall-clock time takes some %s for +-%g %% (--precision), and %s at most (--max-time)",
                     TEXT_DURATION((uint64_t)fmin(longest, 1e18)), items[0].sampling.precision_pct,
                     TEXT_DURATION(samples->limit_ns));
    first->in_place = false;
}

bool run_enough(struct plan_item *items, size_t n, const struct plan_samples *samples)
{
    const size_t blocks = samples->n / 2;
    size_t compared = 0;
    bool narrow = false;

    for (size_t i = 0; i < n; i++)
        compared += samples->of[i] && base_of(items, samples, i) != i;
    const bool builds = ((const struct command_params *)items[0].params)->build;
    if (blocks < commands_pairs_least(builds ? 1 : compared))
        return false;
    const bool over = samples->spent_ns + samples->spent_ns / blocks > samples->limit_ns;
    say_how_long(items, n, samples);
    if (builds)
        return over || (paired_is_look(blocks) && builds_known(items, n, samples));
    const size_t planned = plan_blocks(items, n, samples, blocks);
    if (blocks >= planned || over)
        return true;
    if (!commands_look(blocks, planned))
        return false;
    for (size_t i = 0; i < n; i++) {
        const double error = COMMANDS_ERROR / (double)(compared ? compared : 1);
        double margin[2];
        if (!samples->of[i] || base_of(items, samples, i) == i)
            continue;
        for (size_t k = 0; k < margins_of(items[i].params, margin); k++) {
            const enum found found = look(items, samples, i, margin[k], error);
            if (found == FOUND_NOTHING)
                return false;
            narrow |= found == FOUND_NARROW;
        }
    }
    /* this test is the last one and may use all that is left of the allowed probability of a false claim; with --aa the
     * search goes on to the planned number */
    for (size_t i = 0; narrow && i < n; i++) {
        struct command_params *params = items[i].params;
        params->planned = params->aa ? params->planned : blocks;
    }
    return true;
}

/* Returns the exit status. */
static int apply_fail_on(const struct measure *m, const struct fail_on *fail_on, unsigned kind,
                         struct command_comparison *compared)
{
    const double limit = fail_on_limit(fail_on, kind);
    const bool slower = kind == FAIL_ON_SLOWER, undecided = kind == FAIL_ON_UNDECIDED;
    const double ratio = undecided || !(limit > 0) ? 1 : slower ? 1 + limit / 100 : fmax(1 - limit / 100, DBL_MIN);
    int status = EXIT_DONE;

    if (isnan(limit) || run_compare(m->rows, m->n_rows, log(ratio), compared))
        return EXIT_DONE;
    for (size_t i = 0; i < m->n_rows; i++) {
        const enum command_verdict verdict = compared[i].verdict;
        const double most = verdict == COMMAND_ALIKE ? command_most_pct(&compared[i].difference.logs) : NAN;
        if (undecided ? verdict < COMMAND_ALIKE || verdict == COMMAND_ONE_SIDE ||
                            most <= (isfinite(limit) ? limit : COMMANDS_ALIKE_PCT)
                      : verdict != (slower ? COMMAND_SLOWER : COMMAND_FASTER))
            continue;
        FREED_BY(text_free) struct text name = {0};
        run_put_name(m->rows, m->n_rows, &m->rows[i], &name);
        const char *title = judged_titles[row_judged(&m->rows[i])];
        status = command_fail(EXIT_FINDING, "--fail-on: %s%s%s %s%s", name.failed ? m->rows[i].test : name.data,
                              title[0] ? ": " : "", title,
                              !undecided         ? judged_differs(title, slower)
                              : limit < HUGE_VAL ? "can differ"
                                                 : "is not decided",
                              limit > 0 && isfinite(limit) ? TEXT_LINE(" by more than %g %%", limit) : "");
    }
    return status;
}

int run_fail(const struct measure *m, const void *options)
{
    static const unsigned kinds[] = {FAIL_ON_SLOWER, FAIL_ON_FASTER, FAIL_ON_UNDECIDED};
    const struct run_options *o = options;
    FREED struct command_comparison *compared = calloc(m->n_rows + 1, sizeof(*compared));
    int status = EXIT_DONE;

    for (size_t i = 0; compared && i < COUNT(kinds); i++)
        status = apply_fail_on(m, &o->command.fail_on, kinds[i], compared) ? EXIT_FINDING : status;
    return status;
}

/* --- The table. --- */

static bool is_wall(const struct row *row)
{
    return !strcmp(row->metric, "wall");
}

/* The command line unless the user gave a name: it says more. */
static void label(const struct row *row, struct row *out)
{
    const char *line = row_command_line(&row->param);
    char word[ROW_PARAM_SIZE];
    struct name program = {""};

    if (!line)
        return;
    const bool shell = ROW_PARAM(&row->param, "shell")[0];
    const char *at = line + strspn(line, " \t\n");
    char *to = word;
    if (words_take(&at, &to, true)) /* a quote is not closed */
        word[0] = '\0';
    run_name_after_program(shell ? line : word, shell, &program);
    if (!strcmp(program.text, row->test))
        words_shorten(line, out->test, sizeof(out->test));
}

/* Copies with labels, and ratios at the end: as judged, or else of the medians. */
static size_t shown_rows(const struct table_rows *r, const struct command_comparison *compared)
{
    struct row *rows = r->copies;
    size_t n = 0;

    for_each_row(row, r) {
        rows[n] = *row;
        label(row, &rows[n++]);
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct row *base = compared[i].base, *of = compared[i].row;
        if (!is_wall(&r->rows[i]) || !base || !of || !(base->stats.median > 0) || !(of->stats.median >= 0))
            continue;
        rows[n] = rows[i];
        TEXT_SET(rows[n].metric, "ratio");
        rows[n].headline = 0;
        const bool judged = compared[i].verdict >= COMMAND_SLOWER && compared[i].verdict <= COMMAND_ALIKE;
        rows[n].value = judged && !compared[i].builds[0] ? exp(compared[i].difference.logs.centre)
                                                         : of->stats.median / base->stats.median;
        n++;
    }
    return n;
}

struct shape {
    double scale; /* to show times */
    unsigned decimals;
    const char *unit;
    bool copies, several, codes, builds;
    const char *judged; /* judged_titles[] */
    /* As in param, "{n}", and as heading, "n". */
    char key[ROW_VARIED_MAX][ROW_VARIED_SIZE], heading[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    size_t n_parameters;
};

static struct shape shape_of(const struct table_rows *r)
{
    struct shape shape = {.scale = 1, .decimals = 4, .unit = "s", .judged = ""};
    double least = HUGE_VAL;

    for_each_row(row, r) {
        shape.copies |= row->copies != 1;
        shape.several |= !run_same_command(row, &r->rows[0]);
        shape.builds |= row_build(row) > 0;
        shape.judged = judged_titles[row_judged(row)];
        shape.codes |= !strcmp(row->metric, "exit_code") && row->stats.max > 0;
        if (is_wall(row))
            shape.n_parameters = row_params_varied(&row->param, shape.key, shape.n_parameters);
        if (is_wall(row) && row->stats.mean < least)
            least = row->stats.mean;
    }
    for (size_t i = 0; i < shape.n_parameters; i++)
        text_copy(shape.heading[i], strlen(shape.key[i]) - 1, shape.key[i] + 1);
    if (least < 1) {
        shape.scale = 1e3;
        shape.unit = "ms";
        shape.decimals = least < 0.01 ? 3 : least < 0.1 ? 2 : 1;
    } else if (least >= 10) {
        shape.decimals = 3;
    }
    return shape;
}

static void put_table(const struct shape *s, const struct row *rows, size_t n, unsigned width, struct text *out)
{
    const struct table_column fixed[] = {
        FIELD(N, .heading = "Runs", .rank = 3),
        FIELD(MEAN),
        FIELD(CI95_HALF),
        FIELD(SD, .rank = 4),
        FIELD(MEDIAN),
        FIELD(MIN, .rank = 2),
        FIELD(MAX, .rank = 2),
        COLUMN("User", "user", MEAN, s->decimals, .scale = s->scale, .rank = 1),
        COLUMN("System", "system", MEAN, s->decimals, .scale = s->scale, .rank = 1),
        COLUMN("Peak MiB", "max_rss", VALUE, 1, .scale = 1.0 / (1 << 20), .rank = 5),
    };
    struct table_column columns[COLUMNS_MAX] = {FIELD(TEST, .heading = "Command")};
    size_t n_columns = 1;

    if (s->builds)
        columns[n_columns++] = (struct table_column)KEY("Build", "build");
    if (s->copies)
        columns[n_columns++] = (struct table_column)FIELD(COPIES);
    for (size_t i = 0; i < s->n_parameters; i++)
        columns[n_columns++] = (struct table_column)KEY(s->heading[i], s->key[i]);
    memcpy(&columns[n_columns], fixed, sizeof(fixed));
    n_columns += COUNT(fixed);
    if (s->codes)
        columns[n_columns++] = (struct table_column)COLUMN("Exit", "exit_code", MAX, 0);
    if (s->several)
        columns[n_columns++] = (struct table_column)COLUMN("Ratio", "ratio", VALUE, 3);
    const struct table_layout layout = {
        .title = TEXT_LINE("Commands, from exec to end: times in %s%s%s%s%s", s->unit, s->several ? "; ratio" : "",
                           s->several && s->judged[0] ? " of " : "", s->several ? s->judged : "",
                           s->several ? " to the first" : ""),
        .columns = columns,
        .n_columns = n_columns,
        .metric = "wall",
        .scale = s->scale,
        .decimals = s->decimals};
    table_print(&layout, rows, n, width, out);
}

/* Too long for the table. */
static void put_long_lines(const struct row *rows, size_t n, struct text *out)
{
    const char *before = NULL;
    bool headed = false;

    for (size_t i = 0; i < n; i++) {
        const char *line = row_command_line(&rows[i].param);
        if (!line || strlen(line) < sizeof(rows[i].test) || (before && !strcmp(before, line)))
            continue;
        text_printf(out, "%s  %s\n", headed ? "" : "Command lines in full:\n", line);
        headed = true;
        before = line;
    }
}

static void put_plot(const struct shape *s, const struct table_rows *r, struct text *out)
{
    struct chart c = CHART_OF_RANGES("Wall-clock time, log scale");

    for_each_row(row, r) {
        char label[80];
        if (!s->n_parameters || !is_wall(row))
            continue;
        TEXT_SET(label, row->test);
        for (size_t k = 0; k < s->n_parameters; k++) {
            const char *value = ROW_PARAM(&row->param, s->key[k]);
            if (value[0])
                TEXT_ADD(label, " %s=%s", s->heading[k], value);
        }
        chart_range(&c, &(struct chart_entry){.row = row, .label = label});
    }
    text_append(out, "\n", c.n_lines > 0);
    chart_put_text(&c, r->width, out);
}

static void put_runs(const struct shape *s, const struct row *rows, size_t n, struct text *out)
{
    const struct table_column columns[] = {
        FIELD(TEST, .heading = "Command"),
        FIELD(COPIES),
        COLUMN("Wall", "wall", SAMPLE, s->decimals, .scale = s->scale),
        COLUMN("User", "user", SAMPLE, s->decimals, .scale = s->scale),
        COLUMN("System", "system", SAMPLE, s->decimals, .scale = s->scale),
        COLUMN("Peak MiB", "max_rss", SAMPLE, 1, .scale = 1.0 / (1 << 20)),
        COLUMN("Exit", "exit_code", SAMPLE, 0),
    };
    const struct table_layout layout = {TABLE_OF("Each run", columns), .per_sample = 1, .no_status = 1};
    table_print(&layout, rows, n, 0, out);
    text_append(out, "\n", 1);
}

static void print(const struct table_rows *r, struct text *out)
{
    FREED struct command_comparison *compared = calloc(r->n + 1, sizeof(*compared));
    const struct shape shape = shape_of(r);

    if (compared && !run_compare(r->rows, r->n, 0, compared)) {
        const size_t n = shown_rows(r, compared);
        if (r->verbose)
            put_runs(&shape, r->copies, n, out);
        put_table(&shape, r->copies, n, r->table_width, out);
        put_long_lines(r->rows, r->n, out);
        run_put_verdicts(r->copies, r->n, compared, out);
        if (r->pictures && !out->markdown)
            put_plot(&shape, r, out);
    }
}

static const struct option common_rows[] = {
    {OWN_OPTION("format", 0, format,
                "format of the table, below which stands what was found; markdown: as with --quiet"),
     OPTION_EITHER("text|markdown", "text", "markdown"), .preset = {"text"}},
};

/* a command may have threads */
static const struct option_default defaults[] = {{"bind", "range"}, {NULL, NULL}};

const struct suite suite_run = {
    .command =
        {
            .name = "run",
            .operands = "-- COMMAND [ARG...] [-- COMMAND [ARG...]]...",
            .title = "any programs, in turns until it is sure which is faster",
            .description = "Runs commands again and again, each time in a fresh process, and reports wall-clock, user "
                           "and system time, peak memory and what disturbed them. Several take turns: A B B A. No "
                           "shell is used without --shell, and their output is discarded unless an option keeps it.",
            COMMAND_MEASURES(suite_run),
        },
    .seconds = {10, 3, 10},
    .options_size = sizeof(struct run_options),
    .options = {{.bench = &bench_command, .foreign = foreign_hyperfine}, SUITE_COMMON(common_rows), SUITE_COPIES},
    .defaults = defaults,
    .schedule = SCHEDULE_ABBA,
    .plan = run_plan,
    .print = print,
    .finish = run_fail,
    .end = run_end,
};
