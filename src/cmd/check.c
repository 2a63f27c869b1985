/* SPDX-License-Identifier: MIT */
/* jitbench check: finds what disturbs measurements on this machine. Changes nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/advice.h"
#include "cmd/cpus.h"
#include "cmd/files.h"
#include "cmd/suites.h"
#include "engine/core.h"
#include "out/grid.h"
#include "out/json.h"
#include "rows/csv.h"
#include "rows/text.h"
#include "settings/settings.h"
#include "sys/clock.h"
#include "sys/folder.h"
#include "sys/signals.h"

#define SETTINGS_MAX 64
#define WIDTH        100u
#define WIDTH_MOST   200u
#define WIDTH_LEAST  72u
/* Duration of the look at counters that may be rising. */
#define CORE_LOOK_NS 500000000u
#define MOMENT_NS    100000000u

struct check_options {
    struct option_cpus cpus;
    char output[1024], fail_on[1024], ignore[1024];
    int color;
    bool json, quiet, force, help;
};

static const struct option rows[] = {
    {.name = "cpus",
     .type = OPTION_CPUS,
     .value_name = "LIST|all|quiet",
     .choices = cpus_choices,
     OPTION_AT(struct check_options, cpus),
     .help = "CPUs to measure on; default: the isolated CPUs, or all but the boot CPU; quiet: the CPU that loses the "
             "least time now"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     OPTION_AT(struct check_options, output),
     .help = "CSV file; '-' is standard output, and the table goes to standard error"},
    {.name = "json",
     OPTION_AT(struct check_options, json),
     .help = "print JSON to standard output in place of the table"},
    {.name = "fail-on",
     .type = OPTION_TEXT,
     .value_name = "ITEM,...",
     OPTION_AT(struct check_options, fail_on),
     .help = "exit with status 4 only if one of these items is noisy; default: any item that is checked"},
    {.name = "ignore",
     .type = OPTION_TEXT,
     .value_name = "ITEM,...",
     OPTION_AT(struct check_options, ignore),
     .help = "leave these out"},
    FILES_FORCE_ROW(struct check_options),
    COLOR_ROW(struct check_options),
    {.name = "quiet",
     .letter = 'q',
     OPTION_AT(struct check_options, quiet),
     .help = "print only the table: no header, summary or advice"},
    COMMAND_HELP_ROW(struct check_options),
};

struct checking {
    struct check_options options;
    bool all; /* no items were named */
    struct machine machine;
    struct cpuset bench;
    /* Indexed as settings_list. */
    bool selected[SETTINGS_MAX];
    bool fails[SETTINGS_MAX]; /* makes the exit status 4 when noisy */
    struct setting_state state[SETTINGS_MAX];
    int csv_fd; /* -1: no CSV */
    bool csv_created;
};

/* --- The command line. --- */

static int usage_error(const char *error)
{
    return command_complain("check", error, EXIT_USAGE);
}

static int unknown_item(const char *option, const char *word, size_t length)
{
    const char *names[SETTINGS_MAX];
    struct text message = {0};
    char item[80];

    (void)snprintf(item, sizeof(item), "%.*s", (int)(length < sizeof(item) ? length : sizeof(item) - 1), word);
    for (size_t i = 0; i < settings_count; i++)
        names[i] = settings_list[i].name;
    const char *nearest = text_nearest(item, names, settings_count);
    text_printf(&message, "--%s: '%s' is not an item%s%s%s (known: ", option, item, nearest ? "; did you mean '" : "",
                nearest ? nearest : "", nearest ? "'?" : "");
    for (size_t i = 0; i < settings_count; i++)
        text_printf(&message, "%s%s", i ? ", " : "", names[i]);
    text_printf(&message, ")");
    int status = usage_error(message.failed ? "out of memory" : message.data);
    text_free(&message);
    return status;
}

/* Marks the items in the value, a comma-separated list. Returns 0 or EXIT_USAGE. */
static int mark_items(const char *option, const char *value, bool *marked)
{
    for (size_t length; *value; value += length + (value[length] == ',')) {
        size_t i = 0;
        length = strcspn(value, ",");
        while (i < settings_count &&
               (strlen(settings_list[i].name) != length || strncmp(settings_list[i].name, value, length) != 0))
            i++;
        if (i == settings_count)
            return unknown_item(option, value, length);
        marked[i] = true;
    }
    return 0;
}

