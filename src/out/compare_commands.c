/* SPDX-License-Identifier: MIT */
/* Prints the comparison of the commands of `jitbench run`. */
#include "out/compare_commands.h"

#include "out/out.h"

#define IN_TIMES 2.0 /* smallest ratio that is printed as "takes 2.00 times as long" and not as "slower by 100 %" */

/* Returns whether another command of the n rows has the same name. */
static bool is_ambiguous(const struct row *rows, size_t n, const struct row *row)
{
    const char *line = row_command_line(&row->param);

    for (size_t i = 0; line && !row_build(row) && i < n; i++) {
        const char *other = row_command_line(&rows[i].param);
        if (!strcmp(rows[i].test, row->test) && other && strcmp(other, line))
            return true;
    }
    return false;
}

void run_put_name(const struct row *rows, size_t n, const struct row *row, struct text *out)
{
    text_printf(out, "%s", row->test);
    if (row->copies > 1)
        text_printf(out, " x%" PRIu64, row->copies);
    if (is_ambiguous(rows, n, row))
        text_printf(out, " (%s)", row_command_line(&row->param));
}

/* Appends how much was measured: ", 48 runs of each, in 24 blocks, 31 s". A block is as many runs A B B A as make a
 * pair; instructions are not compared in pairs. */
static void put_extent(const struct row *row, const struct command_comparison *c, struct text *out)
{
    const size_t n = c->difference.logs.n;

    if (row_judged(row) == JUDGED_INSTRUCTIONS)
        text_printf(out, ", %zu runs of each", n);
    else
        text_printf(out, ", %zu runs of each, in %zu block%s", 2 * c->difference.each * n, n, PLURAL(n));
    text_printf(out, ", %s", TEXT_DURATION((uint64_t)(c->seconds * 1e9)));
}

/* Returns the number of decimals that an interval of this width, in %, needs. */
static int decimals_of(double width)
{
    return width >= 0.3 || !(width > 0) ? 1 : width >= 0.03 ? 2 : 3;
}

/* Of the second of two equal commands (--aa). */
static bool is_itself(const struct row *row)
{
    return row_param_is(&row->param, COMMANDS_AA, "yes");
}

const char *const judged_titles[] = {"", "user time", "instructions", "peak memory"};

const char *judged_differs(const char *title, bool slower)
{
    return title[0] ? slower ? "is higher" : "is lower" : slower ? "is slower" : "is faster";
}

/* Appends " is slower by 2.1 % (1.7 to 2.6)", or " differs from itself by ..." if both commands are the same. */
static void put_difference(const struct row *row, const struct inference_shift *logs, struct text *out)
{
    const char *title = judged_titles[row_judged(row)];
    const bool slower = logs->centre >= 0;
    const double ratio = exp(logs->centre), sign = slower ? 100 : -100;
    const double ends[2] = {sign * expm1(logs->low), sign * expm1(logs->high)};
    const int decimals = decimals_of(fabs(ends[1] - ends[0]));

    text_append(out, ": ", title[0] ? 2 : 0);
    if (ratio >= IN_TIMES || ratio <= 1 / IN_TIMES)
        text_printf(out, "%s%s %.3g times as %s (%.3g to %.3g)", title, title[0] ? " is" : " takes", ratio,
                    title[0] ? "much" : "long", exp(logs->low), exp(logs->high));
    else
        text_printf(out, "%s %s by %.*f %% (%.*f to %.*f)", title,
                    is_itself(row) ? "differs from itself" : judged_differs(title, slower), decimals,
                    sign * expm1(logs->centre), decimals, ends[!slower], decimals, ends[slower]);
}

/* Appends the largest difference that the interval contains, rounded upwards. Of a command against itself, put_power()
 * says what could be seen. Returns whether that decides. */
static bool put_alike(const struct row *row, const struct command_comparison *c, struct text *out)
{
    const double most = command_most_pct(&c->difference.logs);
    const char *title = judged_titles[row_judged(row)];
    const int decimals = decimals_of(most);
    const double unit = pow(10, -decimals);

    if (is_itself(row))
        text_printf(out, ": no difference from itself");
    else if (most > COMMANDS_ALIKE_PCT)
        text_printf(out, ": not decided (only differences above %.0f %% could be seen in %s)", most,
                    TEXT_DURATION((uint64_t)(c->seconds * 1e9)));
    else
        text_printf(out, ": no difference%s%s larger than %.*f %%", title[0] ? " of " : "", title, decimals,
                    fmax(0, ceil(most / unit - 1e-6)) * unit);
    return is_itself(row) || most <= COMMANDS_ALIKE_PCT;
}

/* Appends what builds of one side differ by, and how much was measured. */
static void put_builds(const struct command_comparison *c, struct text *out)
{
    const double spread = 100 * expm1(c->difference.spread);
    const bool alone = c->verdict == COMMAND_ONE_SIDE;

    if (!isnan(spread))
        text_printf(out, "%s builds of one side differ by %.*f %% (layout)", alone ? ":" : ";", decimals_of(spread),
                    spread);
    text_printf(out, ", %zu%s builds, %zu runs of each, %s", c->builds[0],
                alone ? "" : TEXT_LINE(" and %zu", c->builds[1]), c->difference.logs.n,
                TEXT_DURATION((uint64_t)(c->seconds * 1e9)));
}

