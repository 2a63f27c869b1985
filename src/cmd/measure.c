/* SPDX-License-Identifier: MIT */
/* A measuring session: from the command line to the last line of the summary. */
#include "cmd/cmd.h"

#include <sched.h>
#include <sys/prctl.h>

/* --- Output. --- */

#define LOOK_NS 200000000u

/* Longer runs print their plan. */
#define PLAN_NS 5000000000u

/* Large arrays, for which it asks for huge pages. */
static bool uses_memory(const struct measure *m)
{
    for (size_t i = 0; i < m->n_suites; i++)
        for (size_t k = 0; k < m->plans[i].n; k++)
            if (m->plans[i].items[k].bench->huge_pages)
                return true;
    return false;
}

static void put_quietness(const struct measure *m, struct text *out)
{
    struct machine_activity before, seen;
    const double seconds = LOOK_NS / 1e9;

    machine_read_activity(&before);
    clock_sleep_ns(LOOK_NS);
    machine_read_activity(&seen);
    known_subtract(&seen, &before, sizeof(seen));
    if (seen.ctx_switches < 0) {
        text_printf(out, "Quiet?    not known: /proc cannot be read\n");
        return;
    }
    const double total = (double)(seen.busy_ns + seen.idle_ns);
    text_printf(out, "Quiet?    in the %.1f s before: %.0f %% busy, %.0f switches/s, %.0f interrupts/s", seconds,
                total > 0 ? 100 * (double)seen.busy_ns / total : 0, (double)seen.ctx_switches / seconds,
                (double)seen.interrupts / seconds);
    if (seen.steal_ns >= 0)
        text_printf(out, ", %.0f ms stolen", (double)seen.steal_ns * 1e-6);
    if (m->machine.load1 >= 0)
        text_printf(out, "; load %.2f", m->machine.load1);
    if (!isnan(m->cores.free))
        text_printf(out, "; cores free %.0f %% of the time", 100 * m->cores.free);
    else if (m->core)
        text_printf(out, "; who shares the cores is not known (%s)", m->cores.why);
    const double memory_pct = uses_memory(m) ? memory_look(m) : NAN;
    if (!isnan(memory_pct))
        text_printf(out, "; memory: P90 %.0f %% over the median", memory_pct);
    text_printf(out, "\n");
}

static void put_setting(const struct measure *m, struct text *out)
{
    static const char *const settings[] = {";scheduler=", ";preempt=", ";init="};
    const struct machine *machine = &m->machine;
    const struct {
        const char *before, *value, *after;
    } known[] = {
        {" (", m->quietest.text, ")"},
        {", virtual machine (", machine->hypervisor, ")"},
        {", container (", machine->container, ")"},
        {", limited to ", machine->cpu_quota > 0 ? TEXT_LINE("%.3g CPUs", machine->cpu_quota) : "",
         " by its control group"},
        {", governor ", machine->governor, ""},
        {", clocksource ", machine->clocksource, ""},
        {", clock ", m->clock.name, ""},
        {" (", m->clock.why, ")"},
        {", up ", TEXT_DURATION((uint64_t)(m->run.uptime_s * 1e9)), ""},
    };

    text_printf(out, "Setting   CPU%s %s to measure on", PLURAL(cpuset_count(&m->place.cpus)),
                CPUS_TEXT(&m->place.cpus, 128));
    for (size_t i = 0; i < COUNT(known); i++)
        if (known[i].value[0])
            text_printf(out, "%s%s%s", known[i].before, known[i].value, known[i].after);
    for (size_t i = 0; i < COUNT(settings); i++) {
        const char *at = strstr(m->run.settings, settings[i]);
        if (at)
            text_printf(out, ", %.*s", (int)strcspn(at + 1, ";"), at + 1);
    }
    text_append(out, "\n", 1);
    command_put_unmounted(machine, "interrupts, steal time, CPU topology and caches", out);
}

static void put_check(const struct measure *m, struct text *out)
{
    const struct settings_view view = {.machine = &m->machine, .bench = &m->place.cpus};
    unsigned counts[4];
    char cpus[128];

    if (!cpuset_format_cut(&m->place.cpus, cpus, sizeof(cpus)))
        TEXT_SET(cpus, "LIST");
    settings_summary(&view, counts);
    text_printf(out, "Check     %u of %u settings noisy", counts[SETTING_NOISY],
                counts[SETTING_OK] + counts[SETTING_NOISY]);
    if (counts[SETTING_NOISY])
        text_printf(out, " (jitbench check --cpus %s)", cpus);
    text_append(out, "\n", 1);
    if (m->tuned[0])
        text_printf(out, "Tuned     %s\n", m->tuned);
    if (m->not_set[0])
        text_printf(out, "Refused   %s\n", m->not_set);
}

