/* SPDX-License-Identifier: MIT */
/* Prints the header of a session, the plan, the tables of each suite, the summary. */
#include "cmd/session.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "cmd/measure.h"
#include "cmd/memory.h"
#include "cmd/show.h"
#include "out/color.h"
#include "out/require.h"
#include "rows/text.h"
#include "settings/settings.h"
#include "sys/signals.h"

/* Time in ns for which the header's line "Quiet?" observes CPU time, context switches and interrupts. */
#define LOOK_NS 200000000u

/* Runs that are expected to take longer than this, in ns, print their plan first. */
#define PLAN_NS 5000000000u

static void put_quietness(const struct session *s, struct text *out)
{
    const struct measure *m = &s->m;
    struct machine_activity before, after;
    double seconds = LOOK_NS / 1e9;

    machine_read_activity("", &before);
    clock_sleep_ns(LOOK_NS);
    machine_read_activity("", &after);
    if (before.ctx_switches < 0 || after.ctx_switches < 0) {
        text_printf(out, "Quiet?    not known: /proc cannot be read\n");
        return;
    }
    double total = (double)(after.busy_ns - before.busy_ns + after.idle_ns - before.idle_ns);
    text_printf(out, "Quiet?    in the %.1f s before: %.0f %% busy, %.0f switches/s, %.0f interrupts/s", seconds,
                total > 0 ? 100 * (double)(after.busy_ns - before.busy_ns) / total : 0,
                (double)(after.ctx_switches - before.ctx_switches) / seconds,
                (double)(after.interrupts - before.interrupts) / seconds);
    if (after.steal_ns >= 0 && before.steal_ns >= 0)
        text_printf(out, ", %.0f ms stolen", (double)(after.steal_ns - before.steal_ns) * 1e-6);
    if (m->machine.load1 >= 0)
        text_printf(out, "; load %.2f", m->machine.load1);
    if (!isnan(m->cores.free))
        text_printf(out, "; cores free %.0f %% of the time", 100 * m->cores.free);
    else if (m->core)
        text_printf(out, "; who shares the cores is not known (%s)", m->cores.why);
    const double memory_pct = session_uses_memory(s) ? memory_look(m) : (double)NAN;
    if (!isnan(memory_pct))
        text_printf(out, "; memory: P90 %.0f %% over the median", memory_pct);
    text_printf(out, "\n");
}

static void put_machine(const struct measure *m, struct text *out)
{
    char memory[32];

    show_run(&m->run, out);
    if (m->machine.memory_total_bytes) {
        text_bytes(m->machine.memory_total_bytes, memory, sizeof(memory));
        text_printf(out, ", %s", memory);
    }
    text_printf(out, "\n");
}

/* Appends the line "Setting" (CPUs, virtual machine, container, governor, clock), and whether /proc or /sys is
 * missing. */
static void put_setting(const struct measure *m, struct text *out)
{
    const struct machine *machine = &m->machine;
    char cpus[128];

    (void)cpuset_format_cut(&m->place.cpus, cpus, sizeof(cpus));
    text_printf(out, "Setting   CPU%s %s to measure on", cpuset_count(&m->place.cpus) == 1 ? "" : "s", cpus);
    if (m->quietest[0])
        text_printf(out, " (%s)", m->quietest);
    if (machine->hypervisor[0])
        text_printf(out, ", virtual machine (%s)", machine->hypervisor);
    if (machine->container[0])
        text_printf(out, ", container (%s)", machine->container);
    if (machine->cpu_quota > 0)
        text_printf(out, ", limited to %.3g CPUs by its control group", machine->cpu_quota);
    if (machine->governor[0])
        text_printf(out, ", governor %s", machine->governor);
    if (machine->clocksource[0])
        text_printf(out, ", clocksource %s", machine->clocksource);
    text_printf(out, ", clock %s", m->clock.name);
    if (m->clock.why[0])
        text_printf(out, " (%s)", m->clock.why);
    text_printf(out, "\n");
    if (!machine->have_proc || !machine->have_sys)
        text_printf(out,
                    "Unknown   %s%s%s not mounted: interrupts, steal time, CPU topology and caches cannot be known\n",
                    machine->have_proc ? "" : "/proc", machine->have_proc || machine->have_sys ? "" : " and ",
                    machine->have_sys ? "" : "/sys");
}

/* Appends which settings are noisy, as a short form of `jitbench check`, and which settings --tuned changed or could
 * not change. */
static void put_check(const struct measure *m, struct text *out)
{
    const struct settings_view view = {.root = "", .machine = &m->machine, .bench = &m->place.cpus};
    unsigned counts[4];
    char noisy[400], cpus[128];

    if (!cpuset_format_cut(&m->place.cpus, cpus, sizeof(cpus)))
        text_copy(cpus, sizeof(cpus), "LIST");
    settings_summary(&view, counts, noisy, sizeof(noisy));
    text_printf(out, "Check     %u of %u settings noisy", counts[SETTING_NOISY],
                counts[SETTING_OK] + counts[SETTING_NOISY]);
    text_printf(out, noisy[0] ? ": %s (jitbench check --cpus %s)\n" : "\n", noisy, cpus);
    if (m->tuned[0])
        text_printf(out, "Tuned     %s\n", m->tuned);
    if (m->not_set[0])
        text_printf(out, "Refused   %s\n", m->not_set);
}

