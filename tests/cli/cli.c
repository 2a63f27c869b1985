/* SPDX-License-Identifier: MIT */
/* Harness of the command-line tests. */
#include "cli.h"
#include "program.h"

#include <ctype.h>
#include <dirent.h>
#include <ftw.h>
#include <grp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

/* What a killed jitbench leaves, as scripts of the shell tests, ends by itself when it gets the CPU: how soon is what
 * tests/kill measures. */
#define GONE_S 20

char cli_binary[CLI_PATH], cli_cpu[16] = "0";
static struct cli scene;
struct cli *const cli = &scene;

/* --- Set-up. --- */

uint64_t cli_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t cli_deadline(unsigned seconds)
{
    return cli_now_ns() + seconds * (program_emulated(cli_binary) ? 32 : 8) * UINT64_C(1000000000);
}

void cli_sleep_ms(unsigned ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&t, &t) && errno == EINTR) {
    }
}

static void find_cpu(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed))
        return;
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &allowed))
            (void)snprintf(cli_cpu, sizeof(cli_cpu), "%zu", cpu);
}

int cli_group_setup(void **state)
{
    const char *name = getenv("JITBENCH");
    char path[PATH_MAX];

    if (!realpath(name ? name : "./jitbench", path) || access(path, X_OK) || strlen(path) >= sizeof(cli_binary)) {
        print_error("no binary at %s: set JITBENCH\n", name ? name : "./jitbench");
        return -1;
    }
    memcpy(cli_binary, path, strlen(path) + 1);
    find_cpu();
    /* jitbench inherits ignored signals, so those that nohup or a shell's background job ignores are reset. */
    (void)signal(SIGHUP, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    /* Whatever a killed jitbench leaves behind becomes a child of this process and can be told from other runs. */
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Of all programs that define no other. */
__attribute__((weak)) GROUP(cli_group_setup, NULL);

int cli_setup(void **state)
{
    (void)snprintf(scene.root, sizeof(scene.root), "/tmp/jitbench-cli.XXXXXX");
    if (!mkdtemp(scene.root))
        return -1;
    (void)snprintf(scene.work, sizeof(scene.work), "%s/work", cli->root);
    (void)snprintf(scene.tmp, sizeof(scene.tmp), "%s/tmp", cli->root);
    if (mkdir(cli->work, 0755) || mkdir(cli->tmp, 0755) || chmod(cli->root, 0755) || chmod(cli->work, 0777) ||
        chmod(cli->tmp, 0777))
        return -1;
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    (void)remove(path);
    return 0;
}

/* Orphans are ours: see cli_group_setup(). */
static void reap_orphans(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

static unsigned find_below(pid_t ancestor, bool only_workers, pid_t *one);

/* Kills the processes that a failed test left running, which would disturb the next tests. */
static void kill_all_below(void)
{
    pid_t one;

    while (find_below(getpid(), false, &one) && one && !kill(one, SIGKILL)) {
        cli_sleep_ms(5);
        reap_orphans();
    }
}

int cli_teardown(void **state)
{
    unsigned left;
    const uint64_t until = cli_deadline(GONE_S);

    while ((left = cli_workers()) && cli_now_ns() < until)
        cli_sleep_ms(10);
    kill_all_below();
    reap_orphans();
    (void)chmod(cli->work, 0777);
    (void)nftw(cli->root, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    if (left)
        print_error("%u worker processes are left\n", left);
    return left ? -1 : 0;
}

/* --- Running. --- */

static void child_descriptor(int fd, int wanted, int captured, int terminal)
{
    if (wanted == CLI_CLOSED)
        (void)close(fd);
    else
        (void)dup2(wanted == CLI_DEFAULT ? captured : wanted == CLI_TERMINAL ? terminal : wanted, fd);
}

static bool wants_terminal(const struct cli_run *run)
{
    return run->in == CLI_TERMINAL || run->out == CLI_TERMINAL || run->err == CLI_TERMINAL;
}

/* Opening it makes it the controlling terminal of the new session. */
static int child_terminal(const struct cli_run *run, int master)
{
    const struct winsize size = {.ws_row = 25, .ws_col = run->columns ? run->columns : 80};
    char name[64];

    if (setsid() < 0 || ptsname_r(master, name, sizeof(name)))
        return -1;
    int fd = open(name, O_RDWR | O_CLOEXEC);
    return fd < 0 || ioctl(fd, TIOCSWINSZ, &size) ? -1 : fd;
}

static void child_exec(const struct cli_run *run, const struct cli_child *child, int report)
{
    static const int reset[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD};
    const char *program = run->program ? run->program : cli_binary;
    char *argv[64] = {(char *)program}, temporary[128];
    const char *const defaults[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/",
                                    temporary, NULL};
    sigset_t none;
    int terminal = -1;

    (void)snprintf(temporary, sizeof(temporary), "TMPDIR=%s", cli->tmp);
    for (size_t i = 0; run->args && run->args[i] && i < 62; i++)
        argv[i + 1] = (char *)run->args[i];
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < COUNT(reset); i++)
        (void)signal(reset[i], SIG_DFL);
    /* A job server of make, a log of CI: the binary gets none of it. */
    for (int fd = 3; fd < 1024; fd++)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (chdir(run->directory ? run->directory : cli->work))
        goto failed;
    if (wants_terminal(run) && (terminal = child_terminal(run, child->terminal)) < 0)
        goto failed;
    child_descriptor(0, run->in, open("/dev/null", O_RDONLY | O_CLOEXEC), terminal);
    child_descriptor(1, run->out, child->out, terminal);
    child_descriptor(2, run->err, child->err, terminal);
    if (run->prepare && run->prepare(run->context))
        goto failed;
    (void)execvpe(program, argv, (char *const *)(run->env ? run->env : defaults));
failed:;
    int error = errno ? errno : EINVAL;
    (void)!write(report, &error, sizeof(error));
    _exit(127);
}

void cli_start(const struct cli_run *run, struct cli_child *child)
{
    int report[2];

    memset(child, 0, sizeof(*child));
    child->terminal = wants_terminal(run) ? posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (wants_terminal(run) && (child->terminal < 0 || grantpt(child->terminal) || unlockpt(child->terminal)))
        cli_skip("no terminal can be made: %s", strerror(errno));
    child->out = memfd_create("stdout", MFD_CLOEXEC);
    child->err = memfd_create("stderr", MFD_CLOEXEC);
    child->start_ns = cli_now_ns();
    child->until_ns = cli_deadline(run->limit_s ? run->limit_s : 30);
    if (child->out < 0 || child->err < 0 || pipe2(report, O_CLOEXEC))
        fail_msg("no descriptors: %s", strerror(errno));
    (void)fflush(NULL);
    child->pid = fork();
    if (child->pid == 0)
        child_exec(run, child, report[1]);
    (void)close(report[1]);
    if (child->pid < 0)
        fail_msg("fork: %s", strerror(errno));
    if (read(report[0], &child->unprepared, sizeof(child->unprepared)) <= 0)
        child->unprepared = 0;
    (void)close(report[0]);
}

/* Output, files and CSVs last until the program ends; all are within reach, or they would be leaks. */
static void *kept(void *block)
{
    static void **blocks;
    static size_t n;

    blocks = realloc(blocks, (n + 1) * sizeof(*blocks));
    if (!block || !blocks)
        fail_msg("out of memory");
    blocks[n++] = block;
    return block;
}

char *cli_path(const char *format, ...)
{
    char *path = kept(calloc(1, CLI_PATH));
    va_list args;

    va_start(args, format);
    (void)vsnprintf(path, CLI_PATH, format, args);
    va_end(args);
    return path;
}

static char *read_descriptor(int fd, size_t *size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char *text = kept(calloc(1, (size_t)(end > 0 ? end : 0) + 1));

    ssize_t n = end > 0 ? pread(fd, text, (size_t)end, 0) : 0;
    if (size)
        *size = n > 0 ? (size_t)n : 0;
    return text;
}

static void read_terminal(struct cli_child *child)
{
    char bytes[4096];
    ssize_t n;

    while (child->terminal >= 0 && (n = read(child->terminal, bytes, sizeof(bytes))) > 0) {
        char *shown = realloc(child->shown, child->shown_size + (size_t)n + 1);
        if (!shown)
            fail_msg("out of memory");
        memcpy(shown + child->shown_size, bytes, (size_t)n);
        child->shown = shown;
        child->shown_size += (size_t)n;
        shown[child->shown_size] = 0;
    }
}

void cli_wait_shown(struct cli_child *child, const char *text)
{
    const uint64_t until = cli_deadline(20);

    for (read_terminal(child); !child->shown || !strstr(child->shown, text); read_terminal(child)) {
        if (cli_now_ns() > until)
            fail_msg("'%s' is not shown: %.2000s", text, child->shown ? child->shown : "");
        cli_sleep_ms(5);
    }
}

void cli_wait(struct cli_child *child, struct cli_result *result)
{
    bool late = false;
    size_t ignored;
    int status = 0;

    while (waitpid(child->pid, &status, WNOHANG) == 0) {
        if (!late && cli_now_ns() > child->until_ns) {
            late = true;
            (void)kill(child->pid, SIGKILL);
        }
        read_terminal(child);
        cli_sleep_ms(2);
    }
    read_terminal(child);
    memset(result, 0, sizeof(*result));
    result->seconds = (double)(cli_now_ns() - child->start_ns) * 1e-9;
    result->unprepared = child->unprepared;
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    result->out = read_descriptor(child->out, &result->out_size);
    result->err = read_descriptor(child->err, &ignored);
    result->terminal = kept(child->shown ? child->shown : calloc(1, 1));
    (void)close(child->out);
    (void)close(child->err);
    if (child->terminal >= 0)
        (void)close(child->terminal);
    reap_orphans();
    if (late)
        fail_msg("killed after %.0f s\nstdout: %s\nstderr: %s", result->seconds, result->out, result->err);
}

void cli_expect_args(const char *const *args, int status, struct cli_result *result)
{
    cli_expect(&(struct cli_run){.args = args}, status, result);
}

void cli_expect_error(const char *const *args, const char *message)
{
    struct cli_result result;

    cli_expect_args(args, 2, &result);
    assert_string_equal(result.err, message);
    assert_string_equal(result.out, "");
}

void cli_expect_error_with(const char *const *args, const char *part)
{
    struct cli_result result;

    cli_expect_args(args, 2, &result);
    cli_expect_text(result.err, part);
    assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1); /* one line */
    assert_string_equal(result.out, "");
}

void cli_expect_status(const struct cli_result *result, int status)
{
    const size_t length = strlen(result->err);

    if (result->status == status)
        return;
    print_error("stdout: %.900s\n", result->out); /* cmocka cuts messages at 1024 bytes */
    print_error("stderr: %s\n", result->err + (length > 900 ? length - 900 : 0));
    fail_msg("exit status %d, not %d", result->status, status);
}

void cli_expect(const struct cli_run *run, int status, struct cli_result *result)
{
    struct cli_result unread;
    struct cli_child child;

    result = result ? result : &unread;
    cli_start(run, &child);
    cli_wait(&child, result);
    if (result->unprepared && run->prepare)
        cli_skip("this place cannot be made here: %s", strerror(result->unprepared));
    cli_expect_status(result, status);
}

void cli_copy_binary(char path[CLI_PATH])
{
    char folder[CLI_PATH];
    size_t size;
    char *bytes = cli_read_file(cli_binary, &size);

    (void)snprintf(folder, sizeof(folder), "%s/bin", cli->root);
    (void)snprintf(path, CLI_PATH, "%s/bin/jitbench", cli->root);
    if (mkdir(folder, 0755) && errno != EEXIST)
        fail_msg("%s: %s", folder, strerror(errno));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || fchmod(fd, 0755) || close(fd))
        fail_msg("%s: %s", path, strerror(errno));
}

/* --- What the machine has. --- */

/* Makes the attempt in a child. Returns 0, or the child's errno. */
static int try_in_child(int (*attempt)(void))
{
    int status = 0;

    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(attempt() ? errno : 0);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return EINVAL;
    return WEXITSTATUS(status);
}

void cli_need_processor(const char *why)
{
    if (program_emulated(cli_binary))
        cli_skip("needs a processor of its own: %s", why);
}

void cli_need_commands(void)
{
    cli_need_processor("qemu-user has no processes that share memory, without which no command is started");
}

void cli_need_root(void)
{
    if (geteuid() != 0)
        cli_skip("needs root");
}

void cli_need_cpus(unsigned n)
{
    cpu_set_t allowed;

    CPU_ZERO(&allowed);
    (void)sched_getaffinity(0, sizeof(allowed), &allowed);
    for (unsigned cpu = 0; cpu < n; cpu++)
        if (!CPU_ISSET(cpu, &allowed))
            cli_skip("needs CPUs 0 to %u", n - 1);
}

static int try_fifo(void)
{
    struct sched_param param = {.sched_priority = 1};
    return sched_setscheduler(0, SCHED_FIFO, &param);
}

void cli_need_fifo(void)
{
    int error = try_in_child(try_fifo);

    if (error)
        cli_skip("SCHED_FIFO is not allowed here: %s", strerror(error));
}

int cli_become_nobody(void)
{
    if (geteuid() != 0)
        return 0;
    return setgroups(0, NULL) || setgid(65534) || setuid(65534) ? -1 : 0;
}

int cli_own_mounts(void)
{
    return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ? -1 : 0;
}

static int try_mount_namespace(void)
{
    if (cli_own_mounts())
        return -1;
    return mount("none", "/tmp", "tmpfs", 0, "size=64k");
}

void cli_need_mount_namespace(void)
{
    int error = try_in_child(try_mount_namespace);

    if (error)
        cli_skip("no mount namespace of its own (%s): needs root", strerror(error));
}

/* --- Processes. --- */

static bool read_small(const char *path, char *buf, size_t size, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

    if (fd >= 0)
        (void)close(fd);
    *length = n > 0 ? (size_t)n : 0;
    buf[*length] = 0;
    return n > 0;
}

pid_t cli_parent_of(pid_t pid)
{
    char path[64], text[512], state = 'Z';
    size_t length;
    int parent = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!read_small(path, text, sizeof(text), &length))
        return 0;
    const char *after = strrchr(text, ')');
    if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2 || state == 'Z' || state == 'X')
        return 0;
    return parent;
}

