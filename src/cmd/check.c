/* SPDX-License-Identifier: MIT */
/* jitbench check: finds what disturbs measurements on this machine. jitbench tune and untune: set it, and restore it.
 */

#include "cmd/cmd.h"

void advice_print(const struct advice *advice, size_t n, size_t width, struct text *out)
{
    const int indent = 13;

    text_printf(out, "%s", n ? "\nWhat to do\n" : "");
    for (size_t i = 0; i < n; i++) {
        const char *about = advice[i].about;
        if (advice[i].command.length) {
            text_printf(out, "%-*s%s\n", indent, about, advice[i].command.data);
            about = "";
        }
        if (advice[i].text.length) {
            text_printf(out, "%-*s", indent, about);
            text_wrap(out, advice[i].text.data, (size_t)indent, width);
        }
        out->failed |= advice[i].command.failed | advice[i].text.failed;
    }
}

#define SETTINGS_MAX 64

/* The settings that a command is about, by index in settings_list, and the CPUs to measure on. */
struct checking {
    const struct options *options;
    bool all; /* none is named */
    struct machine machine;
    struct cpuset bench;
    struct settings_view view;
    bool selected[SETTINGS_MAX], fails[SETTINGS_MAX];
    struct setting_state state[SETTINGS_MAX];
};

static bool setting_word(const struct command *command, size_t i, struct operand_word *out)
{
    (void)command;
    if (i >= settings_count)
        return false;
    *out = (struct operand_word){.name = settings_list[i].name, .help = settings_list[i].title};
    return true;
}

static const struct operands setting_names = {.kind = OPERANDS_WORDS, .noun = "setting", .word = setting_word};

static int mark_setting(const char *option, const char *name, bool mark, bool *marked)
{
    const struct setting *setting = setting_find(name);

    if (!setting)
        return command_unknown_operand(option, name);
    marked[setting - settings_list] = mark;
    return 0;
}

/* tunes: unless some are named, those that tune writes by default. */
static int choose_settings(const struct command_call *call, bool tunes, struct checking *c)
{
    if (settings_count > SETTINGS_MAX)
        memory_out();
    /* ends neither between two files that it writes nor while it searches for a quiet CPU */
    signals_init();
    c->options = &call->options;
    c->all = call->n == 0;
    for_each_setting(i)
        c->selected[i] = c->all && (!tunes || settings_list[i].how == SETTING_WRITE);
    for (size_t i = 0; i < call->n; i++)
        if (mark_setting("", call->operands[i], true, c->selected))
            return EXIT_USAGE;
    return 0;
}

/* Last before anything is looked at: a quiet CPU takes half a second to find. */
static int choose_cpus(const struct command_call *call, struct checking *c)
{
    machine_read(&c->machine);
    c->view = (struct settings_view){.machine = &c->machine, .bench = &c->bench};
    return cpus_bench(option_given(&call->table, 1, "cpus") ? &c->options->cpus : NULL, &c->machine, &c->bench);
}

/* --- check: items. --- */

/* A list "ITEM,...". */
static int mark_items(const char *option, const char *list, bool mark, bool *marked)
{
    char copy[sizeof(((struct options *)0)->ignore)], *rest = copy;

    TEXT_SET(copy, list);
    for (char *word; (word = strsep(&rest, ",")) && (*word || rest);)
        if (mark_setting(option, word, mark, marked))
            return EXIT_USAGE;
    return 0;
}

static int apply_lists(struct checking *c)
{
    size_t left = 0;

    if (mark_items("--fail-on: ", c->options->fail_items, true, c->fails) ||
        mark_items("--ignore: ", c->options->ignore, false, c->selected))
        return EXIT_USAGE;
    for_each_setting(i) {
        left += c->selected[i];
        c->fails[i] |= !c->options->fail_items[0] && c->selected[i];
        if (c->fails[i] && !c->selected[i])
            return usage_error("--fail-on: '%s' is not among the items that are checked", settings_list[i].name);
    }
    return left ? 0 : usage_error("--ignore leaves no item to check");
}

