/* SPDX-License-Identifier: MIT */
/* A measuring session: from the command line to the last line of the summary. */
#include "cmd/measure.h"
#include "cmd/cpus.h"
#include "cmd/files.h"
#include "cmd/quiet.h"
#include "cmd/show.h"
#include "cmd/start.h"
#include "out/names.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "out/color.h"
#include "rows/text.h"
#include "settings/tuned.h"
#include "sys/folder.h"
#include "sys/job.h"
#include "sys/process.h"
#include "sys/signals.h"
#include "sys/task.h"

#define SETTLE_NS 20000000u
/* The first sample is prepared this long before --start-at. */
#define PREPARE_NS 3000000000u
/* Duration of the header's look at the machine, which decides between quiet and busy. */
#define LOOK_NS 200000000u
/* Duration of the look at the cores before that. */
#define CORE_LOOK_NS 40000000u
/* Longer runs print their plan first. */
#define PLAN_NS 5000000000u

struct series_option {
    char path[1024];
};

static const struct option series_rows[] = {
    {.name = "series",
     .type = OPTION_TEXT,
     .value_name = "FILE",
     OPTION_AT(struct series_option, path),
     .help = "write every experiment to FILE, as text"},
};

struct session {
    struct measure m;
    const struct command *command;
    const struct suite *const *suites;
    size_t n_suites;
    void *options[TABLES_MAX];     /* options struct of each suite */
    struct plan plans[TABLES_MAX]; /* plan of each suite */
    struct series_option series;
    bool alone; /* no other rank was started with the same arguments */
    int finish_status;
};

/* --- Help. --- */

static size_t suite_tables(const struct suite *suite, void *options, struct measure_options *common,
                           struct series_option *series, struct option_table *tables)
{
    size_t n = suite->tables(options, tables);

    if (suite->common_rows) {
        tables[n] = (struct option_table){.rows = suite->common_rows, .n = suite->n_common_rows, .target = common};
        n++;
    }
    if (suite->timed)
        measure_timed_table(common, &tables[n++]);
    if (suite->copies)
        measure_copies_table(common, &tables[n++]);

    if (!suite->series_header)
        return n;
    tables[n] = (struct option_table){.heading = NULL, .rows = series_rows, .n = 1, .target = series};
    return n + 1;
}

/* Fills in the options of `all` that are not common ones. */
static size_t several_tables(struct measure_options *common, struct option_table *tables)
{
    measure_dir_table(common, &tables[0]);
    measure_copies_table(common, &tables[1]);
    return 2;
}

size_t measure_tables(const struct command *command, struct option_table *tables)
{
    size_t n = command->suite ? suite_tables(command->suite, NULL, NULL, NULL, tables) : 0;

    if (!command->suite) {
        n = several_tables(NULL, tables);
        tables[0].heading = "Options of all";
    }
    measure_table(command->suite, NULL, &tables[n++]);
    return n;
}

/* --- The command line. --- */

static int usage_error(const struct session *s, const char *error)
{
    return command_complain(s->command->name, error, EXIT_USAGE);
}

bool measure_given(const struct measure *m, const char *name)
{
    return option_given(m->tables, m->n_tables, name);
}

static int select_tests(struct session *s, const char *const *operands, int n)
{
    const char *const *tests = s->n_suites == 1 ? s->suites[0]->tests : NULL;
    size_t n_tests = 0;

    while (tests && tests[n_tests])
        n_tests++;
    for (size_t t = 0; t < TESTS_MAX; t++)
        s->m.selected[t] = n == 0;
    s->m.operands_given = n > 0;
    for (int i = 0; i < n; i++) {
        size_t t = 0;
        if (!tests) {
            char error[160];
            (void)snprintf(error, sizeof(error),
                           s->suites[0]->commands ? "the command follows '--', but '%.80s' is given before it"
                                                  : "takes no operands, but '%.80s' was given",
                           operands[i]);
            return usage_error(s, error);
        }
        while (t < n_tests && strcmp(tests[t], operands[i]))
            t++;
        if (s->suites[0]->select) {
            if (s->suites[0]->select(&s->m, operands[i]))
                return command_unknown_operand(s->command, operands[i]);
            continue;
        }
        if (t == n_tests)
            return command_unknown_operand(s->command, operands[i]);
        s->m.selected[t] = true;
    }
    return 0;
}