/* A failure is reported once, and measuring continues. */
static void print_out(struct measure *m, struct text *out)
{
    command_wrap(out, 0, m->options.verbose || m->markdown ? 0 : command_width(m->out_fd, 0, 100));
    if (m->print_failed || (m->options.print[0] && m->options.quiet))
        text_free(out);
    else
        m->print_failed = command_output(m->out_fd, false, out) != EXIT_DONE;
}

/* No option changes the duration. The thesis' copies run at once. */
static bool is_usual(const struct measure *m)
{
    static const char *const options[] = {"samples", "precision", "max-time", "time", "copies"};

    for (size_t i = 0; i < COUNT(options); i++)
        if (measure_given(m, options[i]))
            return false;
    /* these may change the work */
    for (size_t i = 0; m->n_suites == 1 && i < m->tables[0].n; i++)
        if (m->tables[0].given[i])
            return false;
    return !m->operands_given && !m->n_words && (m->preset == PRESET_THESIS || !measure_given(m, "cpus"));
}

static struct plan_time suite_time(const struct measure *m, size_t i)
{
    const uint64_t usual_ns = m->suites[i]->seconds[m->preset] * 1000000000ull;

    return is_usual(m) ? (struct plan_time){.least_ns = usual_ns, .most_ns = usual_ns} : plan_time(&m->plans[i]);
}

static void put_plan(const struct measure *m, struct text *out)
{
    struct plan_time all = {0};

    for (size_t i = 0; i < m->n_suites; i++) {
        const struct plan_time time = suite_time(m, i);
        all.least_ns += time.least_ns;
        all.most_ns += time.most_ns;
        all.unknown |= time.unknown;
    }
    if (!all.unknown && all.most_ns <= PLAN_NS)
        return;
    text_printf(out, "Plan      ");
    if (m->n_suites == 1) {
        progress_plan(&m->plans[0], &all, out);
    } else {
        for (size_t i = 0; i < m->n_suites; i++)
            text_printf(out, m->plans[i].n ? "%s, " : "", m->suites[i]->command.name);
        progress_time(&all, out);
    }
    text_append(out, "\n", 1);
}

static void put_header(struct measure *m)
{
    struct text out = {0};

    if (m->options.quiet)
        return;
    show_run(&m->run, &out);
    text_printf(&out, m->machine.memory_total_bytes ? ", %s\n" : "\n", TEXT_BYTES(m->machine.memory_total_bytes));
    if (!m->brief) {
        put_setting(m, &out);
        put_quietness(m, &out);
        put_check(m, &out);
    }
    put_plan(m, &out);
    const uint64_t now = clock_realtime_ns();
    if (m->start_at_ns > now)
        text_printf(&out, "Start     at %s, in %s\n", m->options.start_at, TEXT_DURATION(m->start_at_ns - now));
    text_printf(&out, "\n");
    command_wrap(&out, LABEL, m->options.verbose ? 0 : command_width(m->out_fd, 0, 100));
    print_out(m, &out);
}

static void print_suite(struct measure *m)
{
    /* presets have a fixed number of samples, whatever the time */
    const bool fixed = measure_given(m, "samples") || m->preset != PRESET_DEFAULT;
    const struct show_how how = {.fd = m->out_fd,
                                 .alone = m->n_suites == 1,
                                 .counters = m->options.counters,
                                 .verbose = m->options.verbose,
                                 .summary = m->options.quiet ? NULL : &m->summary,
                                 .more = fixed ? "--samples" : "--max-time"};
    struct text out = {0};

    out.color = color_wanted(m->options.color, m->out_fd);
    out.markdown = m->markdown;
    metrics_mark_headlines(metrics_table(), m->rows, m->n_rows); /* as in files */
    show_rows(m->rows, m->n_rows, &how, &out, &m->warnings);
    m->warnings.left_out |= out.left_out; /* said at the end */
    out.left_out = false;
    print_out(m, &out);
}