/* --- check: output. --- */

#define WIDTH_LEAST 72u

/* Of all items those that are noisy or not known, unless more is asked for. */
static void put_settings_table(const struct checking *c, unsigned width, struct text *out)
{
    const struct grid_column columns[] = {
        {"Item", .left = true},
        {"Now", .left = true, .wrap = true},
        {"Good", .left = true, .wrap = true},
        {"Verdict", .left = true},
        {"Cost", .left = true, .wrap = true},
        {"How to set it", .left = true, .wrap = true, .rank = !c->options->verbose},
    };
    struct grid grid = {0};

    GRID_COLUMNS(&grid, columns);
    for_each_setting(i) {
        const struct setting *setting = &settings_list[i];
        const struct setting_state *state = &c->state[i];
        const bool noisy = state->verdict == SETTING_NOISY, known = state->verdict != SETTING_UNKNOWN;
        if (!c->selected[i] || (c->all && !c->options->verbose && !noisy && known))
            continue;
        grid_text(&grid, setting->name);
        text_printf(grid_cell(&grid, COLOR_NONE), "%s%s%s", state->now[0] || state->why[0] ? state->now : "-",
                    state->now[0] && state->why[0] ? ": " : "", state->why);
        grid_text(&grid, setting->good);
        text_printf(grid_cell(&grid, noisy                          ? COLOR_YELLOW
                                     : state->verdict == SETTING_OK ? COLOR_GREEN
                                                                    : COLOR_NONE),
                    "%s", setting_verdict_names[state->verdict]);
        grid_text(&grid, noisy ? setting->cost : "");
        grid_text(&grid, noisy ? setting->set : "");
    }
    grid_print(&grid, width > WIDTH_LEAST ? width : WIDTH_LEAST, out);
}

static void put_checked_machine(const struct checking *c, struct text *out)
{
    const struct machine *m = &c->machine;
    const struct cpuset others = cpuset_without(&m->online, &c->bench);

    if (m->hypervisor[0])
        text_printf(out, "Where     virtual machine (%s)", m->hypervisor);
    else
        text_printf(out, "Where     %s", m->have_proc || m->have_sys ? "bare metal" : "not known what is below");
    if (m->container[0])
        text_printf(out, ", container (%s)", m->container);
    text_printf(out, ", Linux %.*s, %s, %s\n", (int)strcspn(m->kernel, " "), m->kernel, m->arch,
                geteuid() == 0 ? "as root" : "not as root: some settings cannot be read");
    text_printf(out, "CPUs      %s to measure on (bench CPUs), %s for all else\n", SETTINGS_CPUS(&c->bench),
                SETTINGS_CPUS(&others));
    command_put_unmounted(m, "most settings", out);
}

static void put_json(const struct checking *c, const struct advice *advice, size_t n, struct text *out)
{
    const char *before = "";

    json_put(out, "{\"bench_cpus\": %s,\"items\":[", SETTINGS_CPUS(&c->bench));
    for_each_setting(i) {
        const struct setting *s = &settings_list[i];
        const struct setting_state *state = &c->state[i];
        if (!c->selected[i])
            continue;
        text_printf(out, "%s\n", before);
        json_put(out, "{\"id\": %s,\"state\": %s,\"value\": %s,\"good\": %s,\"why\": %s,\"cost\": %s,\"how\": %s}",
                 s->name, setting_verdict_names[state->verdict], state->now, s->good, state->why, s->cost, s->set);
        before = ",";
    }
    text_printf(out, "],\"advice\":[");
    for (size_t i = 0; i < n; i++) {
        const struct text *command = &advice[i].command, *text = &advice[i].text;
        text_printf(out, "%s\n", i ? "," : "");
        json_put(out, "{\"about\": %s,\"command\": %s,\"text\": %s}", advice[i].about,
                 command->data ? command->data : "", text->data ? text->data : "");
        out->failed |= command->failed | text->failed;
    }
    text_printf(out, "]}\n");
}