/* Cuts off the words after the first "--", which are not parsed. Returns the number of words before it. */
static int cut_words(struct session *s, int argc, char **argv)
{
    int n = 1;

    if (s->n_suites != 1 || !s->suites[0]->commands)
        return argc;
    while (n < argc && strcmp(argv[n], "--") != 0)
        n++;
    if (n < argc) {
        s->m.words = argv + n + 1;
        s->m.n_words = (size_t)(argc - n - 1);
    }
    return n;
}

/* Returns 0; EXIT_USAGE; or -1 when help was printed (EXIT_ROW_FAILED: it could not be printed). */
static int parse(struct session *s, int argc, char **argv)
{
    struct measure *m = &s->m;
    char error[512];

    argc = cut_words(s, argc, argv);
    measure_table(s->n_suites == 1 ? s->suites[0] : NULL, &m->options, &m->tables[0]);
    m->n_tables = 1;
    if (s->n_suites == 1)
        m->n_tables += suite_tables(s->suites[0], s->options[0], &m->options, &s->series, &m->tables[1]);
    else
        m->n_tables += several_tables(&m->options, &m->tables[m->n_tables]);
    const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
    if (!operands)
        return usage_error(s, "out of memory");
    int n = option_parse(argc, argv, m->tables, m->n_tables, operands, error, sizeof(error));
    if (n < 0) {
        free(operands);
        return usage_error(s, error);
    }
    m->preset = m->options.quick ? PRESET_QUICK : m->options.classic ? PRESET_CLASSIC : PRESET_DEFAULT;
    int status = 0;
    if (m->options.help) {
        struct text help = {0};
        command_help(s->command, &help);
        status = command_output(s->command, 1, true, &help);
        status = status ? status : -1;
    } else {
        status = select_tests(s, operands, n);
    }
    free(operands);
    if (status)
        return status;
    if (m->options.quick && m->options.classic)
        return usage_error(s, "--quick and --classic exclude each other");
    if ((m->options.no_csv || m->options.no_file) && measure_given(m, "output"))
        return usage_error(s, "--no-csv and --output exclude each other");
    if (measure_given(m, "output") && !m->options.output[0])
        return usage_error(s, "--output: '' is not a file name");
    if (option_defaults(m->tables, m->n_tables, m->preset, error, sizeof(error)))
        return usage_error(s, error);
    m->options.no_csv |= m->options.no_file;
    return 0;
}

/* Sets the options of suites that `all` runs to their defaults; the common options are as given. */
static int default_suite_options(struct session *s, size_t i)
{
    struct option_table tables[TABLES_MAX];
    char error[512];

    memset(tables, 0, sizeof(tables));
    size_t n = s->suites[i]->tables(s->options[i], tables);
    if (option_defaults(tables, n, s->m.preset, error, sizeof(error)))
        return usage_error(s, error);
    return 0;
}

/* --- Placement. --- */

static int resolve_cpus(struct session *s)
{
    struct measure *m = &s->m;
    struct cpuset *cpus = &m->place.cpus, usable;
    char error[512], list[256];

    m->place.online = m->machine.online;
    if (!measure_given(m, "cpus") || m->options.cpus.choice >= 0) {
        /* Named CPUs may be isolated ones, which are missing in the affinity mask. */
        if (measure_given(m, "cpus"))
            cpus_allowed(&m->machine.online, cpus);
        else
            cpus_of_mask(&m->machine.online, cpus);
        if (!cpuset_count(&m->place.online))
            m->place.online = *cpus;
        return 0;
    }
    *cpus = m->options.cpus.set;
    if (!cpuset_count(&m->place.online))
        (void)task_get_affinity(&m->place.online);
    if (cpus_check_online(cpus, &m->place.online, error, sizeof(error)))
        return usage_error(s, error);
    if (!cpus_usable(cpus, &usable)) {
        (void)cpuset_format_cut(&usable, list, sizeof(list));
        (void)snprintf(error, sizeof(error), "--cpus: not all of these CPUs are allowed here (allowed: %s)",
                       cpuset_count(&usable) ? list : "none of them");
        return usage_error(s, error);
    }
    return 0;
}

