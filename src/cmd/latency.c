/* SPDX-License-Identifier: MIT */
/* jitbench latency: tasks, options, plan, tables. */
#include <sched.h>

#include "cmd/latency.h"
#include "out/chart.h"

enum {
    TASK_AUDIO,
    TASK_VIDEO,
    TASK_X,
    TASK_GAMING,
    TASK_CUSTOM,
    TASK_REQUESTS,
    TASK_FRAME,
    TASK_LAUNCH,
    TASK_INPUT,
    TASK_AUDIO_PERIOD,
    N_TASKS
};
#define TASK_ALONE N_TASKS /* no operand: each load of the tasks of today */
struct task {
    const struct bench *bench;
    const struct sim_params *params; /* NULL: the user's, at `own` in struct latency_options */
    const char *title;
    bool real_time; /* SCHED_FIFO with --real-time */
    /* Loads that tell most about the task: by default, with --quick. */
    const char *telling, *quick;
    const char *late; /* why a wake-up after the limit is late */
    /* Without params. */
    size_t own;
    struct table_layout table;
};

#define BIT(n) (1ull << (n))
/* Interbench's; custom runs if it is named or has --custom-interval and --custom-cpu, the others if they are named */
#define ALL_TASKS   (BIT(TASK_CUSTOM) - 1)
#define MEMLOAD_PCT 110u /* with swap, in % of RAM */
/* without swap, in % of the available memory */
#define NO_SWAP_PCT 90u
#define SPARE_PCT   5u /* left free, in % of RAM */

#define NOTICED      "which people notice"
#define LOAD_COLUMNS FIELD(LOAD), KEY("CPUs", "cpus", .optional = 1)
#define LAST_COLUMNS \
    COLUMN("% Same CPU", "same_cpu", VALUE, 1, .rank = 3, .optional = 1), \
        COLUMN("% Same Cache", "same_cache", VALUE, 1, .rank = 3, .optional = 1), \
        COLUMN("% Load", "load_rate", VALUE, 1, .optional = 1)
static const struct table_column requests_columns[] = {
    LOAD_COLUMNS,
    FIELD(MEDIAN, .heading = "Wake P50"),
    FIELD(P90),
    FIELD(P99),
    COLUMN("+-95%", "latency_p99", CI95_HALF, 1, .scale = 1e-3, .optional = 1, .rank = 4),
    FIELD(P999, .optional = 1),
    FIELD(MAX, .rank = 1),
    COLUMN("Req P50", "request_latency", MEDIAN, 3, .scale = 1e-6),
    COLUMN("P90", "request_latency", P90, 3, .scale = 1e-6, .rank = 2),
    COLUMN("P99", "request_latency", P99, 3, .scale = 1e-6),
    COLUMN("P99.9", "request_latency", P999, 3, .scale = 1e-6, .optional = 1, .rank = 3),
    COLUMN("Req/s", "request_rate", VALUE, 1),
    COLUMN("Stable s", "stable_after", VALUE, 1, .rank = 4),
    LAST_COLUMNS,
};
static const struct table_column frame_columns[] = {
    LOAD_COLUMNS,
    COLUMN("Frames/s", "frame_rate", VALUE, 1),
    FIELD(MEDIAN, .heading = "P50"),
    FIELD(P90),
    FIELD(P99),
    COLUMN("+-95%", "frame_p99", CI95_HALF, 3, .scale = 1e-6, .optional = 1, .rank = 4),
    FIELD(P999, .optional = 1, .rank = 2),
    FIELD(MAX),
    COLUMN("1% Low", "low1_mean", VALUE, 1),
    COLUMN("1% Low P99", "low1_p99", VALUE, 1, .rank = 3),
    COLUMN("Stutters", "stutters", VALUE, 1),
    COLUMN("Missed", "missed_vblanks", VALUE, 1, .optional = 1),
    LAST_COLUMNS,
};
#define LATENCY_COLUMNS \
    LOAD_COLUMNS, FIELD(MEAN), FIELD(MEDIAN, .heading = "P50"), FIELD(P90), FIELD(P99), \
        COLUMN("+-95%", "latency_p99", CI95_HALF, 3, .scale = 1e-6, .optional = 1, .rank = 4), \
        FIELD(P999, .optional = 1), FIELD(MAX)
