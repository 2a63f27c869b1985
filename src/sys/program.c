/* SPDX-License-Identifier: MIT */
#include "sys/process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sys/clock.h"

/* Bytes, for the few calls between clone() and exec. */
#define CHILD_STACK 65536
/* As execvp() without PATH. */
#define DEFAULT_PATH "/bin:/usr/bin"
/* Interval between checks for orphans, and maximum wait after they were killed, in ns. */
#define ORPHAN_PAUSE_NS 1000000u
#define ORPHAN_LIMIT_NS 5000000000u

static int may_execute(const char *file)
{
    struct stat status;

    if (stat(file, &status))
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (!S_ISREG(status.st_mode))
        return -EACCES;
    const int error = sys_result(faccessat(AT_FDCWD, file, X_OK, AT_EACCESS));

    /* a filter that does not know faccessat2(), as in older containers */
    return error == -EPERM ? sys_result(access(file, X_OK)) : error;
}

int program_find(const char *name, const char *path, char *buf, size_t size)
{
    int found = -ENOENT;

    if (!name[0])
        return -ENOENT;
    if (strchr(name, '/')) {
        if ((size_t)snprintf(buf, size, "%s", name) >= size)
            return -ENAMETOOLONG;
        return may_execute(name);
    }
    for (const char *at = path ? path : DEFAULT_PATH;; at++) {
        size_t length = strcspn(at, ":");
        int n = snprintf(buf, size, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        int error = (size_t)n >= size ? -ENAMETOOLONG : may_execute(buf);
        if (error == 0)
            return 0;
        if (error == -EACCES)
            found = error;
        at += length;
        if (!*at)
            return found;
    }
}

struct start {
    const struct program *program;
    pid_t parent;
    uint64_t exec_ns;
    int error;
};

/* For functions of a child, which run on a stack of its own in the parent's memory. A sanitizer marks memory around
 * variables and clears the marks on return: therefore they are not inlined and return before the exec, and the child
 * ends by returning. */
#define OWN_FRAME __attribute__((noinline))

/* Makes fds the descriptors 0 to 2. One that is itself 0 to 2 is copied first, before it is overwritten. Returns 0
 * or -errno. */
OWN_FRAME static int redirect(const int fds[3])
{
    int moved[3];

    for (int i = 0; i < 3; i++) {
        moved[i] = fds[i] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : fds[i];
        if (moved[i] < 0) /* no /dev/null: the caller's own */
            moved[i] = i;
        if (moved[i] != i && moved[i] <= 2 && (moved[i] = fcntl(moved[i], F_DUPFD_CLOEXEC, 3)) < 0)
            return -errno;
    }
    for (int i = 0; i < 3; i++)
        if (moved[i] != i ? dup2(moved[i], i) < 0 : fcntl(i, F_SETFD, 0) < 0)
            return -errno;
    return 0;
}

/* A shell started with SIGCHLD or SIGALRM blocked would wait forever; one with SIGINT or SIGTERM blocked could not
 * be ended. A system call, since signal() refuses the signals that the C library keeps for itself. */
OWN_FRAME static void reset_signals(void)
{
    static const unsigned long standard[16]; /* the kernel's struct sigaction with SIG_DFL: zeros in any layout */
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, standard, NULL, NSIG / 8);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void program_be_parent(void)
{
    sigset_t awaited;

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN); /* of what has lost its reader: orphans have to be ended */
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
}

static int child_main(void *argument)
{
    struct start *start = argument;
    const struct program *program = start->program;

    start->error = task_die_with_parent(start->parent, SIGKILL);
    if (program->guard && !start->error) {
        start->error = sys_result(setpgid(0, 0));
        program->guard->group = getpid();
    }
    if (!start->error)
        start->error = redirect(program->fds);
    if (!start->error && program->prepare)
        start->error = program->prepare(program->context);
    if (start->error)
        return 127;
    process_close_from(3);
    reset_signals();
    start->exec_ns = clock_raw_ns();
    execve(program->path, program->argv, program->envp);
    start->error = -errno;
    return 127;
}

