/* SPDX-License-Identifier: MIT */
/* Processes that take a CPU from the one that is measured there, each in a way of its own, for the tests of --who,
 * below the command and of it. The CPU is given as text. */
#ifndef WHO_FIXTURE_H
#define WHO_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline void move_to(const char *cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)atoi(cpu), &one);
    if (sched_setaffinity(0, sizeof(one), &one))
        _exit(1);
}

/* Binds the process to a CPU. It ends with the test. */
static inline void on_cpu(const char *cpu, const char *name)
{
    (void)alarm(60);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    move_to(cpu);
    if (prctl(PR_SET_NAME, name, 0, 0, 0))
        _exit(1);
}

static inline pid_t start_hog(const char *cpu)
{
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid)
        return pid;
    on_cpu(cpu, "first name");
    (void)nice(-15); /* before other work of this machine */
    /* A name with a blank and what moves a terminal's cursor. */
    if (prctl(PR_SET_NAME, "a hog\033[2J", 0, 0, 0))
        _exit(1);
    for (volatile unsigned long turns = 0;; turns++) {
    }
}

/* Wakes up a thousand times a second. */
static inline pid_t start_timer(const char *cpu)
{
    const struct itimerspec every = {.it_interval = {.tv_nsec = 1000000}, .it_value = {.tv_nsec = 1000000}};
    const pid_t pid = fork();
    uint64_t times;

    assert_true(pid >= 0);
    if (pid)
        return pid;
    (void)nice(-20);
    on_cpu(cpu, "waker");
    const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (fd < 0 || timerfd_settime(fd, 0, &every, NULL))
        _exit(1);
    while (read(fd, &times, sizeof(times)) > 0) {
    }
    _exit(1);
}

static inline void *burn(void *unused)
{
    struct timespec now, begun;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    do
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec < 200000);
    return unused;
}

/* Moves to the CPU and works there for some 0.2 ms times `burns`: with its parent's name, with one of its own, or in a
 * thread. */
static inline void be_child(const char *cpu, unsigned i, unsigned burns)
{
    pthread_t thread;

    if (i % 3 == 1)
        (void)prctl(PR_SET_NAME, "kid", 0, 0, 0);
    move_to(cpu);
    if (i % 3 == 2 && pthread_create(&thread, NULL, burn, NULL) == 0)
        (void)pthread_join(thread, NULL);
    while (burns--)
        (void)burn(NULL);
    _exit(0);
}

/* Before other work of the machine, which would leave a process of which something is expected within a time no CPU. */
static inline void be_first(void)
{
    const struct sched_param param = {.sched_priority = 10};

    (void)sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Binds the process to a CPU that is not measured, if there is another one. */
static inline void beside(const char *cpu, const char *name)
{
    on_cpu(strcmp(cpu, "0") || sysconf(_SC_NPROCESSORS_ONLN) == 1 ? "0" : "1", name);
}

/* Makes at most 328 processes a second on another CPU, if there is one, one after the other. */
static inline pid_t start_forker(const char *cpu)
{
    const struct timespec pause = {.tv_nsec = 1000000000 / 328};
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid)
        return pid;
    (void)nice(-15);
    be_first();
    beside(cpu, "forker"); /* the name tells that it is ready */
    for (unsigned i = 0;; i++, (void)nanosleep(&pause, NULL)) {
        const pid_t child = fork();
        if (!child) {
            move_to(cpu); /* first: as a normal task it waits for as long as others keep the other CPU busy */
            (void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
            be_child(cpu, i, 1);
        }
        (void)waitpid(child, NULL, 0);
    }
}

static inline void end(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static inline void pause_100_us(void)
{
    const struct timespec pause = {.tv_nsec = 100000};

    (void)nanosleep(&pause, NULL);
}

#ifdef SYS_perf_event_open
/* Switches an event of that CPU on and off, which the kernel does by an interrupt there. */
static inline pid_t start_toggler(const char *cpu)
{
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid)
        return pid;
    be_first();
    beside(cpu, "toggler");
    /* The software event that counts nothing, switched off, in the first version of struct perf_event_attr. */
    const uint32_t event[16] = {1, sizeof(event), 9, [10] = 1};
    const int fd = (int)syscall(SYS_perf_event_open, event, -1, atoi(cpu), -1, 8ul);
    for (unsigned long request = 0x2400; fd >= 0; request ^= 1, pause_100_us()) /* enable and disable */
        if (ioctl(fd, request, 0))
            break;
    _exit(1);
}
#endif

/* Opens a network of its own, in which packets are received on that CPU. Returns false where that is not allowed. */
static inline bool open_network(const char *cpu)
{
    char mask[16];
    struct ifreq loopback = {.ifr_name = "lo"};
    const int fd = unshare(CLONE_NEWNET | CLONE_NEWNS) ? -1 : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    loopback.ifr_flags = IFF_UP;
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", "/sys", "sysfs", 0, NULL))
        return false;
    (void)close(fd);
    (void)snprintf(mask, sizeof(mask), "%x", 1u << atoi(cpu));
    const int queue = open("/sys/class/net/lo/queues/rx-0/rps_cpus", O_WRONLY | O_CLOEXEC);
    const bool set = queue >= 0 && write(queue, mask, strlen(mask)) > 0;
    if (queue >= 0)
        (void)close(queue);
    return set;
}

/* Sends packets to itself. Returns its number, -1 where it may not. */
static inline pid_t start_sender(const char *cpu)
{
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t length = sizeof(to);
        beside(cpu, "sender");
        be_first();
        if (!open_network(cpu))
            _exit(1);
        const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || bind(fd, (struct sockaddr *)&to, length) || getsockname(fd, (struct sockaddr *)&to, &length) ||
            connect(fd, (struct sockaddr *)&to, length) || write(ready[1], "r", 1) != 1)
            _exit(1);
        for (char packet[64] = "";; pause_100_us())
            if (send(fd, packet, sizeof(packet), 0) < 0 && errno != EAGAIN)
                _exit(1);
            else
                (void)recv(fd, packet, sizeof(packet), MSG_DONTWAIT);
    }
    (void)close(ready[1]);
    const bool sends = read(ready[0], &byte, 1) == 1;
    (void)close(ready[0]);
    if (!sends)
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    return sends ? pid : -1;
}

#endif
