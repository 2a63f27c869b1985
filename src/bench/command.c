/* SPDX-License-Identifier: MIT */
/* Counters are the kernel's for the command (wait4, /proc). */
#include "bench/command.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define SETUP_NS 60000000000u
/* For processes left behind to end by themselves. */
#define ORPHAN_GRACE_NS 20000000u

/* Start and end times come from trial_party(). */
enum { NUMBER_USER_S, NUMBER_SYSTEM_S, NUMBER_MAX_RSS, NUMBER_EXIT_CODE, N_NUMBERS };

#define RUN_OPTION(name_, letter_, field_, help_) OPTION(name_, letter_, struct command_params, field_, help_)

static const struct option options[] = {
    {RUN_OPTION("warmup", 'w', warmup, "run each command N times before its first sample"),
     OPTION_NUMBER(COUNT, "N", 0, 1000), .preset = {"0"}},
    {RUN_OPTION("prepare", 'p', prepare,
                "command to execute before each run, not timed; blanks separate its words, quotes keep blanks"),
     OPTION_WORD("COMMAND")},
    {RUN_OPTION("timeout", 0, timeout_ns, "kill a run that takes longer; its row gets the status failed"),
     OPTION_NUMBER(DURATION, "TIME", 1e6, 96 * 3600e9), .preset = {"24h"}},
    {RUN_OPTION("ignore-failure", 0, ignore_failure,
                "continue when a command fails; the metric exit_code holds its exit status")},
    {RUN_OPTION("shell", 'S', shell,
                "join the words with blanks and run them with /bin/sh -c; if each word has blanks, each is a command")},
    {RUN_OPTION("input", 0, input, "standard input of each run; '-' is jitbench's own; default: /dev/null"),
     OPTION_WORD("FILE|-")},
    {RUN_OPTION("show-output", 0, show_output, "let the commands print; the table goes to standard error")},
    {RUN_OPTION("keep-output", 0, keep_output, "write the output of all runs to FILE"), OPTION_WORD("FILE")},
    {RUN_OPTION("clean-env", 0, clean_env, "run the command with PATH as its only environment variable")},
    {RUN_OPTION(
         "name", 'n', name,
         "names of the commands in table and CSV; those of one name are builds of a side; default: the program's"),
     .type = OPTION_LINES, .value_name = "NAME,..."},
    {RUN_OPTION("separator", 0, separator,
                "word that separates two commands, for commands that contain '--' themselves"),
     OPTION_WORD("WORD"), .preset = {"--"}},
    {RUN_OPTION("aa", 0, aa,
                "run one command against itself: which differences would be found, and how long that takes")},
    FAIL_ON_ROW(struct command_params, fail_on),
    {RUN_OPTION("judge", 0, judge, "what is compared: wall-clock time, user time, instructions or peak memory"),
     OPTION_ONE_OF("WHAT", judged_words), .preset = {"wall"}},
    {RUN_OPTION("reference", 0, reference,
                "command that the others are compared with: its name, or number; default: the first"),
     OPTION_WORD("NAME|N")},
    {RUN_OPTION("setup", 's', setup, "command to execute once for each command, before its first run"),
     OPTION_WORD("COMMAND")},
    {RUN_OPTION("cleanup", 0, cleanup, "command to execute once for each command, after the last run of all"),
     OPTION_WORD("COMMAND")},
    {RUN_OPTION("parameter-list", 'L', lists,
                "run the commands that have {NAME} with each of the values in its place; several: all combinations"),
     OPTION_WORD("NAME VALUE,..."), .words = 2},
    {RUN_OPTION("parameter-scan", 'P', scans, "the same with the numbers from MIN to MAX"), OPTION_WORD("NAME MIN MAX"),
     .words = 3},
    {RUN_OPTION("parameter-step-size", 'D', step, "distance of the numbers of --parameter-scan; default: 1"),
     OPTION_WORD("STEP")},
};

/* Numbers of strings, without the NULLs: of the paths, arguments, prepare command's arguments and environment. */
enum { PACKED_PATHS, PACKED_ARGV, PACKED_PREPARE, PACKED_ENV, PACKED_LISTS };

