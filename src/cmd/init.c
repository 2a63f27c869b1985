/* SPDX-License-Identifier: MIT */
/* jitbench init: the first process of a machine. Mounts file systems, runs the command, copies the CSV to a device or
 * the console, and powers the machine off or reboots it; as PID 1 of a machine it never exits. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/report.h"
#include <limits.h>
#include <sys/types.h>

#define SECOND_NS UINT64_C(1000000000)
#define POLL_NS   (SECOND_NS / 10)

/* PID 1 of nothing, of a PID namespace (a container), of the machine. */
enum place { PLACE_ORDINARY, PLACE_NAMESPACE, PLACE_MACHINE };

struct init {
    enum place place;
    struct init_orders orders;
    const char **words; /* the command to run; none: the order `run` */
    size_t n_words;
    struct mounts mounts;
    char folder[PATH_MAX]; /* the run writes its CSV there; "": none */
    struct device_mount disk;
    char disk_at[PATH_MAX]; /* where the disk is mounted; "": none */
    char scratch[PATH_MAX]; /* on the disk; "": none */
    bool asked;             /* to end, by a signal (Ctrl-Alt-Del sends SIGINT) */
    int status;             /* of init, unless it powers the machine off or stays */
};

/* How long the measuring process may take to report and end once asked, before it is killed; and all others after
 * SIGTERM and after SIGKILL. */
#define END_WAIT_NS  (20 * SECOND_NS)
#define LAST_WAIT_NS (2 * SECOND_NS)

/* A user may have stopped the console (Ctrl-S) to read the screen. */
#define STALL_NS (120 * SECOND_NS)

/* --- Signals: they stay blocked, and init waits for them. --- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU, SIGTSTP};
enum { N_ENDING = COUNT(ending), N_IGNORED = COUNT(ignored) };
static bool left_alone[N_ENDING];

/* --- Messages. A console that accepts no more output must not prevent the machine's end. --- */

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

static bool stalled; /* a write timed out, so the next does not wait */

/* -EINTR: stop() returned true; -ETIMEDOUT: nothing was accepted for two minutes. */
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

static void say(const char *format, ...)
{
    char line[2048] = "jitbench init: ";
    size_t begin = strlen(line);
    va_list args;

    va_start(args, format);
    vsnprintf(line + begin, sizeof(line) - begin - 1, format, args);
    va_end(args);
    text_sanitize(line); /* contains words from the kernel's command line */
    memcpy(line + strlen(line), "\n", 2);
    put(2, line, strlen(line), NULL);
}

/* --- Taking signals. --- */

static void on_signal(int number)
{
    /* the kernel queues no signal without a handler for PID 1 */
    (void)number;
}

static void taken_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < N_ENDING; i++)
        if (!left_alone[i])
            sigaddset(set, ending[i]); /* an ignored signal would be queued if it were blocked */
    sigaddset(set, SIGCHLD);
}

/* Signals that the parent ignored stay ignored, here and in the measuring process: nohup(1). */
static void leave_ignored(void)
{
    struct sigaction old;

    for (size_t i = 0; i < N_ENDING; i++)
        left_alone[i] = sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

/* In a child ours is false: the default actions. */
static void set_signals(bool ours)
{
    struct sigaction action;
    sigset_t set;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = ours ? SIG_IGN : SIG_DFL;
    for (size_t i = 0; i < N_IGNORED; i++)
        sigaction(ignored[i], &action, NULL);
    action.sa_handler = ours ? on_signal : SIG_DFL;
    for (size_t i = 0; i < N_ENDING; i++)
        if (!left_alone[i])
            sigaction(ending[i], &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
    taken_signals(&set);
    sigprocmask(ours ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* 0: none within ns nanoseconds (0: no limit). */
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

/* Returns true with the status when pid has ended; for pid 0, when there are no more children. errno: 0, or the
 * kernel's error. */
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

/* By SIGINT first, later by SIGKILL. *until: when it is killed. */
static void ask(struct init *init, pid_t pid, uint64_t *until)
{
    if (!init->asked)
        say("ending the run; once more ends it at once");
    kill(pid, init->asked ? SIGKILL : SIGINT);
    init->asked = true;
    *until = clock_raw_ns() + END_WAIT_NS;
}

/* Passes on signals that ask for the end. Returns the status of waitpid(). */
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
            kill(pid, SIGKILL);
            until = clock_raw_ns() + END_WAIT_NS;
        }
    }
    return status;
}

/* If init is PID 1 of the machine, the child begins a session on the console. */
static void child_begin(const struct init *init)
{
    if (init->place == PLACE_MACHINE) {
        console_take(true);
        console_own_session();
    }
    set_signals(false);
}

/* By SIGTERM, and after two seconds by SIGKILL. */
static void end_processes(void)
{
    static const int numbers[] = {SIGTERM, SIGKILL};
    int status;

    for (size_t i = 0; i < COUNT(numbers); i++) {
        uint64_t until = clock_raw_ns() + LAST_WAIT_NS;
        kill(-1, numbers[i]);
        while (!reap(0, &status) && clock_raw_ns() < until)
            wait_signal(POLL_NS);
    }
}

/* A USB disk takes seconds to appear. */
#define DEVICE_WAIT_NS (10 * SECOND_NS)

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options", .rows = init_rows, .n = init_n_rows};
    return 1;
}