static bool is_worker(pid_t pid)
{
    char path[64], text[512];
    size_t length;

    (void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
    if (!read_small(path, text, sizeof(text), &length))
        return false;
    return memmem(text, length, "@worker", strlen("@worker")) != NULL;
}

static bool is_descendant(pid_t pid, pid_t ancestor)
{
    for (unsigned depth = 0; pid > 1 && depth < 64; depth++) {
        pid = cli_parent_of(pid);
        if (pid == ancestor)
            return true;
    }
    return false;
}

bool cli_ended(pid_t pid)
{
    siginfo_t info;

    info.si_pid = 0;
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

bool cli_ends(struct cli_child *child, unsigned seconds, struct cli_result *result)
{
    for (const uint64_t until = cli_deadline(seconds); !cli_ended(child->pid) && cli_now_ns() < until;)
        cli_sleep_ms(5);
    const bool ended = cli_ended(child->pid);
    (void)kill(child->pid, SIGKILL);
    cli_wait(child, result);
    return ended;
}

/* Living processes below ancestor, or only the workers among them; *one is any of those that are its own children. */
static unsigned find_below(pid_t ancestor, bool only_workers, pid_t *one)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    unsigned n = 0;

    *one = 0;
    if (!proc)
        fail_msg("/proc: %s", strerror(errno));
    while ((entry = readdir(proc))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || (only_workers && !is_worker(pid)) || !is_descendant(pid, ancestor))
            continue;
        n++;
        if (cli_parent_of(pid) == ancestor)
            *one = pid;
    }
    (void)closedir(proc);
    return n;
}