void command_pack(const struct command_image *image, struct text *out)
{
    const char *const paths[] = {image->path, image->prepare_path, NULL};
    const char *const *const lists[PACKED_LISTS] = {
        paths, (const char *const *)image->argv, (const char *const *)image->prepare, (const char *const *)image->env};
    uint32_t n[PACKED_LISTS] = {0};

    for (unsigned l = 0; l < PACKED_LISTS; l++)
        while (lists[l][n[l]])
            n[l]++;
    text_append(out, (const char *)n, sizeof(n));
    for (unsigned l = 0; l < PACKED_LISTS; l++)
        for (uint32_t i = 0; i < n[l]; i++)
            text_append(out, lists[l][i], strlen(lists[l][i]) + 1);
}

void *command_unpack(const char *data, size_t size, struct command_image *image)
{
    uint32_t n[PACKED_LISTS];

    if (!data || size < sizeof(n))
        return NULL;
    const char *const end = data + size;
    memcpy(n, data, sizeof(n));
    data += sizeof(n);
    const size_t all = (size_t)n[PACKED_PATHS] + n[PACKED_ARGV] + n[PACKED_PREPARE] + n[PACKED_ENV];
    if (n[PACKED_PATHS] != 2 || all > size) /* each string has at least its NUL */
        return NULL;
    char **const block = calloc(all + PACKED_LISTS + 1, sizeof(*block)), **at = block, **list[PACKED_LISTS];
    for (unsigned l = 0; block && l < PACKED_LISTS; l++, at++) {
        list[l] = at += l == PACKED_ENV;
        for (uint32_t i = 0; i < n[l]; i++) {
            const char *nul = memchr(data, 0, (size_t)(end - data));
            if (!nul) {
                free(block);
                return NULL;
            }
            *at++ = (char *)data;
            data = nul + 1;
        }
    }
    if (block)
        *image = (struct command_image){.path = list[PACKED_PATHS][0],
                                        .prepare_path = list[PACKED_PATHS][1],
                                        .argv = list[PACKED_ARGV],
                                        .prepare = list[PACKED_PREPARE],
                                        .env = list[PACKED_ENV]};
    return block;
}

struct command {
    void *map; /* of image_fd, to the end of the packed command */
    size_t map_size;
    void *lists;
    struct command_image image;
    char pad[PROCESS_PAD_MAX];
    /* By the worker, for the child before the exec. */
    bool fix_layout, realtime;
    int policy, rt_priority, nice;
    bool company; /* --prepare's processes run already */
    struct program_guard guard;
    /* By the child. */
    int policy_error, nice_error;
    struct placement_seen seen;
};

/* In the child before the exec: policy and nice value, which fork has reset (SCHED_RESET_ON_FORK), address
 * randomisation, and reads them back. */
static int place_here(void *context)
{
    struct command *command = context;

    if (command->fix_layout && !task_layout_fixed())
        task_fix_layout();
    if (command->realtime) {
        command->policy_error = task_set_policy_inherited(command->policy, command->rt_priority);
        command->nice_error = task_set_nice(command->nice);
    }
    place_read_back(&command->seen);
    return 0;
}

static int map_image(struct party_context *context, struct command *command)
{
    const struct command_params *params = context->params;

    command->map_size = params->image_offset + params->image_size;
    command->map = mmap(NULL, command->map_size, PROT_READ, MAP_PRIVATE, params->image_fd, 0);
    if (command->map == MAP_FAILED) {
        command->map = NULL;
        return party_fail(context, "cannot read the command line: %s", strerror(errno));
    }
    command->lists =
        command_unpack((const char *)command->map + params->image_offset, params->image_size, &command->image);
    return command->lists ? 0 : party_fail(context, "cannot read the command line: out of memory");
}

struct run {
    const char *what; /* of messages: "the prepare command: " */
    bool prepare;
    const struct command_image *setup; /* instead of the command */
    uint64_t start_ns, end_ns;
    struct program_end end;
};

/* When jitbench ends, even by SIGKILL, this process gets SIGTERM, to kill all that the program has started
 * (teardown()): it must not block elsewhere. Returns 0 whatever the exit status, or -1 with a reason: not started,
 * not waited for, or beyond the time limit. */