static int end_at_once(void *argument)
{
    (void)argument;
    return 0;
}

/* The child sends no signal at its end: the caller may be waiting for others. */
int program_can_share(void)
{
    char stack[CHILD_STACK] __attribute__((aligned(64)));

    pid_t pid = clone(end_at_once, stack + sizeof(stack), CLONE_VM, NULL);
    if (pid < 0)
        return -errno;
    process_await(pid);
    return 0;
}

/* As with vfork(), the cost does not grow with the caller's size, and errors need no pipe. */
pid_t program_start(const struct program *program, uint64_t *exec_ns)
{
    struct start start = {.program = program, .parent = getpid()};
    char stack[CHILD_STACK] __attribute__((aligned(64)));

    pid_t pid = clone(child_main, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
    if (pid < 0)
        return -errno;
    int error = *(volatile int *)&start.error; /* written by the child, unseen by the compiler */
    if (error) {
        process_await(pid);
        return error;
    }
    *exec_ns = *(volatile uint64_t *)&start.exec_ns;
    return pid;
}

/* Returns 1 when the process has ended (not reaped), 0 when not, or -errno. */
static int has_ended(pid_t pid)
{
    siginfo_t info;

    info.si_pid = 0;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
        if (errno != EINTR)
            return -errno;
    return info.si_pid == pid;
}

int program_wait(pid_t pid, uint64_t until_ns, uint64_t *end_ns)
{
    static const int awaited[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < COUNT(awaited); i++)
        sigaddset(&set, awaited[i]);
    for (;;) {
        const uint64_t now = clock_raw_ns();
        const struct timespec timeout = clock_timespec(until_ns > now ? until_ns - now : 0);
        const int number = sigtimedwait(&set, NULL, &timeout);
        *end_ns = clock_raw_ns();
        /* The signal may come from an orphan or an earlier child. */
        int ended = has_ended(pid);
        if (ended)
            return ended < 0 ? ended : 0;
        if (number > 0 && number != SIGCHLD) {
            raise(number); /* pending again, for the caller and the next program */
            return -EINTR;
        }
        if (*end_ns >= until_ns)
            return -ETIMEDOUT;
    }
}

static int64_t nanoseconds(const struct timeval *time)
{
    return (int64_t)time->tv_sec * 1000000000 + (int64_t)time->tv_usec * 1000;
}

int program_reap(pid_t pid, struct program_end *end)
{
    char text[8192];
    int64_t run_ns, delay_ns;
    uint64_t cpu;

    memset(end, 0, sizeof(*end));
    if (has_ended(pid) <= 0)
        kill(pid, SIGKILL);
    /* Both files are about the main thread; nothing is left of other threads. */
    procfs_read(PROCFS_PATH("/proc/%d/schedstat", (int)pid), text, sizeof(text));
    task_parse_schedstat(text, &run_ns, &delay_ns);
    procfs_read(PROCFS_PATH("/proc/%d/sched", (int)pid), text, sizeof(text));
    const int64_t migrations = task_parse_migrations(text);
    /* Field 39, counted from the end of the name, which may contain anything. */
    procfs_read(PROCFS_PATH("/proc/%d/stat", (int)pid), text, sizeof(text));
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 39; field++)
        at = strchr(at + 1, ' ');
    end->last_cpu = at && procfs_number(at, &cpu) && cpu < CPUSET_MAX ? (unsigned)cpu : CPUSET_NONE;
    while (wait4(pid, &end->status, 0, &end->usage) < 0)
        if (errno != EINTR)
            return -errno;
    const struct rusage *usage = &end->usage;
    int64_t cpu_ns = nanoseconds(&usage->ru_utime) + nanoseconds(&usage->ru_stime);
    bool alone = run_ns >= 0 && run_ns >= cpu_ns - cpu_ns / 10;
    end->counters = (struct task_counters){.cpu_ns = cpu_ns,
                                           .ctx_voluntary = usage->ru_nvcsw,
                                           .ctx_involuntary = usage->ru_nivcsw,
                                           .migrations = alone ? migrations : -1,
                                           .faults_minor = usage->ru_minflt,
                                           .faults_major = usage->ru_majflt,
                                           .run_delay_ns = alone ? delay_ns : -1};
    return 0;
}