static void put_csv(const struct checking *c, struct text *out)
{
    text_printf(out, "item,now,good,verdict,cost,how,why\r\n");
    for_each_setting(i) {
        const struct setting *s = &settings_list[i];
        const struct setting_state *state = &c->state[i];
        const char *const fields[] = {s->name, state->now, s->good,   setting_verdict_names[state->verdict],
                                      s->cost, s->set,     state->why};
        for (size_t k = 0; c->selected[i] && k < COUNT(fields); k++) {
            text_append(out, ",", k > 0);
            csv_own_text(out, fields[k]);
        }
        text_append(out, "\r\n", c->selected[i] ? 2 : 0);
    }
}

static void put_all(const struct checking *c, unsigned width, struct text *out)
{
    const struct advice_found found = {.view = &c->view, .selected = c->selected, .state = c->state, .all = c->all};
    struct advice advice[ADVICE_MAX];
    unsigned counts[4] = {0};
    const bool quiet = c->options->quiet && !c->options->json;
    const size_t n = quiet ? 0 : advice_make(&found, advice);

    for_each_setting(i)
        counts[c->state[i].verdict] += c->selected[i];
    if (c->options->json) {
        put_json(c, advice, n, out);
    } else {
        if (!quiet) {
            put_checked_machine(c, out);
            command_wrap(out, LABEL, width);
            text_printf(out, "\n%u noisy, %u ok, %u n/a, %u unknown\n", counts[SETTING_NOISY], counts[SETTING_OK],
                        counts[SETTING_NA], counts[SETTING_UNKNOWN]);
            advice_print(advice, n, width, out);
            text_append(out, "\n", 1);
        }
        put_settings_table(c, width, out);
    }
    advice_free(advice, n);
}

#define WIDTH      100u
#define WIDTH_MOST 200u
/* In ns, between two readings of counters that may rise. */
#define MOMENT_NS 100000000u

static const struct option check_rows[] = {
    {OWN_OPTION(
         "cpus", 0, cpus,
         "CPUs to measure on; default: the isolated CPUs, or all but the boot CPU; quiet: the CPU that loses the "
         "least speed now"),
     CPUS_LIST},
    {OWN_OPTION("output", 'o', output, "CSV file; '-' is standard output, and the table goes to standard error"),
     OPTION_WORD("FILE|-")},
    {OWN_OPTION("json", 0, json, "print JSON to standard output in place of the table")},
    {OWN_OPTION("fail-on", 0, fail_items,
                "exit with status 4 only if one of these items is noisy; default: any item that is checked"),
     OPTION_WORD("ITEM,...")},
    {OWN_OPTION("ignore", 0, ignore, "leave these out"), OPTION_WORD("ITEM,...")},
    FILES_FORCE_ROW,
    COLOR_ROW(struct options),
    {OWN_OPTION("quiet", 'q', quiet, "print only the table: no header, summary or advice")},
    {OWN_OPTION("verbose", 'v', verbose, "show the items that are ok or do not apply, too")},
    NAGIOS_ROW,
    COMMAND_HELP_ROW,
};

static void moment(void)
{
    clock_sleep_ns(MOMENT_NS);
}

static int check(struct command_call *call)
{
    FREED struct checking *c = memory_get(1, sizeof(*c));
    const char *path = call->options.output;
    const int out_fd = !strcmp(path, "-") ? 2 : 1;
    bool failing = false;
    struct files_output csv;
    struct text out = {0};
    int status = choose_settings(call, false, c);

    if (status || (status = apply_lists(c)))
        return status;
    if (c->options->json && out_fd == 2)
        return usage_error("--json and -o - both want standard output");
    if ((status = choose_cpus(call, c)))
        return status;
    /* opened first, so that a wrong file name is reported at once */
    if (path[0] && (status = files_begin(path, c->options->force, &csv)))
        return status;
    c->view.moment = moment;
    for_each_setting(i)
        if (c->selected[i]) {
            setting_look(&settings_list[i], &c->view, &c->state[i], NULL);
            if (!c->fails[i] || c->state[i].verdict != SETTING_NOISY)
                continue;
            TEXT_ADD(command_said, "%s%s", failing ? ", " : "noisy: ", settings_list[i].name);
            failing = true;
        }
    out.color = color_wanted(c->options->color, out_fd);
    put_all(c, command_width(out_fd, WIDTH, WIDTH_MOST), &out);
    if (command_output(out_fd, !path[0], &out))
        status = EXIT_ROW_FAILED;
    if (path[0]) {
        put_csv(c, &out);
        files_put(&csv, &out);
        text_free(&out);
        status = files_end(&csv) ? EXIT_ROW_FAILED : status;
    }
    return status ? status : failing ? EXIT_FINDING : EXIT_DONE;
}

