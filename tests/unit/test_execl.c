/* SPDX-License-Identifier: MIT */
/* Execl throughput on a system that is made up here: what each process image records, and what cannot go on says. */

#include "bench/unix.h"
#include "bench_fixture.h"

static struct {
    uint64_t now_ns;                /* a reading of the clock is 1,000 ns after the one before */
    unsigned level;                 /* of the last core probe; the next is one higher */
    int image, exec_error;          /* what scratch_own_image() and party_exec() return */
    bool can_exec, can_exec_itself; /* the image, and the program's own file */
    char log[256];
} made;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    char words[128];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    text_add(made.log, sizeof(made.log), "%s%s", made.log[0] ? " " : "", words);
}

static uint64_t made_clock(void)
{
    return made.now_ns += 1000;
}

static void made_probe_take(const struct core_probe *probe, struct core_reading *reading)
{
    assert_non_null(probe);
    note("probe");
    reading->level = ++made.level;
}

static void made_record_begin(struct core_record *record, uint64_t expected_ns)
{
    assert_non_null(record);
    note("begin:%llu", (unsigned long long)expected_ns);
}

static void made_enter(struct core_record *record, const struct core_reading *before, const struct core_reading *after,
                       double count, double cost, uint64_t start_ns)
{
    assert_non_null(record);
    note("enter:%u:%u:%g:%g:%llu", before->level, after->level, count, cost, (unsigned long long)start_ns);
}

static int made_exec(struct party_context *context)
{
    assert_non_null(context);
    note("exec");
    return made.exec_error;
}

static int made_own_image(const char *dir, uint64_t least_bytes)
{
    note("image:%s:%llu", dir, (unsigned long long)least_bytes);
    return made.image;
}

static bool made_can_exec(int fd)
{
    assert_int_equal(fd, made.image);
    return made.can_exec;
}

static bool made_can_exec_self(void)
{
    return made.can_exec_itself;
}

static void made_take_footprint(struct party_context *context, const char *path)
{
    assert_non_null(context);
    note("footprint:%s", path);
}

/* The same source, on that system. */
#define clock_raw_ns          made_clock
#define core_probe_take       made_probe_take
#define core_record_begin     made_record_begin
#define core_enter            made_enter
#define party_exec            made_exec
#define scratch_own_image     made_own_image
#define scratch_can_exec      made_can_exec
#define process_can_exec_self made_can_exec_self
#define unix_take_footprint   made_take_footprint
#include "../../src/bench/process.c"

static struct fixture_party p;
static struct unix_params params;

static void begin(void)
{
    memset(&made, 0, sizeof(made));
    memset(&params, 0, sizeof(params));
    text_copy(params.dir, sizeof(params.dir), "/d");
    fixture_party_begin(&p, &bench_execl, &params);
    p.context.baton->image_fd = -1;
}

static void assert_log(const char *expected)
{
    assert_string_equal(made.log, expected);
    made.log[0] = 0;
}

/* One image after the other: an exec is from the last thing that one does to the first that the next one does. */
TEST(test_execl_records_each_exec)
{
    static const struct core_probe probe;
    const struct slices *slices;

    begin();
    slices = p.context.recorder[UNIX_SLICES];
    p.context.core_probe = &probe;
    p.context.time_ns = 250;
    made.exec_error = -ENOENT;
    assert_int_equal(p.party->run(&p.context), -1);
    assert_string_equal(p.reason, "cannot execute the program again: No such file or directory");
    assert_log("probe probe begin:250 exec");
    assert_int_equal(slices->n, 0);
    assert_true(p.context.baton->start_ns == 2000 && p.context.baton->core.level == 2);
    p.context.baton->execs = 1;
    assert_int_equal(p.party->run(&p.context), -1);
    assert_log("probe probe enter:2:4:1:1000:2000 exec");
    assert_int_equal(slices->n, 1);
    assert_true(slices->slice[0].count == 1);
    assert_true(slices->slice[0].start_ns == 2000 && slices->slice[0].end_ns == 3000);
    assert_true(p.context.baton->start_ns == 4000 && p.context.baton->core.level == 4);
    p.context.baton->execs = 2;
    party_stop_all(&p.context);
    assert_int_equal(p.party->run(&p.context), 0);
    assert_log("probe probe enter:4:6:1:1000:4000");
    assert_int_equal(slices->n, 2);
    fixture_party_end(&p);
}

TEST(test_execl_counts_every_exec)
{
    for (uint64_t execs = 2; execs <= 4; execs++) {
        begin();
        for (uint64_t i = 0; i < 3; i++)
            slices_add(p.context.recorder[UNIX_SLICES], 1, i, i + 1);
        p.context.baton->execs = execs;
        assert_int_equal(p.party->verify(&p.context), 0);
        const struct checks *checks = p.context.recorder[UNIX_CHECKS];
        assert_int_equal(checks->n, 1);
        assert_string_equal(checks->check[0].name, "execs counted");
        assert_true(checks->check[0].got == 3 && checks->check[0].expected == (double)execs);
        assert_true(!checks_wrong(checks) == (execs == 3));
        fixture_party_end(&p);
    }
}

/* The first image makes the file for all that follow, which inherit its descriptor. */
TEST(test_execl_first_image_makes_its_file)
{
    char expected[64];

    for (int classic = 0; classic < 2; classic++) {
        begin();
        params.classic = classic;
        made.can_exec = true;
        made.image = fixture_file();
        assert_int_equal(fcntl(made.image, F_SETFD, FD_CLOEXEC), 0);
        assert_int_equal(p.party->setup(&p.context), 0);
        (void)snprintf(expected, sizeof(expected), "image:/d:%llu",
                       classic ? (unsigned long long)footprint_file_bytes() : 0);
        assert_log(expected);
        assert_int_equal(p.context.baton->image_fd, made.image);
        assert_int_equal(fcntl(made.image, F_GETFD), 0);
        p.context.baton->execs = 1;
        assert_int_equal(p.party->setup(&p.context), 0);
        assert_log("footprint:/proc/self/exe");
        assert_string_equal(p.context.slot->refused, "");
        assert_int_equal(close(made.image), 0);
        fixture_party_end(&p);
    }
}

TEST(test_execl_may_use_the_common_file)
{
    const int before = fixture_count_fds();

    begin();
    made.image = fixture_file();
    assert_int_equal(p.party->setup(&p.context), 0);
    assert_string_equal(p.context.slot->refused,
                        "all copies execute the same file: execveat is refused and there is no /proc");
    assert_int_equal(p.context.baton->image_fd, -1);
    fixture_party_end(&p);
    assert_int_equal(fixture_count_fds(), before);
}
