/* SPDX-License-Identifier: MIT */
/* Runs a program and lets one of its system calls fail: the nth use of a call, counted over all processes of the
 * program but the first one, or in that alone.
 *
 * The program runs under a seccomp filter that asks this process about that one call (user notification, Linux 5.0;
 * pidfd_getfd, 5.6): all other calls run at full speed, nothing is traced, and uses are counted over processes, which
 * strace counts in each alone. What is not the program itself any more (a shell, a tool) is not counted. Being the
 * subreaper of all that the program starts, this process sees what is left of it, names it and kills it.
 *
 * The result goes to --result as lines "word value"; see faults.py. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Time that remaining processes get to end by themselves. */
#define GRACE_S 2.0
#define BINDS   64

enum who { MAIN, WORKER };

struct order {
    long call; /* -1: none fails */
    int error;
    unsigned long nth;
    enum who who;
    double limit_s;
    const char *bind[BINDS][2];
    size_t n_binds;
    FILE *result;
    char **argv;
};

/* Memory that the child and its supervisor share, since any system call may be the one that fails. */
struct shared {
    volatile int listener, taken;
};

static void die(const char *what)
{
    perror(what);
    exit(125);
}

static void say(const struct order *order, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct order *order, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vfprintf(order->result, format, arguments);
    va_end(arguments);
    (void)fputc('\n', order->result);
    (void)fflush(order->result);
}

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- The child. --- */

/* Settings are read-only; files of the test's own are mounted over those that it writes. */
static void private_mounts(const struct order *order)
{
    static const char *const kept[] = {"/proc/sys", "/proc/irq", "/sys"};

    if (!order->n_binds)
        return;
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        die("mount namespace");
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (mount(kept[i], kept[i], NULL, MS_BIND | MS_REC, NULL) ||
            mount(NULL, kept[i], NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
            die(kept[i]);
    for (size_t i = 0; i < order->n_binds; i++)
        if (mount(order->bind[i][0], order->bind[i][1], NULL, MS_BIND, NULL))
            die(order->bind[i][1]);
}

static int install_filter(long call)
{
    struct sock_filter statements[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.filter = statements, .len = sizeof(statements) / sizeof(statements[0])};
    /* A signal that has a handler must not break off the asking (Linux 5.19): the call would seem to be interrupted. */
    const unsigned long killable = 1ul << 5;

    if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | killable, &filter);
    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    return (int)fd; /* closed by the exec */
}

static void child(const struct order *order, struct shared *shared)
{
    private_mounts(order);
    if (order->call >= 0) {
        int fd = install_filter(order->call);
        if (fd < 0)
            die("seccomp");
        shared->listener = fd;
        while (!shared->taken) {
        }
    }
    (void)execv(order->argv[0], order->argv);
    _exit(126);
}

/* --- The process that asks. --- */

static bool link_of(int pid, const char *name, char *buf, size_t size)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    ssize_t n = readlink(path, buf, size - 1);
    buf[n < 0 ? 0 : n] = '\0';
    return n >= 0;
}

static enum who who_is(pid_t main_pid, int tid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)main_pid, tid);
    return tid == main_pid || access(path, F_OK) == 0 ? MAIN : WORKER;
}

static bool is_program(int tid)
{
    char image[4096];

    return link_of(tid, "exe", image, sizeof(image)) && strstr(image, "jitbench");
}

/* A close that fails has closed the file all the same, which this one would not. Of a regular file nobody waits for
 * that, as they do for a pipe's end; and nothing else fails to close. */
static bool close_may_fail(int tid, uint64_t fd)
{
    char path[64];
    struct stat status;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, (int)fd);
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* --- The supervisor. --- */

struct supervisor {
    const struct order *order;
    pid_t pid;
    int listener, pidfd;
    bool executed, hit, ended;
    unsigned long uses;
    int status;
};

static bool to_fail(struct supervisor *s, const struct seccomp_notif *request)
{
    const struct order *order = s->order;

    if (!s->executed && (order->call == SYS_execve || order->call == SYS_execveat)) {
        s->executed = true; /* the one that starts the program */
        return false;
    }
    if (s->hit || who_is(s->pid, (int)request->pid) != order->who || !is_program((int)request->pid))
        return false;
    s->uses++;
    return s->uses >= order->nth &&
           (order->call != SYS_close || close_may_fail((int)request->pid, request->data.args[0]));
}

static void answer(struct supervisor *s)
{
    struct seccomp_notif request;
    struct seccomp_notif_resp response;

    memset(&request, 0, sizeof(request));
    memset(&response, 0, sizeof(response));
    if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
        return; /* who asked is gone */
    response.id = request.id;
    if (to_fail(s, &request)) {
        s->hit = true;
        response.error = -s->order->error;
        char link[4096] = "", name[32];
        (void)snprintf(name, sizeof(name), "fd/%d", (int)request.data.args[0]);
        (void)link_of((int)request.pid, name, link, sizeof(link));
        say(s->order, "hit %lu %s %llx %llx %llx %s", s->uses, s->order->who == MAIN ? "main" : "worker",
            (unsigned long long)request.data.args[0], (unsigned long long)request.data.args[1],
            (unsigned long long)request.data.args[2], link);
    } else {
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Reaps children; true when none is left. */
static bool reap(struct supervisor *s)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == s->pid) {
            s->ended = true;
            s->status = status;
        }
    return pid < 0 && errno == ECHILD;
}

