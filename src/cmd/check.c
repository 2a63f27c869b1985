/* SPDX-License-Identifier: MIT */
/* jitbench check: finds what disturbs measurements on this machine. Changes nothing. */
#include <string.h>
#include <unistd.h>

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

struct checking {
    struct command_options options;
    bool all;
    struct machine machine;
    struct cpuset bench;
    /* an element for each entry of settings_list */
    bool selected[SETTINGS_MAX];
    bool fails[SETTINGS_MAX];
    struct setting_state state[SETTINGS_MAX];
};

/* --- Items. --- */

/* A list "ITEM,...". */
static int mark_items(const char *option, char *list, bool mark, bool *marked)
{
    for (char *word; (word = strsep(&list, ",")) && (*word || list);) {
        const struct setting *setting = setting_find(word);
        if (!setting)
            return usage_error("--%s: '%s' is not a setting; 'jitbench check -v' shows them", option, word);
        marked[setting - settings_list] = mark;
    }
    return 0;
}

static int apply_lists(struct checking *c)
{
    const bool all_fail = !c->options.fail_items[0];
    size_t left = 0;

    if (mark_items("fail-on", c->options.fail_items, true, c->fails) ||
        mark_items("ignore", c->options.ignore, false, c->selected))
        return EXIT_USAGE;
    for (size_t i = 0; i < settings_count; i++) {
        left += c->selected[i];
        c->fails[i] |= all_fail && c->selected[i];
        if (c->fails[i] && !c->selected[i])
            return usage_error("--fail-on: '%s' is not among the items that are checked", settings_list[i].name);
    }
    return left ? 0 : usage_error("--ignore leaves no item to check");
}

/* --- Output. --- */

#define WIDTH_LEAST 72u

/* --- The table. --- */

/* Of all items those that are noisy or not known, unless more is asked for. */
static bool is_shown(const struct checking *c, size_t i)
{
    const enum setting_verdict verdict = c->state[i].verdict;

    return c->selected[i] && (!c->all || c->options.verbose || verdict == SETTING_NOISY || verdict == SETTING_UNKNOWN);
}

static void put_table(const struct checking *c, unsigned width, struct text *out)
{
    const struct grid_column columns[] = {
        {.title = "Item", .left = true},
        {.title = "Now", .left = true, .wrap = true},
        {.title = "Good", .left = true, .wrap = true},
        {.title = "Verdict", .left = true},
        {.title = "Cost", .left = true, .wrap = true},
        {.title = "How to set it", .left = true, .wrap = true, .rank = !c->options.verbose},
    };
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, COUNT(columns));
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_list[i];
        const struct setting_state *state = &c->state[i];
        const bool noisy = state->verdict == SETTING_NOISY;
        if (!is_shown(c, i))
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

/* --- Header. --- */

static void put_header(const struct checking *c, struct text *out)
{
    const struct machine *m = &c->machine;
    struct cpuset others = m->online;

    if (m->hypervisor[0])
        text_printf(out, "Where     virtual machine (%s)", m->hypervisor);
    else
        text_printf(out, "Where     %s", m->have_proc || m->have_sys ? "bare metal" : "not known what is below");
    if (m->container[0])
        text_printf(out, ", container (%s)", m->container);
    text_printf(out, ", Linux %.*s, %s, %s\n", (int)strcspn(m->kernel, " "), m->kernel, m->arch,
                geteuid() == 0 ? "as root" : "not as root: some settings cannot be read");
    for_each_cpu(cpu, &c->bench)
        cpuset_remove(&others, cpu);
    text_printf(out, "CPUs      %s to measure on (bench CPUs), %s for all else\n", SETTINGS_CPUS(&c->bench),
                SETTINGS_CPUS(&others));
    if (!m->have_proc || !m->have_sys)
        text_printf(out, "Unknown   %s%s%s not mounted: most settings cannot be known\n", m->have_proc ? "" : "/proc",
                    m->have_proc || m->have_sys ? "" : " and ", m->have_sys ? "" : "/sys");
}

/* --- JSON and CSV. --- */

static void put_json(const struct checking *c, const struct advice *advice, size_t n, struct text *out)
{
    const char *before = "";

    json_put(out, "{\"bench_cpus\": %s,\"items\":[", SETTINGS_CPUS(&c->bench));
    for (size_t i = 0; i < settings_count; i++) {
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
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_list[i];
        const struct setting_state *state = &c->state[i];
        const char *const fields[] = {setting->name, state->now,   setting->good, setting_verdict_names[state->verdict],
                                      setting->cost, setting->set, state->why};
        for (size_t k = 0; c->selected[i] && k < COUNT(fields); k++) {
            text_append(out, ",", k > 0);
            csv_own_text(out, fields[k]);
        }
        text_append(out, "\r\n", c->selected[i] ? 2 : 0);
    }
}