/* Applies --fail-on and --ignore to the selected items. Returns 0 or EXIT_USAGE. */
static int apply_lists(struct checking *c)
{
    bool fail_on[SETTINGS_MAX] = {false}, ignore[SETTINGS_MAX] = {false};
    char error[160];
    size_t left = 0;
    int status = mark_items("fail-on", c->options.fail_on, fail_on);

    if (!status)
        status = mark_items("ignore", c->options.ignore, ignore);
    for (size_t i = 0; i < settings_count && !status; i++) {
        c->selected[i] &= !ignore[i];
        left += c->selected[i];
        c->fails[i] = c->options.fail_on[0] ? fail_on[i] : c->selected[i];
        if (c->fails[i] && !c->selected[i]) {
            (void)snprintf(error, sizeof(error), "--fail-on: '%s' is not among the items that are checked",
                           settings_list[i].name);
            status = usage_error(error);
        }
    }
    return status || left ? status : usage_error("--ignore leaves no item to check");
}

static int select_settings(const struct command *command, struct checking *c, const char *const *operands, size_t n)
{
    c->all = n == 0;
    for (size_t i = 0; i < settings_count; i++)
        c->selected[i] = n == 0;
    for (size_t i = 0; i < n; i++) {
        const struct setting *setting = setting_find(operands[i]);
        if (!setting)
            return command_unknown_operand(command, operands[i]);
        c->selected[setting - settings_list] = true;
    }
    return apply_lists(c);
}

/* Opens the CSV before any setting is checked. */
static int open_csv(struct checking *c)
{
    const char *path = c->options.output;
    char error[1200];

    c->csv_fd = -1;
    if (!path[0])
        return 0;
    if (c->options.force && files_clear("check", path))
        return EXIT_USAGE;
    c->csv_fd = !strcmp(path, "-") ? 1 : csv_create(path, &c->csv_created, error, sizeof(error));
    return c->csv_fd < 0 ? usage_error(error) : 0;
}

/* --- The table. --- */

static enum color color_of(enum setting_verdict verdict)
{
    return verdict == SETTING_NOISY ? COLOR_YELLOW : verdict == SETTING_OK ? COLOR_GREEN : COLOR_NONE;
}

/* Adds a row. Cost and fix are shown for noisy items only. */
static void put_setting(const struct setting *setting, const struct setting_state *state, struct grid *grid)
{
    const bool matters = state->verdict == SETTING_NOISY, known = state->now[0] || state->why[0];

    grid_text(grid, setting->name);
    text_printf(grid_cell(grid, COLOR_NONE), "%s%s%s", known ? state->now : "-",
                state->now[0] && state->why[0] ? ": " : "", state->why);
    grid_text(grid, setting->good);
    text_printf(grid_cell(grid, color_of(state->verdict)), "%s", setting_verdict_names[state->verdict]);
    grid_text(grid, matters ? setting->cost : "");
    grid_text(grid, matters ? setting->set : "");
}

static void put_table(const struct checking *c, unsigned width, struct text *out)
{
    static const struct grid_column columns[] = {
        {.title = "Item", .left = true},
        {.title = "Now", .left = true, .wrap = true},
        {.title = "Good", .left = true, .wrap = true},
        {.title = "Verdict", .left = true},
        {.title = "Cost", .left = true, .wrap = true},
        {.title = "How to set it", .left = true, .wrap = true},
    };
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < settings_count; i++)
        if (c->selected[i])
            put_setting(&settings_list[i], &c->state[i], &grid);
    grid_print(&grid, width > WIDTH_LEAST ? width : WIDTH_LEAST, out);
}

/* --- Header. --- */

/* Prints whether the cores may be shared (with other guests of the host, or by hardware threads), and for how much of
 * the time they were free. */
static void put_cores(const struct checking *c, struct text *out)
{
    struct core_session *session;
    struct core_sight sight;
    struct clock_info clock;

    clock_choose(&clock);
    session = core_session_make("", &clock, &c->machine.online);
    if (!session)
        return;
    core_look(session, &c->bench, CORE_LOOK_NS, &sight);
    if (c->machine.hypervisor[0])
        text_printf(out, "Cores     may be shared with others, which only the host can see");
    else if (session->threads)
        text_printf(out, "Cores     have several hardware threads, which share the core");
    else
        text_printf(out, "Cores     not shared, as far as is known: no hypervisor, and one hardware thread each");
    if (sight.why[0])
        text_printf(out, "; whether they are shared is not known: %s\n", sight.why);
    else
        text_printf(out, "; in %.1f s they were free %.0f %% of the time (a core probe takes %.2f us)\n",
                    CORE_LOOK_NS / 1e9, 100 * sight.free, sight.us);
    free(session);
}