static const struct table_column input_columns[] = {
    LATENCY_COLUMNS,
    LAST_COLUMNS,
};
static const struct table_column audio_period_columns[] = {
    LATENCY_COLUMNS,
    COLUMN("Xruns", "xruns", VALUE, 1),
    LAST_COLUMNS,
};
static const struct table_column launch_columns[] = {
    LATENCY_COLUMNS,
    COLUMN("Fork P50", "fork_time", MEDIAN, 3, .scale = 1e-6),
    COLUMN("Fork Max", "fork_time", MAX, 3, .scale = 1e-6, .rank = 1),
    LAST_COLUMNS,
};
#define OF_TODAY(name_, title_, ...) \
    { \
        .bench = &bench_##name_, .telling = "none burn burn2 storm mixed", .quick = "none burn storm", \
        .own = offsetof(struct latency_options, name_), .table = { \
            TABLE_OF(title_, name_##_columns), \
            __VA_ARGS__ \
        } \
    }
#define OF_TODAY_MS(name_, metric_, title_) OF_TODAY(name_, title_, .metric = metric_, .scale = 1e-6, .decimals = 3)
static const struct sim_params no_task;
static const struct task tasks[N_TASKS + 1] = {
    [TASK_AUDIO] = {&bench_audio, &sim_audio, "Audio", true, "none burn write read ring compile x",
                    "none burn write compile", "when its buffer is empty"},
    [TASK_VIDEO] = {&bench_video, &sim_video, "Video", true, "none burn write compile x", "none burn compile",
                    "when a frame is lost"},
    [TASK_X] = {&bench_x, &sim_x, "X", false, "none burn write compile video", "none burn", NOTICED},
    [TASK_GAMING] = {&bench_gaming, &sim_gaming, "Gaming", false, "none burn compile", "none burn", NOTICED},
    [TASK_CUSTOM] = {&bench_custom, &sim_custom, "Custom", true, "none burn write compile", "none burn", NOTICED},
    [TASK_REQUESTS] = OF_TODAY(requests, "Requests under each load: wake-up in us, whole request in ms",
                               .metric = "latency", .scale = 1e-3, .decimals = 1),
    [TASK_FRAME] = OF_TODAY_MS(frame, "frame_time",
                               "Frames under each load: times in ms; stutters and missed vertical blanks a minute"),
    [TASK_LAUNCH] = OF_TODAY_MS(launch, "latency", "Starts of a small program under each load, in ms"),
    [TASK_INPUT] = OF_TODAY_MS(input, "latency", "Events of a mouse under each load, until drawn, in ms"),
    [TASK_AUDIO_PERIOD] =
        OF_TODAY_MS(audio_period, "latency", "Periods of sound under each load, until done, in ms; xruns a minute"),
    [TASK_ALONE] = {&bench_alone, &no_task, NULL, true, "", "", ""},
};
static const char *const task_names[] = {"audio", "video",  "x",     "gaming",       "custom", "requests",
                                         "frame", "launch", "input", "audio-period", NULL};

/* --- Options. --- */

#define OWN(name_, letter_, member_, help_) OPTION(name_, letter_, struct latency_options, member_, help_)
static const struct option rows[] = {
    {OWN("task", 'W', tasks, "measure only these simulated tasks, as if given as operands"),
     OPTION_SOME_OF("TASK,...", task_names)},
    {OWN("exclude-task", 'X', no_tasks, "leave out these tasks"), OPTION_SOME_OF("TASK,...", task_names)},
    {OWN("load", 'w', loads,
         "measure only under these loads; also cmd:'make -j8' of your own, or write:20MB/s at a rate"),
     OPTION_SOME_OF("LOAD,...", load_names), LOAD_REST(struct latency_options)},
    {OWN("exclude-load", 'x', no_loads, "leave out these loads"), OPTION_SOME_OF("LOAD,...", load_names)},
    {OWN("all-pairs", 0, all_pairs, "measure each task under each load, not only the most informative pairs"),
     .preset = {[PRESET_CLASSIC] = "yes"}},
    {OWN("real-time", 'r', real_time, "SCHED_FIFO and locked memory for audio, video and custom; --fifo for any task")},
    {OWN("single-cpu", 'u', single_cpu, "run task and load on the same CPU")},
    {OWN("loops-per-ms", 'l', loops,
         "work of a millisecond: N loops, or the number in an earlier CSV; default: measured"),
     OPTION_WORD("N|FILE")},
    {OWN("calibrate", 'b', anew, "measure loops per millisecond anew: the default")},
    {OWN("load-cpus", 'L', load_threads, "threads of burn and ring; default: one per CPU"),
     OPTION_NUMBER(COUNT, "N", 1, 4096)},
    {OWN("load-nice", 'N', load_nice, "nice value of the load"), OPTION_NUMBER(INT, "N", -20, 19)},
    {OWN("load-policy", 0, load_policy, "scheduling policy of the load"),
     OPTION_EITHER("other|batch|idle", "other", "batch", "idle"), .preset = {"other"}},
    {OWN("load-weight", 0, load_weight, "weight of the load's own control group; that of other groups is 100"),
     OPTION_NUMBER(COUNT, "N", 1, 10000)},
    {OWN("load-limit", 0, load_limit_pct, "CPU time of the load's own control group, in % of a CPU"),
     OPTION_NUMBER(PERCENT, "PCT", 1, 1e5)},
    {OWN("custom-cpu", 'C', custom_pct, "share of a CPU that custom uses"), OPTION_NUMBER(PERCENT, "PCT", 0.1, 100)},
    {OWN("custom-interval", 'I', custom_ns, "time between custom's wake-ups; in microseconds if it has no unit"),
     OPTION_NUMBER(DURATION_US, "TIME", 100e3, 10e9)},
    {OWN("audio-period", 0, audio_period.interval_ns, "period in which audio-period's clients must have finished"),
     OPTION_NUMBER(DURATION, "TIME", 100e3, 64e6), .preset[0] = "21.333ms"}, /* 1,024 samples, 48,000 a second */
    {OWN("late-after", 0, late_after_ns,
         "count wake-ups later than this as late; default: audio's buffer (50 ms), video's frame (16.7 ms), "
         "otherwise 7 ms"),
     OPTION_NUMBER(DURATION, "TIME", 1e3, 60e9)},
    {OWN("file-size", 0, file_bytes, "size of the file of write and read; at most half of the free space"),
     OPTION_NUMBER(SIZE, "SIZE", 8 << 20, 0x1p44), .preset = {"256M", "64M", "1G"}},
    {OWN("memload-size", 0, memory_bytes,
         "memory of memload; default: 110 % of RAM with swap, 90 % of the available memory without"),
     OPTION_NUMBER(SIZE, "SIZE", 16 << 20, 0x1p50)},
    {OWN("sweep-cpus", 0, sweep_cpus, "measure on so many CPUs, several numbers in turn; by affinity, not by hotplug"),
     OPTION_NUMBER(COUNTS, "N,...", 1, CPUSET_MAX)},
    {OWN("hack-groups", 0, hack_groups, "groups of hack, 40 threads each; default: one per CPU"),
     OPTION_NUMBER(COUNT, "N", 1, 1000)},
};

/* --- The plan. --- */

struct choice {
    uint64_t tasks, loads;
    bool telling;   /* nothing was chosen: the most informative pairs */
    bool own_loads; /* no loads were chosen: those that tell most for the tasks that have to be named */
};

static uint64_t load_bit(const struct load *load)
{
    uint64_t bit = 1;

    for (const struct load *const *at = load_list; *at != load; at++)
        bit *= 2;
    return bit;
}

static void choose(const struct measure *m, const struct latency_options *o, struct choice *choice)
{
    uint64_t named = o->tasks;

    for (size_t t = 0; m->operands_given && t < N_TASKS; t++)
        named |= m->selected[t] ? BIT(t) : 0;
    choice->telling = !named && !o->loads && !o->no_tasks && !o->no_loads && !o->all_pairs;
    choice->own_loads = !o->loads && !o->no_loads && !o->all_pairs;
    choice->tasks = named;
    if (!named) {
        choice->tasks = ALL_TASKS | (o->custom_ns && o->custom_pct > 0 ? BIT(TASK_CUSTOM) : 0);
        for (size_t t = 0; t < N_TASKS && o->real_time; t++)
            if (!tasks[t].real_time)
                choice->tasks &= ~BIT(t);
    }
    choice->loads = o->loads;
    /* latency_fill_load() leaves memload out if there is not enough swap. */
    for (size_t load = 0; load_list[load] && !o->loads; load++)
        choice->loads |= load_list[load]->only_named ? 0 : BIT(load);
    choice->tasks &= ~o->no_tasks;
    choice->loads &= ~o->no_loads;
}

static bool wanted(const struct measure *m, const struct choice *choice, size_t task, size_t load)
{
    const bool own = choice->own_loads && !tasks[task].params;

    if (!(choice->tasks & BIT(task)) || !(own || choice->loads & BIT(load)) ||
        !strcmp(task_names[task], load_names[load]))
        return false; /* a task cannot be its own load */
    return !(own || choice->telling) ||
           text_has_word(m->preset == PRESET_QUICK ? tasks[task].quick : tasks[task].telling, load_names[load]);
}

/* A task shows its share of what it does alone. */
static bool wanted_alone(const struct measure *m, const struct choice *choice, size_t load)
{
    bool any = false;

    for (size_t task = 0; task < N_TASKS; task++)
        any |= !tasks[task].params && wanted(m, choice, task, load);
    return any && load_list[load]->n_parties;
}

static int check(const struct measure *m, const struct latency_options *o, const struct choice *choice)
{
    const bool custom = choice->tasks & BIT(TASK_CUSTOM) || choice->loads & load_bit(&load_custom);
    size_t pairs = 0;

    for (size_t task = 0; task < N_TASKS; task++)
        for (size_t load = 0; load_list[load]; load++)
            pairs += wanted(m, choice, task, load);
    const struct {
        bool wrong;
        const char *why;
    } problems[] = {
        {custom && !o->custom_ns, "--custom-interval (-I) is missing: custom needs it (100 us to 10 s)"},
        {custom && !(o->custom_pct > 0), "--custom-cpu (-C) is missing: custom needs it, in % (0.1 to 100)"},
        {!o->custom_ns != !(o->custom_pct > 0), "--custom-interval (-I) and --custom-cpu (-C) go together"},
        {o->anew && o->loops[0], "--calibrate (-b) and --loops-per-ms (-l) exclude each other"},
        {o->sweep_cpus.n && (o->single_cpu || m->place.bind_given),
         "--sweep-cpus excludes --single-cpu (-u) and --bind"},
        {!choice->tasks, "--exclude-task (-X) leaves no task to measure"},
        {!choice->loads, "--exclude-load (-x) leaves no load to measure under"},
        {!pairs, "--task and --load leave no pair to measure: a task is no load of its own"},
    };
    for (size_t i = 0; i < COUNT(problems); i++)
        if (problems[i].wrong)
            return usage_error("%s", problems[i].why);
    for (size_t i = 0; i < o->sweep_cpus.n; i++)
        if (o->sweep_cpus.value[i] > m->place.n_order)
            return usage_error("--sweep-cpus %" PRIu64 ": only %zu CPU%s may be used", o->sweep_cpus.value[i],
                               m->place.n_order, PLURAL(m->place.n_order));
    return 0;
}

/* 0: to be measured. Of a file: of the calibration, or a parameter of another row. */
static int given_loops(const struct latency_options *o, double *loops)
{
    struct error why;
    struct row row;
    char *end;

    if (!o->loops[strspn(o->loops, "0123456789.")]) {
        *loops = strtod(o->loops, &end);
        if (!o->loops[0] || (!*end && *loops >= 100 && *loops <= 1e9))
            return 0;
        return usage_error("--loops-per-ms '%.40s' is outside of 100 to 1000000000", o->loops);
    }
    struct reader *r = reader_open(o->loops, 0, &why);
    if (!r)
        return usage_error("--loops-per-ms: %s", why.text);
    for (*loops = NAN; reader_next_row(r, &row) == 1; row_free(&row)) {
        if (!strcmp(row.metric, "loops_per_ms"))
            *loops = row.value;
        else if (isnan(*loops))
            *loops = row_param_number(&row.param, "loops_per_ms");
    }
    reader_close(r);
    return *loops >= 1 ? 0 : usage_error("--loops-per-ms '%.200s': no row of this file has loops_per_ms", o->loops);
}

int latency_fill_command(struct measure *m, uint64_t loads, const char *command, struct load_params *p)
{
    const char *path = getenv("PATH");
    FREED_BY(words_free) struct words words = {0};
    const bool wanted = loads & load_bit(&load_cmd);

    if (!wanted && !command[0])
        return 0;
    const char *why = wanted ? words_of_command(command, true, &words) : "only the load cmd has a command";
    if (!why && !words.n)
        why = "a command follows it: cmd:'make -j8'";
    const int error = why ? 0 : program_find(words.word[0], path, p->program, sizeof(p->program));
    if (why || error)
        return usage_error("--load: '%s%.100s': %s", wanted ? "cmd:" : "", command, why ? why : strerror(-error));
    m->ends_orphans = !program_has_children();
    TEXT_SET(p->command, command);
    TEXT_PRINT(p->path, "PATH=%s", path ? path : "/bin:/usr/bin");
    return 0;
}

const char *latency_fill_load(const struct measure *m, const struct latency_options *o, bool memload_named,
                              struct load_params *p)
{
    const struct machine *machine = &m->machine;
    /* of the machine, as in Interbench; --single-cpu sets only where load and task run */
    uint64_t cpus = m->preset == PRESET_CLASSIC && machine->cpus_online ? machine->cpus_online
                    : m->place.bind_given && m->place.bind == BIND_ONE  ? 1
                                                                        : m->place.n_order;
    uint64_t cgroup = cgroup_memory_available(), available = smaller(machine->memory_available_bytes, cgroup);
    uint64_t wanted_bytes = machine->memory_total_bytes / 100 * MEMLOAD_PCT;
    /* without room in swap the kernel would kill a process */
    bool swap = cgroup == UINT64_MAX &&
                available + machine->swap_total_bytes > wanted_bytes + machine->memory_total_bytes / 100 * SPARE_PCT;

    TEXT_SET(p->dir, measure_dir(m));
    const uint64_t free_bytes = scratch_free_bytes(p->dir);
    p->file_bytes = free_bytes > 1 ? smaller(o->file_bytes, free_bytes / 2) : o->file_bytes;
    if (cgroup != UINT64_MAX) /* cached data counts towards the cgroup's memory */
        p->file_bytes = smaller(p->file_bytes, cgroup / 2);
    p->threads = o->load_threads ? o->load_threads : cpus;
    p->groups = o->hack_groups ? o->hack_groups : cpus;
    p->memory_spare = !swap;
    p->memory_bytes = swap ? wanted_bytes : smaller(available / 100 * NO_SWAP_PCT, memload_room());
    if (o->memory_bytes)
        p->memory_bytes = o->memory_bytes;
    p->nice_given = measure_given(m, "load-nice");
    p->nice = (int)o->load_nice;
    p->policy = ((const int[]){SCHED_OTHER, SCHED_BATCH, SCHED_IDLE})[o->load_policy];
    p->sim.single_cpu = o->single_cpu;
    p->sim.classic = m->preset == PRESET_CLASSIC;
    if (!machine->memory_total_bytes)
        return "the size of the memory is not known here";
    return swap || memload_named ? NULL
                                 : "no swap that could hold it: `--load memload` runs it in 90 % of what is available";
}

static void fill_custom(const struct latency_options *o, struct sim_params *p)
{
    p->interval_ns = o->custom_ns;
    p->busy_ns = (uint64_t)((double)p->interval_ns * o->custom_pct / 100);
}

static void add_pair(const struct measure *m, const struct latency_options *o, size_t task, size_t load,
                     const struct load_params *load_params, const char *skip)
{
    const struct bench *bench = tasks[task].bench;
    union {
        struct sim_params sim;
        struct requests_params requests;
        struct frame_params frame;
        struct launch_params launch;
    } of; /* each begins with the first */
    struct sim_params *const params = &of.sim;
    struct load_params beside = *load_params;

    memcpy(&of, tasks[task].params ? (const void *)tasks[task].params : (const char *)o + tasks[task].own,
           bench->params_size);
    if (task == TASK_CUSTOM)
        fill_custom(o, params);
    if (o->late_after_ns) {
        params->late_after_ns = o->late_after_ns;
        params->late_after_given = true;
    }
    params->loops_per_ms = load_params->sim.loops_per_ms;
    params->real_time = o->real_time;
    params->single_cpu = o->single_cpu;
    params->classic = load_params->sim.classic;
    params->workers = params->workers ? params->workers : m->place.n_order;
    for (size_t t = 0; t < N_TASKS; t++)
        if (!strcmp(task_names[t], load_names[load]))
            beside.sim = *tasks[t].params;
    if (load_list[load] == &load_custom)
        fill_custom(o, &beside.sim);
    beside.sim.single_cpu = o->single_cpu;
    beside.sim.classic = params->classic;
    beside.sim.loops_per_ms = params->loops_per_ms;
    beside.rate = o->rates[load];
    if (load_list[load] == &load_compile)
        beside.file_bytes /= 2; /* the load compile uses two files of this size */
    if (o->real_time && !tasks[task].real_time && !m->place.fifo)
        skip = tasks[task].params ? "has no real-time mode of its own: --fifo gives it SCHED_FIFO"
                                  : "has no real-time mode";
    struct plan_item *item = measure_item(m, bench, &of, 1, 1);
    if (!tasks[task].params)
        m->plan->schedule = SCHEDULE_INTERLEAVED;
    item->cpus = o->sweep_cpus.n ? (unsigned)m->place.n_order : 0;
    plan_set_load(item, load_list[load], &beside);
    item->calibrated_by = params->loops_per_ms > 0 ? -1 : 0;
    if (load_list[load]->n_parties)
        item->load_cpu = (struct cgroup_cpu){o->load_weight, o->load_limit_pct / 100};
    item->skip = skip;
}

static int plan(struct measure *m, void *options)
{
    const struct latency_options *o = options;
    struct load_params load_params = {0};
    struct choice choice;

    choose(m, o, &choice);
    if (check(m, o, &choice) || latency_fill_command(m, choice.loads, o->command, &load_params) ||
        given_loops(o, &load_params.sim.loops_per_ms))
        return EXIT_USAGE;
    for (size_t i = 0; i < o->sweep_cpus.n || i == 0; i++) {
        const size_t all = m->place.n_order;
        if (o->sweep_cpus.n) /* numbers of threads follow it */
            m->place.n_order = (size_t)o->sweep_cpus.value[i];
        const char *no_memload =
            latency_fill_load(m, o, choice.telling || o->loads & load_bit(&load_memload), &load_params);
        if (!(load_params.sim.loops_per_ms > 0) && i == 0)
            plan_add(m->plan, &bench_calibrate, &load_params.sim)->sampling = bench_calibrate.sampling[m->preset];
        for (size_t task = 0; task <= N_TASKS; task++)
            for (size_t load = 0; load_list[load]; load++)
                if (task == TASK_ALONE ? wanted_alone(m, &choice, load) : wanted(m, &choice, task, load))
                    add_pair(m, o, task, load, &load_params, load_list[load] == &load_memload ? no_memload : NULL);
        m->place.n_order = all;
    }
    return 0;
}

static const struct option common_rows[] = {
    {OWN_OPTION("no-file", 'c', no_csv, "the same as --no-csv")},
};

/* --- Tables. --- */

/* In ns: shorter latencies depend mostly on how they were measured. */
#define LEAST_NS 100

/* classic: counted as Interbench counts. fine: in us. */
static void put_task(const struct task *task, const struct row *task_rows, size_t n, bool classic, bool fine,
                     unsigned width, struct text *out)
{
    const double scale = fine ? 1e-3 : 1e-6;
    const unsigned decimals = fine ? 1 : 3;
    const bool gaming = task->bench == &bench_gaming; /* has no deadlines, and no interval */
    const char *const total = classic ? "" : "total";
    const struct table_column columns[] = {
        LOAD_COLUMNS,
        FIELD(MEAN, .heading = "Latency"),
        FIELD(SD, .heading = fine ? "+/- SD (us)" : "+/- SD (ms)", .rank = 3),
        FIELD(MEDIAN, .rank = 2),
        FIELD(P99, .rank = 1),
        FIELD(MAX, .heading = classic ? "Max Latency" : NULL),
        COLUMN(classic ? "% Desired CPU" : "% Done", "desired_cpu", VALUE, 1),
        COLUMN("% Late", classic ? "" : "late", VALUE, 1, .optional = classic),
        COLUMN(classic ? "% Deadlines Met" : "% Met", "deadlines_met", VALUE, 1, .optional = gaming),
        COLUMN("Timer", "timer_latency", MEDIAN, decimals, .scale = scale, .rank = 4, .optional = gaming),
        COLUMN("Timer Max", "timer_latency", MAX, decimals, .scale = scale, .rank = 4, .optional = gaming),
        COLUMN("Total", total, MEAN, decimals, .scale = scale, .rank = 2, .optional = classic || gaming),
        COLUMN("Total Max", total, MAX, decimals, .scale = scale, .optional = classic || gaming),
    };
    char title[120];
    const struct table_layout layout = {TABLE_OF(title, columns), .metric = classic ? "latency_classic" : "latency",
                                        .scale = scale, .decimals = decimals};

    if (classic) {
        TEXT_PRINT(title, "Simulated %s under each load, counted as Interbench did (metric latency_classic)",
                   task->title);
    } else {
        const char *given = ROW_PARAM(&task_rows->param, "late_after_us");
        const uint64_t own_ns = task->params ? task->params->late_after_ns : SIM_NOTICED_NS;
        TEXT_PRINT(title, "Simulated %s under each load, in %s (late: by more than %s%s%s)", task->title,
                   fine ? "us" : "ms", TEXT_DURATION(given[0] ? 1000 * strtoull(given, NULL, 10) : own_ns),
                   given[0] ? "" : ", ", given[0] ? "" : task->late);
    }
    table_print(&layout, task_rows, n, width, out);
}

/* The load's rate becomes its share. */
static void put_of_today(const struct task *task, const struct table_rows *r, size_t n, struct text *out)
{
    for (struct row *row = r->copies; row < r->copies + n; row++)
        if (!strcmp(row->metric, "load_rate"))
            row->value = row_load_share(r->rows, r->n, row);
    table_print(&task->table, r->copies, n, r->table_width, out);
}

#define LATE_MOST 5 /* measurements that were only late */

struct lateness {
    const struct row *first; /* of the rows of one measurement, which follow each other */
    size_t n;
    double share; /* of late wake-ups; infinite: not measured as asked; -1: neither, or no task */
};

static struct lateness lateness(const struct table_rows *r, const struct row *first)
{
    const bool task = strcmp(first->test, bench_calibrate.name);
    struct lateness out = {first, 0, -1};

    for (const struct row *row = first; row < r->rows + r->n && row_same_measurement(row, first); row++, out.n++)
        if (task && row->status >= ROW_DEGRADED)
            out.share = INFINITY;
        else if (task && !strcmp(row->metric, "late") && row->value > 0)
            out.share = fmax(out.share, row->value);
    return out;
}

/* One table of the tasks that were late (the worst), or not measured as asked. */
static void put_late(const struct table_rows *r, bool fine, struct text *out)
{
    FREED struct lateness *of = calloc(r->n, sizeof(*of));
    const struct row *calibration = NULL; /* no task: has none of the columns */
    bool known = false;
    size_t n = 0, n_of = 0, more = 0;

    for_each_row(row, r) {
        if (!strcmp(row->test, bench_calibrate.name))
            calibration = row;
        known |= !strcmp(row->metric, "late") && row->value >= 0;
    }
    for (size_t i = 0; of && i < r->n; i += of[n_of++].n)
        of[n_of] = lateness(r, &r->rows[i]);
    for (const struct lateness *one = of; one < of + n_of; one++) {
        size_t worse = 0;
        for (const struct lateness *other = of; other < of + n_of && isfinite(one->share); other++)
            worse += isfinite(other->share) && (other < one ? other->share >= one->share : other->share > one->share);
        if (one->share < 0)
            continue;
        more += worse >= LATE_MOST;
        for (size_t k = 0; k < one->n && worse < LATE_MOST; k++)
            r->copies[n++] = one->first[k];
    }
    const struct table_column columns[] = {
        FIELD(TEST, .heading = "Task"),
        LOAD_COLUMNS,
        FIELD(MEAN, .heading = fine ? "Latency us" : "Latency ms"),
        FIELD(MAX),
        COLUMN("% Done", "desired_cpu", VALUE, 1),
        COLUMN("% Late", "late", VALUE, 1),
        COLUMN("% Met", "deadlines_met", VALUE, 1),
    };
    const struct table_layout layout = {TABLE_OF("Simulated tasks that were late, or not measured as asked", columns),
                                        .metric = "latency", .scale = fine ? 1e-3 : 1e-6, .decimals = fine ? 1 : 3};

    if (n)
        table_print(&layout, r->copies, n, r->table_width, out);
    else
        text_printf(out, "Simulated tasks: %s\n", known ? "none was late" : "lateness not known");
    if (more)
        text_printf(out, "and %zu more, which were less late\n", more);
    if (calibration)
        table_put_reasons(calibration, 1, out);
    out->left_out = true;
}

static void put_picture(const struct table_rows *r, struct text *out)
{
    struct chart c = CHART_OF_RANGES("Latency, log scale");

    for_each_row(row, r)
        if (row->load[0] && !strcmp(row->metric, "latency")) {
            const char *cpus = ROW_PARAM(&row->param, "cpus");
            const char *label = TEXT_LINE("%-7.7s %.10s%s%.56s", row->test, row->load, cpus[0] ? " " : "", cpus);
            chart_range(&c, &(struct chart_entry){.row = row, .label = label});
        }
    text_append(out, "\n", c.n_lines && out->length);
    c.x.least = fmax(c.x.least, LEAST_NS);
    chart_put_text(&c, r->width, out);
}

static void put_switches(const struct table_rows *r, struct text *out)
{
    static const struct table_column columns[] = {FIELD(TEST, .heading = "Task"), FIELD(LOAD), FIELD(SLEPT),
                                                  FIELD(PREEMPTED), FIELD(MOVED)};
    const struct table_layout layout = {
        TABLE_OF("How often each task slept, was preempted, moved to another CPU", columns), .no_status = 1};
    size_t n = 0;

    for_each_row(row, r)
        if (row->load[0] && strcmp(row->test, bench_alone.name) && row->ctx_voluntary >= 0)
            r->copies[n++] = *row;
    text_append(out, "\n", n > 0);
    table_print(&layout, r->copies, n, r->table_width, out);
}

static void put_calibration(const struct table_rows *r, struct text *out)
{
    for_each_row(row, r)
        if (!strcmp(row->metric, "loops_per_ms") && row->status < ROW_SKIPPED) {
            text_append(out, "\n", out->length > 0);
            text_printf(out, "Calibrated: %.0f loops a millisecond on CPU%s %s", row->value, PLURAL(row->stats.n),
                        row->cpus);
            if (row->stats.n > 1)
                text_printf(out, ", %.0f to %.0f", row->stats.min, row->stats.max);
            text_printf(out, "%s%s\n", row->status == ROW_OK ? "" : ": ", row->reason);
        }
}

static void put_stalls(const struct table_rows *r, struct text *out)
{
    for_each_row(row, r)
        if (!strcmp(row->metric, "timer_latency") &&
            row->stats.max > 1000 * row_param_number(&row->param, "interval_us"))
            text_printf(out,
                        "Stall: under %s the timer of %s fired up to %s late: Total includes this, Latency does not\n",
                        row->load, row->test, TEXT_DURATION((uint64_t)row->stats.max));
}

static void print(const struct table_rows *r, struct text *out)
{
    bool fine = false, classic = false;

    for_each_row(row, r) {
        /* us, as in Interbench's real-time mode */
        fine |= row->load[0] && !strcmp(row->policy, "fifo");
        classic |= !strcmp(row->metric, "latency_classic") || row_param_is(&row->param, "protocol", "classic");
    }
    const bool whole = table_is_whole(r) || classic;
    if (!whole)
        put_late(r, fine, out);
    for (size_t t = 0; t < N_TASKS && whole; t++) {
        size_t n = 0;
        for_each_row(row, r)
            if (!strcmp(row->test, task_names[t]))
                r->copies[n++] = *row;
        if (!n)
            continue;
        text_append(out, "\n", out->length > 0);
        if (tasks[t].table.columns)
            put_of_today(&tasks[t], r, n, out);
        else
            put_task(&tasks[t], r->copies, n, classic, fine, r->table_width, out);
    }
    if (whole && r->verbose)
        put_switches(r, out);
    if (whole) {
        put_stalls(r, out);
        put_calibration(r, out);
    }
    if (r->pictures)
        put_picture(r, out);
}

#define OPTIONS_OF(name_) \
    { \
        .heading = "Options of " #name_, .bench = &bench_##name_, .offset = offsetof(struct latency_options, name_) \
    }
const struct suite suite_latency = {
    .command =
        {
            .name = "latency",
            .operands = "[TASK...]",
            .title = "lateness of interactive tasks beside loads",
            .description =
                "Simulates tasks that must react in time (audio, video, x, gaming, custom) beside background loads "
                "(none, video, x, burn, write, read, ring, compile, memload, hack, burn2, storm, mixed, custom): how "
                "late they wake up, how "
                "much of their work they do, how many deadlines they meet. Interbench's letters keep their meaning. "
                "The tasks requests, frame, launch, input and audio-period compare schedulers; they run when they are "
                "named.",
            COMMAND_MEASURES(suite_latency),
        },
    .seconds = {95, 16, 1100},
    .options_size = sizeof(struct latency_options),
    .options = {{SUITE_ROWS(rows), .foreign = foreign_latency},
                SUITE_COMMON(common_rows),
                SUITE_TIMED,
                OPTIONS_OF(requests),
                OPTIONS_OF(frame),
                OPTIONS_OF(launch)},
    .schedule = SCHEDULE_SEQUENCE,
    .tests = task_names,
    .plan = plan,
    .print = print,
};