static void put_few(const struct row *row, const struct command_comparison *c, struct text *out)
{
    const size_t n = c->difference.logs.n;
    const bool counted = row_judged(row) == JUDGED_INSTRUCTIONS;

    if (c->builds[0])
        text_printf(out, ": not decided, %zu and %zu builds with a figure, at least %u of each side needed, better %u",
                    c->builds[0], c->builds[1], BUILDS_LEAST, BUILDS_ADVISED);
    else
        text_printf(out, ": not decided, %s%zu %s%s, at least %zu needed (--samples %zu)", counted ? "counted in " : "",
                    n, counted ? "run" : "pair", PLURAL(n), c->least, counted ? c->least : 2 * c->least);
}

static void put_command_verdict(const struct row *row, const struct command_comparison *c, struct text *out)
{
    const char *why = c->verdict == COMMAND_NO_TIME ? "a run took no time by the clock"
                      : c->verdict == COMMAND_MIXED ? "some runs failed and others did not"
                      : c->verdict == COMMAND_NOT_COUNTED
                          ? TEXT_LINE("%s were not counted", judged_titles[row_judged(row)])
                          : NULL;
    bool extent = !why && c->verdict != COMMAND_FEW;

    if (why)
        text_printf(out, ": not decided, %s", why);
    else if (c->verdict == COMMAND_SLOWER || c->verdict == COMMAND_FASTER)
        put_difference(row, &c->difference.logs, out);
    else if (c->verdict == COMMAND_ALIKE)
        extent = put_alike(row, c, out);
    else if (c->verdict == COMMAND_FEW)
        put_few(row, c, out);
    if (c->builds[0])
        put_builds(c, out);
    else if (extent)
        put_extent(row, c, out);
    text_printf(out, "\n");
}

/* --- A command against itself. --- */

#define POWER      0.8  /* the least difference is the one that this share of comparisons would find */
#define PAIRS_MOST 800u /* more pairs are not shown */

/* Appends the least difference that 80 % of comparisons like this one would find, and how many pairs and how much time
 * it takes to find some given differences. */
static void put_power(const struct command_comparison *c, struct text *out)
{
    static const double effects[] = {0.05, 0.02, 0.01, 0.005};
    static const struct grid_column columns[] = {{.title = "Difference"}, {.title = "Pairs"}, {.title = "Time"}};
    const struct row *row = c->row;
    const size_t runs = row->n_samples < c->base->n_samples ? row->n_samples : c->base->n_samples;
    const double narrow = 2 * row_param_number(&row->param, COMMANDS_PRECISION) / 100;
    struct command_difference d;
    struct grid grid = {0};
    size_t pairs = PAIRED_LEAST;

    /* The interval as if the number of runs had been fixed. */
    if (commands_differ(c->base->samples, row->samples, runs, 0, 0, COMMANDS_ERROR, &d) || d.logs.n < PAIRED_LEAST)
        return;
    const double planned = row_param_number(&row->param, COMMANDS_PLANNED) / (double)d.each;
    const bool looks = planned >= (double)d.logs.n && planned < 1e6;
    const double least = 100 * expm1(paired_least_effect(&d.logs, looks ? (size_t)planned : d.logs.n, looks, narrow,
                                                         COMMANDS_ERROR, POWER));
    text_printf(out, "The least difference that is found in %g %% of such measurements: %.*f %%\n", 100 * POWER,
                decimals_of(least), least);
    grid_columns(&grid, columns, 3);
    for (size_t i = 0; i < COUNT(effects); i++) {
        while (pairs <= PAIRS_MOST &&
               !(paired_least_effect(&d.logs, pairs, looks, 0, COMMANDS_ERROR, POWER) <= log1p(effects[i])))
            pairs += pairs / 4;
        const bool known = pairs <= PAIRS_MOST;
        const size_t shown = known ? pairs : PAIRS_MOST;
        text_printf(grid_cell(&grid, COLOR_NONE), "%g %%", 100 * effects[i]);
        text_printf(grid_cell(&grid, COLOR_NONE), "%s%zu", known ? "" : "> ", shown);
        text_printf(grid_cell(&grid, COLOR_NONE), "%s%s", known ? "" : "> ",
                    TEXT_DURATION((uint64_t)((double)shown * c->seconds / (double)d.logs.n * 1e9)));
    }
    grid_print(&grid, 0, out);
}

#define LAYOUT_MOST 0.1 /* logarithm of a larger ratio than layout usually makes */

static bool may_be_layout(const struct row *row, const struct command_comparison *c)
{
    const char *line = row_command_line(&row->param), *base = c->base ? row_command_line(&c->base->param) : NULL;
    const bool differs = c->verdict == COMMAND_SLOWER || c->verdict == COMMAND_FASTER;

    return differs && !c->builds[0] && row_judged(row) <= JUDGED_USER && line && base &&
           fabs(c->difference.logs.centre) < LAYOUT_MOST &&
           (strcspn(line, " ") != strcspn(base, " ") || strncmp(line, base, strcspn(line, " ")));
}

void run_put_verdicts(const struct row *rows, size_t n, const struct command_comparison *compared, struct text *out)
{
    bool layout = false;

    for (size_t i = 0; i < n; i++) {
        if (compared[i].verdict == COMMAND_NO_VERDICT)
            continue;
        run_put_name(rows, n, &rows[i], out);
        put_command_verdict(&rows[i], &compared[i], out);
        if (is_itself(&rows[i]) && compared[i].verdict != COMMAND_NOT_COUNTED)
            put_power(&compared[i], out);
        layout |= may_be_layout(&rows[i], &compared[i]);
    }
    if (layout)
        text_printf(out,
                    "Code layout alone can make some per cent between two builds: see BUILDS in jitbench-run(1)\n");
}
