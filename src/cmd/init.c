/* SPDX-License-Identifier: MIT */
/* jitbench init: the first process of a machine. Mounts file systems, runs the command, delivers the CSV, and powers
 * the machine off or reboots it; as PID 1 of a machine it never exits. */
#include "cmd/init.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/suites.h"
#include "report/frame.h"
#include "rows/text.h"
#include "sys/clock.h"
#include "sys/console.h"
#include "sys/device_file.h"
#include "sys/device_mount.h"
#include "sys/machine.h"
#include "sys/modules.h"
#include "sys/mounts.h"
#include "sys/power.h"
#include "sys/process.h"
#include "sys/scratch.h"
#include "sys/tree.h"

#define SECOND_NS UINT64_C(1000000000)
/* Waiting time for a device: a USB disk takes seconds to appear. */
#define DEVICE_WAIT_NS (10 * SECOND_NS)
/* Waiting times: a run that is asked to end reports its results; one that does not end in time is killed. */
#define END_WAIT_NS  (20 * SECOND_NS)
#define LAST_WAIT_NS (2 * SECOND_NS)
/* Time limit of console output: a user may have stopped it to read the screen. */
#define STALL_NS (120 * SECOND_NS)
#define POLL_NS  (SECOND_NS / 10)

/* Whether this process is PID 1 of a PID namespace, of the machine, or neither. */
enum place { PLACE_ORDINARY, PLACE_NAMESPACE, PLACE_MACHINE };

struct init {
    enum place place;
    struct init_orders orders;
    const char **words; /* the command, when argv names it */
    size_t n_words;
    struct mounts mounts;
    char folder[PATH_MAX]; /* directory in which the run writes its CSV; "" when there is none */
    struct device_mount disk;
    char disk_at[PATH_MAX]; /* directory made to mount it on; "" when there is none */
    char scratch[PATH_MAX]; /* directory on it; "" when none was ordered, or it is not available */
    bool asked;             /* a signal has asked for the end: Ctrl-Alt-Del is SIGINT */
    int status;             /* exit status, if it exits */
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options", .rows = init_rows, .n = init_n_rows};
    return 1;
}

/* --- Signals: blocked, and taken when convenient. --- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int ignored[] = {SIGPIPE, SIGTTIN, SIGTTOU, SIGTSTP};
enum { N_ENDING = sizeof(ending) / sizeof(ending[0]), N_IGNORED = sizeof(ignored) / sizeof(ignored[0]) };
static bool left_alone[N_ENDING];

/* --- Messages. A console that accepts no more output must not prevent the machine's end. --- */

/* Returns whether a signal that asks for the end is pending. */
static bool end_is_asked(void)
{
    sigset_t pending;

    if (sigpending(&pending))
        return false;
    for (size_t i = 0; i < N_ENDING; i++)
        if (sigismember(&pending, ending[i]) == 1)
            return true;
    return false;
}

static bool stalled; /* after one time-out there is no more waiting */

/* Writes to the console. Returns 0 or -errno. */
static int put(int fd, const char *data, size_t length, bool (*stop)(void))
{
    int error = console_write(fd, data, length, stalled ? 0 : STALL_NS, stop);

    stalled = error == -ETIMEDOUT;
    return error;
}

static void drain(int fd)
{
    console_drain(fd, stalled ? 0 : STALL_NS);
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[2048] = "jitbench init: ";
    size_t begin = strlen(line);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(line + begin, sizeof(line) - begin - 1, format, args);
    va_end(args);
    text_sanitize(line); /* contains words from the kernel's command line */
    memcpy(line + strlen(line), "\n", 2);
    (void)put(2, line, strlen(line), NULL);
}

/* --- Taking signals. --- */

static void on_signal(int number)
{
    (void)number; /* the kernel does not queue a signal for PID 1 that has no handler */
}

static void taken_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < N_ENDING; i++)
        if (!left_alone[i])
            sigaddset(set, ending[i]); /* if blocked, it would be queued although it is ignored */
    sigaddset(set, SIGCHLD);
}

