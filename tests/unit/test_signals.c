/* SPDX-License-Identifier: MIT */
/* Unit tests of the signals that ask for the end: each in a child of its own, for they cannot be taken back. */
#include <poll.h>
#include <sys/ioctl.h>

#include "engine_fixture.h"

static bool blocked(int number)
{
    sigset_t mask;

    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, number) == 1;
}

static void (*handler_of(int number))(int)
{
    struct sigaction action;

    (void)sigaction(number, NULL, &action);
    return action.sa_handler;
}

static int which; /* for the body in the child */

static int pending_body(void)
{
    signals_init();
    CHECK(signals_pending() == 0);
    CHECK(blocked(which));
    CHECK(raise(which) == 0); /* does not end us: it waits */
    CHECK(signals_pending() == which);
    CHECK(signals_pending() == which);
    return 0;
}

TEST(test_signals_pending_are_seen)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    for (size_t i = 0; i < COUNT(ending); i++) {
        which = ending[i];
        assert_int_equal(fixture_in_child(pending_body), 0);
    }
}

/* One wait delivers all that are pending, and which of them first is the kernel's choice. */
static int first_wins_body(void)
{
    struct timespec moment = {.tv_nsec = 1000000};

    signals_init();
    CHECK(raise(SIGTERM) == 0);
    CHECK(ppoll(NULL, 0, &moment, signals_wait_mask()) == -1 && errno == EINTR);
    CHECK(signals_pending() == SIGTERM);
    CHECK(raise(SIGINT) == 0);
    CHECK(signals_pending() == SIGTERM);
    CHECK(ppoll(NULL, 0, &moment, signals_wait_mask()) == -1 && errno == EINTR);
    CHECK(signals_pending() == SIGTERM);
    return 0;
}

TEST(test_signals_first_one_is_remembered)
{
    assert_int_equal(fixture_in_child(first_wins_body), 0);
}

static int child_wakes_body(void)
{
    struct timespec limit = {.tv_sec = 20};

    signals_init();
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK(ppoll(NULL, 0, &limit, signals_wait_mask()) == -1 && errno == EINTR);
    CHECK(waitpid(child, NULL, WNOHANG) == child);
    CHECK(signals_pending() == 0); /* is no reason to end */
    return 0;
}

TEST(test_signals_end_of_a_child_wakes_the_wait)
{
    assert_int_equal(fixture_in_child(child_wakes_body), 0);
}

static int pipe_body(void)
{
    int ends[2];

    signals_init();
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    CHECK(write(ends[1], "", 1) == -1 && errno == EPIPE);
    CHECK(handler_of(SIGXFSZ) == SIG_IGN);
    return 0;
}

TEST(test_signals_closed_pipes_do_not_end_us)
{
    assert_int_equal(fixture_in_child(pipe_body), 0);
}

static int mask_body(void)
{
    sigset_t own;

    (void)sigemptyset(&own);
    (void)sigaddset(&own, SIGUSR1);
    (void)sigaddset(&own, SIGTERM);
    CHECK(sigprocmask(SIG_SETMASK, &own, NULL) == 0);
    signals_init();
    CHECK(blocked(SIGINT) && blocked(SIGTERM) && blocked(SIGHUP) && blocked(SIGQUIT) && blocked(SIGCHLD));
    CHECK(blocked(SIGUSR1));
    /* While waiting, ours are let through, even one that was blocked before us, and what others blocked is not. */
    CHECK(sigismember(signals_wait_mask(), SIGINT) == 0);
    CHECK(sigismember(signals_wait_mask(), SIGTERM) == 0);
    CHECK(sigismember(signals_wait_mask(), SIGCHLD) == 0);
    CHECK(sigismember(signals_wait_mask(), SIGUSR1) == 1);
    signals_restore();
    CHECK(!blocked(SIGINT) && !blocked(SIGHUP) && !blocked(SIGQUIT) && !blocked(SIGCHLD));
    CHECK(blocked(SIGUSR1) && blocked(SIGTERM));
    return 0;
}

TEST(test_signals_restore_the_mask)
{
    assert_int_equal(fixture_in_child(mask_body), 0);
}