unsigned cli_workers(void)
{
    pid_t ignored;

    return find_below(getpid(), true, &ignored);
}

pid_t cli_worker_of(pid_t parent)
{
    pid_t one;

    (void)find_below(parent, true, &one);
    return one;
}

unsigned cli_living(pid_t ancestor)
{
    pid_t ignored;

    return find_below(ancestor, false, &ignored);
}

void cli_expect_all_gone(const char *what)
{
    const uint64_t until = cli_deadline(GONE_S);
    char names[CLI_FILES][256];

    while (cli_living(getpid()) || cli_files(cli->tmp, names)) {
        if (cli_now_ns() > until)
            fail_msg("%s: %u processes and %zu files are left", what, cli_living(getpid()), cli_files(cli->tmp, names));
        cli_sleep_ms(5);
    }
}

pid_t cli_wait_worker(pid_t parent)
{
    const uint64_t until = cli_deadline(10);
    pid_t worker;

    while (!(worker = cli_worker_of(parent))) {
        if (cli_now_ns() > until)
            fail_msg("no worker has come up");
        cli_sleep_ms(2);
    }
    return worker;
}

/* --- Files. --- */

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

size_t cli_files(const char *directory, char names[CLI_FILES][256])
{
    DIR *folder = opendir(directory);
    struct dirent *entry;
    size_t n = 0;

    if (!folder)
        fail_msg("%s: %s", directory, strerror(errno));
    while ((entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (n == CLI_FILES)
            fail_msg("%s: more than %d files", directory, CLI_FILES);
        (void)snprintf(names[n++], 256, "%s", entry->d_name);
    }
    (void)closedir(folder);
    qsort(names, n, 256, by_name);
    return n;
}

void cli_expect_files(const char *directory, size_t n)
{
    char names[CLI_FILES][256];
    size_t there = cli_files(directory, names);

    if (there != n)
        fail_msg("%zu files in %s, not %zu; the first is '%s'", there, directory, n, there ? names[0] : "");
}

void cli_write_file(const char *directory, const char *name, const char *text)
{
    char path[CLI_PATH];

    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) < 0 || fclose(file))
        fail_msg("%s: %s", path, strerror(errno));
}

