/* SPDX-License-Identifier: MIT */
/* jitbench run: checks the commands before anything runs, plans their runs, prints their table. */
#include "cmd/run.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out/compare_commands.h"

#define COLUMNS_MAX 20

/* Half-width in % of a ratio's interval that is narrow enough to say that there is no difference. */
#define PRECISION_OF_RATIO 0.5

/* As one quoted word; shortened before quoting. An empty text stays empty. */
static void show_word(const char *word, char *buf, size_t size)
{
    FREED_BY(text_free) struct text quoted = {0};
    char shortened[256], *shown = shortened;

    assert(size <= sizeof(shortened));
    text_copy(buf, size, "");
    for (size_t most = size; word[0] && !buf[0] && most > 16; most -= 4) {
        words_shorten(word, shortened, most);
        quoted.length = 0;
        words_quote(&shown, 1, &quoted);
        if (quoted.length < size)
            text_copy(buf, size, quoted.data);
    }
}

/* Several commands are compared by pairs of their runs. */
static void sample_in_pairs(const struct measure *m, size_t n_commands, struct plan *plan)
{
    const uint64_t runs = 2 * commands_pairs_least(plan->n - plan->n / n_commands);

    for (size_t i = 0; i < plan->n; i++) {
        struct sampling *s = &plan->items[i].sampling;
        struct command_params *params = plan->items[i].params;
        if (measure_given(m, "samples"))
            continue;
        s->max_samples = s->max_samples ? runs : 0;
        s->min_samples = runs;
        if (!measure_given(m, "precision"))
            s->precision_pct = PRECISION_OF_RATIO;
        params->precision_pct = s->precision_pct;
    }
    plan->enough = run_enough;
}

static void add_command(struct commands *c, size_t i, struct command_params *params, struct plan *plan)
{
    const size_t before = plan->n;

    params->image_fd = c->options->image_fd;
    memcpy(params->fds, c->options->fds, sizeof(params->fds));
    measure_add(c->m, plan, &bench_command, params, 1, 0);
    for (size_t k = before; k < plan->n; k++)
        plan->items[k].test = c->options->names[i].text;
}

static int add_commands(struct commands *c, struct plan *plan)
{
    struct run_options *o = c->options;
    FREED_BY(memory_free) struct command_params *each = memory_get(c->n, sizeof(*each));
    size_t first = 0;

    if (run_find_reference(c, &first))
        return -1;
    for (size_t i = 0; i < c->n; i++) {
        each[i] = o->command;
        each[i].again = o->command.aa && i > 0;
        if (run_pack_command(c, i, &each[i]))
            return -1;
    }
    if (run_open_image(c))
        return -1;
    add_command(c, first, &each[first], plan);
    for (size_t i = 0; i < c->n; i++)
        if (i != first)
            add_command(c, i, &each[i], plan);
    if (c->n > 1)
        sample_in_pairs(c->m, c->n, plan);
    return 0;
}

static int plan(const struct measure *m, void *options, struct plan *out, struct error *error)
{
    struct run_options *o = options;
    struct commands c = {.m = m, .options = o, .error = error};

    o->image_fd = o->fds[0] = o->fds[1] = o->fds[2] = -1;
    o->opened = true;
    o->children = program_has_children();
    o->command.fixed_layout = m->place.layout_fixed;
    show_word(o->command.prepare, o->command.prepare_line, sizeof(o->command.prepare_line));
    show_word(o->command.input, o->command.input_line, sizeof(o->command.input_line));
    run_choose_env(&c);
    const bool failed = run_split_commands(&c) || run_combine(&c) || run_check_fail_on(&c) || run_name_commands(&c) ||
                        run_open_input(&c) || run_open_output(&c) || add_commands(&c, out);
    run_free_parameters(&c);
    free(c.words);
    free(c.typed);
    free(c.env);
    text_free(&c.images);
    return failed ? -1 : 0;
}

static bool prints(const void *options)
{
    return ((const struct run_options *)options)->command.show_output;
}