/* Prints the hardware, the environment, and what cannot be determined from here. */
static void put_header(const struct checking *c, struct text *out)
{
    const struct machine *m = &c->machine;
    struct cpuset others = m->online;
    char cpus[96], kept[96];

    if (m->hypervisor[0])
        text_printf(out, "Where     virtual machine (%s)", m->hypervisor);
    else
        text_printf(out, "Where     %s", m->have_proc || m->have_sys ? "bare metal" : "not known what is below");
    if (m->container[0])
        text_printf(out, ", container (%s)", m->container);
    text_printf(out, ", Linux %.*s, %s, %s\n", (int)strcspn(m->kernel, " "), m->kernel, m->arch,
                geteuid() == 0 ? "as root" : "not as root: some settings cannot be read");
    for (unsigned cpu = cpuset_next(&c->bench, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&c->bench, cpu + 1))
        cpuset_remove(&others, cpu);
    settings_format_cpus(&c->bench, cpus, sizeof(cpus));
    settings_format_cpus(&others, kept, sizeof(kept));
    text_printf(out, "CPUs      %s to measure on (bench CPUs), %s for all else\n", cpus, kept);
    put_cores(c, out);
    if (!m->have_proc || !m->have_sys)
        text_printf(out, "Unknown   %s%s%s not mounted: most settings cannot be known\n", m->have_proc ? "" : "/proc",
                    m->have_proc || m->have_sys ? "" : " and ", m->have_sys ? "" : "/sys");
    text_append(out, "\n", 1);
}

/* --- JSON. --- */

static void put_member(struct text *out, const char *before, const char *name, const char *value)
{
    text_printf(out, "%s", before);
    json_name(out, name);
    json_text(out, value ? value : "");
}

static void put_json_items(const struct checking *c, struct text *out)
{
    const char *before = "\n";

    text_printf(out, ",\"items\":[");
    for (size_t i = 0; i < settings_count; i++) {
        if (!c->selected[i])
            continue;
        text_printf(out, "%s", before);
        put_member(out, "{", "id", settings_list[i].name);
        put_member(out, ",", "state", setting_verdict_names[c->state[i].verdict]);
        put_member(out, ",", "value", c->state[i].now);
        put_member(out, ",", "good", settings_list[i].good);
        put_member(out, ",", "why", c->state[i].why);
        put_member(out, ",", "cost", settings_list[i].cost);
        put_member(out, ",", "how", settings_list[i].set);
        text_printf(out, "}");
        before = ",\n";
    }
    text_printf(out, "]");
}

static void put_json(const struct checking *c, const struct advice *advice, size_t n, struct text *out)
{
    char cpus[96];

    settings_format_cpus(&c->bench, cpus, sizeof(cpus));
    put_member(out, "{", "bench_cpus", cpus);
    put_json_items(c, out);
    text_printf(out, ",\"advice\":[");
    for (size_t i = 0; i < n; i++) {
        text_printf(out, "%s\n", i ? "," : "");
        put_member(out, "{", "about", advice[i].about);
        put_member(out, ",", "command", advice[i].command.data);
        put_member(out, ",", "text", advice[i].text.data);
        text_printf(out, "}");
        out->failed |= advice[i].command.failed | advice[i].text.failed;
    }
    text_printf(out, "]}\n");
}

/* --- The CSV. --- */

static void put_csv(const struct checking *c, struct text *out)
{
    text_printf(out, "item,now,good,verdict,cost,how,why\r\n");
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_list[i];
        const char *const fields[] = {
            setting->name, c->state[i].now, setting->good,  setting_verdict_names[c->state[i].verdict],
            setting->cost, setting->set,    c->state[i].why};
        for (size_t f = 0; c->selected[i] && f < sizeof(fields) / sizeof(fields[0]); f++) {
            text_append(out, ",", f > 0);
            csv_text(out, fields[f]);
        }
        text_append(out, "\r\n", c->selected[i] ? 2 : 0);
    }
}

