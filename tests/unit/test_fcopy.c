/* SPDX-License-Identifier: MIT */
/* File copy, write and read on a small file: each call that fails is told, and what is moved and timed is exact. The
 * clock is made up here: only reads and writes take time on it. */

#include "bench/unix.h"
#include "bench_fixture.h"

static struct {
    uint64_t now_ns;
    unsigned calls, fails;   /* number of the call that fails, from 1; 0: none */
    bool slept, falls_short; /* falls_short: it does one byte less, and is no error */
    unsigned interrupted;    /* so many calls of pread() are interrupted */
    const char *failed;      /* what it was for */
    char log[128];           /* sync, and sleeps in seconds; what comes first after a sleep */
} made;

static uint64_t made_clock(void)
{
    return made.now_ns;
}

static void made_sleep(uint64_t ns)
{
    text_add(made.log, sizeof(made.log), " %g", (double)ns * 1e-9);
    made.slept = true;
}

static void made_sync(void)
{
    text_add(made.log, sizeof(made.log), " sync");
    made.slept = false;
}

static bool fails_now(const char *what)
{
    if (made.slept && strcmp(what, "rewind") != 0) {
        text_add(made.log, sizeof(made.log), " %s", what);
        made.slept = false;
    }
    if (++made.calls != made.fails)
        return false;
    made.failed = what;
    errno = EINVAL;
    return true;
}

static ssize_t made_read(int fd, void *buffer, size_t size)
{
    if (fails_now("read"))
        return made.falls_short ? (ssize_t)size - 1 : -1;
    ssize_t n = read(fd, buffer, size);
    made.now_ns += n > 0 ? 20 * MS : 0;
    return n;
}

static ssize_t made_write(int fd, const void *buffer, size_t size)
{
    if (fails_now("write"))
        return made.falls_short ? (ssize_t)size - 1 : -1;
    made.now_ns += 10 * MS;
    return write(fd, buffer, size);
}

static off_t made_lseek(int fd, off_t offset, int whence)
{
    return whence == SEEK_SET && fails_now("rewind") ? (made.falls_short ? 1 : -1) : lseek(fd, offset, whence);
}

static ssize_t made_pread(int fd, void *buffer, size_t size, off_t offset)
{
    if (made.interrupted) {
        made.interrupted--;
        errno = EINTR;
        return -1;
    }
    if (fails_now("verify"))
        return made.falls_short ? (ssize_t)size - 1 : -1;
    return pread(fd, buffer, size, offset);
}

/* The same source, with these. */
#define clock_raw_ns   made_clock
#define clock_sleep_ns made_sleep
#define sync           made_sync
#define read           made_read
#define write          made_write
#define lseek          made_lseek
#define pread          made_pread
#include "../../src/bench/fcopy.c"
#undef read
#undef write
#undef lseek
#undef pread

static struct fixture_party p;
/* As a test of this kind. */
static int set_up(struct party_context *context, const struct kind *kind)
{
    static struct bench bench;

    bench = (struct bench){.test = kind};
    context->bench = &bench;
    return setup(context);
}

static struct unix_params params;

/* Files of 6 KiB: a whole block of BUFFER_MAX, and a part of one. */
static const struct kind kinds[] = {
    {.buffer_bytes = 256, .file_bytes = 6144, .reads = true, .writes = true},
    {.buffer_bytes = 256, .file_bytes = 6144, .writes = true},
    {.buffer_bytes = 256, .file_bytes = 6144, .reads = true},
};

static void begin(void)
{
    memset(&made, 0, sizeof(made));
    memset(&params, 0, sizeof(params));
    text_copy(params.dir, sizeof(params.dir), "/tmp");
    fixture_party_begin(&p, &bench_fcopy256, &params);
}

/* Sets up, moves 1 and then 9 KiB, and verifies. Returns 0, or -1 as soon as a step fails. */
static int run_all(const struct kind *kind)
{
    return set_up(&p.context, kind) || work(&p.context, 1) || work(&p.context, 9) || verify(&p.context) ? -1 : 0;
}

static const struct checks *checks(void)
{
    return p.context.recorder[UNIX_CHECKS];
}

/* Each of so many calls in turn (of many that are alike some): nothing is done after the one that fails. */
static void check_failures(const struct kind *kind, bool classic, bool falls_short, unsigned calls)
{
    for (unsigned fails = 1;; fails += fails > 100 && fails + 20 < calls ? 5 : 1) {
        char expected[200];
        begin();
        params.classic = classic;
        made.fails = fails;
        made.falls_short = falls_short;
        int result = run_all(kind);
        const bool reached = made.failed != NULL;
        if (!reached) {
            assert_int_equal(result, 0);
            assert_null(checks_wrong(checks()));
            assert_int_equal(made.calls, calls);
        } else if (falls_short && !strcmp(made.failed, "verify")) {
            assert_int_equal(result, 0);
            assert_non_null(checks_wrong(checks()));
        } else {
            assert_int_equal(result, -1);
            assert_int_equal(made.calls, fails);
            (void)snprintf(expected, sizeof(expected), "cannot %s a scratch file in '/tmp': %s", made.failed,
                           falls_short && strcmp(made.failed, "rewind") != 0
                               ? "short write: no space left, or a limit on file sizes"
                               : "Invalid argument");
            assert_string_equal(p.reason, expected);
        }
        fixture_party_end(&p);
        if (!reached)
            return;
    }
}