/* Serves until no process is left, or the time is up. True when no process is left. */
static bool serve(struct supervisor *s, double until, bool main_only)
{
    for (;;) {
        if (reap(s) || (main_only && s->ended))
            return true;
        if (now_s() >= until)
            return false;
        struct pollfd fds[] = {{.fd = s->listener, .events = POLLIN},
                               {.fd = s->ended ? -1 : s->pidfd, .events = POLLIN}};
        (void)poll(fds, 2, s->ended ? 5 : 50);
        if (fds[0].revents & POLLIN)
            answer(s);
        else if (fds[0].revents && s->listener >= 0) {
            (void)close(s->listener); /* nobody is left who could ask */
            s->listener = -1;
        }
    }
}

/* Kills all processes, and says the words of those that the first look meets. Orphaned ones are reparented to this
 * process. */
static void kill_all(struct supervisor *s, const char *word)
{
    char path[64];
    int pid;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    for (bool first = true; !reap(s); first = false) {
        FILE *list = fopen(path, "re");
        while (list && fscanf(list, "%d", &pid) == 1) {
            char place[64], words[256] = "";
            (void)snprintf(place, sizeof(place), "/proc/%d/cmdline", pid);
            FILE *file = fopen(place, "re");
            size_t length = file ? fread(words, 1, sizeof(words) - 1, file) : 0;
            if (file)
                (void)fclose(file);
            for (size_t c = 0; c < length; c++)
                if (words[c] < ' ')
                    words[c] = ' ';
            if (first && length)
                say(s->order, "%s %d %s", word, pid, words);
            (void)kill(pid, SIGKILL);
        }
        if (list)
            (void)fclose(list);
        (void)serve(s, now_s() + 0.02, false);
    }
}

static int supervise(const struct order *order, pid_t pid, struct shared *shared)
{
    struct supervisor s = {.order = order, .pid = pid, .listener = -1, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0)};
    double begin = now_s();

    if (s.pidfd < 0)
        die("pidfd_open");
    while (order->call >= 0 && !shared->listener)
        if (reap(&s))
            return 125; /* it has said why */
    if (order->call >= 0) {
        s.listener = (int)syscall(SYS_pidfd_getfd, s.pidfd, shared->listener, 0);
        if (s.listener < 0)
            die("pidfd_getfd");
        shared->taken = 1;
    }
    bool in_time = serve(&s, begin + order->limit_s, true);
    say(order, "seconds %.3f", now_s() - begin);
    if (!in_time) {
        say(order, "hang %.0f", order->limit_s);
        kill_all(&s, "hanging");
    } else if (!serve(&s, now_s() + GRACE_S, false)) {
        kill_all(&s, "left");
    }
    say(order, "uses %lu", s.uses);
    if (WIFSIGNALED(s.status))
        say(order, "signal %d", WTERMSIG(s.status));
    else
        say(order, "exit %d", WEXITSTATUS(s.status));
    return 0;
}

/* --- The command line. --- */

static void read_word(struct order *order, const char *word, const char *value)
{
    if (!strcmp(word, "--call"))
        order->call = atol(value);
    else if (!strcmp(word, "--error"))
        order->error = atoi(value);
    else if (!strcmp(word, "--nth"))
        order->nth = strtoul(value, NULL, 10);
    else if (!strcmp(word, "--who"))
        order->who = strcmp(value, "main") == 0 ? MAIN : WORKER;
    else if (!strcmp(word, "--limit"))
        order->limit_s = atof(value);
    else if (!strcmp(word, "--result"))
        order->result = fopen(value, "we");
    else if (!strcmp(word, "--bind") && order->n_binds < BINDS) {
        char *place = strchr(value, '=');
        if (!place)
            die(value);
        *place = '\0';
        order->bind[order->n_binds][0] = value;
        order->bind[order->n_binds++][1] = place + 1;
    } else {
        (void)fprintf(stderr, "inject: %s?\n", word);
        exit(125);
    }
}

int main(int argc, char **argv)
{
    struct order order = {.call = -1, .nth = 1, .limit_s = 60};
    struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int i = 1;

    for (; i + 1 < argc && strcmp(argv[i], "--"); i += 2)
        read_word(&order, argv[i], argv[i + 1]);
    if (i + 1 >= argc || !order.result || shared == MAP_FAILED) {
        (void)fprintf(stderr, "usage: inject --result FILE [--call N --error N --nth N --who main|worker] [--limit S] "
                              "[--bind FILE=PLACE]... -- PROGRAM [ARG...]\n");
        return 125;
    }
    order.argv = argv + i + 1;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        die("subreaper");
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0)
        child(&order, shared);
    return supervise(&order, pid, shared);
}