static int end(void *options, bool unused)
{
    struct run_options *o = options;

    if (!o->opened)
        return 0;
    const int status = unused ? 0 : run_clean_up(o);
    if (!o->children)
        program_end_orphans(0); /* what interrupted commands left in sessions of their own */
    if (o->keeps && unused)
        directory_remove(o->command.keep_output, o->fds[1]);
    for (int i = 0; i < 3; i++)
        if (o->fds[i] >= 0)
            close(o->fds[i]);
    if (o->image_fd >= 0)
        close(o->image_fd);
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
    size_t length;

    if (!line)
        return;
    const bool shell = row_param(&row->param, "shell", &length) != NULL;
    words_first(line, word);
    run_name_after_program(shell ? line : word, shell, &program);
    if (!strcmp(program.text, row->test))
        words_shorten(line, out->test, sizeof(out->test));
}

/* With labels, and ratios at the end: as judged, or else of the medians. Shallow
 * copies. */
static size_t shown_rows(const struct table_rows *r, const struct command_comparison *compared, struct row *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++, n++) {
        rows[n] = r->rows[i];
        label(&r->rows[i], &rows[n]);
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct row *base = compared[i].base;
        if (!is_wall(&r->rows[i]) || !(base->stats.median > 0) || !(r->rows[i].stats.median >= 0))
            continue;
        rows[n] = rows[i];
        TEXT_SET(rows[n].metric, "ratio");
        rows[n].headline = 0;
        const bool judged = compared[i].verdict >= COMMAND_SLOWER && compared[i].verdict <= COMMAND_ALIKE;
        rows[n].value = judged ? exp(compared[i].difference.logs.centre) : r->rows[i].stats.median / base->stats.median;
        n++;
    }
    return n;
}

struct shape {
    double scale; /* to show times */
    unsigned decimals;
    const char *unit;
    bool copies, several, codes;
    /* As in param, "{n}", and as heading, "n". */
    char key[ROW_VARIED_MAX][ROW_VARIED_SIZE], heading[ROW_VARIED_MAX][ROW_VARIED_SIZE];
    size_t n_parameters;
};