const struct command command_check = {
    .name = "check",
    .operands = "[ITEM...]",
    .title = "settings that disturb measurements, and how to set them",
    .description =
        "Shows the settings of this machine that disturb measurements: what to do first, then those that are noisy or "
        "not known, with a good value, what a bad one costs and how to set it. Changes nothing.",
    COMMAND_CALLS(check, check_rows),
    .takes = &setting_names,
};

/* --- tune and untune: the table of what was done. --- */

#define SHOWN_MAX 28 /* CPU masks can have 2 KiB */

/* Consecutive files with the same result. */
struct tuned_line {
    const struct setting *setting; /* NULL: untune */
    char path[200], was[SHOWN_MAX + 4], now[SHOWN_MAX + 4], result[120];
    bool failed, managed; /* managed: the kernel manages the interrupt itself; no failure */
    unsigned more;        /* files besides `path` */
};

struct tuning {
    struct checking checking;
    bool restores; /* untune */
    struct setting_writes plan;
    struct tuned_line *line;
    size_t n, capacity, changed, failed;
    bool incomplete; /* out of memory: lines are missing */
};

static void free_tuning(struct tuning **t)
{
    free((*t)->line);
    setting_writes_free(&(*t)->plan);
    free(*t);
}

static const char *snapshot_of(const struct command_call *call)
{
    return call->options.snapshot[0] ? call->options.snapshot : snapshot_default_file();
}

static void show_value(const char *value, char buf[SHOWN_MAX + 4])
{
    snprintf(buf, SHOWN_MAX + 4, "%.*s%s", SHOWN_MAX, value[0] ? value : "-", strlen(value) > SHOWN_MAX ? "..." : "");
    text_sanitize(buf);
}

static const char *file_name(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') : path;
}

static void add_tuned_line(struct tuning *t, const struct tuned_line *line)
{
    struct tuned_line *last = t->n ? &t->line[t->n - 1] : NULL;

    if (last && line->path[0] && !last->managed && !line->managed && last->setting == line->setting &&
        !strcmp(last->was, line->was) && !strcmp(last->now, line->now) && !strcmp(last->result, line->result) &&
        !strcmp(file_name(last->path), file_name(line->path)))
        last->more++;
    else if (GROW_ARRAY(t->line, t->capacity, t->n))
        t->line[t->n++] = *line;
    else
        t->incomplete = true;
}

/* For snapshot_apply() and snapshot_restore(). */
static void put_report(void *context, const struct snapshot_report *report)
{
    struct tuning *t = context;
    const bool refused = report->result == SNAPSHOT_REFUSED, other = report->result == SNAPSHOT_OTHER;
    const bool dry_run = t->checking.options->dry_run;
    struct tuned_line line = {
        .setting = t->restores ? NULL : t->plan.write[report->index].of,
        .managed = !t->restores && refused && tuned_is_managed(report->path, report->error),
    };

    line.failed = (refused && !line.managed) || (other && !dry_run);
    t->changed += report->result == SNAPSHOT_DONE;
    t->failed += line.failed;
    if (t->restores && report->result == SNAPSHOT_ALREADY)
        return;
    TEXT_SET(line.path, report->path);
    show_value(report->was, line.was);
    show_value(report->now, line.now);
    if (refused)
        TEXT_PRINT(line.result, "refused: %.100s", tuned_refusal(report->path, report->error));
    else if (other)
        TEXT_PRINT(line.result,
                   dry_run ? "would be set to %.80s" : "not taken: the kernel keeps another value than %.40s",
                   report->wanted);
    else
        TEXT_SET(line.result, t->restores ? "restored" : report->result == SNAPSHOT_DONE ? "set" : "already good");
    add_tuned_line(t, &line);
}