char *cli_read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        fail_msg("%s: %s", path, strerror(errno));
    char *text = read_descriptor(fd, size);
    (void)close(fd);
    return text;
}

/* --- CSV. --- */

/* Reads one field into out (which may be where it came from); returns what ended it: ',', '\n' for CRLF, 0 for junk. */
static char read_field(const char **at, char **out)
{
    const char *p = *at;
    char *o = *out, end;
    bool quoted = *p == '"';

    for (p += quoted; *p; p++) {
        if (quoted ? *p == '"' && *++p != '"' : *p == ',' || *p == '\r')
            break;
        if (!quoted && (*p == '"' || *p == '\n'))
            return 0;
        *o++ = *p;
    }
    end = *p == ',' ? ',' : *p == '\r' && p[1] == '\n' ? '\n' : '\0';
    *at = p + (end == '\n' ? 2 : 1);
    *o++ = 0;
    *out = o;
    return end;
}

static void add_cell(struct cli_csv *csv, size_t n, char *cell)
{
    if (n % 1024 == 0) {
        csv->cell = realloc(csv->cell, (n + 1024) * sizeof(*csv->cell));
        if (!csv->cell)
            fail_msg("out of memory");
    }
    csv->cell[n] = cell;
}

bool cli_waiting_counts;

static char *cell_or_none(const struct cli_csv *csv, size_t row, const char *column)
{
    for (size_t i = 0; i < csv->n_columns; i++)
        if (!strcmp(csv->cell[i], column))
            return csv->cell[(row + 1) * csv->n_columns + i];
    return NULL;
}