/* Reports that the guard has left its process group, then waits for the caller's end, which is end of file on a
 * pipe. Does not touch errno, which is the caller's. */
OWN_FRAME static void guard_wait(const struct program_guard *guard)
{
    char byte = 0;

    (void)!write(guard->answer_fd, &byte, 1);
    close(guard->answer_fd);
    while (read(guard->life_fd, &byte, 1) != 0) {
    }
}

static int guard_main(void *argument)
{
    const struct program_guard *guard = argument;

    close(guard->fd);
    /* No session of its own: where sessions are scheduling groups (autogroup), the kernel would make and destroy one
     * during a measurement. */
    setpgid(0, 0);
    process_ignore_ending();
    guard_wait(guard);
    if (!__atomic_load_n(&guard->dismissed, __ATOMIC_ACQUIRE) && guard->group > 0)
        kill(-guard->group, SIGKILL);
    return 0;
}

/* After a plain fork the kernel would copy each page that the caller writes, during a measurement. */
int program_guard(struct program_guard *guard, pid_t group)
{
    int life[2] = {-1, -1}, answer[2] = {-1, -1};
    int error = pipe2(life, O_CLOEXEC) || pipe2(answer, O_CLOEXEC) ? -errno : 0;
    char byte;

    guard->group = group;
    guard->dismissed = false;
    guard->fd = life[1];
    guard->life_fd = life[0];
    guard->answer_fd = answer[1];
    if (!error && (guard->pid = clone(guard_main, guard->stack + sizeof(guard->stack), CLONE_VM | SIGCHLD, guard)) < 0)
        error = -errno;
    fd_close(&life[0]);
    fd_close(&answer[1]);
    if (!error)
        procfs_read_fd(answer[0], &byte, 1);
    fd_close(&answer[0]);
    if (error) {
        guard->pid = 0;
        fd_close(&life[1]);
    }
    return error;
}

void program_unguard(struct program_guard *guard)
{
    if (guard->pid <= 0)
        return;
    /* If it cannot be killed, it ends when the pipe is closed, and kills nobody. */
    __atomic_store_n(&guard->dismissed, true, __ATOMIC_RELEASE);
    kill(guard->pid, SIGKILL);
    close(guard->fd);
    process_await(guard->pid);
    guard->pid = 0;
}

/* Reaps and counts all children that have ended. Returns false when none is left. */
static bool any_child(unsigned *reaped)
{
    pid_t pid;

    do {
        pid = waitpid(-1, NULL, WNOHANG);
        *reaped += pid > 0;
    } while (pid > 0 || (pid < 0 && errno == EINTR));
    return pid == 0;
}

bool program_has_children(void)
{
    unsigned reaped = 0;

    return any_child(&reaped);
}

#define KERNEL_THREAD 0x00200000u /* flag PF_KTHREAD of linux/sched.h */

bool tasks_read(uint32_t tid, struct tasks_one *out)
{
    char text[512];
    unsigned parent, flags;

    *out = (struct tasks_one){.tid = tid};
    procfs_read(PROCFS_PATH("/proc/%u/schedstat", tid), text, sizeof(text));
    procfs_number(text, &out->cpu_ns);
    procfs_read(PROCFS_PATH("/proc/%u/stat", tid), text, sizeof(text));
    /* "123 (name) S 2 0 0 0 -1 69238880 ...", where the name may contain brackets and blanks. */
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || sscanf(close + 1, " %*c %u %*d %*d %*d %*d %u", &parent, &flags) != 2)
        return false;
    out->parent = parent;
    out->kernel = (flags & KERNEL_THREAD) != 0;
    TEXT_PRINT(out->name, "%.*s", (int)(close - open - 1), open + 1);
    /* Behind '+' or '-' stands the last work item of a kworker thread, or ("kworker/R-NAME") the name of a rescuer. */
    if (out->kernel && starts_with(out->name, "kworker/") && !starts_with(out->name, "kworker/R-"))
        out->name[strcspn(out->name, "+-")] = '\0';
    return true;
}

