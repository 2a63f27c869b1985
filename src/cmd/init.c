/* SPDX-License-Identifier: MIT */
/* jitbench init: the first process of a machine. Reads orders from the kernel's command line and its arguments, mounts
 * file systems, runs the command, hands over the CSV and ends the machine; as PID 1 of a machine it never exits. */
#include "cmd/cmd.h"

#include <fnmatch.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "report/report.h"

#define SECOND_NS UINT64_C(1000000000)
#define POLL_NS   (SECOND_NS / 10)

/* From asking the measuring process to end until it is killed; and for all others after SIGTERM and SIGKILL. */
#define END_WAIT_NS  (20 * SECOND_NS)
#define LAST_WAIT_NS (2 * SECOND_NS)

/* A user may have stopped the console (Ctrl-S) to read the screen. */
#define STALL_NS (120 * SECOND_NS)

/* A USB disk takes seconds to appear. */
#define DEVICE_WAIT_NS (10 * SECOND_NS)

/* PID 1 of nothing, of a PID namespace (a container), of the machine. */
enum place { PLACE_ORDINARY, PLACE_NAMESPACE, PLACE_MACHINE };

/* The state of the run; static because PID 1 must not fail for lack of memory. */
static struct {
    enum place place;
    struct init_orders orders;
    struct mounts mounts;
    char folder[PATH_MAX]; /* the run writes its CSV there; "": none */
    struct device_mount disk;
    char disk_at[PATH_MAX];  /* where the disk is mounted; "": none */
    char scratch[PATH_MAX];  /* on the disk; "": none */
    const char *kernel_line; /* see init_orders_read() */
    bool asked;              /* to end, by a signal (Ctrl-Alt-Del sends SIGINT) */
    int status;              /* of init, unless it powers the machine off or stays */
} init;

static void fail(void)
{
    if (!init.status)
        init.status = EXIT_ROW_FAILED;
}

/* --- Orders. --- */

#define PREFIX "jitbench."

#define ORDER(name_, letter_, member_, help_) OPTION(name_, letter_, struct init_orders, member_, help_)
static const struct option rows[] = {
    {ORDER("run", 0, run, "command to run, with its options; quotes keep words together"), OPTION_WORD("COMMAND"),
     .preset = {INIT_RUN_DEFAULT}},
    {ORDER("out", 0, out, "where to write the CSV: a new file, or a directory, on that device; default: the console"),
     OPTION_WORD("DEVICE:PATH")},
    {ORDER("scratch", 0, scratch,
           "directory for scratch files, on a device that is mounted for the run; default: memory, as a rule"),
     OPTION_WORD("DEVICE:/DIR")},
    {ORDER("end", 0, end, "what to do after the run; stay: wait for Ctrl-Alt-Del"),
     OPTION_EITHER("stay|poweroff|reboot|shell|halt", "stay", "poweroff", "reboot", "shell", "halt"),
     .preset = {"stay"}},
    {ORDER("tune", 0, tune, "run with --tuned"), OPTION_EITHER("no|yes", "no", "yes"), .preset = {"no"}},
    {ORDER("csv", 0, csv, "summary: run with --no-samples, for a console that is slow or narrow"),
     OPTION_EITHER("full|summary", "full", "summary"), .preset = {"full"}},
    {ORDER("modules", 0, modules, "kernel modules to load first: a directory's, or by name from /lib/modules"),
     OPTION_WORD("DIR|NAME,...")},
    {ORDER("help", 'h', help, "print this help")},
};

/* Returns the text, to which the caller appends another error. */
static struct text *another(struct text *wrong)
{
    text_append(wrong, "; ", wrong->length ? 2 : 0);
    return wrong;
}