/* --- Before the run. --- */

static void prepare_machine(struct init *init)
{
    /* an ordinary process mounts only what others cannot see: they use the machine's /tmp */
    if (init->place != PLACE_ORDINARY || mounts_for_oneself() == 0)
        mounts_make(&init->mounts);
    if (init->place == PLACE_MACHINE)
        console_take(false);
    for (size_t i = 0; i < init->mounts.n_refused; i++)
        say("%s is missing and cannot be mounted: %s", init->mounts.refused[i], strerror(-init->mounts.error[i]));
    if (init->place != PLACE_ORDINARY)
        setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
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
        say("%d kernel module%s not loaded (%s)", failed, PLURAL(failed), error);
}

/* Returns 0 or -errno. */
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

/* A missing one is not found only after an hour of measuring. */
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

    for (size_t i = 0; i < COUNT(folders); i++)
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
        rmdir(init->disk_at);
    init->scratch[0] = init->disk_at[0] = '\0';
    init->disk = (struct device_mount){.mounted = false};
}

/* Returns 0 or -errno. */
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

/* --- The process that measures. --- */

static int run_command(struct init *init, char *const *argv)
{
    pid_t pid = fork();

    if (pid == 0) {
        child_begin(init);
        if (init->folder[0])
            (void)!chdir(init->folder);
        if (init->scratch[0])
            setenv("TMPDIR", init->scratch, 1);
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

/* Returns -errno when it is incomplete there. */
static int print_csv(const struct init *init, const char *name, const char *csv, size_t length)
{
    FREED_BY(text_free) struct text out = {0};
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
    return error;
}

/* Returns 0 on success. */
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
    rmdir(at);
    if (failed)
        say("out: %s", error);
    else
        say("CSV written to %s:%s%s%s", device, written, error[0] ? "; " : "", error);
    return failed;
}

/* Returns false when the CSV is lost. */
static bool hand_over_file(const struct init *init, const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "/%s", name) >= (int)sizeof(path))
        return false;
    FREED_BY(fd_close) int fd = procfs_open(init->folder, path);
    const off_t length = lseek(fd, 0, SEEK_END);
    /* of any size: in memory already, or read as it is written */
    char *csv = length > 0 ? mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (length < 0 || csv == MAP_FAILED) {
        say("%s%s: cannot be read: %s", init->folder, path, strerror(fd < 0 ? -fd : errno));
        return false;
    }
    const bool kept =
        store_csv(init, name, csv, (size_t)length) == 0 || print_csv(init, name, csv, (size_t)length) == 0;
    if (csv)
        munmap(csv, (size_t)length);
    return kept;
}

static void hand_over(struct init *init)
{
    FREED_BY(memory_free) char **names = init->folder[0] ? procfs_names("", init->folder) : NULL;

    if (init->folder[0] && !names) {
        say("%s: cannot list the files that the run left there: %s", init->folder, strerror(errno));
        init->status = init->status ? init->status : EXIT_ROW_FAILED;
    }
    for (size_t i = 0; names && names[i]; i++)
        if (strlen(names[i]) > 4 && !strcmp(names[i] + strlen(names[i]) - 4, ".csv") &&
            !hand_over_file(init, names[i]) && !init->status)
            init->status = EXIT_ROW_FAILED;
}

/* --- The end of the machine. --- */

static void end_machine(struct init *init, enum power_end how)
{
    static const char *const names[] = {[POWER_OFF] = "power off", [POWER_RESTART] = "restart", [POWER_HALT] = "halt"};

    if (init->place != PLACE_ORDINARY)
        end_processes();
    if (init->place == PLACE_MACHINE)
        power_protect_root();
    drain(2);
    int error = power_end(how);
    say("cannot %s: %s", names[how], strerror(-error));
    init->status = init->status ? init->status : EXIT_ROW_FAILED;
}