static struct shape shape_of(const struct table_rows *r)
{
    struct shape shape = {.scale = 1, .decimals = 4, .unit = "s"};
    double least = HUGE_VAL;

    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        shape.copies |= row->copies != 1;
        shape.several |= !run_same_command(row, &r->rows[0]);
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

struct columns {
    struct table_column column[COLUMNS_MAX];
    size_t n;
};

static void add_column(struct columns *c, const char *heading, const char *metric, enum table_field field,
                       unsigned decimals, double scale, unsigned rank)
{
    c->column[c->n++] = (struct table_column){
        .heading = heading, .metric = metric, .field = field, .decimals = decimals, .scale = scale, .rank = rank};
}

static void put_table(const struct shape *s, const struct row *rows, size_t n, unsigned width, struct text *out)
{
    struct columns c = {.n = 0};
    char title[160];

    add_column(&c, "Command", NULL, TABLE_TEST, 0, 0, 0);
    if (s->copies)
        add_column(&c, "Copies", NULL, TABLE_COPIES, 0, 0, 0);
    for (size_t i = 0; i < s->n_parameters; i++) {
        add_column(&c, s->heading[i], NULL, TABLE_PARAM_VALUE, 0, 0, 0);
        c.column[c.n - 1].key = s->key[i];
    }
    add_column(&c, "Runs", "wall", TABLE_N, 0, 0, 3);
    add_column(&c, "Mean", "wall", TABLE_MEAN, s->decimals, s->scale, 0);
    add_column(&c, "+-95%", "wall", TABLE_CI95_HALF, s->decimals, s->scale, 0);
    add_column(&c, "SD", "wall", TABLE_SD, s->decimals, s->scale, 4);
    add_column(&c, "Median", "wall", TABLE_MEDIAN, s->decimals, s->scale, 0);
    add_column(&c, "Min", "wall", TABLE_MIN, s->decimals, s->scale, 2);
    add_column(&c, "Max", "wall", TABLE_MAX, s->decimals, s->scale, 2);
    add_column(&c, "User", "user", TABLE_MEAN, s->decimals, s->scale, 1);
    add_column(&c, "System", "system", TABLE_MEAN, s->decimals, s->scale, 1);
    add_column(&c, "Peak MiB", "max_rss", TABLE_VALUE, 1, 1.0 / (1 << 20), 5);
    if (s->codes)
        add_column(&c, "Exit", "exit_code", TABLE_MAX, 0, 0, 0);
    if (s->several)
        add_column(&c, "Ratio", "ratio", TABLE_VALUE, 3, 0, 0);
    snprintf(title, sizeof(title), "Commands, from exec to end: times in %s%s", s->unit,
             s->several ? "; ratio to the first" : "");
    const struct table_layout layout = {.title = title, .columns = c.column, .n_columns = c.n};
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
    FREED_BY(memory_free) struct plot_row *rows = s->n_parameters ? calloc(r->n + 1, sizeof(*rows)) : NULL;
    size_t n = 0;

    for (size_t i = 0; rows && i < r->n; i++) {
        struct plot_row *row = &rows[n];
        if (!is_wall(&r->rows[i]))
            continue;
        row->row = &r->rows[i];
        snprintf(row->label, sizeof(row->label), "%s", r->rows[i].test);
        for (size_t k = 0; k < s->n_parameters; k++) {
            size_t length = 0;
            const char *value = row_param(&r->rows[i].param, s->key[k], &length);
            const size_t used = strlen(row->label);
            if (value)
                snprintf(row->label + used, sizeof(row->label) - used, " %s=%.*s", s->heading[k], (int)length, value);
        }
        n++;
    }
    if (n) {
        text_append(out, "\n", 1);
        plot_ranges("Seconds, log scale", 0, rows, n, r->width, out);
    }
}

static void put_runs(const struct shape *s, const struct row *rows, size_t n, struct text *out)
{
    struct columns c = {.n = 0};

    add_column(&c, "Command", "wall", TABLE_TEST, 0, 0, 0);
    add_column(&c, "Copies", "wall", TABLE_COPIES, 0, 0, 0);
    add_column(&c, "Wall", "wall", TABLE_SAMPLE, s->decimals, s->scale, 0);
    add_column(&c, "User", "user", TABLE_SAMPLE, s->decimals, s->scale, 0);
    add_column(&c, "System", "system", TABLE_SAMPLE, s->decimals, s->scale, 0);
    add_column(&c, "Peak MiB", "max_rss", TABLE_SAMPLE, 1, 1.0 / (1 << 20), 0);
    add_column(&c, "Exit", "exit_code", TABLE_SAMPLE, 0, 0, 0);
    const struct table_layout layout = {
        .title = "Each run", .columns = c.column, .n_columns = c.n, .per_sample = 1, .no_status = 1};
    table_print(&layout, rows, n, 0, out);
    text_append(out, "\n", 1);
}

static void print(const struct table_rows *r, struct text *out)
{
    FREED_BY(memory_free) struct row *rows = calloc(2 * r->n + 1, sizeof(*rows));
    FREED_BY(memory_free) struct command_comparison *compared = calloc(r->n + 1, sizeof(*compared));
    const struct shape shape = shape_of(r);

    if (rows && compared && !run_compare(r->rows, r->n, 0, compared)) {
        size_t n = shown_rows(r, compared, rows);
        if (r->verbose)
            put_runs(&shape, rows, n, out);
        put_table(&shape, rows, n, r->table_width, out);
        put_long_lines(r->rows, r->n, out);
        run_put_verdicts(rows, r->n, compared, out);
        if (r->pictures)
            put_plot(&shape, r, out);
    }
}

/* a command may have threads */
static const struct option_default defaults[] = {{"bind", "range"}, {NULL, NULL}};

const struct suite suite_run = {
    .command =
        {
            .name = "run",
            .operands = "-- COMMAND [ARG...] [-- COMMAND [ARG...]]...",
            .title = "measures any program, under controlled placement, with the same statistics",
            .description =
                "Executes the command again and again, each time from a fresh process that is placed as the options "
                "say, and reports wall-clock, user and system time, peak memory and what disturbed it. Several "
                "commands take turns: A B B A. No shell is used unless --shell is given, and the commands' output "
                "is discarded unless an option keeps it.",
            COMMAND_MEASURES(suite_run),
        },
    .seconds = {[PRESET_DEFAULT] = 10, [PRESET_QUICK] = 3, [PRESET_CLASSIC] = 10},
    .options_size = sizeof(struct run_options),
    .options = {{.heading = "Options of run", .bench = &bench_command, .foreign = foreign_hyperfine}},
    .defaults = defaults,
    .copies = true,
    .commands = true,
    .schedule = SCHEDULE_ABBA,
    .plan = plan,
    .print = print,
    .finish = run_fail,
    .prints = prints,
    .end = end,
};