unsigned program_end_orphans(uint64_t grace_ns)
{
    uint64_t begin = clock_raw_ns();
    unsigned by_itself = 0, killed = 0;
    struct tasks_one process;

    while (any_child(&by_itself) && clock_raw_ns() - begin < grace_ns)
        clock_sleep_ns(ORPHAN_PAUSE_NS);
    begin = clock_raw_ns();
    /* The children of killed processes become ours. */
    while (any_child(&killed) && clock_raw_ns() - begin < ORPHAN_LIMIT_NS) {
        FREED char **names = procfs_names("/proc");
        for (size_t i = 0; names && names[i]; i++)
            if (tasks_read((uint32_t)strtoul(names[i], NULL, 10), &process) && process.parent == (uint32_t)getpid())
                kill((pid_t)process.tid, SIGKILL);
        clock_sleep_ns(ORPHAN_PAUSE_NS);
    }
    return killed;
}

/* --- Words of a command line. --- */

#define SPACE " \t\n\r\v\f"

static int words_begin(struct words *words, size_t length)
{
    *words = (struct words){.text = malloc(length + 1), .word = calloc(length / 2 + 2, sizeof(*words->word))};
    if (words->text && words->word)
        return 0;
    words_free(words);
    return -ENOMEM;
}

void words_free(struct words *words)
{
    free(words->text);
    free(words->word);
    *words = (struct words){0};
}

/* Copies a word without the quotes around it or its value. Returns the byte after the copy. */
static char *unquote(const char *word, size_t length, char *to)
{
    const char *end = word + length;
    bool whole = word[0] == '"';
    const char *equals = memchr(word, '=', length);
    bool value = equals && equals + 1 < end && equals[1] == '"';

    word += whole;
    if (end > word && end[-1] == '"' && (whole || (value && end - 1 > equals + 1)))
        end--;
    for (; word < end; word++)
        if (!value || word != equals + 1)
            *to++ = *word;
    *to++ = '\0';
    return to;
}

int words_of_kernel(const char *line, struct words *words)
{
    if (words_begin(words, strlen(line)))
        return -ENOMEM;
    char *to = words->text;
    for (line += strspn(line, SPACE); *line; line += strspn(line, SPACE)) {
        bool quoted = false;
        size_t length = 0;
        for (; line[length] && (quoted || !is_space(line[length])); length++)
            quoted ^= line[length] == '"';
        words->word[words->n++] = to;
        to = unquote(line, length, to);
        line += length;
    }
    return 0;
}

const char *words_take(const char **at, char **to, bool escapes)
{
    const char *in = *at;
    char *out = *to, quote = 0;

    for (; *in && (quote || !is_space(*in)); in++) {
        if (quote ? *in == quote : *in == '\'' || *in == '"') {
            quote = quote ? 0 : *in;
            continue;
        }
        if (escapes && *in == '\\' && quote != '\'' && !*++in)
            return "ends with a backslash";
        *out++ = *in;
    }
    *out++ = 0;
    *at = in;
    *to = out;
    return quote ? "a quote is not closed" : NULL;
}

const char *words_of_command(const char *line, bool escapes, struct words *words)
{
    if (words_begin(words, strlen(line)))
        return "out of memory";
    char *to = words->text;
    for (line += strspn(line, SPACE); *line; line += strspn(line, SPACE)) {
        words->word[words->n++] = to;
        const char *wrong = words_take(&line, &to, escapes);
        if (wrong) {
            words_free(words);
            return wrong;
        }
    }
    return NULL;
}
