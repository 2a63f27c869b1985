/* SPDX-License-Identifier: MIT */
/* The acceptance commands of the first stage on the real program, and the values in their CSV: tests/cli/rows.py works
 * them out again with python3's csv module. */

#include "cli.h"
#include "payload_util.h"
#include "program.h"

#define ALL_QUICK_S 60

static char rows[sizeof(payload_top) + 32];

static int setup(void **state)
{
    int failed = payload_setup(state);

    (void)snprintf(rows, sizeof(rows), "%s/tests/cli/rows.py", payload_top);
    return failed;
}

static void require_cpu(unsigned which, char *cpu, size_t size)
{
    if (payload_cpu(which, cpu, size))
        return;
    skip_because("takes %u CPUs", which + 1);
}

#define CHECK(...)     PAYLOAD_RUN(NULL, NULL, "python3", rows, __VA_ARGS__)
#define JITBENCH(...)  PAYLOAD_RUN(NULL, NULL, payload_program, __VA_ARGS__)
#define TEXT_OF(array) array, sizeof(array)

TEST(test_accept_program_is_static)
{
    payload_need("file");
    assert_int_equal(PAYLOAD_RUN(NULL, "file", "file", "-L", payload_program), 0);
    char *text = payload_read("file");
    assert_non_null(text);
    assert_non_null(strstr(text, "statically linked"));
    assert_null(strstr(text, "interpreter"));
    free(text);
}

/* 84 divisions and 8 primes; the histogram holds every experiment, and all figures follow from it; a second run on the
 * same CPU is about as fast, but for an emulator, whose speed differs from process to process. */
TEST(test_accept_prime_counts_and_histogram)
{
    static const char *const files[] = {"first.csv", "second.csv"};
    char cpu[16];

    payload_need("python3");
    require_cpu(0, TEXT_OF(cpu));
    for (int i = 0; i < 2; i++)
        assert_int_equal(JITBENCH("prime", "--limit", "22", "--experiments", "1000000", "--samples", "1", "--cpus", cpu,
                                  "-q", "-o", files[i]),
                         0);
    if (!program_emulated(payload_program))
        assert_int_equal(CHECK("same", "first.csv", "second.csv"), 0);
    assert_int_equal(CHECK("columns", "first.csv"), 0);
    assert_int_equal(CHECK("prime", "first.csv", "1000000"), 0);
    assert_int_equal(CHECK("prime", "second.csv", "1000000"), 0);
}

TEST(test_accept_prime_sweep_goes_with_the_divisions)
{
    payload_need("python3");
    if (program_emulated(payload_program))
        skip_because("an emulator's time does not go with the work");
    assert_int_equal(JITBENCH("prime", "--classic", "--experiments", "200K", "--samples", "1", "-q", "-o", "sweep.csv"),
                     0);
    assert_int_equal(CHECK("sweep", "sweep.csv"), 0);
    assert_int_equal(CHECK("columns", "sweep.csv"), 0);
}

TEST(test_accept_series_file_gives_every_figure)
{
    payload_need("python3");
    assert_int_equal(JITBENCH("prime", "--experiments", "200K", "--samples", "1", "--series", "series.txt", "-q", "-o",
                              "series.csv"),
                     0);
    assert_int_equal(CHECK("every", "series.csv", "series.txt"), 0);
    /* Fewer than the series column has room for: none is left out. */
    assert_int_equal(
        JITBENCH("prime", "--experiments", "700", "--samples", "1", "--series", "few.txt", "-q", "-o", "few.csv"), 0);
    assert_int_equal(CHECK("every", "few.csv", "few.txt"), 0);
}

TEST(test_accept_series_begins_at_a_later_experiment)
{
    payload_need("python3");
    assert_int_equal(
        JITBENCH("prime", "--experiments", "20K", "--samples", "2", "--from", "15K", "-q", "-o", "late.csv"), 0);
    assert_int_equal(CHECK("window", "late.csv", "15000"), 0);
    assert_int_equal(JITBENCH("stream", "array", "--sizes", "25", "--experiments", "20K", "--samples", "1", "--from",
                              "15K", "-q", "-o", "array.csv"),
                     0);
    assert_int_equal(CHECK("window", "array.csv", "15000"), 0);
}

TEST(test_accept_stream_rates_follow_from_the_times)
{
    payload_need("python3");
    if (program_clock_is_coarse(payload_program))
        skip_because("the emulator's counter has steps of a microsecond");
    assert_int_equal(JITBENCH("stream", "--sizes", "25,800,12800", "--experiments", "1000", "--array-size", "4M",
                              "--repetitions", "5", "--samples", "1", "-q", "-o", "stream.csv"),
                     0);
    assert_int_equal(CHECK("columns", "stream.csv"), 0);
    assert_int_equal(CHECK("stream", "stream.csv", program_has_nontemporal_stores(payload_program) ? "2" : "1", "25",
                           "800", "12800"),
                     0);
}

/* How long the run will take, as `all` says before it begins: the text after ", about ". */
static char *planned(const char *options)
{
    static const char until_plan[] =
        "\"$0\" all $1 --no-csv >plan & while kill -0 $! && ! grep -q '^Plan ' plan; do sleep 0.1; done; kill $!; "
        "wait $!; sed -n 's/^Plan .*, about //p' plan >about";

    assert_int_equal(PAYLOAD_RUN(NULL, NULL, "sh", "-c", until_plan, payload_program, options), 0);
    char *about = payload_read("about");
    assert_non_null(about);
    return about;
}

TEST(test_accept_all_quick_is_planned_for_under_a_minute)
{
    unsigned planned_s;

    if (program_emulated(payload_program))
        skip_because("an emulator is slower than a processor");
    char *about = planned("--quick");
    assert_int_equal(sscanf(about, "%u s\n", &planned_s), 1);
    assert_in_range(planned_s, 1, ALL_QUICK_S - 1);
    free(about);
}

TEST(test_accept_all_thesis_says_its_duration_for_a_cpu)
{
    char *about = planned("--thesis --cpus 0");

    assert_non_null(strstr(about, " min\n"));
    free(about);
}

GROUP(setup, payload_teardown);