/* --- The whole output. --- */

static void put_all(const struct checking *c, const struct settings_view *view, unsigned width, struct text *out)
{
    const struct advice_found found = {.view = view, .selected = c->selected, .state = c->state, .all = c->all};
    struct advice advice[ADVICE_MAX];
    unsigned counts[4] = {0};
    size_t n = c->options.quiet && !c->options.json ? 0 : advice_make(&found, advice);

    for (size_t i = 0; i < settings_count; i++)
        if (c->selected[i])
            counts[c->state[i].verdict]++;
    if (c->options.json) {
        put_json(c, advice, n, out);
    } else if (c->options.quiet) {
        put_table(c, width, out);
    } else {
        FREED_BY(text_free) struct text header = {0};
        put_header(c, &header);
        command_wrap(&header, LABEL, width);
        text_append(out, header.data, header.length);
        out->failed |= header.failed;
        text_append(out, "\n", 1);
        text_printf(out, "%u noisy, %u ok, %u n/a, %u unknown\n", counts[SETTING_NOISY], counts[SETTING_OK],
                    counts[SETTING_NA], counts[SETTING_UNKNOWN]);
        advice_print(advice, n, width, out);
        text_append(out, "\n", 1);
        put_table(c, width, out);
    }
    advice_free(advice, n);
}

#define WIDTH      100u
#define WIDTH_MOST 200u
/* In ns, between two readings of counters that may rise. */
#define MOMENT_NS 100000000u

static const struct option rows[] = {
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
    COLOR_ROW(struct command_options),
    {OWN_OPTION("quiet", 'q', quiet, "print only the table: no header, summary or advice")},
    {OWN_OPTION("verbose", 'v', verbose, "show the items that are ok or do not apply, too")},
    COMMAND_HELP_ROW,
};

static void moment(void)
{
    clock_sleep_ns(MOMENT_NS);
}

static int look(struct checking *c)
{
    const struct settings_view view = {.machine = &c->machine, .bench = &c->bench, .moment = moment};
    const char *path = c->options.output;
    const int out_fd = !strcmp(path, "-") ? 2 : 1;
    int status = 0;
    bool failing = false;
    struct files_output csv;
    struct text out = {0};

    /* opened first, so that a wrong file name is reported at once */
    if (path[0] && (status = files_begin(path, c->options.force, &csv)))
        return status;
    for (size_t i = 0; i < settings_count; i++)
        if (c->selected[i]) {
            setting_look(&settings_list[i], &view, &c->state[i], NULL);
            failing |= c->fails[i] && c->state[i].verdict == SETTING_NOISY;
        }
    out.color = color_wanted(c->options.color, out_fd);
    put_all(c, &view, command_width(out_fd, WIDTH, WIDTH_MOST), &out);
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

static int check(struct command_call *call)
{
    FREED_BY(memory_free) struct checking *c = memory_get(1, sizeof(*c));
    struct error error;

    if (settings_count > SETTINGS_MAX)
        memory_out();
    /* neither a closed pipe nor a signal must end the program while it searches for a quiet CPU */
    signals_init();
    c->options = call->options;
    c->all = call->n == 0;
    for (size_t i = 0; i < settings_count; i++)
        c->selected[i] = c->all;
    for (size_t i = 0; i < call->n; i++)
        if (command_mark_setting(call->operands[i], true, c->selected))
            return EXIT_USAGE;
    if (apply_lists(c))
        return EXIT_USAGE;
    if (c->options.json && !strcmp(c->options.output, "-"))
        return usage_error("--json and -o - both want standard output");
    machine_read(&c->machine);
    if (cpus_bench(option_given(&call->table, 1, "cpus") ? &c->options.cpus : NULL, &c->machine, &c->bench, &error))
        return usage_error("%s", error.text);
    return look(c);
}

const struct command command_check = {
    .name = "check",
    .operands = "[ITEM...]",
    .title = "settings that disturb measurements, and how to set them",
    .description =
        "Shows the settings of this machine that disturb measurements: what to do first, then those that are noisy or "
        "not known, with a good value, what a bad one costs and how to set it. Changes nothing.",
    COMMAND_CALLS(check, rows),
    .takes = &setting_names,
};
