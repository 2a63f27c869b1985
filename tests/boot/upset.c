/* SPDX-License-Identifier: MIT */
/* First process of a machine that is upset while jitbench measures on it. It runs `/jitbench init` with the words
 * behind "--", meanwhile sets the clock back (upset=clock in its environment) or takes CPU 1 out and puts it back
 * (upset=cpu) or takes 30 ms of CPU time under the name "hog" (upset=hog), prints how often, and ends the machine. With
 * upset=no nothing of this happens, and program=FILE in the environment is run instead, with script=FILE as its
 * argument. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOUR_S 3600
/* Delay before the first change, and interval between changes, in tenths of a second. */
#define QUIET 30u
#define EVERY 7u
/* CPU time in ms that upset=hog takes each time. */
#define HOG_MS 30

static void become_jitbench(char **argv)
{
    char *words[64] = {(char *)"jitbench", (char *)"init", (char *)"--"};

    for (size_t i = 1; argv[i] && i < 60; i++)
        words[i + 2] = argv[i];
    (void)execv("/jitbench", words);
    _exit(127);
}

static int set_clock_back(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now))
        return -1;
    now.tv_sec -= HOUR_S;
    return clock_settime(CLOCK_REALTIME, &now);
}

static int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    (void)close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

static int toggle_cpu(unsigned turn)
{
    return put("/sys/devices/system/cpu/cpu1/online", turn % 2 ? "1" : "0");
}

static int take_time(void)
{
    const clock_t end = clock() + HOG_MS * CLOCKS_PER_SEC / 1000;

    while (clock() < end)
        ;
    return prctl(PR_SET_NAME, "hog");
}

static int upset(const char *how, unsigned turn)
{
    return strcmp(how, "clock") == 0 ? set_clock_back() : strcmp(how, "hog") == 0 ? take_time() : toggle_cpu(turn);
}

/* Repeats the change until the child ends. Returns how often. */
static unsigned upset_while(pid_t child, const char *how, int *status)
{
    const struct timespec tenth = {.tv_nsec = 100000000};
    unsigned done = 0;

    for (unsigned ticks = 0;; ticks++) {
        pid_t ended = waitpid(-1, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return done;
        if (strcmp(how, "no") != 0 && ticks >= QUIET && ticks % EVERY == 0) {
            if (upset(how, done))
                printf("upset: %s: %s\n", how, strerror(errno));
            done++;
        }
        (void)nanosleep(&tenth, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *how = getenv("upset");
    int status = 0;

    (void)argc;
    (void)mkdir("/proc", 0755);
    (void)mkdir("/sys", 0755);
    (void)mount("proc", "/proc", "proc", 0, NULL);
    (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
    (void)mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
    if (mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL) == 0)
        (void)put("/sys/fs/cgroup/cgroup.subtree_control", "+cpu");
    (void)mkdir("/mnt", 0755);
    (void)mkdir("/run", 0755);
    (void)mkdir("/tmp", 01777);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    pid_t child = fork();
    if (child == 0 && getenv("program")) {
        (void)execl(getenv("program"), getenv("program"), getenv("script"), (char *)NULL);
        _exit(127);
    }
    if (child == 0)
        become_jitbench(argv);
    unsigned done = upset_while(child, how, &status);
    printf("upset: %s %u times, status %d\n", how, done, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    (void)put("/sys/devices/system/cpu/cpu1/online", "1");
    sync();
    (void)reboot(RB_POWER_OFF);
    for (;;)
        (void)pause();
}