/* Returns false when the word is no order. */
static bool read_order(const char *word, struct init_orders *orders, struct text *wrong)
{
    const char *names[COUNT(rows)], *value = strchrnul(word, '=');
    const struct option *row = NULL;
    struct error error;
    char name[64];
    size_t n = 0;

    if (!starts_with(word, PREFIX))
        return false;
    word += strlen(PREFIX);
    TEXT_PRINT(name, "%.*s", (int)(value - word), word);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].type == OPTION_FLAG)
            continue;
        names[n++] = rows[i].name;
        row = !strcmp(name, rows[i].name) ? &rows[i] : row;
    }
    if (!row) {
        const char *nearest = text_nearest(name, names, n);
        text_printf(another(wrong), "unknown order '" PREFIX "%s'%s", name,
                    nearest ? TEXT_LINE("; did you mean '" PREFIX "%s'?", nearest) : "");
    } else if (option_set(row, value + (*value == '='), orders, false, &error)) {
        text_printf(another(wrong), PREFIX "%s", error.text + strspn(error.text, "-"));
    }
    return true;
}

void init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                      const char **words, size_t *n_words, struct text *wrong)
{
    FREED_BY(words_free) struct words line = {0};
    size_t n = 0;

    *n_words = 0;
    if (kernel_line && words_of_kernel(kernel_line, &line))
        text_printf(another(wrong), "out of memory");
    for (; n < line.n && strcmp(line.word[n], "--"); n++)
        read_order(line.word[n], orders, wrong);
    for (int i = 0; i < argc; i++) {
        /* the kernel did not know it and passed it to init */
        bool of_kernel = !line.word && !command_find(argv[i]);
        for (size_t k = 0; k < n; k++)
            of_kernel |= !strcmp(line.word[k], argv[i]);
        if (!read_order(argv[i], orders, wrong) && (*n_words || !of_kernel))
            words[(*n_words)++] = argv[i];
    }
}

/* --- The command to run. --- */

/* "DEVICE:PATH" */
struct target {
    char device[sizeof(((struct init_orders *)0)->out) + 8], path[sizeof(((struct init_orders *)0)->out) + 8];
};

/* Returns false for "" and for what is none. */
static bool find_target(const char *order, struct target *out)
{
    return order[0] && device_split(order, out->device, out->path, sizeof(out->device)) == 0;
}

void init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                       struct init_command *command, struct text *wrong)
{
    const char *why = NULL;
    struct target target;
    size_t n = 0;

    *command = (struct init_command){0};
    if (orders->out[0] && !find_target(orders->out, &target))
        text_printf(another(wrong), "out must be DEVICE:PATH, as in /dev/sda1:/result.csv");
    if (orders->scratch[0] && !find_target(orders->scratch, &target))
        text_printf(another(wrong), "scratch must be DEVICE:/DIR, as in /dev/sda1:/var/tmp");
    if (!n_words) {
        why = words_of_command(orders->run, false, &command->words);
        words = (const char *const *)command->words.word;
        n_words = command->words.n;
    }
    const struct command *named = n_words ? command_find(words[0]) : NULL;
    if (!n_words) {
        text_printf(another(wrong), "run: %s", why ? why : "names no command");
    } else if (!named) {
        text_printf(another(wrong), "unknown command '%.80s'; 'jitbench help' shows them", words[0]);
    } else if (named == &command_init) {
        text_printf(another(wrong), "init does not run itself");
    } else if ((orders->tune || orders->csv) && named->run != measure_main) {
        text_printf(another(wrong), "%s: '%s' has no --%s", orders->tune ? "tune" : "csv", words[0],
                    orders->tune ? "tuned" : "no-samples");
    } else if (!(command->argv = calloc(n_words + 4, sizeof(*command->argv)))) {
        text_printf(another(wrong), "out of memory");
    } else {
        command->argv[n++] = (char *)"jitbench";
        command->argv[n++] = (char *)words[0];
        if (orders->tune)
            command->argv[n++] = (char *)"--tuned";
        if (orders->csv)
            command->argv[n++] = (char *)"--no-samples";
        memcpy(command->argv + n, words + 1, (n_words - 1) * sizeof(*words));
    }
}