/* The machine's first process must not exit. */
static void stay(struct init *init)
{
    int number, status;

    say("Ctrl-Alt-Del restarts the machine");
    do {
        number = wait_signal(0);
        reap(0, &status);
    } while (number != SIGINT);
    end_machine(init, POWER_RESTART);
    for (;;)
        pause();
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
        execve("/bin/sh", argv, environ);
        say("/bin/sh: %s", strerror(errno));
        _exit(127);
    }
    if (pid > 0)
        wait_child(init, pid);
    else
        say("no process for a shell: %s", strerror(errno));
}

static void follow_end(struct init *init)
{
    static const enum power_end ends[] = {[INIT_POWEROFF] = POWER_OFF,
                                          [INIT_REBOOT] = POWER_RESTART,
                                          [INIT_HALT] = POWER_HALT,
                                          [INIT_STAY] = POWER_RESTART};

    if (init->orders.end == INIT_SHELL) {
        init->asked = false;
        run_shell(init);
    } else if (init->orders.end != INIT_STAY || (init->asked && init->place == PLACE_MACHINE)) {
        end_machine(init, ends[init->orders.end]);
    }
    if (init->place == PLACE_MACHINE)
        stay(init);
}

static int finish(struct init *init)
{
    if (init->folder[0])
        scratch_remove(init->folder);
    follow_end(init);
    mounts_undo(&init->mounts);
    free(init->words);
    return init->status;
}

/* --- Carrying out the orders. --- */

/* wrong: if it is not empty, nothing is run. */
static int carry_out(struct init *init, struct text *wrong)
{
    FREED_BY(init_command_free) struct init_command command = {0};

    init_command_make(&init->orders, init->words, init->n_words, &command, wrong);
    if (wrong->length || wrong->failed || !command.argv) {
        say("nothing was run: %s", wrong->data ? wrong->data : "out of memory");
        init->status = EXIT_USAGE;
        return finish(init);
    }
    load_modules(init);
    look_for_device(init);
    make_folder(init);
    begin_scratch(init);
    const bool wanted = !init->asked;
    if (wanted) {
        FREED_BY(text_free) struct text line = {0};
        for (size_t i = 1; command.argv[i]; i++)
            text_printf(&line, " %s", command.argv[i]);
        say("runs%s", line.data ? line.data : "");
        init->status = run_command(init, command.argv);
    }
    end_scratch(init);
    if (wanted)
        hand_over(init);
    return finish(init);
}

/* The caller frees it; NULL: not readable. "" in a container: the line is for the machine's init, and no argument is
 * the kernel's. */
static char *read_kernel_line(const struct init *init)
{
    return init->place == PLACE_NAMESPACE ? strdup("") : procfs_read_all("", "/proc/cmdline");
}

static struct init *begin(enum place place, size_t n)
{
    static struct init init; /* PID 1 must not fail for lack of memory */

    init.place = place;
    init.words = calloc(n + 1, sizeof(*init.words));
    struct option_table table = {.rows = init_rows, .n = init_n_rows, .target = &init.orders};
    struct error error;
    option_defaults(&table, 1, PRESET_DEFAULT, &error);
    if (place == PLACE_ORDINARY)
        leave_ignored();
    set_signals(true);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
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
    FREED_BY(memory_free) char *line = read_kernel_line(init);
    FREED_BY(text_free) struct text wrong = {.failed = !init->words};

    if (init->words)
        init_orders_read(line, argc - 1, argv + 1, &init->orders, init->words, &init->n_words, &wrong);
    return carry_out(init, &wrong);
}

static void fill_orders(struct init *init, const struct option_table *table, struct text *wrong)
{
    struct init_orders *orders = table->target;
    const char *none[1];
    size_t n;
    FREED_BY(memory_free) char *line = read_kernel_line(init);

    init_orders_read(line, 0, NULL, &init->orders, none, &n, wrong);
    /* applies only to the machine's first process */
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
    FREED_BY(memory_free) const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
    enum place place = find_place();
    FREED_BY(text_free) struct text wrong = {0};
    size_t n = 0;

    int status = operands ? command_parse(command, &table, 1, argc, argv, operands, &n)
                          : command_complain(command->name, "out of memory", EXIT_ROW_FAILED);
    if (status && place != PLACE_MACHINE)
        return status < 0 ? EXIT_DONE : status;
    struct init *init = begin(place, (size_t)argc);
    if (!status && init->words) {
        fill_orders(init, &table, &wrong);
        memcpy(init->words, operands, n * sizeof(*operands));
        init->n_words = n;
    } else {
        text_printf(&wrong, status ? "see above" : "out of memory");
    }
    return carry_out(init, &wrong);
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