static int run_program(struct party_context *context, struct run *run)
{
    const struct command_params *params = context->params;
    struct command *command = context->state;
    const struct command_image *image = run->setup ? run->setup : &command->image;
    const bool aside = run->prepare || run->setup;
    struct program program = {.path = run->prepare ? image->prepare_path : image->path,
                              .argv = run->prepare ? image->prepare : image->argv,
                              .envp = image->env,
                              .fds = {-1, params->fds[1], params->fds[2]},
                              .prepare = aside ? NULL : place_here,
                              .context = command};
    FREED_BY(fd_close) int input = -1;
    const pid_t parent = getppid();

    if (!params->fixed_layout && !aside) {
        process_random_pad(command->pad);
        program.envp = image->env - 1;
        *(char **)program.envp = command->pad;
    }
    if (!aside && params->fds[0] == -1 && params->input[0] && (input = open(params->input, O_RDONLY | O_CLOEXEC)) < 0)
        return party_fail(context, "cannot read '%.100s': %s", params->input, strerror(errno));
    if (!aside)
        program.fds[0] = input < 0 ? params->fds[0] : input;
    task_die_with_parent(parent, SIGTERM);
    pid_t pid = program_start(&program, &run->start_ns);
    if (pid < 0)
        return party_fail(context, "%scannot execute '%.120s': %s", run->what, program.path, strerror(-pid));
    int waited = program_wait(pid, run->start_ns + params->timeout_ns, &run->end_ns);
    int error = program_reap(pid, &run->end);
    if (run->what[0] && !error) /* barriers follow */
        error = task_die_with_parent(parent, SIGKILL);
    if (waited == -ETIMEDOUT)
        return party_fail(context, "%sstill running after %s (--timeout); killed", run->what,
                          TEXT_DURATION(params->timeout_ns));
    if (waited == -EINTR)
        return party_fail(context, "%sended by a signal", run->what);
    error = waited ? waited : error;
    return error ? party_fail(context, "%scannot be waited for: %s", run->what, strerror(-error)) : 0;
}

static int check_end(struct party_context *context, const struct run *run)
{
    const struct command_params *params = context->params;
    const int status = run->end.status, number = WTERMSIG(status);

    if (status == 0 || (params->ignore_failure && !run->prepare && !run->setup))
        return 0;
    if (!WIFSIGNALED(status))
        return party_fail(context, "%sexit status %d", run->what, WEXITSTATUS(status));
    if (number == SIGXCPU && ((const struct command *)context->state)->realtime)
        return party_fail(context, "%sended by its limit of real-time CPU time (RLIMIT_RTTIME; see --timeout)",
                          run->what);
    return party_fail(context, "%skilled by signal %d (%s)", run->what, number, strsignal(number));
}

/* Once for all copies, while none runs. */
static int run_for_all(struct party_context *context, struct run *run)
{
    party_barrier(context);
    if (context->copy == 0 && (run_program(context, run) || check_end(context, run)))
        return -1;
    party_barrier(context);
    return 0;
}

static int prepare_once(struct party_context *context)
{
    struct run run = {.what = "the prepare command: ", .prepare = true};

    return ((const struct command *)context->state)->image.prepare_path[0] ? run_for_all(context, &run) : 0;
}

/* Before the first sample. */
static int run_setup(struct party_context *context)
{
    const struct command_params *params = context->params;
    const struct command *command = context->state;
    struct command_image image;
    struct run run = {.what = "the setup command: ", .setup = &image};

    if (!params->setup_size || context->sample > 0)
        return 0;
    FREED
    void *lists = command_unpack((const char *)command->map + params->setup_offset, params->setup_size, &image);
    return lists ? run_for_all(context, &run) : party_fail(context, "out of memory");
}

static int begin_guard(struct party_context *context)
{
    int error = program_guard(&((struct command *)context->state)->guard, getpgrp());

    return error ? party_fail(context, "cannot start a guard for the command's processes: %s", strerror(-error)) : 0;
}

static int setup(struct party_context *context)
{
    const struct command_params *params = context->params;
    struct command *command = context->state;

    program_be_parent();
    command->fix_layout = params->fixed_layout;
    if (begin_guard(context) || map_image(context, command) || run_setup(context))
        return -1;
    for (uint64_t i = 0; context->sample == 0 && i < params->warmup; i++) {
        struct run warm = {.what = "a warm-up run: "};
        if (prepare_once(context) || run_program(context, &warm) || check_end(context, &warm))
            return -1;
    }
    if (prepare_once(context))
        return -1;
    context->expected_ns = params->timeout_ns;
    if (!command->image.prepare_path[0])
        return 0;
    program_unguard(&command->guard); /* it would count as a process left running */
    command->company = program_has_children();
    return begin_guard(context);
}