static int handlers_body(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};

    signals_init();
    for (size_t i = 0; i < COUNT(numbers); i++)
        CHECK(handler_of(numbers[i]) != SIG_DFL && handler_of(numbers[i]) != SIG_IGN);
    signals_restore();
    for (size_t i = 0; i < COUNT(numbers); i++)
        CHECK(handler_of(numbers[i]) == SIG_DFL);
    CHECK(handler_of(SIGPIPE) == SIG_DFL);
    CHECK(handler_of(SIGXFSZ) == SIG_DFL);
    return 0;
}

TEST(test_signals_restore_the_handlers)
{
    assert_int_equal(fixture_in_child(handlers_body), 0);
}

/* --- Writing that a signal can end. --- */

enum { LONG = 1000000 }; /* more than any pipe holds unless it was made larger */

static char *long_text(void)
{
    char *text = malloc(LONG);

    assert_non_null(text);
    for (size_t i = 0; i < LONG; i++)
        text[i] = (char)('a' + i % 23);
    return text;
}

/* The other end is read slowly, and every byte comes. */
static int write_to_reader_body(void)
{
    char *text = long_text(), part[10000];
    int ends[2], status;

    signals_init();
    CHECK(pipe(ends) == 0);
    pid_t reader = fork();
    if (reader == 0) {
        size_t got = 0;
        ssize_t n;
        (void)close(ends[1]);
        while ((n = read(ends[0], part, sizeof(part))) > 0) {
            if (memcmp(part, text + got, (size_t)n) != 0)
                _exit(1);
            got += (size_t)n;
        }
        _exit(got == LONG ? 0 : 2);
    }
    CHECK(signals_write(ends[1], text, LONG) == LONG);
    CHECK(close(ends[1]) == 0);
    CHECK(waitpid(reader, &status, 0) == reader && status == 0);
    free(text);
    return 0;
}

TEST(test_signals_write_waits_for_the_reader)
{
    assert_int_equal(fixture_in_child(write_to_reader_body), 0);
}

/* The pipe has no reader; the signal comes once it is full. */
static int write_to_stalled_body(void)
{
    char *text = long_text();
    int ends[2], before = 0, full = 0;
    pid_t writer = getpid();

    signals_init();
    CHECK(pipe(ends) == 0);
    pid_t killer = fork();
    if (killer == 0) {
        do {
            before = full;
            clock_sleep_ns(20 * MS);
            (void)ioctl(ends[0], FIONREAD, &full);
        } while (full == 0 || full != before);
        (void)kill(writer, SIGTERM);
        _exit(0);
    }
    size_t done = signals_write(ends[1], text, LONG);
    CHECK(errno == EINTR);
    CHECK(ioctl(ends[0], FIONREAD, &full) == 0);
    CHECK(done > 0 && done < LONG && done == (size_t)full);
    CHECK(signals_pending() == SIGTERM);
    CHECK(signals_write(ends[1], text, 1) == 0 && errno == EINTR);
    free(text);
    return 0;
}

TEST(test_signals_write_to_a_stalled_reader_ends)
{
    assert_int_equal(fixture_in_child(write_to_stalled_body), 0);
}

/* After the signal, the last text is still written as far as it has room. */
static int write_after_signal_body(void)
{
    char back[8] = "";
    int ends[2];

    signals_init();
    CHECK(pipe(ends) == 0);
    CHECK(raise(SIGINT) == 0);
    CHECK(signals_write(ends[1], "words", 5) == 5);
    CHECK(read(ends[0], back, sizeof(back)) == 5 && strcmp(back, "words") == 0);
    return 0;
}

TEST(test_signals_write_goes_on_while_there_is_room)
{
    assert_int_equal(fixture_in_child(write_after_signal_body), 0);
}

static int write_fails_body(void)
{
    int ends[2], full = open("/dev/full", O_WRONLY);

    signals_init();
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    CHECK(signals_write(ends[1], "x", 1) == 0 && errno == EPIPE);
    CHECK(full >= 0);
    CHECK(signals_write(full, "x", 1) == 0 && errno == ENOSPC);
    CHECK(close(full) == 0);
    CHECK(signals_write(full, "x", 1) == 0);
    return 0;
}

TEST(test_signals_write_tells_the_error)
{
    assert_int_equal(fixture_in_child(write_fails_body), 0);
}

int main(void)
{
    static const int used[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

    /* The tests too may have been started by nohup(1) or in the background of a shell. */
    for (size_t i = 0; i < COUNT(used); i++)
        (void)signal(used[i], SIG_DFL);
    return run_all_tests();
}
