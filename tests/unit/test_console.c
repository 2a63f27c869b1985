/* SPDX-License-Identifier: MIT */
/* Tests of writing to a full pipe that has no reader. */
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "fixture.h"
#include "sys/process.h"

#define MUCH (1u << 20)
#define SOON 1000000u

static char *much;

static int setup(void **state)
{
    much = calloc(1, MUCH);
    return much ? 0 : -1;
}

static int teardown(void **state)
{
    free(much);
    return 0;
}

static int at_once(void)
{
    return 1;
}

TEST(test_console_write_gives_up)
{
    int fd[2];

    for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
        assert_int_equal(pipe2(fd, flags), 0);
        assert_int_equal(console_write(fd[1], much, MUCH, SOON, NULL), -ETIMEDOUT);
        assert_int_equal(console_write(fd[1], much, 1, SOON, NULL), -ETIMEDOUT);
        assert_int_equal(console_write(fd[1], much, 1, UINT64_MAX, at_once), -EINTR);
        (void)close(fd[0]);
        (void)close(fd[1]);
    }
}

TEST(test_console_write_writes_all)
{
    char buf[4096];
    size_t sum = 0;
    ssize_t n;
    int fd[2], status;

    assert_int_equal(pipe(fd), 0);
    pid_t writer = fork();
    if (writer == 0) {
        (void)close(fd[0]);
        _exit(console_write(fd[1], much, MUCH, UINT64_MAX, NULL) ? 1 : 0);
    }
    (void)close(fd[1]);
    while ((n = read(fd[0], buf, sizeof(buf))) > 0)
        sum += (size_t)n;
    assert_int_equal(sum, MUCH);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    (void)close(fd[0]);
}

TEST(test_console_write_says_what_is_wrong)
{
    assert_int_equal(console_write(-1, much, 0, SOON, NULL), 0);
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        skip_because("no /dev/full");
    assert_int_equal(console_write(fd, much, 1, SOON, NULL), -ENOSPC);
    (void)close(fd);
}

static int bytes_unread(int fd)
{
    int left = -1;

    assert_int_equal(ioctl(fd, TIOCOUTQ, &left), 0);
    return left;
}

/* A socket counts what its reader has not taken yet, as a serial line does what it has not sent. */
TEST(test_console_drain_waits_for_a_reader_that_takes_it)
{
    char byte;
    int fd[2];

    console_drain(-1, UINT64_MAX); /* nothing to wait for */
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(write(fd[1], much, 1), 1);
    console_drain(fd[1], SOON); /* nobody reads: gives up */
    assert_true(bytes_unread(fd[1]) > 0);
    pid_t reader = fork();
    if (reader == 0) {
        (void)close(fd[1]);
        while (read(fd[0], &byte, 1) == 1)
            (void)poll(NULL, 0, 20);
        _exit(0);
    }
    console_drain(fd[1], UINT64_MAX);
    assert_int_equal(bytes_unread(fd[1]), 0);
    (void)shutdown(fd[1], SHUT_WR);
    (void)fixture_wait(reader);
    (void)close(fd[0]);
    (void)close(fd[1]);
}

/* The kernel's messages must not be kept back for what cannot be mixed with them. */
TEST(test_console_is_shared)
{
    int fd[2], null = open("/dev/null", O_WRONLY), pseudo = posix_openpt(O_RDWR | O_NOCTTY);

    assert_int_equal(pipe(fd), 0);
    assert_false(console_is_shared(fd[1]));
    assert_false(console_is_shared(null));
    assert_false(console_is_shared(-1));
    if (pseudo >= 0 && grantpt(pseudo) == 0 && unlockpt(pseudo) == 0) {
        int terminal = open(ptsname(pseudo), O_RDWR | O_NOCTTY);
        assert_true(isatty(terminal));
        assert_false(console_is_shared(terminal));
        (void)close(terminal);
    }
    (void)close(pseudo);
    (void)close(null);
    (void)close(fd[0]);
    (void)close(fd[1]);
}

GROUP(setup, teardown);