/* Until the end of the block. */
#define PATH_CELL(line) \
    ((line)->more ? TEXT_LINE("%s and %u more", (line)->path, (line)->more) : (line)->path[0] ? (line)->path : "-")

/* --quiet: only the failures, on standard error. */
static int print_tuning(const struct tuning *t, const char *summary)
{
    static const struct grid_column columns[] = {
        {"Item", .left = true},
        {"Path", .left = true},
        {"Was", .left = true},
        {"Is now", .left = true},
        {"Result", .left = true, .wrap = true},
    };
    struct grid grid = {0};
    struct text out = {0};

    grid_columns(&grid, columns + t->restores, COUNT(columns) - t->restores);
    for (size_t s = 0; s < (t->restores ? 1 : settings_count); s++)
        for (const struct tuned_line *line = t->line; line < t->line + t->n; line++) {
            const char *const cells[] = {settings_list[s].name, PATH_CELL(line), line->was, line->now, line->result};
            if (!t->restores && line->setting != &settings_list[s])
                continue;
            for (size_t c = t->restores; c < COUNT(cells) && !t->checking.options->quiet; c++)
                grid_text(&grid, cells[c]);
            if (t->checking.options->quiet && line->failed)
                command_fail(0, "%s: %s", PATH_CELL(line), line->result);
        }
    if (t->checking.options->quiet)
        return EXIT_DONE;
    grid_print(&grid, command_width(1, 0, UINT_MAX), &out);
    if (t->incomplete)
        text_printf(&out, "(out of memory: not all lines are shown)\n");
    text_printf(&out, "%s\n", summary);
    return command_output(1, false, &out);
}

#define SNAPSHOT_ROW \
    { \
        OWN_OPTION("snapshot", 0, snapshot, "file that keeps the old state, instead of one in /run or /dev/shm"), \
            OPTION_WORD("FILE") \
    }
#define TUNE_COMMON_ROWS SNAPSHOT_ROW, {OWN_OPTION("quiet", 'q', quiet, "print only errors")}, COMMAND_HELP_ROW

static const struct option untune_rows[] = {TUNE_COMMON_ROWS};

static int untune(struct command_call *call)
{
    FREED_BY(free_tuning) struct tuning *t = memory_get(1, sizeof(*t));
    struct snapshot *snapshot;
    struct error error;

    t->checking.options = &call->options;
    t->restores = true;
    if (call->n)
        return usage_error("takes no operands, but '%.80s' was given", call->operands[0]);
    signals_init(); /* not between two files that it writes */
    if (snapshot_open(snapshot_of(call), &snapshot, &error))
        return command_complain(error.text, EXIT_ROW_FAILED);
    const int failed = snapshot_restore(snapshot, put_report, t, &error);
    snapshot_close(snapshot);
    const int status = print_tuning(t, TEXT_LINE("%zu file%s restored.", t->changed, PLURAL(t->changed)));
    return failed ? command_complain(error.text, EXIT_ROW_FAILED) : status;
}

const struct command command_untune = {
    .name = "untune",
    .operands = "",
    .title = "restores the settings that tune changed",
    .description = "Restores what 'jitbench tune', or a run with --tuned that was killed, has changed.",
    COMMAND_CALLS_WITH(untune, untune_rows, .heading = "Options"),
};

/* --- tune --- */

static const struct option tune_rows[] = {
    {OWN_OPTION(
         "cpus", 0, cpus,
         "CPUs to measure on, kept free of interrupts and the kernel's work; default: the isolated CPUs, or all but "
         "the boot CPU; quiet: the CPU that loses the least speed now"),
     CPUS_LIST},
    {OWN_OPTION("dry-run", 0, dry_run, "show what would be written, and write nothing")},
    TUNE_COMMON_ROWS,
};

