/* SPDX-License-Identifier: MIT */
/* Prints what check has found: header, table and advice, JSON, CSV. */
#include <string.h>
#include <unistd.h>

#include "cmd/advice.h"
#include "cmd/check.h"
#include "engine/core.h"
#include "out/grid.h"
#include "out/json.h"
#include "rows/csv.h"
#include "sys/clock.h"

#define WIDTH_LEAST 72u
/* Time in ns for which it is probed whether other guests or hardware threads use the CPUs' cores. */
#define CORE_LOOK_NS 500000000u
#define NOISY_SIZE   201 /* bytes of the list of noisy items */

/* --- The table. --- */

static enum color color_of(enum setting_verdict verdict)
{
    return verdict == SETTING_NOISY ? COLOR_YELLOW : verdict == SETTING_OK ? COLOR_GREEN : COLOR_NONE;
}

/* Adds an item's row to the table. Cost and fix are shown for noisy items only. */
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
    FREED_BY(memory_free) struct core_session *session = NULL;
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
}

/* Prints the environment (virtual machine, container, kernel), the CPUs, and which of /proc and /sys is missing. */
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

void check_put_csv(const struct checking *c, struct text *out)
{
    text_printf(out, "item,now,good,verdict,cost,how,why\r\n");
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_list[i];
        const char *const fields[] = {
            setting->name, c->state[i].now, setting->good,  setting_verdict_names[c->state[i].verdict],
            setting->cost, setting->set,    c->state[i].why};
        for (size_t f = 0; c->selected[i] && f < sizeof(fields) / sizeof(fields[0]); f++) {
            text_append(out, ",", f > 0);
            csv_own_text(out, fields[f]);
        }
        text_append(out, "\r\n", c->selected[i] ? 2 : 0);
    }
}

/* --- The whole output. --- */

void check_put(const struct checking *c, const struct settings_view *view, unsigned width, struct text *out)
{
    const struct advice_found found = {.view = view, .selected = c->selected, .state = c->state, .all = c->all};
    struct advice advice[ADVICE_MAX];
    unsigned counts[4] = {0};
    char noisy[NOISY_SIZE] = "";
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