/* Tests run beside each other, and take the CPU from a sample for longer than the program lets pass. A figure with the
 * core free has another reason always; what else there is to say stands with the figure of all time too. */
static void forgive_waiting(const struct cli_csv *csv)
{
    for (size_t row = 0; row < csv->n_rows; row++) {
        const char *metric = cell_or_none(csv, row, "metric");
        char *status = cell_or_none(csv, row, "status"), *reason = cell_or_none(csv, row, "reason");
        if (!status || !reason || !metric || strcmp(status, "degraded") != 0 ||
            strncmp(reason, "a sample waited for a CPU", 25) != 0)
            continue;
        const char *more = strchr(reason, ';');
        if (more && !strstr(metric, "_alone"))
            continue;
        memcpy(status, "ok", 3);
        memmove(reason, more ? more + 2 : "", more ? strlen(more + 2) + 1 : 1);
    }
}

void cli_csv_parse(const char *text, struct cli_csv *csv)
{
    size_t n = 0, line_began = 0;

    memset(csv, 0, sizeof(*csv));
    csv->text = kept(malloc(strlen(text) + 1));
    char *out = csv->text;
    for (const char *at = text; *at;) {
        char *cell = out;
        char end = read_field(&at, &out);
        if (!end)
            fail_msg("no CSV: record %zu is not ended by CRLF, or has a stray quote, near '%.60s'", csv->n_rows + 1,
                     cell);
        add_cell(csv, n++, cell);
        if (end == ',')
            continue;
        if (!csv->n_columns)
            csv->n_columns = n;
        else
            csv->n_rows++;
        if (n - line_began != csv->n_columns)
            fail_msg("no CSV: record %zu has %zu fields, not %zu", csv->n_rows + 1, n - line_began, csv->n_columns);
        line_began = n;
    }
    (void)kept(csv->cell);
    if (!csv->n_columns || n != line_began)
        fail_msg("no CSV: no header, or the last record is not whole");
    if (!cli_waiting_counts)
        forgive_waiting(csv);
}