static void put_summary(struct measure *m)
{
    struct text out = {0};
    const char *path = csv_path(m->csv);

    out.color = color_wanted(m->options.color, m->out_fd);
    out.left_out = m->warnings.left_out;
    if (m->requirements.n) {
        const unsigned width = m->options.verbose ? 0 : command_width(m->out_fd, 100, 100);
        const enum doc_format format = m->markdown ? DOC_MARKDOWN : DOC_TEXT;
        require_put(&m->requirements, &(struct doc){.out = &out, .width = width, .format = format});
        text_append(&out, "\n", 1);
    }
    if (!m->options.quiet) {
        text_append(&out, m->warnings.data, m->warnings.length);
        if (m->ended_by)
            text_printf(&out, "Ended by %s: interrupted rows are degraded, rows that had not begun are skipped.\n",
                        signals_name(m->ended_by));
        if (m->n_suites > 1) {
            text_append(&out, "\n", m->warnings.length > 0);
            show_summary(&m->summary, path, command_width(m->out_fd, 100, 100), &out);
        }
        if (path[0] && strcmp(path, "-"))
            text_printf(&out, "CSV: %s\n", path);
    }
    print_out(m, &out);
    text_free(&m->warnings);
}

/* --- The command line. --- */

static bool repeats(const struct measure *m)
{
    return m->options.runs > 1 || m->options.interleave[0];
}

bool measure_test(const struct suite *suite, size_t i, struct operand_word *out)
{
    if (suite->test)
        return suite->test(i, out);
    *out = (struct operand_word){.name = suite->tests ? suite->tests[i] : NULL};
    return out->name;
}

/* Of jitbench run: says what to type. */
static int refuse_command(const struct measure *m, const char *const *operands, size_t n)
{
    FREED_BY(text_free) struct text quoted = {0};
    bool lines = true; /* as hyperfine takes them */

    if (m->n_words)
        return usage_error("the command follows '--', but '%.80s' is given before it", operands[0]);
    if (measure_given(m, "shell") && !strcmp(operands[0], "none"))
        return usage_error("--shell (-S) takes no value; without it no shell is started");
    for (size_t i = 0; i < n; i++)
        lines &= strchr(operands[i], ' ') != NULL;
    words_quote((char *const *)operands, n, &quoted);
    return usage_error("the command follows '--': jitbench run [OPTION...] %s-- %s", lines ? "--shell " : "",
                       quoted.failed ? "" : quoted.data);
}

static int select_tests(struct measure *m, const char *const *operands, size_t n)
{
    const struct suite *suite = m->command->suite;

    for (size_t t = 0; t < TESTS_MAX; t++)
        m->selected[t] = n == 0;
    m->operands_given = n > 0;
    m->of_all = !suite;
    if (n && command_operands(m->command)->kind == OPERANDS_COMMAND)
        return refuse_command(m, operands, n);
    if (n && (!suite || (!suite->test && !suite->tests)))
        return usage_error(measure_given(m, "fifo") && !operands[0][strspn(operands[0], "0123456789")]
                               ? "takes no operands; a priority is given as '--fifo=%.80s'"
                               : "takes no operands, but '%.80s' was given",
                           operands[0]);
    for (size_t i = 0; i < n; i++) {
        struct operand_word word;
        bool known = suite->select && !suite->select(m, operands[i]);
        for (size_t t = 0; !suite->select && measure_test(suite, t, &word); t++)
            if (!strcasecmp(word.name, operands[i]))
                known = m->selected[t] = true;
        if (!known)
            return command_unknown_operand("", operands[i]);
    }
    return 0;
}

/* Words after "--" are not parsed. Returns the number before it. */
static int cut_words(struct measure *m, int argc, char **argv)
{
    int n = 1;

    if (command_operands(m->command)->kind != OPERANDS_COMMAND)
        return argc;
    while (n < argc && strcmp(argv[n], "--"))
        n++;
    if (n < argc) {
        m->words = argv + n + 1;
        m->n_words = (size_t)(argc - n - 1);
    }
    return n;
}

static int parse(struct measure *m, int argc, char **argv)
{
    size_t n;

    argc = cut_words(m, argc, argv);
    m->n_tables = measure_tables(m->command->suite, m->own[0], &m->options, m->tables);
    FREED const char **operands = memory_get((size_t)argc + 1, sizeof(*operands));
    notes_off = getenv(MEASURE_AGAIN) && !unsetenv(MEASURE_AGAIN);
    int status = command_parse(m->tables, m->n_tables, argc, argv, operands, &n);
    m->preset = command_preset(m->tables, m->n_tables);
    if (status || (status = select_tests(m, operands, n)))
        return status;
    if (m->options.quick && m->options.classic)
        return usage_error("--quick and --classic exclude each other");
    if (m->options.thesis && m->preset != PRESET_THESIS)
        return usage_error("--thesis excludes --quick and --classic");
    if (m->options.print[0] && (!strcmp(m->options.output, "-") || repeats(m)))
        return usage_error("--print excludes %s", repeats(m) ? "--runs and --interleave" : "--output '-'");
    if (m->options.no_csv && measure_given(m, "output"))
        return usage_error("--no-csv and --output exclude each other");
    return 0;
}