void init_command_free(struct init_command *command)
{
    words_free(&command->words);
    free(command->argv);
    command->argv = NULL;
}

/* --- Signals stay blocked; init waits for them. --- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void set_ignored(void (*action)(int))
{
    signal(SIGTTIN, action);
    signal(SIGTTOU, action);
    signal(SIGTSTP, action);
}

/* 0: none within ns nanoseconds (0: no limit). */
static int wait_signal(uint64_t ns)
{
    const struct timespec time = clock_timespec(ns);
    sigset_t taken;
    int number;

    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    for (size_t i = 0; i < COUNT(ending); i++)
        sigaddset(&taken, ending[i]);
    do
        number = ns ? sigtimedwait(&taken, NULL, &time) : sigwaitinfo(&taken, NULL);
    while (number < 0 && errno == EINTR);
    return number < 0 ? 0 : number;
}

/* --- Messages. A console that accepts no more output must not prevent the machine's end. --- */

static bool stalled; /* a write timed out, so the next does not wait */

/* -EINTR: stop() returned not 0; -ETIMEDOUT: nothing was accepted for two minutes. */
static int put(int fd, const char *data, size_t length, int (*stop)(void))
{
    int error = console_write(fd, data, length, stalled ? 0 : STALL_NS, stop);

    stalled = error == -ETIMEDOUT;
    return error;
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

/* A signal that asks for the end is passed on as SIGINT, a second one as SIGKILL. Returns the status of waitpid(). */
static int wait_child(pid_t pid)
{
    uint64_t until = 0; /* when it is killed; 0: not asked to end */
    int status = 0;

    while (!reap(pid, &status)) {
        const int number = wait_signal(until || errno ? POLL_NS : 0);
        const bool asked = number && number != SIGCHLD, late = !asked && until && clock_raw_ns() > until;
        if (late)
            say("the run does not end, and is killed");
        else if (asked && !init.asked)
            say("ending the run; once more ends it at once");
        if (!late && !asked)
            continue;
        kill(pid, init.asked ? SIGKILL : SIGINT);
        init.asked = true;
        until = clock_raw_ns() + END_WAIT_NS;
    }
    return status;
}

/* Runs the command by this program, or a shell, in the directory; of the machine's PID 1 in a session on the console.
 * Returns the status of waitpid(), or -1 with a message. */
static int run_child(char *const *argv, bool shell, const char *folder)
{
    const pid_t pid = fork();

    if (pid == 0) {
        if (init.place == PLACE_MACHINE) {
            console_take(true);
            console_own_session();
        }
        signals_restore();
        set_ignored(SIG_DFL);
        if (folder[0])
            (void)!chdir(folder);
        if (init.scratch[0])
            setenv("TMPDIR", init.scratch, 1);
        const int error = shell ? sys_result(execve("/bin/sh", argv, environ)) : process_exec_self(argv, environ);
        say("%s: %s", shell ? "/bin/sh" : "cannot run itself", strerror(-error));
        _exit(127);
    }
    if (pid > 0)
        return wait_child(pid);
    say("no process for %s: %s", shell ? "a shell" : "the run", strerror(errno));
    return -1;
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

/* --- Before the run. --- */

/* Returns 0 or -errno. */
static int wait_device(const char *device)
{
    uint64_t until = clock_raw_ns() + DEVICE_WAIT_NS;
    int error;

    while ((error = device_check(device)) == -ENOENT && clock_raw_ns() < until && !init.asked) {
        int number = wait_signal(POLL_NS);
        init.asked = number && number != SIGCHLD;
    }
    return error;
}

/* --- The disk for scratch files. --- */

static void end_scratch(void)
{
    bool detached;
    int error = device_unmount(&init.disk, &detached);

    if (error)
        say("scratch: %s: cannot be unmounted: %s", init.orders.scratch, strerror(-error));
    else if (detached)
        say("scratch: %s%s", init.orders.scratch, DEVICE_DETACHED);
    if (init.disk_at[0])
        rmdir(init.disk_at);
    init.scratch[0] = init.disk_at[0] = '\0';
    init.disk = (struct device_mount){0};
}

static void begin_scratch(void)
{
    struct target target;
    char type[32];

    if (!find_target(init.orders.scratch, &target))
        return;
    int error = wait_device(target.device);
    if (!error && !(error = scratch_folder(init.folder, init.disk_at, sizeof(init.disk_at))) &&
        !(error = device_mount(target.device, init.disk_at, 0, &init.disk)) &&
        !(error = device_folder(init.disk.place, target.path)) &&
        TEXT_PRINT(init.scratch, "%s%s", init.disk.place, target.path) >= (int)sizeof(init.scratch))
        error = -ENAMETOOLONG;
    if (error) {
        say("scratch: %s:%s: %s; the file tests do not measure that disk", target.device, target.path,
            device_why_not(error));
        end_scratch();
        return;
    }
    machine_fs_name(init.scratch, type, sizeof(type));
    say("scratch files go to %s:%s (%s)", target.device, target.path, type);
}

/* --- The CSV. --- */

/* Returns -errno when it is incomplete there. */
static int print_csv(const char *name, const char *csv, size_t length)
{
    FREED_BY(text_free) struct text out = {0};
    bool quiet = init.place == PLACE_MACHINE || console_is_shared(1);

    text_append(&out, "\n", 1);
    frame_csv(name, csv, length, &out);
    if (quiet)
        console_quiet(true);
    int error = out.failed ? -ENOMEM : put(1, out.data, out.length, signals_pending);
    console_drain(1, stalled ? 0 : STALL_NS);
    if (quiet)
        console_quiet(false);
    if (error)
        say("the CSV is not printed to its end: %s", error == -EINTR ? "asked to end" : strerror(-error));
    return error;
}

/* Returns 0 on success. */
static int store_csv(const char *name, const char *csv, size_t length)
{
    struct target target;
    char at[PATH_MAX], written[PATH_MAX], error[1200];

    if (!find_target(init.orders.out, &target))
        return -1;
    if (scratch_folder(init.folder, at, sizeof(at))) {
        say("out: no directory to mount %s on", target.device);
        return -1;
    }
    const struct device_file file = {.device = target.device, .path = target.path, .name = name, .at = at};
    int failed = device_file_write(&file, csv, length, written, sizeof(written), error, sizeof(error));
    rmdir(at);
    if (failed)
        say("out: %s", error);
    else
        say("CSV written to %s:%s%s%s", target.device, written, error[0] ? "; " : "", error);
    return failed;
}

/* Returns false when the CSV is lost. */
static bool hand_over_file(const char *name)
{
    char path[PATH_MAX];

    if (TEXT_PRINT(path, "%s/%s", init.folder, name) >= (int)sizeof(path))
        return false;
    FREED_BY(fd_close) int fd = procfs_open(path);
    const off_t length = lseek(fd, 0, SEEK_END);
    /* of any size: in memory already, or read as it is written */
    char *csv = length > 0 ? mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (length < 0 || csv == MAP_FAILED) {
        say("%s: cannot be read: %s", path, strerror(fd < 0 ? -fd : errno));
        return false;
    }
    const bool kept = store_csv(name, csv, (size_t)length) == 0 || print_csv(name, csv, (size_t)length) == 0;
    if (csv)
        munmap(csv, (size_t)length);
    return kept;
}

static void hand_over(void)
{
    FREED char **names = init.folder[0] ? procfs_names(init.folder) : NULL;

    if (init.folder[0] && !names) {
        say("%s: cannot list the files that the run left there: %s", init.folder, strerror(errno));
        fail();
    }
    for (size_t i = 0; names && names[i]; i++)
        if (!fnmatch("?*.csv", names[i], 0) && !hand_over_file(names[i]))
            fail();
}

/* --- The end of the machine. --- */

static void end_machine(int end)
{
    static const struct {
        enum power_end how;
        const char *name;
    } ends[] = {[INIT_STAY] = {POWER_RESTART, "restart"},
                [INIT_REBOOT] = {POWER_RESTART, "restart"},
                [INIT_POWEROFF] = {POWER_OFF, "power off"},
                [INIT_HALT] = {POWER_HALT, "halt"}};

    if (init.place != PLACE_ORDINARY)
        end_processes();
    if (init.place == PLACE_MACHINE)
        power_protect_root();
    console_drain(2, stalled ? 0 : STALL_NS);
    say("cannot %s: %s", ends[end].name, strerror(-power_end(ends[end].how)));
    fail();
}

static void follow_end(void)
{
    char *const shell[] = {(char *)"sh", NULL};
    const int end = init.orders.end;
    int status;

    if (end == INIT_SHELL && access("/bin/sh", X_OK)) {
        say("no shell here: there is no /bin/sh");
        end_machine(INIT_HALT);
    } else if (end == INIT_SHELL) {
        init.asked = false;
        run_child(shell, true, "/");
    } else if (end != INIT_STAY || (init.asked && init.place == PLACE_MACHINE)) {
        end_machine(end);
    }
    if (init.place != PLACE_MACHINE)
        return;
    /* the machine's first process must not exit */
    say("Ctrl-Alt-Del restarts the machine");
    while (wait_signal(0) != SIGINT)
        reap(0, &status);
    end_machine(INIT_REBOOT);
    for (;;)
        pause();
}

/* --- Carrying out the orders. --- */

static void measure(char *const *argv)
{
    static const char *const folders[] = {"/tmp", "/dev/shm", "/run", "/"};
    const char *modules = init.orders.modules;
    FREED_BY(text_free) struct text line = {0};
    struct target target;
    struct error why;
    int failed = modules[0] ? modules_load(modules, &why) : 0;

    if (failed < 0)
        say("modules '%s': %s", modules, strerror(-failed));
    else if (failed)
        say("%d kernel module%s not loaded (%s)", failed, PLURAL(failed), why.text);
    /* now, not after an hour of measuring */
    failed = find_target(init.orders.out, &target) ? wait_device(target.device) : 0;
    if (failed)
        say("out: %s: %s; the CSV will follow on the console", target.device, strerror(-failed));
    for (size_t i = 0; i < COUNT(folders) && scratch_folder(folders[i], init.folder, sizeof(init.folder)); i++)
        ;
    begin_scratch();
    const bool wanted = !init.asked;
    if (wanted) {
        for (size_t i = 1; argv[i]; i++)
            text_printf(&line, " %s", argv[i]);
        say("runs%s", line.data ? line.data : "");
        const int status = run_child(argv, false, init.folder);
        init.status = status == -1          ? EXIT_ROW_FAILED
                      : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                            : WEXITSTATUS(status);
        if (status > 0 && WIFSIGNALED(status))
            say("the run crashed: ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
        else if (status > 0)
            say("the run ended with status %d", init.status);
    }
    end_scratch();
    if (wanted)
        hand_over();
    if (init.folder[0])
        scratch_remove(init.folder);
}

static void begin(enum place place)
{
    struct option_table table = {OPTION_TABLE(NULL, rows, &init.orders)};
    struct error error;

    init.place = place;
    option_defaults(&table, 1, PRESET_DEFAULT, &error);
    /* what an ordinary process's parent ignored stays so, here and in the measuring process (nohup(1)) */
    for (size_t i = 0; i < COUNT(ending) && place != PLACE_ORDINARY; i++)
        signal(ending[i], SIG_DFL);
    signals_init();
    set_ignored(SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    /* an ordinary process mounts only what others cannot see: they use the machine's /tmp */
    if (init.place != PLACE_ORDINARY || mounts_for_oneself() == 0)
        mounts_make(&init.mounts);
    if (init.place == PLACE_MACHINE) {
        prctl(PR_SET_NAME, "jitbench"); /* the setting `network` looks for it */
        console_take(false);
    }
    for (size_t i = 0; i < MOUNTS_MAX; i++)
        if (init.mounts.of[i].error)
            say("%s is missing and cannot be mounted: %s", init.mounts.of[i].path, strerror(-init.mounts.of[i].error));
    if (init.place != PLACE_ORDINARY)
        setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
    /* in a container it is for the machine's init, and no argument is the kernel's */
    init.kernel_line = place == PLACE_NAMESPACE ? "" : procfs_read_all("/proc/cmdline");
}

static enum place find_place(void)
{
    return power_is_first_process() ? PLACE_MACHINE : getpid() == 1 ? PLACE_NAMESPACE : PLACE_ORDINARY;
}

bool init_chosen(const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    const enum place place = find_place();

    return place == PLACE_MACHINE || (place == PLACE_NAMESPACE && name && !strcmp(slash ? slash + 1 : name, "init"));
}

/* Of the command: n words, or none for the order `run`. wrong: if it is not empty, nothing is run. */
static int carry_out(const char *const *words, size_t n, struct text *wrong)
{
    FREED_BY(init_command_free) struct init_command command = {0};

    init_command_make(&init.orders, words, n, &command, wrong);
    if (wrong->length || wrong->failed || !command.argv) {
        say("nothing was run: %s", wrong->data ? wrong->data : "out of memory");
        init.status = EXIT_USAGE;
    } else {
        measure(command.argv);
    }
    follow_end();
    mounts_undo(&init.mounts);
    return init.status;
}

int init_boot(int argc, char **argv)
{
    begin(find_place());
    FREED const char **words = calloc((size_t)argc + 1, sizeof(*words));
    FREED_BY(text_free) struct text wrong = {.failed = !words};
    size_t n = 0;

    if (words)
        init_orders_read(init.kernel_line, argc - 1, argv + 1, &init.orders, words, &n, &wrong);
    return carry_out(words, n, &wrong);
}

static int run(int argc, char **argv)
{
    struct option_table table = *command_init.options;
    FREED const char **words = calloc((size_t)argc + 1, sizeof(*words));
    FREED_BY(text_free) struct text wrong = {0};
    const enum place place = find_place();
    struct error error;
    size_t n = 0, none;

    table.target = &init.orders;
    const int status =
        words ? command_parse(&table, 1, argc, argv, words, &n) : command_fail(EXIT_ROW_FAILED, "out of memory");
    if (status && place != PLACE_MACHINE)
        return status < 0 ? EXIT_DONE : status;
    begin(place);
    if (status)
        text_printf(&wrong, "see above");
    else
        init_orders_read(init.kernel_line, 0, NULL, &init.orders, NULL, &none, &wrong);
    /* applies only to the machine's first process */
    if (place == PLACE_ORDINARY)
        init.orders.end = INIT_STAY;
    if (!status)
        option_parse(argc, argv, &table, 1, words, &error); /* again: options come after the kernel's line */
    return carry_out(words, status ? 0 : n, &wrong);
}

const struct command command_init = {
    .name = "init",
    .operands = "[-- COMMAND [ARG...]]",
    .title = "a measurement in place of the system's init",
    .description =
        "The first process of a machine (init=/jitbench): mounts what is missing, runs a command, hands over its CSV "
        "and ends the machine. Each option can also be given on the kernel's command line, as jitbench.NAME=VALUE.",
    .run = run,
    COMMAND_TABLE(rows, .heading = "Options"),
    .takes = &command_names,
};