/* It is good already, cannot be set here, or is set in another way. */
static void put_unwritten(struct tuning *t, size_t i)
{
    const struct setting_state *state = &t->checking.state[i];
    struct tuned_line line = {.setting = &settings_list[i]};
    const char *between = state->why[0] ? ": " : "";

    show_value(state->now, line.was);
    show_value(state->now, line.now);
    if (!line.setting->how)
        TEXT_PRINT(line.result, "not by tune: %.100s", line.setting->set);
    else if (state->verdict == SETTING_NOISY)
        TEXT_PRINT(line.result, "cannot be set here%s%.90s", between, state->why);
    else if (state->verdict == SETTING_OK)
        TEXT_SET(line.result, "already good");
    else
        TEXT_PRINT(line.result, "%s%s%.100s", setting_verdict_names[state->verdict], between, state->why);
    add_tuned_line(t, &line);
}

static int write_settings(struct tuning *t, struct snapshot *snapshot)
{
    const char *given = t->checking.options->snapshot;
    char summary[1200] = "Nothing was changed.";
    struct error error;
    int status = EXIT_DONE;

    if (given[0] && tuned_has_snapshot())
        return command_fail(EXIT_ROW_FAILED, "'%s' is there already; 'jitbench untune' restores what it holds",
                            snapshot_default_file());
    if (snapshot_save(snapshot, &error))
        return command_complain(error.text, EXIT_ROW_FAILED);
    snapshot_apply(snapshot, put_report, t);
    if (t->changed)
        TEXT_PRINT(summary, "%zu file%s changed; 'jitbench untune%s%s' restores the old values.", t->changed,
                   PLURAL(t->changed), given[0] ? " --snapshot " : "", given);
    else if (snapshot_restore(snapshot, NULL, NULL, &error)) /* a snapshot would prevent the next tune */
        status = command_complain(error.text, EXIT_ROW_FAILED);
    const int unprinted = print_tuning(t, summary);
    return t->failed || unprinted ? EXIT_ROW_FAILED : status;
}

static int tune(struct command_call *call)
{
    FREED_BY(free_tuning) struct tuning *t = memory_get(1, sizeof(*t));
    struct snapshot *snapshot;
    int status = choose_settings(call, true, &t->checking);

    if (status || (status = choose_cpus(call, &t->checking)))
        return status;
    for_each_setting(i) {
        const size_t before = t->plan.n;
        if (!t->checking.selected[i])
            continue;
        if (!setting_look(&settings_list[i], &t->checking.view, &t->checking.state[i], &t->plan))
            memory_out();
        if (t->plan.n == before)
            put_unwritten(t, i);
    }
    if (!call->options.dry_run && t->plan.n && geteuid() != 0) {
        FREED_BY(text_free) struct text names = {0};
        for (size_t i = 0; i < t->plan.n; i++)
            if (i == 0 || t->plan.write[i].of != t->plan.write[i - 1].of)
                text_printf(&names, "%s%s", i ? ", " : "", t->plan.write[i].of->name);
        return command_fail(EXIT_ROW_FAILED, "only root may set %s; nothing was changed",
                            names.data ? names.data : "them");
    }
    if (snapshot_look(snapshot_of(call), &t->plan, &snapshot))
        memory_out();
    if (call->options.dry_run) {
        snapshot_apply(snapshot, put_report, t);
        status = print_tuning(t, "Nothing was written.");
    } else {
        status = write_settings(t, snapshot);
    }
    snapshot_close(snapshot);
    return status;
}

const struct command command_tune = {
    .name = "tune",
    .operands = "[ITEM...]",
    .title = "sets the machine for measuring",
    .description = "Sets what 'jitbench check' shows and a program can write, except what could lock somebody out, or "
                   "only the items named. 'jitbench untune' restores the old values to the byte. Needs root.",
    COMMAND_CALLS_WITH(tune, tune_rows, .heading = "Options"),
    .takes = &setting_names,
};