/* --- Placement. --- */

#define RR_PRIORITY       50
#define DEADLINE_SLICE_NS 5000000u

static int resolve_place(struct measure *m)
{
    const struct option_cpus *named = measure_given(m, "cpus") ? &m->options.cpus : NULL;
    struct place_request *place = &m->place;
    /* as --policy has them */
    static const int policies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_RR, TASK_DEADLINE, TASK_EXT};
    const int policy = policies[m->options.policy];
    const bool fifo = m->options.fifo > 0, rr = policy == SCHED_RR;
    const struct option_counts *uclamp = &m->options.uclamp;

    if (cpus_place(named, &m->machine, place))
        return EXIT_USAGE;
    if (named && named->choice == CPUS_QUIET && quiet_cpu(place, &m->clock, m->options.core_probe == 0, &m->quietest))
        return usage_error("--cpus quiet: %s", m->quietest.text);
    place->bind = (enum bind_mode)m->options.bind;
    place->bind_given = measure_given(m, "bind");
    place->nice_given = measure_given(m, "nice");
    place->nice = (int)m->options.nice;
    place->fifo = fifo || rr;
    place->fifo_priority = fifo ? (int)m->options.fifo : RR_PRIORITY;
    place->policy = policy;
    place->slice_ns = m->options.slice_ns;
    if (fifo && ((policy != SCHED_OTHER && !rr) || place->slice_ns))
        return usage_error("--fifo excludes --policy, but rr, and --slice: they are of other policies");
    if ((rr || policy == SCHED_IDLE) && place->slice_ns)
        return usage_error("--slice: the kernel has none for --policy %s", task_policy_name(policy));
    if (policy == TASK_DEADLINE && !place->slice_ns)
        place->slice_ns = DEADLINE_SLICE_NS;
    if (uclamp->n && (uclamp->n != 2 || uclamp->value[0] > uclamp->value[1] || !uclamp->value[1]))
        return usage_error("--uclamp: MIN,MAX are two numbers, the larger one last");
    place->uclamp[0] = (unsigned)uclamp->value[0];
    place->uclamp[1] = (unsigned)uclamp->value[1];
    place->layout_fixed = m->options.layout == 1;
    return 0;
}

#define SETTLE_NS 20000000u

/* So long before --start-at the first sample is prepared. */
#define PREPARE_NS 3000000000u

#define CORE_LOOK_NS 40000000u

/* --- The session. --- */