/* The command gets the policy and nice value of this process. */
static void note_policy(struct command *command)
{
    command->realtime = task_get_policy(&command->policy, &command->rt_priority) == 0 &&
                        (command->policy == SCHED_FIFO || command->policy == SCHED_RR);
    if (task_get_nice(&command->nice))
        command->nice = 0;
    /* Above the command: it can kill one that never sleeps. */
    if (command->realtime && command->rt_priority < TASK_FIFO_MAX)
        task_set_policy(command->policy, command->rt_priority + 1);
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static int run(struct party_context *context)
{
    struct command *command = context->state;
    double *numbers = context->recorder[0];
    struct run run = {.what = ""};

    note_policy(command);
    if (run_program(context, &run))
        return -1;
    const struct party_measured measured = {.counters = &run.end.counters,
                                            .seen = command->seen,
                                            .start_ns = run.start_ns,
                                            .end_ns = run.end_ns,
                                            .last_cpu = run.end.last_cpu};
    party_measured(context, &measured);
    if (command->policy_error)
        party_degraded(context, "SCHED_%s %d refused to the command: %s", command->policy == SCHED_FIFO ? "FIFO" : "RR",
                       command->rt_priority, strerror(-command->policy_error));
    else if (command->nice_error)
        party_degraded(context, "nice %d refused to the command: %s", command->nice, strerror(-command->nice_error));
    numbers[NUMBER_USER_S] = seconds(&run.end.usage.ru_utime);
    numbers[NUMBER_SYSTEM_S] = seconds(&run.end.usage.ru_stime);
    numbers[NUMBER_MAX_RSS] = (double)run.end.usage.ru_maxrss * 1024;
    numbers[NUMBER_EXIT_CODE] =
        WIFSIGNALED(run.end.status) ? 128 + WTERMSIG(run.end.status) : WEXITSTATUS(run.end.status);
    return check_end(context, &run);
}

static void teardown(struct party_context *context)
{
    struct command *command = context->state;

    program_unguard(&command->guard);
    unsigned left = program_end_orphans(ORPHAN_GRACE_NS);
    if (left && !command->company)
        party_degraded(context, "the command left %u process%s running, killed: the figures do not include them", left,
                       left == 1 ? "" : "es");
    free(command->lists);
    if (command->map)
        munmap(command->map, command->map_size);
}

/* Only for errors that last: a transient one is in its run's row. */
static int supported(const struct bench_case *of, struct error *why)
{
    (void)of;
    if (program_can_share() != -EINVAL)
        return 0;
    return error_set(why, "no process can share this one's memory (clone with CLONE_VM: %s), as under qemu-user",
                     strerror(EINVAL));
}

/* May use all named CPUs, as it may have threads and children, but for --bind. Real-time commands leave the last one
 * free: of the boot CPU's core, if that may be used. */
static void place(const struct place_of *of, struct placement *out)
{
    const struct place_request *request = of->request;
    const enum bind_mode bind = request->bind;

    place_copy(request, of->copy, out);
    if (bind == BIND_ONE || !task_is_realtime(out->policy) || cpuset_count(&request->online) <= 1 ||
        (bind == BIND_RANGE && !cpuset_subset(&request->online, &request->cpus)))
        return;
    out->bind = BIND_RANGE;
    if (bind == BIND_NONE)
        out->cpus = request->online;
    unsigned last = request->order[request->n_order - 1];
    cpuset_remove(&out->cpus, last);
    TEXT_PRINT(out->refused, "CPU %u is left out: a real-time command may not take every CPU (see --cpus)", last);
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct command_params *p = of->params;

    if (p->shell)
        row_param_add(out, PARAM_WORK, "shell", "yes");
    if (p->clean_env)
        row_param_add(out, PARAM_WORK, "env", "clean");
    if (p->show_output || p->keep_output[0])
        row_param_add(out, PARAM_WORK, "output", "%s", p->show_output ? "shown" : "kept");
    if (p->again)
        row_param_add(out, PARAM_WORK, "aa", "yes");
    if (p->build)
        row_param_count(out, PARAM_OUTCOME, "build", p->build);
    if (p->judge)
        row_param_add(out, PARAM_OUTCOME, "judge", "%s", judged_words[p->judge]);
    if (p->planned)
        row_param_count(out, PARAM_OUTCOME, "planned", p->planned);
    if (p->planned && p->again)
        row_param_add(out, PARAM_OUTCOME, "precision", "%g", p->precision_pct);
    if (p->warmup)
        row_param_count(out, PARAM_WORK, "warmup", p->warmup);
    if (p->input_line[0])
        row_param_add(out, PARAM_COMMAND, "input", "%s", p->input_line);
    if (p->prepare_line[0])
        row_param_add(out, PARAM_COMMAND, "prepare", "%s", p->prepare_line);
    for (size_t i = 0; i < COMMAND_PARAMETERS_MAX && p->parameter[i].key[0]; i++)
        row_param_add(out, PARAM_COMMAND, p->parameter[i].key, "%s", p->parameter[i].value);
    row_param_add(out, PARAM_COMMAND, "command", "%s", p->line);
}

static uint64_t setup_limit_ns(const void *params)
{
    const struct command_params *p = params;
    uint64_t runs = 2 * p->warmup + (p->prepare[0] ? 1 : 0) + (p->setup_size > 0);

    return SETUP_NS + runs * p->timeout_ns;
}

/* For all copies: from the first exec to the last end, sums of CPU times, largest memory use. */
static void reduce(const struct trial *trial, struct results *results)
{
    const bool counted = ((const struct command_params *)trial->spec.params)->judge == JUDGED_INSTRUCTIONS;
    const struct trial_times times = trial_times(trial);
    double user = 0, system_s = 0, most_rss = 0, exit_code = 0, instructions = 0;

    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const double *numbers = trial_recorder(trial, 0, copy, 0);
        user += numbers[NUMBER_USER_S];
        system_s += numbers[NUMBER_SYSTEM_S];
        most_rss = fmax(most_rss, numbers[NUMBER_MAX_RSS]);
        exit_code = fmax(exit_code, numbers[NUMBER_EXIT_CODE]);
        instructions += counted ? trial_count(trial, copy, COUNTER_INSTRUCTIONS) : 0;
    }
    if (counted && !isnan(instructions))
        results_sample(results, 0, COMMAND_INSTRUCTIONS, instructions);
    results_samples(results, 0, COMMAND_WALL, (double)(times.last_end - times.first_start) * 1e-9, user, system_s,
                    most_rss, exit_code, (double)(times.last_start - times.first_start) * 1e-6,
                    (double)(times.last_end - times.first_end) * 1e-6);
}