void cli_csv_read(const char *path, struct cli_csv *csv)
{
    size_t size;
    char *text = cli_read_file(path, &size);

    if (strlen(text) != size)
        fail_msg("%s: holds a zero byte", path);
    cli_csv_parse(text, csv);
}

void cli_csv_only(const char *directory, struct cli_csv *csv)
{
    char names[CLI_FILES][256], path[CLI_PATH];

    cli_expect_files(directory, 1);
    (void)cli_files(directory, names);
    (void)snprintf(path, sizeof(path), "%s/%s", directory, names[0]);
    cli_csv_read(path, csv);
}

const char *cli_cell(const struct cli_csv *csv, size_t row, const char *column)
{
    if (row >= csv->n_rows)
        fail_msg("no row %zu in the CSV: it has %zu", row, csv->n_rows);
    const char *cell = cell_or_none(csv, row, column);
    if (!cell)
        fail_msg("no column '%s' in the CSV", column);
    return cell;
}

double cli_number(const struct cli_csv *csv, size_t row, const char *column)
{
    const char *text = cli_cell(csv, row, column);
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end)
        fail_msg("%s of row %zu is '%.40s', no number", column, row, text);
    return value;
}

static bool row_is(const struct cli_csv *csv, size_t row, const char *test, const char *metric)
{
    return (!test || !strcmp(cli_cell(csv, row, "test"), test)) &&
           (!metric || !strcmp(cli_cell(csv, row, "metric"), metric));
}

size_t cli_count(const struct cli_csv *csv, const char *test, const char *metric)
{
    size_t n = 0;

    for (size_t row = 0; row < csv->n_rows; row++)
        n += row_is(csv, row, test, metric);
    return n;
}

size_t cli_row(const struct cli_csv *csv, const char *test, const char *metric, size_t nth)
{
    size_t n = 0;

    for (size_t row = 0; row < csv->n_rows; row++)
        if (row_is(csv, row, test, metric) && n++ == nth)
            return row;
    fail_msg("the CSV has %zu rows of %s %s, number %zu was asked for", n, test ? test : "any test",
             metric ? metric : "any metric", nth);
    return 0;
}

size_t cli_items(const char *list)
{
    size_t n = *list != 0;

    for (; *list; list++)
        n += *list == ';';
    return n;
}

bool cli_is_measured(const char *status)
{
    return !strcmp(status, "ok") || !strcmp(status, "unstable");
}

bool cli_is_made_of_rows(const char *test)
{
    return !strcmp(test, "index") || !strcmp(test, "levels") || !strcmp(test, "worst");
}

void cli_expect_all(const struct cli_csv *csv, const char *column, const char *value)
{
    for (size_t row = 0; row < csv->n_rows; row++)
        if (strcmp(cli_cell(csv, row, column), value))
            fail_msg("%s of row %zu (%s %s) is '%.60s', not '%s' (reason: %s)", column, row, cli_cell(csv, row, "test"),
                     cli_cell(csv, row, "metric"), cli_cell(csv, row, column), value, cli_cell(csv, row, "reason"));
}

size_t cli_metrics(const char *test)
{
    const struct cli_run run = {.args = ARGS("list", "--metrics")};
    struct cli_result result;
    char name[64] = "";
    size_t n = 0;

    cli_expect(&run, 0, &result);
    for (char *line = strtok(result.out, "\n"); line; line = strtok(NULL, "\n")) {
        size_t indent = strspn(line, " ");
        if (indent == 2)
            (void)sscanf(line, "%63s", name);
        n += indent == 4 && !strcmp(name, test);
    }
    assert_true(n > 0);
    return n;
}

/* --- Text. --- */

const char *cli_line(const char *text, unsigned number)
{
    for (unsigned i = 0; i < number; i++) {
        const char *end = strchr(text, '\n');
        if (!end)
            fail_msg("no line %u", number);
        text = end + 1;
    }
    return text;
}

void cli_expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in: %.2000s", part, text);
}

void cli_expect_no_text(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in: %.2000s", part, text);
}