/* As an ordinary process, leaves signals ignored that its parent ignored, here and in the run: see nohup(1). */
static void leave_ignored(void)
{
    struct sigaction old;

    for (size_t i = 0; i < N_ENDING; i++)
        left_alone[i] = sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

static void set_signals(bool ours)
{
    struct sigaction action;
    sigset_t set;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = ours ? SIG_IGN : SIG_DFL;
    for (size_t i = 0; i < N_IGNORED; i++)
        (void)sigaction(ignored[i], &action, NULL);
    action.sa_handler = ours ? on_signal : SIG_DFL;
    for (size_t i = 0; i < N_ENDING; i++)
        if (!left_alone[i])
            (void)sigaction(ending[i], &action, NULL);
    (void)sigaction(SIGCHLD, &action, NULL);
    taken_signals(&set);
    (void)sigprocmask(ours ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* Waits for a signal, SIGCHLD included. Returns its number; 0 when none came in that time (0: no limit). */
static int wait_signal(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
    sigset_t set;
    int number;

    taken_signals(&set);
    do
        number = ns ? sigtimedwait(&set, NULL, &time) : sigwaitinfo(&set, NULL);
    while (number < 0 && errno == EINTR);
    return number < 0 ? 0 : number;
}

/* --- Children: started here or orphaned. --- */

/* Reaps all processes that have ended. Returns true with the status when pid is among them; or, for pid 0, when there
 * are no more children. Returns false otherwise, with errno set when the kernel reported an error, else 0. */
static bool reap(pid_t pid, int *status)
{
    bool ended = false;
    pid_t one;
    int how;

    errno = 0;
    while ((one = waitpid(-1, &how, WNOHANG)) > 0)
        if (one == pid) {
            *status = how;
            ended = true;
        }
    return pid ? ended : one < 0 && errno == ECHILD;
}

/* Passes a request to end to the run: the first as SIGINT, later ones as SIGKILL. */
static void ask(struct init *init, pid_t pid, uint64_t *until)
{
    if (!init->asked)
        say("ending the run; once more ends it at once");
    (void)kill(pid, init->asked ? SIGKILL : SIGINT);
    init->asked = true;
    *until = clock_raw_ns() + END_WAIT_NS;
}

/* Waits for the child's end. Returns its status as waitpid() does. */
static int wait_child(struct init *init, pid_t pid)
{
    uint64_t until = 0;
    int status = 0;

    while (!reap(pid, &status)) {
        int number = wait_signal(until || errno ? POLL_NS : 0);
        if (number && number != SIGCHLD)
            ask(init, pid, &until);
        if (until && clock_raw_ns() > until) {
            say("the run does not end, and is killed");
            (void)kill(pid, SIGKILL);
            until = clock_raw_ns() + END_WAIT_NS;
        }
    }
    return status;
}

static void child_begin(const struct init *init)
{
    if (init->place == PLACE_MACHINE) {
        console_take(true);
        console_own_session();
    }
    set_signals(false);
}

/* Ends the machine's remaining processes. They get SIGTERM first, so that they can complete their writes. */
static void end_all_processes(void)
{
    static const int numbers[] = {SIGTERM, SIGKILL};
    int status;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uint64_t until = clock_raw_ns() + LAST_WAIT_NS;
        (void)kill(-1, numbers[i]);
        while (!reap(0, &status) && clock_raw_ns() < until)
            (void)wait_signal(POLL_NS);
    }
}

/* --- Before the run. --- */

static void prepare_machine(struct init *init)
{
    /* On a machine used by others, nothing may be mounted over /tmp. */
    if (init->place != PLACE_ORDINARY || mounts_for_oneself() == 0)
        mounts_make(&init->mounts);
    if (init->place == PLACE_MACHINE)
        console_take(false);
    for (size_t i = 0; i < init->mounts.n_refused; i++)
        say("%s is missing and cannot be mounted: %s", init->mounts.refused[i], strerror(-init->mounts.error[i]));
    if (init->place != PLACE_ORDINARY)
        (void)setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
}

static void load_modules(const struct init *init)
{
    char error[512];

    if (!init->orders.modules[0])
        return;
    int failed = modules_load(init->orders.modules, error, sizeof(error));
    if (failed < 0)
        say("modules '%s': %s", init->orders.modules, strerror(-failed));
    else if (failed)
        say("%d kernel module%s not loaded (%s)", failed, failed == 1 ? "" : "s", error);
}

/* Waits for a device that is not there yet. Returns 0 or -errno. */
static int wait_device(struct init *init, const char *device)
{
    uint64_t until = clock_raw_ns() + DEVICE_WAIT_NS;
    int error;

    while ((error = device_check(device)) == -ENOENT && clock_raw_ns() < until && !init->asked) {
        int number = wait_signal(POLL_NS);
        init->asked = number && number != SIGCHLD;
    }
    return error;
}

/* Looks for the output device before the run, so that a missing one is not found only after an hour of measuring. */
static void look_for_device(struct init *init)
{
    char device[sizeof(init->orders.out) + 8], path[sizeof(device)];

    if (!init->orders.out[0] || device_split(init->orders.out, device, path, sizeof(device)))
        return;
    int error = wait_device(init, device);
    if (error)
        say("out: %s: %s; the CSV will follow on the console", device, strerror(-error));
}

static void make_folder(struct init *init)
{
    static const char *const folders[] = {"/tmp", "/dev/shm", "/run", "/"};

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        if (scratch_folder(folders[i], init->folder, sizeof(init->folder)) == 0)
            return;
    init->folder[0] = '\0';
}

/* --- The disk for scratch files. --- */

static void end_scratch(struct init *init)
{
    bool detached;
    int error = device_unmount(&init->disk, &detached);

    if (error)
        say("scratch: %s: cannot be unmounted: %s", init->orders.scratch, strerror(-error));
    else if (detached)
        say("scratch: %s%s", init->orders.scratch, DEVICE_DETACHED);
    if (init->disk_at[0])
        (void)rmdir(init->disk_at);
    init->scratch[0] = init->disk_at[0] = '\0';
    init->disk = (struct device_mount){.mounted = false};
}

/* Mounts the scratch disk. Returns 0 or -errno. */
static int mount_scratch(struct init *init, const char *device, const char *path)
{
    int error = scratch_folder(init->folder, init->disk_at, sizeof(init->disk_at));

    if (error) {
        init->disk_at[0] = '\0';
        return error;
    }
    error = device_mount(device, init->disk_at, 0, &init->disk);
    if (!error)
        error = device_folder(init->disk.place, path);
    if (!error &&
        snprintf(init->scratch, sizeof(init->scratch), "%s%s", init->disk.place, path) >= (int)sizeof(init->scratch))
        error = -ENAMETOOLONG;
    return error;
}

static void begin_scratch(struct init *init)
{
    char device[sizeof(init->orders.scratch) + 8], path[sizeof(device)], type[32];

    if (!init->orders.scratch[0] || device_split(init->orders.scratch, device, path, sizeof(device)))
        return;
    int error = wait_device(init, device);
    if (!error)
        error = mount_scratch(init, device, path);
    if (error) {
        say("scratch: %s:%s: %s; the file tests do not measure that disk", device, path, device_why_not(error));
        end_scratch(init);
        return;
    }
    machine_fs_name(init->scratch, type, sizeof(type));
    say("scratch files go to %s:%s (%s)", device, path, type);
}

/* --- The run. --- */

static void say_command(char *const *argv)
{
    struct text line = {0};

    for (size_t i = 1; argv[i]; i++)
        text_printf(&line, " %s", argv[i]);
    say("runs%s", line.data ? line.data : "");
    text_free(&line);
}

static int run_command(struct init *init, char *const *argv)
{
    pid_t pid = fork();

    if (pid == 0) {
        child_begin(init);
        if (init->folder[0])
            (void)!chdir(init->folder);
        if (init->scratch[0])
            (void)setenv("TMPDIR", init->scratch, 1);
        int error = process_exec_self(argv, environ);
        say("cannot run itself: %s", strerror(-error));
        _exit(127);
    }
    if (pid < 0) {
        say("no process for the run: %s", strerror(errno));
        return EXIT_ROW_FAILED;
    }
    int status = wait_child(init, pid);
    if (WIFEXITED(status)) {
        if (WEXITSTATUS(status))
            say("the run ended with status %d", WEXITSTATUS(status));
        return WEXITSTATUS(status);
    }
    say("the run crashed: ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

/* --- The CSV. --- */

/* Prints the CSV. Returns 0, or -errno when it is incomplete. */
static int print_csv(const struct init *init, const char *name, const char *csv, size_t length)
{
    struct text out = {0};
    bool quiet = init->place == PLACE_MACHINE || console_is_shared(1);

    text_append(&out, "\n", 1);
    frame_csv(name, csv, length, &out);
    if (quiet)
        console_quiet(true);
    int error = out.failed ? -ENOMEM : put(1, out.data, out.length, end_is_asked);
    drain(1);
    if (quiet)
        console_quiet(false);
    if (error)
        say("the CSV is not printed to its end: %s", error == -EINTR ? "asked to end" : strerror(-error));
    text_free(&out);
    return error;
}

/* Copies the CSV to the device ordered. Returns 0 on success. */
static int store_csv(const struct init *init, const char *name, const char *csv, size_t length)
{
    char device[sizeof(init->orders.out) + 8], path[sizeof(device)], at[PATH_MAX], written[PATH_MAX], error[1200];

    if (!init->orders.out[0])
        return -1;
    if (device_split(init->orders.out, device, path, sizeof(device)) || scratch_folder(init->folder, at, sizeof(at))) {
        say("out: no directory to mount %s on", device);
        return -1;
    }
    const struct device_file file = {.device = device, .path = path, .name = name, .at = at};
    int failed = device_file_write(&file, csv, length, written, sizeof(written), error, sizeof(error));
    (void)rmdir(at);
    if (failed)
        say("out: %s", error);
    else
        say("CSV written to %s:%s%s%s", device, written, error[0] ? "; " : "", error);
    return failed;
}

/* Delivers a file. Returns false when the CSV is lost. */
static bool hand_over_file(const struct init *init, const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "/%s", name) >= (int)sizeof(path))
        return false;
    char *csv = tree_read_all(init->folder, path);
    if (!csv)
        say("%s%s: cannot be read: %s", init->folder, path, strerror(errno));
    bool done = csv && (store_csv(init, name, csv, strlen(csv)) == 0 || print_csv(init, name, csv, strlen(csv)) == 0);
    free(csv);
    return done;
}

/* Delivers every CSV that the run has written. */
static void hand_over(struct init *init)
{
    char **names = init->folder[0] ? tree_names("", init->folder) : NULL;

    if (init->folder[0] && !names) {
        say("%s: cannot list the files that the run left there: %s", init->folder, strerror(errno));
        init->status = init->status ? init->status : EXIT_ROW_FAILED;
    }
    for (size_t i = 0; names && names[i]; i++)
        if (strlen(names[i]) > 4 && !strcmp(names[i] + strlen(names[i]) - 4, ".csv") &&
            !hand_over_file(init, names[i]) && !init->status)
            init->status = EXIT_ROW_FAILED;
    free(names);
}

/* --- The end. --- */

static void end_machine(struct init *init, enum power_end how)
{
    static const char *const names[] = {[POWER_OFF] = "power off", [POWER_RESTART] = "restart", [POWER_HALT] = "halt"};

    if (init->place != PLACE_ORDINARY)
        end_all_processes();
    if (init->place == PLACE_MACHINE)
        (void)power_protect_root();
    drain(2);
    int error = power_end(how);
    say("cannot %s: %s", names[how], strerror(-error));
    init->status = init->status ? init->status : EXIT_ROW_FAILED;
}

/* Waits for Ctrl-Alt-Del, because the machine's first process must not exit. */
static void stay(struct init *init)
{
    int number, status;

    say("Ctrl-Alt-Del restarts the machine");
    do {
        number = wait_signal(0);
        (void)reap(0, &status);
    } while (number != SIGINT);
    end_machine(init, POWER_RESTART);
    for (;;)
        (void)pause();
}

static void run_shell(struct init *init)
{
    char *const argv[] = {(char *)"sh", NULL};

    if (access("/bin/sh", X_OK)) {
        say("no shell here: there is no /bin/sh");
        end_machine(init, POWER_HALT);
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        child_begin(init);
        (void)!chdir("/");
        (void)execve("/bin/sh", argv, environ);
        say("/bin/sh: %s", strerror(errno));
        _exit(127);
    }
    if (pid > 0)
        (void)wait_child(init, pid);
    else
        say("no process for a shell: %s", strerror(errno));
}

static void follow_end(struct init *init)
{
    switch ((enum init_end)init->orders.end) {
    case INIT_POWEROFF:
        end_machine(init, POWER_OFF);
        break;
    case INIT_REBOOT:
        end_machine(init, POWER_RESTART);
        break;
    case INIT_HALT:
        end_machine(init, POWER_HALT);
        break;
    case INIT_SHELL:
        init->asked = false;
        run_shell(init);
        break;
    case INIT_STAY:
        if (init->asked && init->place == PLACE_MACHINE)
            end_machine(init, POWER_RESTART);
        break;
    }
    if (init->place == PLACE_MACHINE)
        stay(init);
}

static int finish(struct init *init)
{
    if (init->folder[0])
        (void)scratch_remove(init->folder);
    follow_end(init);
    mounts_undo(&init->mounts);
    free(init->words);
    return init->status;
}

/* --- All of it. --- */

static int refuse(struct init *init, const struct text *wrong)
{
    say("nothing was run: %s", wrong->data ? wrong->data : "out of memory");
    init->status = EXIT_USAGE;
    return finish(init);
}

/* Carries out the orders that were read; error has a line on those that are wrong. */
static int carry_out(struct init *init, const char *error)
{
    struct init_command command;
    struct text wrong = {0};
    char more[512];

    text_printf(&wrong, "%s", error);
    if (init_command_make(&init->orders, init->words, init->n_words, &command, more, sizeof(more)))
        text_printf(&wrong, "%s%s", error[0] ? "; " : "", more);
    if (wrong.length || wrong.failed) {
        int status = refuse(init, &wrong);
        text_free(&wrong);
        init_command_free(&command);
        return status;
    }
    load_modules(init);
    look_for_device(init);
    make_folder(init);
    begin_scratch(init);
    const bool wanted = !init->asked;
    if (wanted) {
        say_command(command.argv);
        init->status = run_command(init, command.argv);
    }
    end_scratch(init);
    if (wanted)
        hand_over(init);
    init_command_free(&command);
    return finish(init);
}

/* Returns the kernel's command line. For PID 1 of a container it is empty, because it is meant for the machine's init;
 * no argument then counts as the kernel's either. */
static char *read_kernel_line(const struct init *init)
{
    return init->place == PLACE_NAMESPACE ? strdup("") : tree_read_all("", "/proc/cmdline");
}

static void set_defaults(struct init_orders *orders)
{
    struct option_table table = {.rows = init_rows, .n = init_n_rows, .target = orders};
    char error[256];

    (void)option_defaults(&table, 1, PRESET_DEFAULT, error, sizeof(error));
}

static struct init *begin(enum place place, size_t n)
{
    static struct init init; /* static, because PID 1 must not fail for lack of memory */

    init.place = place;
    init.words = calloc(n + 1, sizeof(*init.words));
    set_defaults(&init.orders);
    if (place == PLACE_ORDINARY)
        leave_ignored();
    set_signals(true);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prepare_machine(&init);
    return &init;
}

static enum place find_place(void)
{
    return power_is_first_process() ? PLACE_MACHINE : getpid() == 1 ? PLACE_NAMESPACE : PLACE_ORDINARY;
}

bool init_chosen(const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;

    return getpid() == 1 && (power_is_first_process() || (name && !strcmp(slash ? slash + 1 : name, "init")));
}

int init_boot(int argc, char **argv)
{
    struct init *init = begin(find_place(), (size_t)argc);
    char *line = read_kernel_line(init), error[1024] = "out of memory";

    if (init->words)
        (void)init_orders_read(line, argc - 1, argv + 1, &init->orders, init->words, &init->n_words, error,
                               sizeof(error));
    free(line);
    return carry_out(init, error);
}

/* Takes orders from the kernel's command line for options that were not given. */
static void fill_orders(struct init *init, const struct option_table *table, char *error, size_t error_size)
{
    struct init_orders *orders = table->target;
    const char *none[1];
    size_t n;
    char *line = read_kernel_line(init);

    (void)init_orders_read(line, 0, NULL, &init->orders, none, &n, error, error_size);
    free(line);
    /* jitbench.end on the kernel's command line applies only to the machine's first process. */
    if (init->place == PLACE_ORDINARY)
        init->orders.end = INIT_STAY;
    for (size_t i = 0; i < init_n_rows; i++)
        if (table->given[i])
            memcpy((char *)&init->orders + init_rows[i].offset, (char *)orders + init_rows[i].offset,
                   init_rows[i].size);
}

static int run(const struct command *command, int argc, char **argv)
{
    static struct init_orders given;
    struct option_table table = {.rows = init_rows, .n = init_n_rows, .target = &given};
    const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
    enum place place = find_place();
    char error[1024] = "out of memory";
    size_t n = 0;

    int status = operands ? command_parse(command, &table, 1, &given.help, argc, argv, operands, &n) : EXIT_ROW_FAILED;
    if (status && place != PLACE_MACHINE) {
        free(operands);
        return status < 0 ? EXIT_DONE : status;
    }
    struct init *init = begin(place, (size_t)argc);
    if (!status && init->words) {
        fill_orders(init, &table, error, sizeof(error));
        memcpy(init->words, operands, n * sizeof(*operands));
        init->n_words = n;
    } else if (status) {
        text_copy(error, sizeof(error), "see above");
    }
    free(operands);
    return carry_out(init, error);
}

const struct command command_init = {
    .name = "init",
    .operands = "[-- COMMAND [ARG...]]",
    .title = "runs as the first process of a machine: mounts, measures, hands over the CSV, powers off",
    .description = "The kernel starts this command as the first process (init=/jitbench). It mounts those of /proc, "
                   "/sys, /dev, /dev/shm and /tmp that are missing, runs a command, hands over its CSV and ends the "
                   "machine. Each option can also be given on the kernel's command line, as jitbench.NAME=VALUE.",
    .run = run,
    .tables = tables,
    .takes = &command_names,
};