/* --cpus quiet: picks the allowed CPU that loses the least time at the moment. */
static int pick_quiet(struct session *s)
{
    struct measure *m = &s->m;
    unsigned cpu;

    if (quiet_cpu(&m->place, &m->clock, &cpu, m->quietest, sizeof(m->quietest))) {
        char error[256];
        (void)snprintf(error, sizeof(error), "--cpus quiet: %s", m->quietest);
        return usage_error(s, error);
    }
    cpuset_clear(&m->place.cpus);
    cpuset_add(&m->place.cpus, cpu);
    m->place.order[0] = cpu;
    m->place.n_order = 1;
    return 0;
}

static int resolve_place(struct session *s)
{
    struct measure *m = &s->m;
    int status = resolve_cpus(s);

    if (status)
        return status;
    m->place.n_order = machine_cpu_order("", &m->place.cpus, m->place.order, CPUSET_MAX);
    if (measure_given(m, "cpus") && m->options.cpus.choice == CPUS_QUIET && (status = pick_quiet(s)))
        return status;
    m->place.bind = (enum bind_mode)m->options.bind;
    m->place.bind_given = measure_given(m, "bind");
    m->place.nice_given = measure_given(m, "nice");
    m->place.nice = (int)m->options.nice;
    m->place.fifo = measure_given(m, "fifo");
    m->place.fifo_priority = (int)m->options.fifo;
    m->place.layout_fixed = m->options.layout == 1;
    return 0;
}

/* --- The session. --- */

static const char *getenv_const(const char *name)
{
    return getenv(name);
}

/* Fills in the job. If the job's launcher has its own name for the node (several on one machine), that is the host. */
static void fill_job(struct session *s)
{
    struct row_run *run = &s->m.run;
    struct job job;
    char message[200];

    job_read(getenv_const, &job);
    text_copy(run->job, sizeof(run->job), job.id);
    text_copy(run->rank, sizeof(run->rank), job.rank);
    if (job.node[0])
        text_copy(run->host, sizeof(run->host), job.node);
    if (job.wrong[0]) {
        (void)snprintf(message, sizeof(message), "%s: %s; the rank is not known", job.launcher, job.wrong);
        (void)command_complain(NULL, message, 0);
    }
    s->alone = job.ranks == 1 || !job.rank[0];
}