/* The host is a launcher's name of the node: several may be on one machine. */
static void fill_run(struct measure *m)
{
    struct row_run *run = &m->run;
    struct job job;
    unsigned char id[16];
    time_t now = time(NULL);
    struct tm utc;

    row_run_init(run);
    process_random(id, sizeof(id));
    for (size_t i = 0; i < sizeof(id); i++)
        snprintf(run->run_id + 2 * i, 3, "%02x", id[i]);
    if (gmtime_r(&now, &utc))
        strftime(run->utc, sizeof(run->utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    TEXT_SET(run->host, m->machine.host[0] ? m->machine.host : "localhost");
    TEXT_SET(run->kernel, m->machine.kernel);
    TEXT_SET(run->arch, m->machine.arch);
    TEXT_SET(run->cpu_model, m->machine.cpu_model);
    run->cpus_online = m->machine.cpus_online;
    run->uptime_s = (double)clock_read_ns(CLOCK_BOOTTIME) * 1e-9;
    version_build(run->build, sizeof(run->build));
    process_libc(run->libc, sizeof(run->libc));
    TEXT_SET(run->comment, m->options.comment);
    job_read(&job);
    TEXT_SET(run->job, job.id);
    TEXT_SET(run->rank, job.rank);
    if (job.node[0])
        TEXT_SET(run->host, job.node);
    if (job.wrong[0])
        fail_as(false, 0, "%s: %s; the rank is not known", job.launcher, job.wrong);
    m->alone = job.ranks == 1 || !job.rank[0];
}

static int expand(const struct measure *m, const char *option, const char *template, char *name, size_t size)
{
    struct error error;

    return names_expand(option, template, &m->run, m->alone, name, size, &error) ? usage_error("%s", error.text) : 0;
}

static int open_csv(struct measure *m)
{
    char name[256], path[1024];
    struct error message, error;
    const bool to_stdout = !strcmp(m->options.output, "-");

    if (expand(m, "the default name", m->alone ? "jitbench-%h-%t" : "jitbench-%h-%t-%r", name, sizeof(name)) ||
        expand(m, "--output", m->options.output, path, sizeof(path)))
        return EXIT_USAGE;
    if (m->options.force && files_clear(path))
        return EXIT_USAGE;
    struct csv_target target = {.path = path[0] && !to_stdout ? path : NULL,
                                .name = name,
                                .to_stdout = to_stdout,
                                .none = m->options.no_csv,
                                .no_samples = m->options.no_samples};
    m->out_fd = to_stdout || m->prints || m->options.print[0] ? 2 : 1;
    m->csv = csv_open(&target, &message, &error);
    if (!m->csv)
        return usage_error("%s", error.text);
    if (message.text[0])
        fail_as(false, 0, "%s", message.text);
    return 0;
}

/* Replaces a file only with --force. */
static int open_series(struct measure *m)
{
    char path[sizeof(m->options.series)];

    m->series_fd = -1;
    if (!m->options.series[0])
        return 0;
    if (expand(m, "--series", m->options.series, path, sizeof(path)))
        return EXIT_USAGE;
    TEXT_SET(m->options.series, path);
    if (m->options.force && files_clear(path))
        return EXIT_USAGE;
    m->series_fd = directory_create(path);
    if (m->series_fd < 0)
        return usage_error("--series '%s': %s", path, directory_why_not(m->series_fd));
    const char *header = m->suites[0]->series_header;
    const int failed = new_file_write(m->series_fd, header, strlen(header));
    if (failed)
        directory_remove(path, m->series_fd);
    return failed ? usage_error("--series '%s': %s", path, strerror(-failed)) : 0;
}

void measure_put_row(void *measure, const struct row *row)
{
    struct measure *m = measure;

    csv_put(m->csv, row);
    requirements_row(&m->requirements, row);
    requirements_row(&m->figures, row);
    if (!GROW_ARRAY(m->rows, m->rows_capacity, m->n_rows) || row_copy(&m->rows[m->n_rows], row)) {
        m->rows_missing = true;
        return;
    }
    /* as a reader of the CSV gets them */
    for (size_t i = 0; i < row_n_columns; i++)
        if (row_columns[i].type == COLUMN_TEXT && !row_columns[i].in_run)
            row_text_from_csv(&row_columns[i], (char *)&m->rows[m->n_rows] + row_columns[i].offset);
    m->rows[m->n_rows].number = m->n_rows;
    m->n_rows++;
}

/* --- Running. --- */

static int resolve_start(struct measure *m)
{
    const uint64_t now = clock_realtime_ns();

    if (!measure_given(m, "start-at"))
        return 0;
    if (start_parse(m->options.start_at, now, &m->start_at_ns))
        return EXIT_USAGE;
    if (m->start_at_ns < now)
        message_print("jitbench: --start-at %s was %s ago: begins at once\n", m->options.start_at,
                      TEXT_DURATION(now - m->start_at_ns));
    return 0;
}

static void note_start(void *context, int64_t late_ns)
{
    struct measure *m = context;

    m->run.start_late_us = (double)late_ns * 1e-3;
    m->start_at_ns = 0; /* --start-at applies to the first suite only */
}

static void run_suite(struct measure *m, size_t i)
{
    const struct suite *suite = m->suites[i];
    const bool shown = !m->options.quiet && progress_wanted();
    char not_held[120] = "";
    static const char *const varied[] = {"random env (ASLR is off)", "random stack,map,env",
                                         "random stack,heap,map,env"};
    const int randomized = m->machine.randomize_va_space;
    /* unless an option has done it for the session */
    const bool hold = m->hold_fd < 0 && suite->holds_latency && suite->holds_latency(m->own[i]);
    if (hold && (m->hold_fd = machine_hold_latency()) < 0)
        TEXT_PRINT(not_held, "/dev/cpu_dma_latency cannot be held: %s", strerror(-m->hold_fd));
    struct plan_run how = {.run = &m->run,
                           .place = &m->place,
                           .clock = &m->clock,
                           .clock_start = &m->clock_start,
                           .core = m->core,
                           .watch = m->options.who || suite->names_interferers ? m->watch : NULL,
                           .series_fd = m->series_fd,
                           .layout_varied =
                               randomized >= 0 && randomized <= 2 ? varied[randomized] : "random env (ASLR not known)",
                           .timer_latency_held = m->hold_fd >= 0,
                           .counters = m->options.counters,
                           .degraded = m->not_set[0] ? m->not_set : not_held,
                           .max_rsd_pct = m->options.max_rsd_pct,
                           .settle_ns = SETTLE_NS,
                           .sink = {.put = measure_put_row, .context = m},
                           .progress = shown ? progress_show : NULL,
                           .elapsed = shown ? progress_elapsed : NULL,
                           .progress_context = &m->progress,
                           .start_at_ns = m->start_at_ns,
                           .started = note_start,
                           .started_context = m,
                           .broken = m->options.with[0] ? with_look : NULL};
    int status = plan_execute(&m->plans[i], &how);
    if (hold) {
        fd_close(&m->hold_fd);
        m->hold_fd = -1;
    }
    if (suite->names_interferers && !m->options.who) {
        interference_free(m->watch); /* switches its tracepoints off */
        m->watch = NULL;
    }
    progress_clear(&m->progress);
    if (status < 0)
        m->ended_by = -status;
    else if ((enum row_status)status > m->worst)
        m->worst = (enum row_status)status;
    if (m->n_rows && !m->rows_missing && suite->conclude)
        suite->conclude(m);
    if (m->rows_missing || (status == ROW_FAILED && !m->n_rows)) { /* a failed row always has a reason to show */
        command_fail(0, "out of memory: not all rows of %s can be shown", suite->command.name);
        m->worst = ROW_FAILED;
    }
    if (m->n_rows)
        print_suite(m);
    if (m->n_suites == 1 && suite->finish)
        m->finish_status = suite->finish(m, m->own[i]);
    for (size_t k = 0; k < m->n_rows; k++)
        row_free(&m->rows[k]);
    m->n_rows = 0;
    m->rows_missing = false;
}

static int exit_status(const struct measure *m, bool csv_lost)
{
    if (m->ended_by)
        return 128 + m->ended_by;
    if (m->worst == ROW_FAILED || csv_lost || (m->print_failed && m->options.no_csv))
        return EXIT_ROW_FAILED;
    require_say(&m->requirements);
    if (requirements_failed(&m->requirements))
        return EXIT_FINDING;
    return m->options.strict && m->worst != ROW_OK ? EXIT_STRICT : EXIT_DONE;
}

/* --print: numbers, or the reason on standard error. Returns the exit status. */
static int print_figures(const struct measure *m)
{
    struct text out = {0};
    int status = EXIT_DONE;

    for (const struct requirement *r = m->figures.of; r < m->figures.of + m->figures.n; r++) {
        if (requirement_unknown(r)[0])
            status = command_fail(EXIT_ROW_FAILED, "--print '%s': %s", r->text, requirement_unknown(r));
        text_real(&out, r->value);
        text_append(&out, "\n", 1);
    }
    if (!status)
        return m->figures.n ? command_output(1, true, &out) : EXIT_DONE;
    text_free(&out);
    return status;
}

static int run_suites(struct measure *m)
{
    struct progress *progress = &m->progress;
    double total = 0, likely_s[TABLES_MAX];

    for (size_t i = 0; i < m->n_suites; i++) {
        const struct plan_time time = suite_time(m, i);
        likely_s[i] = ((double)time.least_ns + (double)time.most_ns) / 2e9;
        total += likely_s[i];
    }
    *progress = (struct progress){.began_ns = clock_raw_ns(), .planned_s = total, .left_s = -1};
    for (size_t i = 0; i < m->n_suites; i++) {
        progress->weight = total > 0 ? likely_s[i] / total : 1.0 / (double)m->n_suites;
        run_suite(m, i);
        progress->before += progress->weight;
    }
    csv_rescue(m->csv);
    put_summary(m);
    bool lost = csv_close(m->csv) != 0;
    free(m->rows);
    summary_free(&m->summary);
    const int status = exit_status(m, lost), printed = print_figures(m);
    return status >= 128 || !printed ? status ? status : m->finish_status : printed;
}

/* They may name only tests that the plans measure. */
static int read_requirements(struct measure *m)
{
    FREED struct require_name *names = NULL;
    size_t n = 0, capacity = 0;

    for (size_t i = 0; i < m->n_suites; i++) {
        const struct suite *suite = m->suites[i];
        for (size_t k = 0; k < m->plans[i].n + (suite->made != NULL); k++) {
            const struct plan_item *item = k < m->plans[i].n ? &m->plans[i].items[k] : NULL;
            const char *test = !item ? suite->made->name : item->test ? item->test : item->bench->name;
            MEMORY_GROW(names, capacity, n);
            names[n++] = (struct require_name){suite->command.name, test, NULL, NULL};
        }
    }
    m->requirements = (struct requirements){
        .metrics = metrics_table(), .names = names, .n_names = n, .names_only = true, .clock_unit = m->clock.unit};
    m->figures = m->requirements;
    m->figures.figures = true;
    int status = require_read(&m->options.require, &m->requirements);
    if (!status)
        status = require_each("--print", m->options.print, &m->figures);
    m->requirements.names = m->figures.names = NULL;
    m->requirements.n_names = m->figures.n_names = 0;
    return status;
}

/* If the kernel refuses one, every row is degraded. */
static void set_machine(struct measure *m, bool huge_advised)
{
    struct cpuset bench = m->place.cpus;
    const struct settings_view view = {.machine = &m->machine, .bench = &bench, .huge_advised = huge_advised};
    struct error message;

    m->hold_fd = -1;
    if (m->options.tuned) {
        /* without --cpus all are measured, and none would be left for interrupts: only those that `tune` chooses are
         * kept free */
        if (!measure_given(m, "cpus"))
            settings_bench_cpus(&m->machine, &bench);
        if (tuned_begin(&view, &message))
            TEXT_PRINT(m->not_set, "--tuned: %.200s", message.text);
        else
            TEXT_SET(m->tuned, message.text);
    }
    if (!m->options.hold_latency && !m->options.tuned)
        return;
    m->hold_fd = machine_hold_latency();
    if (m->hold_fd < 0 && !m->not_set[0])
        TEXT_PRINT(m->not_set, "%s: /dev/cpu_dma_latency: %s", m->options.tuned ? "--tuned" : "--hold-latency",
                   strerror(-m->hold_fd));
}

/* All errors are found before anything runs. */
static int prepare(struct measure *m, int argc, char **argv)
{
    struct error error;
    int status;

    for (size_t i = 0; i < m->n_suites; i++)
        m->own[i] = memory_get(1, m->suites[i]->options_size);
    if ((status = parse(m, argc, argv)))
        return status;
    for (size_t i = 0; i < m->n_suites && m->n_suites > 1; i++) {
        struct option_table tables[TABLES_MAX];
        const size_t n = measure_tables(m->suites[i], m->own[i], NULL, tables) - 1;
        for (size_t t = 0; t < n; t++)
            if (tables[t].target && option_defaults(&tables[t], 1, m->preset, &error))
                return usage_error("%s", error.text);
    }
    machine_read(&m->machine);
    clock_choose(&m->clock);
    clock_pair_read(m->clock.kind, &m->clock_start);
    if ((status = resolve_start(m)) || (status = resolve_place(m)))
        return status;
    for (size_t i = 0; i < m->n_suites; i++) {
        if (m->n_suites > 1 && !m->suites[i]->seconds[m->preset])
            continue;
        m->plans[i].schedule = m->suites[i]->schedule;
        m->plan = &m->plans[i];
        if ((status = m->suites[i]->plan(m, m->own[i])))
            return status;
    }
    if ((status = read_requirements(m)))
        return status;
    fill_run(m);
    notes_off = false;
    if (repeats(m))
        return 0;
    bool told = m->options.who;
    for (size_t i = 0; i < m->n_suites; i++)
        for (size_t k = 0; k < m->plans[i].n; k++) {
            const struct plan_item *item = &m->plans[i].items[k];
            told |= item->bench->who && item->bench->who(item->params) >= WHO_TOLD;
        }
    if (told && !(m->watch = interference_make(m->options.who_memory, measure_memory(m))))
        memory_out();
    if (m->options.core_probe == 0)
        m->core = core_session_make(&m->clock, &m->place.online);
    if (m->options.with[0] && (status = with_begin(m)))
        return status;
    if ((status = open_series(m)))
        return status;
    if ((status = open_csv(m)) && m->series_fd >= 0)
        directory_remove(m->options.series, m->series_fd); /* created here, and nothing will be measured */
    return status;
}

int measure_main(int argc, char **argv)
{
    const struct command *command = command_now;

    memory_exits(command->name); /* until the session is prepared */
    FREED struct measure *m = memory_get(1, sizeof(*m));

    m->command = command;
    m->suites = command->suite ? &command->suite : suite_list;
    do
        m->n_suites++;
    while (!command->suite && suite_list[m->n_suites]);
    signals_init();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* orphans of workers become children of this process */
    int status = prepare(m, argc, argv);
    if (status > 0 && signals_pending())
        status = 128 + signals_pending();
    memory_exits(NULL);
    const bool repeat = !status && repeats(m), unused = status != 0 || repeat;
    if (!unused) {
        /* the first core probes tell how long one takes on a free core */
        m->cores.free = NAN;
        if (m->core)
            core_look(m->core, &m->place.cpus, CORE_LOOK_NS, &m->cores);
        set_machine(m, uses_memory(m));
        const struct settings_view view = {.machine = &m->machine, .bench = &m->place.cpus};
        settings_describe(&view, m->run.settings, sizeof(m->run.settings));
        put_header(m);
        /* the sample then begins exactly at the start; the time of day may be changed meanwhile */
        for (uint64_t now; !signals_pending() && (now = clock_realtime_ns()) + PREPARE_NS < m->start_at_ns;)
            signals_sleep_ns(smaller(m->start_at_ns - PREPARE_NS - now, PREPARE_NS));
        status = run_suites(m);
        fd_close(&m->hold_fd);
        if (m->options.tuned && tuned_end() < 0 && status < 128)
            status = EXIT_ROW_FAILED;
    }
    if (with_end(m) && status < 128)
        status = EXIT_ROW_FAILED;
    if (m->ends_orphans)
        program_end_orphans(0);
    int ended = 0;
    for (size_t i = 0; i < m->n_suites; i++) {
        if (m->suites[i]->end && m->own[i])
            ended = m->suites[i]->end(m->own[i], unused);
        free(m->own[i]);
        plan_free(&m->plans[i]);
    }
    if (m->series_fd > 0)
        close(m->series_fd);
    requirements_free(&m->requirements);
    requirements_free(&m->figures);
    free(m->core);
    interference_free(m->watch);
    if (repeat)
        status = measure_repeat(m, argc, argv);
    if (ended)
        return ended;
    return status < 0 ? EXIT_DONE : status;
}

/* --- Functions that suites call. --- */

uint64_t measure_memory(const struct measure *m)
{
    const uint64_t available = m->machine.memory_available_bytes, limit = m->machine.memory_limit_bytes;
    const uint64_t memory = limit && (!available || limit < available) ? limit : available;

    return memory && memory < SIZE_MAX / 2 ? memory : SIZE_MAX / 2;
}

const char *measure_dir(const struct measure *m)
{
    const char *environment = getenv("TMPDIR");

    if (m->options.dir[0])
        return m->options.dir;
    return environment && environment[0] && access(environment, W_OK | X_OK) == 0 ? environment : ".";
}

void measure_made_row(const struct measure *m, const struct metrics_test *test, size_t metric, struct row *row)
{
    row_init(row, &m->run);
    TEXT_SET(row->suite, test->suite);
    TEXT_SET(row->test, test->name);
    TEXT_SET(row->metric, test->metric[metric].id);
    TEXT_SET(row->unit, test->metric[metric].unit);
    TEXT_SET(row->better, test->metric[metric].better);
}

void measure_put_made(struct measure *m, const struct metrics_test *test, size_t metric, uint64_t copies,
                      const char *cpus, const struct row_params *param, double value)
{
    struct row row;

    measure_made_row(m, test, metric, &row);
    TEXT_SET(row.cpus, cpus);
    row.param = *param;
    if (m->options.who)
        row_param_add(&row.param, PARAM_WORK, "who", "1");
    row.copies = copies;
    row.value = value;
    measure_put_row(m, &row);
}

struct sampling measure_sampling(const struct measure *m, const struct bench *bench)
{
    struct sampling sampling = bench->sampling[m->preset];

    if (measure_given(m, "samples"))
        sampling.min_samples = sampling.max_samples = m->options.samples;
    if (measure_given(m, "precision")) {
        sampling.precision_pct = m->options.precision_pct;
        if (!measure_given(m, "samples"))
            sampling.max_samples = 0;
    }
    if (measure_given(m, "max-time"))
        sampling.max_ns = m->options.max_time_ns;
    if (sampling.time_ns && m->options.time_ns)
        sampling.time_ns = m->options.time_ns;
    return sampling;
}

struct plan_item *measure_item(const struct measure *m, const struct bench *bench, const void *params, uint64_t copies,
                               unsigned phase)
{
    struct plan_item *item = plan_add(m->plan, bench, params);

    item->copies = (unsigned)copies;
    item->phase = phase;
    item->sampling = measure_sampling(m, bench);
    return item;
}

struct plan_item *measure_add(const struct measure *m, const struct bench *bench, const void *params,
                              uint64_t default_copies, unsigned phase)
{
    const struct option_counts *counts = &m->options.copies;
    struct plan_item *item = NULL;

    for (size_t i = 0; i < counts->n || i == 0; i++)
        item = measure_item(m, bench, params, counts->n ? counts->value[i] : default_copies, phase);
    return item;
}