static const struct metric metrics[COMMAND_N_METRICS] = {
    [COMMAND_WALL] = {METRIC("wall", "s", "lower", "from the exec of the first copy to the end of the last"),
                      .headline = true},
    [COMMAND_USER] = {METRIC("user", "s", "lower", "CPU time in user mode, all copies together")},
    [COMMAND_SYSTEM] = {METRIC("system", "s", "lower", "CPU time in the kernel, all copies together")},
    [COMMAND_MAX_RSS] = {METRIC("max_rss", "bytes", "lower", "peak resident memory of the largest process"),
                         .value = VALUE_MAX},
    [COMMAND_EXIT_CODE] = {METRIC("exit_code", "code", "",
                                  "exit status, 128+N after signal N; the highest of all copies"),
                           .value = VALUE_MAX},
    [COMMAND_START_SPREAD] = {METRIC("start_spread", "ms", "lower", "first to last copy's exec"), .value = VALUE_MAX},
    [COMMAND_END_SPREAD] = {METRIC("end_spread", "ms", "lower", "first to last copy's end"), .value = VALUE_MAX},
    [COMMAND_INSTRUCTIONS] = {METRIC("instructions", "count", "lower",
                                     "instructions in user mode, all copies together (--judge instructions)"),
                              .optional = true},
};

const struct bench bench_command = {
    BENCH_IS("run", "command", "any program, under controlled placement", struct command_params),
    BENCH_PARTY(PARTY_IS("command", {RECORD_NUMBERS, N_NUMBERS}), .children = CHILDREN_INHERIT,
                .state_size = sizeof(struct command), .setup = setup, .run = run, .teardown = teardown),
    BENCH_METRICS(metrics),
    BENCH_OPTIONS(options),
    .sampling = {SAMPLING(10, 0, 0, 60), SAMPLING(3, 3, 0, 10), SAMPLING(10, 0, 0, 60)},
    .told_while_running = true,
    .switches = true,
    .describe = describe,
    .supported = supported,
    .setup_limit_ns = setup_limit_ns,
    .place = place,
    .reduce = reduce,
};