static void fill_run(struct measure *m)
{
    unsigned char id[16];
    time_t now = time(NULL);
    struct tm utc;

    row_run_init(&m->run);
    process_random(id, sizeof(id));
    for (size_t i = 0; i < sizeof(id); i++)
        (void)snprintf(m->run.run_id + 2 * i, 3, "%02x", id[i]);
    if (gmtime_r(&now, &utc))
        (void)strftime(m->run.utc, sizeof(m->run.utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    text_copy(m->run.host, sizeof(m->run.host), m->machine.host[0] ? m->machine.host : "localhost");
    text_copy(m->run.kernel, sizeof(m->run.kernel), m->machine.kernel);
    text_copy(m->run.arch, sizeof(m->run.arch), m->machine.arch);
    text_copy(m->run.cpu_model, sizeof(m->run.cpu_model), m->machine.cpu_model);
    m->run.cpus_online = m->machine.cpus_online;
    version_build(m->run.build, sizeof(m->run.build));
    process_libc(m->run.libc, sizeof(m->run.libc));
    text_copy(m->run.comment, sizeof(m->run.comment), m->options.comment);
}

static bool is_printing(const struct session *s)
{
    return s->n_suites == 1 && s->suites[0]->prints && s->suites[0]->prints(s->options[0]);
}

static int open_csv(struct session *s)
{
    struct measure *m = &s->m;
    char name[256], path[1024], message[1200], error[1200];
    bool to_stdout = !strcmp(m->options.output, "-");

    if (names_expand("the default name", s->alone ? "jitbench-%h-%t" : "jitbench-%h-%t-%r", &m->run, s->alone, name,
                     sizeof(name), error, sizeof(error)) ||
        names_expand("--output", m->options.output, &m->run, s->alone, path, sizeof(path), error, sizeof(error)))
        return usage_error(s, error);
    if (m->options.force && files_clear(s->command->name, path))
        return EXIT_USAGE;
    struct csv_target target = {
        .path = path[0] && !to_stdout ? path : NULL, .name = name, .to_stdout = to_stdout, .none = m->options.no_csv};
    m->out_fd = to_stdout || is_printing(s) ? 2 : 1;
    m->csv = csv_open(&target, message, sizeof(message), error, sizeof(error));
    if (!m->csv)
        return usage_error(s, error);
    if (message[0])
        (void)command_complain(NULL, message, 0);
    return 0;
}

/* Opens the file of --series; like the CSV, it replaces a file only with --force. */
static int open_series(struct session *s)
{
    char error[1200], path[sizeof(s->series.path)];

    s->m.series_fd = -1;
    if (!s->series.path[0])
        return 0;
    if (names_expand("--series", s->series.path, &s->m.run, s->alone, path, sizeof(path), error, sizeof(error)))
        return usage_error(s, error);
    text_copy(s->series.path, sizeof(s->series.path), path);
    if (s->m.options.force && files_clear(s->command->name, path))
        return EXIT_USAGE;
    int fd = folder_create(s->series.path);
    if (fd < 0) {
        (void)snprintf(error, sizeof(error), "--series '%s': %s", s->series.path, folder_why_not(fd));
        return usage_error(s, error);
    }
    const char *header = s->suites[0]->series_header;
    if (write(fd, header, strlen(header)) != (ssize_t)strlen(header)) {
        (void)snprintf(error, sizeof(error), "--series '%s': %s", s->series.path, strerror(errno));
        folder_remove(s->series.path, fd);
        (void)close(fd);
        return usage_error(s, error);
    }
    s->m.series_fd = fd;
    return 0;
}

/* Changes a row's texts to those that a reader of the CSV gets, so that `show` prints the same as the run. */
static void as_in_csv(struct row *row)
{
    for (size_t i = 0; i < row_n_columns; i++)
        if (row_columns[i].type == COLUMN_TEXT && !row_columns[i].in_run)
            row_text_from_csv(&row_columns[i], (char *)row + row_columns[i].offset);
}

static void put_row(void *context, const struct row *row)
{
    struct measure *m = context;
    struct row_sink csv = csv_sink(m->csv);

    csv.put(csv.context, row);
    if (m->n_rows == m->rows_capacity) {
        size_t capacity = m->rows_capacity ? m->rows_capacity * 2 : 64;
        struct row *rows = realloc(m->rows, capacity * sizeof(*rows));
        if (!rows)
            return; /* the row is in the CSV and only missing in the table */
        m->rows = rows;
        m->rows_capacity = capacity;
    }
    if (row_copy(&m->rows[m->n_rows], row) == 0) {
        as_in_csv(&m->rows[m->n_rows]);
        m->rows[m->n_rows].number = m->n_rows;
        m->n_rows++;
    }
}

static void clear_rows(struct measure *m)
{
    for (size_t i = 0; i < m->n_rows; i++)
        row_free(&m->rows[i]);
    m->n_rows = 0;
}

/* --- Header and summary. --- */

static void put_quietness(const struct measure *m, struct text *out)
{
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
    text_printf(out, "Quiet?    in %.1f s at rest: %.0f %% busy, %.0f switches/s, %.0f interrupts/s", seconds,
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

/* Appends where the run takes place, and what is missing of /proc and /sys. */
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

/* Appends the short form of `jitbench check`. */
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

static bool is_brief(const struct session *s)
{
    return s->n_suites == 1 && s->suites[0]->brief && s->suites[0]->brief(s->options[0]);
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

/* Returns the expected duration of a suite. */
static struct plan_time suite_time(const struct session *s, size_t i)
{
    const uint64_t usual_ns = s->suites[i]->seconds[s->m.preset] * 1000000000ull;

    return is_usual(s) ? (struct plan_time){.least_ns = usual_ns, .most_ns = usual_ns} : plan_time(&s->plans[i]);
}

/* Returns the expected duration in s; 0: not known. */
static double likely_seconds(const struct session *s, size_t i)
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

static void put_header(struct session *s)
{
    struct measure *m = &s->m;
    struct text out = {0};

    if (m->options.quiet)
        return;
    put_machine(m, &out);
    if (!is_brief(s)) {
        put_setting(m, &out);
        put_quietness(m, &out);
        put_check(m, &out);
    }
    put_plan(s, &out);
    put_start(m, &out);
    text_printf(&out, "\n");
    print_out(m, &out);
}

/* Returns the option that increases the number of samples. Presets other than the default have a fixed number, whatever
 * the time. */
static const char *limit_of_samples(const struct measure *m)
{
    return measure_given(m, "samples") || m->preset != PRESET_DEFAULT ? "--runs" : "--max-time";
}

static void print_suite(struct session *s)
{
    struct measure *m = &s->m;
    const struct show_how how = {
        .fd = m->out_fd, .alone = s->n_suites == 1, .verbose = m->options.verbose, .more = limit_of_samples(m)};
    struct text out = {0};

    out.color = color_wanted(m->options.color, m->out_fd);
    show_rows(m->rows, m->n_rows, &how, &out, &m->warnings);
    print_out(m, &out);
}

static void put_summary(struct session *s)
{
    struct measure *m = &s->m;
    struct text out = {0};
    const char *path = csv_path(m->csv);

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

/* --- Running. --- */

/* Names what --layout random varies on this machine. */
static const char *layout_varied(const struct machine *machine)
{
    switch (machine->randomize_va_space) {
    case 2:
        return "random stack,heap,map,env";
    case 1:
        return "random stack,map,env";
    case 0:
        return "random env (ASLR is off)";
    default:
        return "random env (ASLR not known)";
    }
}

/* --- A common start. --- */

static int resolve_start(struct session *s)
{
    struct measure *m = &s->m;
    char error[160], ago[32];
    uint64_t now = clock_realtime_ns();

    if (!measure_given(m, "start-at"))
        return 0;
    if (start_parse(m->options.start_at, now, &m->start_at_ns, error, sizeof(error)))
        return usage_error(s, error);
    if (m->start_at_ns < now) {
        text_duration(now - m->start_at_ns, ago, sizeof(ago));
        (void)fprintf(stderr, "jitbench: --start-at %s was %s ago: begins at once\n", m->options.start_at, ago);
    }
    return 0;
}

/* Waits until the first sample must be prepared; its gate then opens exactly at the start time. Reads the clock
 * repeatedly, because the time of day may be changed meanwhile. */
static void wait_for_start(const struct measure *m)
{
    for (uint64_t now; !signals_pending() && (now = clock_realtime_ns()) + PREPARE_NS < m->start_at_ns;) {
        uint64_t left = m->start_at_ns - PREPARE_NS - now;
        signals_sleep_ns(left < PREPARE_NS ? left : PREPARE_NS);
    }
}

static void note_start(void *context, int64_t late_ns)
{
    struct measure *m = context;

    m->run.start_late_us = (double)late_ns * 1e-3;
    m->start_at_ns = 0; /* applies to the first suite only */
}

static void run_suite(struct session *s, size_t i)
{
    struct measure *m = &s->m;
    const struct suite *suite = s->suites[i];
    const bool shown = !m->options.quiet && progress_wanted();
    struct plan_run how = {.run = &m->run,
                           .place = &m->place,
                           .clock = &m->clock,
                           .clock_start = &m->clock_start,
                           .core = m->core,
                           .proc_root = "",
                           .series_fd = m->series_fd,
                           .layout_varied = layout_varied(&m->machine),
                           .timer_latency_held = m->hold_fd >= 0,
                           .degraded = m->not_set,
                           .max_rsd_pct = m->options.max_rsd_pct,
                           .settle_ns = SETTLE_NS,
                           .sink = {.put = put_row, .context = m},
                           .progress = shown ? progress_show : NULL,
                           .elapsed = shown ? progress_elapsed : NULL,
                           .progress_context = &m->progress,
                           .start_at_ns = m->start_at_ns,
                           .started = note_start,
                           .started_context = m};
    int status = plan_execute(&s->plans[i], &how);
    progress_clear(&m->progress);
    if (status < 0)
        m->ended_by = -status;
    else if ((enum row_status)status > m->worst)
        m->worst = (enum row_status)status;
    if (m->n_rows && suite->conclude)
        suite->conclude(m);
    if (m->n_rows)
        print_suite(s);
    if (s->n_suites == 1 && suite->finish)
        s->finish_status = suite->finish(m, s->options[i]);
    clear_rows(m);
}

static int exit_status(const struct measure *m, bool csv_lost)
{
    if (m->ended_by)
        return 128 + m->ended_by;
    if (m->worst == ROW_FAILED || csv_lost || (m->print_failed && m->options.no_csv))
        return EXIT_ROW_FAILED;
    return m->options.strict && m->worst != ROW_OK ? EXIT_STRICT : EXIT_DONE;
}

static int run_suites(struct session *s)
{
    struct measure *m = &s->m;
    struct progress *progress = &m->progress;
    double total = 0;

    for (size_t i = 0; i < s->n_suites; i++)
        total += likely_seconds(s, i);
    *progress = (struct progress){.began_ns = clock_raw_ns(), .planned_s = total, .left_s = -1, .clock = &m->clock};
    for (size_t i = 0; i < s->n_suites; i++) {
        progress->weight = total > 0 ? likely_seconds(s, i) / total : 1.0 / (double)s->n_suites;
        run_suite(s, i);
        progress->before += progress->weight;
    }
    csv_rescue(m->csv);
    put_summary(s);
    bool lost = csv_close(m->csv) != 0;
    free(m->rows);
    int status = exit_status(m, lost);
    return status ? status : s->finish_status;
}

static int make_plans(struct session *s)
{
    char error[512];

    for (size_t i = 0; i < s->n_suites; i++) {
        s->plans[i].schedule = s->suites[i]->schedule;
        if (s->suites[i]->plan(&s->m, s->options[i], &s->plans[i], error, sizeof(error)))
            return usage_error(s, error);
    }
    return 0;
}

static bool advises_huge_pages(const struct session *s)
{
    for (size_t i = 0; i < s->n_suites; i++)
        for (size_t k = 0; k < s->plans[i].n; k++)
            if (s->plans[i].items[k].bench->huge_pages)
                return true;
    return false;
}

/* Changes the settings that last for the session. What is refused degrades every row. */
static void set_machine(struct measure *m, bool huge_advised)
{
    struct cpuset bench = m->place.cpus;
    char message[200];

    m->hold_fd = -1;
    if (m->options.tuned) {
        /* If all CPUs are measured, none is left for interrupts: then the default CPUs are made quiet. */
        if (!measure_given(m, "cpus"))
            settings_bench_cpus("", &m->machine, &bench);
        if (tuned_begin(&bench, huge_advised, message, sizeof(message)))
            (void)snprintf(m->not_set, sizeof(m->not_set), "--tuned: %s", message);
        else
            text_copy(m->tuned, sizeof(m->tuned), message);
    }
    if (!m->options.hold_latency && !m->options.tuned)
        return;
    m->hold_fd = machine_hold_latency("");
    if (m->hold_fd < 0 && !m->not_set[0])
        (void)snprintf(m->not_set, sizeof(m->not_set), "%s: /dev/cpu_dma_latency: %s",
                       m->options.tuned ? "--tuned" : "--hold-latency", strerror(-m->hold_fd));
}

/* Begins the core probes. A look before anything runs shows what a core that is free is like. */
static void look_at_cores(struct measure *m)
{
    m->cores.free = (double)NAN;
    if (m->options.core_probe == 0)
        m->core = core_session_make("", &m->clock, &m->place.online);
    if (m->core)
        core_look(m->core, &m->place.cpus, CORE_LOOK_NS, &m->cores);
}

/* Records the settings as they are during the measurement. */
static void describe_settings(struct measure *m)
{
    const struct settings_view view = {.root = "", .machine = &m->machine, .bench = &m->place.cpus};

    settings_describe(&view, m->run.settings, sizeof(m->run.settings));
}

static void restore_machine(struct measure *m)
{
    if (m->hold_fd >= 0)
        (void)close(m->hold_fd);
    if (m->options.tuned)
        tuned_end();
}

/* Prepares the session. Finds all errors before anything runs. */
static int prepare(struct session *s, int argc, char **argv)
{
    struct measure *m = &s->m;
    int status;

    for (size_t i = 0; i < s->n_suites; i++) {
        s->options[i] = calloc(1, s->suites[i]->options_size);
        if (!s->options[i])
            return usage_error(s, "out of memory");
    }
    if ((status = parse(s, argc, argv)))
        return status;
    for (size_t i = 0; i < s->n_suites && s->n_suites > 1; i++)
        if ((status = default_suite_options(s, i)))
            return status;
    machine_read("", &m->machine);
    clock_choose(&m->clock);
    clock_pair_read(m->clock.kind, &m->clock_start);
    if ((status = resolve_start(s)) || (status = resolve_place(s)))
        return status;
    if ((status = make_plans(s)))
        return status;
    fill_run(m);
    fill_job(s);
    if ((status = open_series(s)))
        return status;
    if ((status = open_csv(s)) && m->series_fd >= 0)
        folder_remove(s->series.path, m->series_fd); /* created here, and nothing will be measured */
    return status;
}

int measure_main(const struct command *command, const struct suite *const *suites, size_t n, int argc, char **argv)
{
    struct session *s = calloc(1, sizeof(*s));

    if (!s) {
        (void)fprintf(stderr, "jitbench: out of memory\n");
        return EXIT_ROW_FAILED;
    }
    s->command = command;
    s->suites = suites;
    s->n_suites = n;
    signals_init();
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* processes orphaned by a worker become children of this one */
    int status = prepare(s, argc, argv);
    bool unused = status != 0;
    if (!unused) {
        look_at_cores(&s->m);
        set_machine(&s->m, advises_huge_pages(s));
        describe_settings(&s->m);
        put_header(s);
        wait_for_start(&s->m);
        status = run_suites(s);
        restore_machine(&s->m);
    }
    for (size_t i = 0; i < n; i++) {
        if (suites[i]->end && s->options[i])
            suites[i]->end(s->options[i], unused);
        free(s->options[i]);
        plan_free(&s->plans[i]);
    }
    if (s->m.series_fd > 0)
        (void)close(s->m.series_fd);
    free(s->m.core);
    free(s);
    return status < 0 ? EXIT_DONE : status;
}

int measure_suite_main(const struct command *command, int argc, char **argv)
{
    return measure_main(command, &command->suite, 1, argc, argv);
}

/* --- For suites. --- */

uint64_t measure_named_cpus(const struct measure *m)
{
    return measure_given(m, "cpus") ? m->place.n_order : 1;
}

size_t measure_copies(const struct measure *m, uint64_t default_copies, uint64_t *counts)
{
    if (!m->options.copies.n) {
        counts[0] = default_copies;
        return 1;
    }
    memcpy(counts, m->options.copies.value, sizeof(m->options.copies.value));
    return (size_t)m->options.copies.n;
}

const char *measure_dir(const struct measure *m)
{
    const char *environment = getenv("TMPDIR");

    if (m->options.dir[0])
        return m->options.dir;
    return environment && environment[0] && access(environment, W_OK | X_OK) == 0 ? environment : ".";
}

void measure_put_row(struct measure *m, const struct row *row)
{
    put_row(m, row);
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

int measure_add(const struct measure *m, struct plan *plan, const struct bench *bench, const void *params,
                uint64_t default_copies, unsigned phase)
{
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = measure_copies(m, default_copies, counts);

    for (size_t i = 0; i < n; i++) {
        struct plan_item *item = plan_add(plan, bench, params);
        if (!item)
            return -1;
        item->copies = (unsigned)counts[i];
        item->phase = phase;
        item->sampling = measure_sampling(m, bench);
    }
    return 0;
}