static void put_start(const struct measure *m, struct text *out)
{
    uint64_t now = clock_realtime_ns();
    char left[32];

    if (m->start_at_ns <= now)
        return;
    text_duration(m->start_at_ns - now, left, sizeof(left));
    text_printf(out, "Start     at %s, in %s\n", m->options.start_at, left);
}

/* Prints text; reports a failure only once, and measuring continues. */
static void print_out(struct measure *m, struct text *out)
{
    if (m->print_failed)
        text_free(out);
    else
        m->print_failed = command_print(m->out_fd, out) != EXIT_DONE;
}

/* Returns whether a suite's usual duration applies, because no option was given that changes it. */
static bool is_usual(const struct session *s)
{
    const struct measure *m = &s->m;
    static const char *const options[] = {"samples", "precision", "max-time", "time", "copies", "cpus"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (measure_given(m, options[i]))
            return false;
    /* A suite's own options may change its work. */
    for (size_t i = 0; s->n_suites == 1 && i < m->tables[1].n; i++)
        if (m->tables[1].given[i])
            return false;
    return !m->operands_given && !m->n_words;
}

/* Returns the expected duration of suite i. */
static struct plan_time suite_time(const struct session *s, size_t i)
{
    const uint64_t usual_ns = s->suites[i]->seconds[s->m.preset] * 1000000000ull;

    return is_usual(s) ? (struct plan_time){.least_ns = usual_ns, .most_ns = usual_ns} : plan_time(&s->plans[i]);
}

double session_likely_seconds(const struct session *s, size_t i)
{
    const struct plan_time time = suite_time(s, i);

    return ((double)time.least_ns + (double)time.most_ns) / 2e9;
}

/* Prints what will be measured and for how long, and the full names of shortened options. */
static void put_plan(const struct session *s, struct text *out)
{
    const struct measure *m = &s->m;
    struct plan_time all = {.unknown = false};
    bool shortened = false;

    for (size_t t = 0; t < m->n_tables; t++)
        for (size_t r = 0; r < m->tables[t].n; r++)
            if (m->tables[t].shortened[r]) {
                text_printf(out, "%s--%s", shortened ? ", " : "Options   shortened names mean ",
                            m->tables[t].rows[r].name);
                shortened = true;
            }
    text_append(out, "\n", shortened);
    if (s->n_suites == 1 && s->suites[0]->announce) {
        s->suites[0]->announce(m, &s->plans[0], out);
        return;
    }
    for (size_t i = 0; i < s->n_suites; i++) {
        const struct plan_time time = suite_time(s, i);
        all.least_ns += time.least_ns;
        all.most_ns += time.most_ns;
        all.unknown |= time.unknown;
    }
    if (!all.unknown && all.most_ns <= PLAN_NS && !shortened)
        return;
    text_printf(out, "Plan      ");
    if (s->n_suites == 1) {
        progress_plan(&s->plans[0], &all, out);
    } else {
        for (size_t i = 0; i < s->n_suites; i++)
            text_printf(out, "%s, ", s->suites[i]->name);
        progress_time(&all, out);
    }
    text_append(out, "\n", 1);
}

void session_put_header(struct session *s)
{
    struct measure *m = &s->m;
    struct text out = {0};

    if (m->options.quiet)
        return;
    put_machine(m, &out);
    if (s->n_suites > 1 || !s->suites[0]->brief || !s->suites[0]->brief(s->options[0])) {
        put_setting(m, &out);
        put_quietness(s, &out);
        put_check(m, &out);
    }
    put_plan(s, &out);
    put_start(m, &out);
    text_printf(&out, "\n");
    print_out(m, &out);
}

void session_print_suite(struct session *s)
{
    struct measure *m = &s->m;
    /* Presets other than the default have a fixed number of samples, whatever the time. */
    const bool fixed = measure_given(m, "samples") || m->preset != PRESET_DEFAULT;
    const struct show_how how = {.fd = m->out_fd,
                                 .alone = s->n_suites == 1,
                                 .counters = m->options.counters,
                                 .verbose = m->options.verbose,
                                 .more = fixed ? "--samples" : "--max-time"};
    struct text out = {0};

    out.color = color_wanted(m->options.color, m->out_fd);
    show_rows(m->rows, m->n_rows, &how, &out, &m->warnings);
    print_out(m, &out);
}

void session_put_summary(struct session *s)
{
    struct measure *m = &s->m;
    struct text out = {0};
    const char *path = csv_path(m->csv);

    out.color = color_wanted(m->options.color, m->out_fd);
    if (m->requirements.n) {
        require_put(&m->requirements, false, m->options.verbose ? 0 : command_width(m->out_fd, 100, 100), &out);
        text_append(&out, "\n", 1);
    }
    if (!m->options.quiet) {
        if (m->warnings.length)
            text_append(&out, m->warnings.data, m->warnings.length);
        if (m->ended_by)
            text_printf(&out, "Ended by %s: interrupted rows are degraded, rows that had not begun are skipped.\n",
                        signals_name(m->ended_by));
        if (path[0] && strcmp(path, "-"))
            text_printf(&out, "CSV: %s\n", path);
    }
    print_out(m, &out);
    text_free(&m->warnings);
}