TEST(test_fcopy_tells_each_call_that_fails)
{
    static const unsigned calls[] = {91, 43, 48};
    const int before = fixture_count_fds();

    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int falls_short = 0; falls_short < 2; falls_short++)
            check_failures(&kinds[i], false, falls_short, calls[i]);
    check_failures(&kinds[0], true, false, 501);
    assert_int_equal(fixture_count_fds(), before);
}

/* A write takes 10 ms: four times 64 of them are 64 KiB in 2.56 s. A read takes 20 ms: twice 64 are 32 KiB. */
TEST(test_fcopy_classic_times_its_parts)
{
    begin();
    params.classic = true;
    assert_int_equal(run_all(&kinds[0]), 0);
    assert_null(checks_wrong(checks()));
    const double *numbers = p.context.recorder[UNIX_NUMBERS];
    fixture_assert_near(numbers[NUMBER_WRITE_RATE], 25);
    fixture_assert_near(numbers[NUMBER_READ_RATE], 12.5);
    assert_string_equal(made.log, " sync 2 sync 2 write sync 2 sync 2 read sync 2 sync 1 read");
    fixture_party_end(&p);
    for (size_t i = 1; i < COUNT(kinds); i++) {
        begin();
        params.classic = true;
        assert_int_equal(set_up(&p.context, &kinds[i]), 0);
        assert_string_equal(made.log, " sync 2 sync 2");
        fixture_party_end(&p);
    }
    begin();
    assert_int_equal(set_up(&p.context, &kinds[0]), 0);
    assert_string_equal(made.log, "");
    fixture_party_end(&p);
}

static uint64_t word_at(int fd, off_t at)
{
    uint64_t word = 0;

    assert_int_equal(pread(fd, &word, sizeof(word), at), sizeof(word));
    return word;
}

/* Word number n of a file, from 1, is n times the multiplier. What is only written is one buffer over and over. */
TEST(test_fcopy_pattern_depends_on_the_position)
{
    static const uint64_t multiplier = UINT64_C(0x9e3779b97f4a7c15);
    const struct files *files;

    begin();
    assert_int_equal(set_up(&p.context, &kinds[0]), 0);
    assert_int_equal(work(&p.context, 6), 0);
    files = p.context.state;
    for (unsigned word = 0; word < 6144 / 8; word++) {
        assert_true(word_at(files->from, 8 * (off_t)word) == (word + 1) * multiplier);
        assert_true(word_at(files->to, 8 * (off_t)word) == (word + 1) * multiplier);
    }
    fixture_party_end(&p);
    begin();
    assert_int_equal(set_up(&p.context, &kinds[1]), 0);
    assert_int_equal(work(&p.context, 7), 0);
    files = p.context.state;
    assert_int_equal(lseek(files->to, 0, SEEK_CUR), 1024); /* once around, and on */
    for (unsigned word = 0; word < 6144 / 8; word++)
        assert_true(word_at(files->to, 8 * (off_t)word) == (word % 32 + 1) * multiplier);
    fixture_party_end(&p);
}

static void assert_check(size_t i, const char *name, double got, double expected)
{
    const struct check *check = &checks()->check[i];

    assert_true(i < checks()->n);
    assert_string_equal(check->name, name);
    if (check->got != got || check->expected != expected || check->tolerance != 0)
        fail_msg("%zu, %s: %g of %g", i, name, check->got, check->expected);
}

/* 2 KiB of 6 were written. Two wrong bytes in the one file; in the other the last of the 2,048 is missing, so that
 * nothing from the last block on can be compared; another buffer. A read that is interrupted is repeated. */
TEST(test_fcopy_counts_wrong_bytes)
{
    begin();
    assert_int_equal(set_up(&p.context, &kinds[0]), 0);
    assert_int_equal(work(&p.context, 2), 0);
    struct files *files = p.context.state;
    made.interrupted = 3;
    assert_int_equal(verify(&p.context), 0);
    assert_int_equal(checks()->n, 4);
    assert_check(0, "wrong bytes in the file read", 0, 0);
    assert_check(1, "wrong bytes in the file written", 0, 0);
    assert_check(2, "length of the file written", 2048, 2048);
    assert_check(3, "last buffer read is right", 1, 1);
    assert_int_equal(pwrite(files->from, "\1\1", 2, 5000), 2);
    assert_int_equal(ftruncate(files->to, 2047), 0);
    files->buffer[31]++;
    assert_int_equal(verify(&p.context), 0);
    assert_check(4, "wrong bytes in the file read", 2, 0);
    assert_check(5, "wrong bytes in the file written", 2048, 0);
    assert_check(6, "length of the file written", 2047, 2048);
    assert_check(7, "last buffer read is right", 0, 1);
    fixture_party_end(&p);
    begin();
    assert_int_equal(set_up(&p.context, &kinds[0]), 0);
    assert_int_equal(work(&p.context, 8), 0); /* once around, and on */
    files = p.context.state;
    assert_int_equal(ftruncate(files->from, 4097), 0);
    assert_int_equal(verify(&p.context), 0);
    assert_check(0, "wrong bytes in the file read", 2048, 0);
    assert_check(1, "wrong bytes in the file written", 0, 0);
    assert_check(2, "length of the file written", 6144, 6144);
    fixture_party_end(&p);
}