/* Writes the whole CSV, or none of it. */
static int write_csv(const struct checking *c)
{
    struct text out = {0};

    put_csv(c, &out);
    errno = ENOMEM;
    bool whole = !out.failed && signals_write(c->csv_fd, out.data, out.length) == out.length;
    text_free(&out);
    if (whole && c->csv_created)
        whole = fsync(c->csv_fd) == 0;
    if (!whole) {
        (void)fprintf(stderr, "jitbench check: -o '%s': %s\n", c->options.output, strerror(errno));
        if (c->csv_created)
            folder_remove(c->options.output, c->csv_fd);
    }
    if (c->csv_created)
        (void)close(c->csv_fd);
    return whole ? 0 : EXIT_ROW_FAILED;
}

/* --- The command. --- */

static void moment(void)
{
    clock_sleep_ns(MOMENT_NS);
}

/* Appends the table with header and advice, or JSON. */
static void put_found(const struct checking *c, const struct settings_view *view, unsigned width, struct text *out)
{
    const struct advice_found found = {.view = view, .selected = c->selected, .state = c->state, .all = c->all};
    struct advice advice[ADVICE_MAX];
    unsigned counts[4] = {0};
    char noisy[WIDTH_MOST + 1] = "";
    size_t n = c->options.quiet && !c->options.json ? 0 : advice_make(&found, advice);

    for (size_t i = 0; i < settings_count; i++)
        if (c->selected[i])
            setting_count(&settings_list[i], &c->state[i], counts, noisy, sizeof(noisy));
    if (c->options.json) {
        put_json(c, advice, n, out);
    } else if (c->options.quiet) {
        put_table(c, width, out);
    } else {
        put_header(c, out);
        put_table(c, width, out);
        text_printf(out, "\n%u noisy, %u ok, %u n/a, %u unknown%s%s\n", counts[SETTING_NOISY], counts[SETTING_OK],
                    counts[SETTING_NA], counts[SETTING_UNKNOWN], noisy[0] ? ". Noisy: " : "", noisy);
        advice_print(advice, n, width, out);
    }
    advice_free(advice, n);
}

static int look(const struct command *command, struct checking *c)
{
    const struct settings_view view = {.root = "", .machine = &c->machine, .bench = &c->bench, .moment = moment};
    int out_fd = c->csv_fd == 1 ? 2 : 1, status = 0;
    bool failing = false;
    struct text out = {0};

    for (size_t i = 0; i < settings_count; i++)
        if (c->selected[i]) {
            setting_look(&settings_list[i], &view, &c->state[i]);
            failing |= c->fails[i] && c->state[i].verdict == SETTING_NOISY;
        }
    out.color = color_wanted(c->options.color, out_fd);
    put_found(c, &view, command_width(out_fd, WIDTH, WIDTH_MOST), &out);
    if (command_output(command, out_fd, c->csv_fd < 0, &out))
        status = EXIT_ROW_FAILED;
    if (c->csv_fd >= 0 && write_csv(c))
        status = EXIT_ROW_FAILED;
    return status ? status : failing ? EXIT_FINDING : EXIT_DONE;
}

static int look_for(const struct command_call *call, struct checking *c)
{
    char error[512];
    int status = select_settings(call->command, c, call->operands, call->n);

    if (status)
        return status;
    if (c->options.json && !strcmp(c->options.output, "-"))
        return usage_error("--json and -o - both want standard output");
    machine_read("", &c->machine);
    if (cpus_bench(option_given(&call->table, 1, "cpus") ? &c->options.cpus : NULL, &c->machine, &c->bench, error,
                   sizeof(error)))
        return usage_error(error);
    status = open_csv(c);
    return status ? status : look(call->command, c);
}

static int check(const struct command_call *call)
{
    struct checking *c = calloc(1, sizeof(*c));

    if (!c || settings_count > SETTINGS_MAX) {
        free(c);
        return command_complain("check", "out of memory", EXIT_ROW_FAILED);
    }
    signals_init(); /* a closed pipe must not end the program, and no signal the search for a quiet CPU */
    c->options = *(const struct check_options *)call->options;
    const int status = look_for(call, c);
    free(c);
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "[ITEM...]",
    .title = "lists the settings that disturb measurements on this machine, and how to set them",
    .description =
        "Checks the settings of the machine that disturb measurements. For each it prints the present value, the good "
        "value, what a bad value costs and how to set it, and then advice for the noisy ones, with the kernel command "
        "line for the CPUs to measure on. Without names it checks all items. It changes nothing.",
    .run = command_main,
    COMMAND_TABLE(struct check_options, rows, .heading = "Options of check"),
    .call = check,
    .takes = &setting_names,
};
