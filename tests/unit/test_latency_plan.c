/* SPDX-License-Identifier: MIT */
/* The plan of jitbench latency: which tasks run under which loads, and what both get, for a machine with 1000 MiB of
 * memory and four CPUs. */
#include "suite_fixture.h"

#include "cmd/latency.h"
#include "golden_fixture.h"

#define MIB (1024 * 1024ull)

static struct suite_plan *made(char *const *words)
{
    struct suite_plan *s = suite_options(&suite_latency, words, 4, BIND_ONE);

    s->m.machine.cpus_online = 6;
    s->m.machine.memory_total_bytes = 1000 * MIB;
    s->m.machine.memory_available_bytes = 800 * MIB;
    return s;
}

static void put_sim(struct text *out, const struct sim_params *p)
{
    text_printf(out, " %llu:%llu%s late %llu%s loops %g%s%s%s", (unsigned long long)p->interval_ns / 1000,
                (unsigned long long)p->busy_ns / 1000, p->sweep ? ":sweep" : "",
                (unsigned long long)p->late_after_ns / 1000, p->late_after_given ? " given" : "", p->loops_per_ms,
                p->real_time ? " real-time" : "", p->single_cpu ? " single-cpu" : "", p->classic ? " classic" : "");
}

/* The names of the pairs only: a line for each task. */
static void expect_pairs(char *const *words, const char *expected)
{
    struct suite_plan *s = made(words);
    const struct bench *bench = NULL;
    struct text out = {0};

    suite_make_plan(s, &suite_latency);
    if (s->failed)
        fail_msg("%s", said.text);
    for (size_t i = 0; i < s->plan.n; i++) {
        const struct plan_item *item = &s->plan.items[i];
        if (!item->load)
            continue;
        if (item->bench != bench)
            text_printf(&out, "%s%s:", bench ? "\n" : "", item->bench->name);
        bench = item->bench;
        text_printf(&out, item->skip ? " (%s)" : " %s", item->load->name);
    }
    expect_golden(&out, expected);
    suite_plan_free(s, &suite_latency);
}

#define W(text) ((char *)(text))

TEST(test_latency_plan_has_the_telling_pairs)
{
    expect_pairs(WORDS(NULL), "audio: none x burn write read ring compile\n"
                              "video: none x burn write compile\n"
                              "x: none video burn write compile\n"
                              "gaming: none burn compile");
    expect_pairs(WORDS(W("--quick")), "audio: none burn write compile\n"
                                      "video: none burn compile\n"
                                      "x: none burn\n"
                                      "gaming: none burn");
    /* Only audio and video are real-time without --fifo; custom is a task where its figures are given. */
    expect_pairs(WORDS(W("-r"), W("-I"), W("20000"), W("-C"), W("25")), "audio: none x burn write read ring compile\n"
                                                                        "video: none x burn write compile\n"
                                                                        "custom: none burn write compile");
}

/* Memload, which does not fit without swap, is in the plan and does not run, but where it is named. */
TEST(test_latency_plan_has_the_pairs_that_are_named)
{
    expect_pairs(WORDS(W("-W"), W("audio,x"), W("-w"), W("none,burn,x")), "audio: none x burn\n"
                                                                          "x: none burn");
    expect_pairs(WORDS(W("-X"), W("x,gaming")), "audio: none video x burn write read ring compile (memload)\n"
                                                "video: none x burn write read ring compile (memload)");
    expect_pairs(WORDS(W("-W"), W("gaming"), W("--all-pairs")),
                 "gaming: none video x burn write read ring compile (memload)");
    expect_pairs(WORDS(W("-W"), W("gaming"), W("-x"), W("none,read,ring,x")),
                 "gaming: video burn write compile (memload)");
    expect_pairs(WORDS(W("-W"), W("audio"), W("-w"), W("memload,hack")), "audio: memload hack");
    expect_pairs(WORDS(W("-W"), W("audio"), W("-w"), W("custom"), W("-I"), W("20000"), W("-C"), W("25")),
                 "audio: custom"); /* the last of the loads */
}

/* They run when they are named, beside loads of their own where none are. */
TEST(test_latency_plan_has_the_tasks_of_today)
{
    expect_pairs(WORDS(W("-W"), W("requests,input")), "requests: none burn burn2 storm mixed\n"
                                                      "input: none burn burn2 storm mixed\n"
                                                      "alone: burn burn2 storm mixed");
    expect_pairs(WORDS(W("--quick"), W("-W"), W("frame")), "frame: none burn storm\n"
                                                           "alone: burn storm");
    expect_pairs(WORDS(W("-W"), W("frame,audio"), W("-w"), W("none,ring")), "audio: none ring\n"
                                                                            "frame: none ring\n"
                                                                            "alone: ring");
    expect_pairs(WORDS(W("-W"), W("frame"), W("--all-pairs")),
                 "frame: none video x burn write read ring compile (memload)\n"
                 "alone: video x burn write read ring compile (memload)");
}

TEST(test_latency_plan_gives_tasks_of_today_their_parameters)
{
    struct suite_plan *s =
        made(WORDS(W("-l"), W("5000"), W("-W"), W("requests,frame,launch"), W("-w"), W("none"), W("--messengers"),
                   W("2"), W("--frame-rate"), W("144"), W("--frame-workers"), W("3"), W("--launch-touch"), W("64K")));

    suite_make_plan(s, &suite_latency);
    assert_int_equal(s->plan.n, 3);
    const struct requests_params *requests = s->plan.items[0].params;
    const struct frame_params *frame = s->plan.items[1].params;
    const struct launch_params *launch = s->plan.items[2].params;
    assert_int_equal(requests->messengers, 2);
    assert_int_equal(requests->operations, 5);
    assert_int_equal(requests->sim.workers, 4); /* one for each CPU */
    assert_int_equal(frame->rate, FRAMES_144);
    assert_int_equal(frame->sim.workers, 3);
    assert_true(frame->sim.loops_per_ms == 5000);
    assert_int_equal(launch->touch_bytes, 65536);
    assert_int_equal(launch->pause_ns, 5000000);
    suite_plan_free(s, &suite_latency);
}

/* Threads follow the number of CPUs, of which this machine has 64. */
TEST(test_latency_plan_sweeps_cpus)
{
    struct suite_plan *s = suite_options(
        &suite_latency,
        WORDS(W("-l"), W("5000"), W("-W"), W("requests"), W("-w"), W("burn,ring"), W("--sweep-cpus"), W("64,2")), 64,
        BIND_ONE);
    struct text out = {0};

    s->m.machine.memory_total_bytes = 1000 * MIB;
    suite_make_plan(s, &suite_latency);
    assert_int_equal(s->m.place.n_order, 64);
    assert_int_equal(s->plan.schedule, SCHEDULE_INTERLEAVED);
    for (size_t i = 0; i < s->plan.n; i++) {
        const struct plan_item *item = &s->plan.items[i];
        text_printf(&out, "%s %s on %u: %llu workers, %llu threads\n", item->bench->name, item->load->name, item->cpus,
                    (unsigned long long)((const struct sim_params *)item->params)->workers,
                    (unsigned long long)((const struct load_params *)item->load_params)->threads);
    }
    expect_golden(&out, "requests burn on 64: 64 workers, 64 threads\n"
                        "requests ring on 64: 64 workers, 64 threads\n"
                        "alone burn on 64: 64 workers, 64 threads\n"
                        "alone ring on 64: 64 workers, 64 threads\n"
                        "requests burn on 2: 2 workers, 2 threads\n"
                        "requests ring on 2: 2 workers, 2 threads\n"
                        "alone burn on 2: 2 workers, 2 threads\n"
                        "alone ring on 2: 2 workers, 2 threads\n");
    suite_plan_free(s, &suite_latency);
}

static void expect_loads(struct suite_plan *s, const char *expected)
{
    struct text out = {0};

    suite_make_plan(s, &suite_latency);
    if (s->failed)
        fail_msg("%s", said.text);
    for (size_t i = 0; i < s->plan.n; i++) {
        const struct plan_item *item = &s->plan.items[i];
        const struct load_params *p = item->load_params;
        if (!item->load)
            continue;
        text_printf(&out, "%s: %llu threads, %llu groups, file %llu, memory %llu%s, nice %d%s,", item->load->name,
                    (unsigned long long)p->threads, (unsigned long long)p->groups,
                    (unsigned long long)(p->file_bytes / MIB), (unsigned long long)(p->memory_bytes / MIB),
                    p->memory_spare ? " spare" : "", p->nice, p->nice_given ? " given" : "");
        put_sim(&out, &p->sim);
        if (p->rate)
            text_printf(&out, " rate %llu", (unsigned long long)(p->rate / MIB));
        text_append(&out, "\n", 1);
        assert_string_equal(p->dir, "/tmp");
    }
    expect_golden(&out, expected);
    suite_plan_free(s, &suite_latency);
}

/* Compile has two files, of which each gets half; a simulation has its own task's parameters. */
TEST(test_latency_plan_gives_loads_their_parameters)
{
    char *const sizes[] = {W("suite"),
                           W("--dir"),
                           W("/tmp"),
                           W("-l"),
                           W("5000"),
                           W("-W"),
                           W("audio"),
                           W("-w"),
                           W("none,video,burn,write:20MB/s,read,compile,custom"),
                           W("-L"),
                           W("3"),
                           W("--hack-groups"),
                           W("2"),
                           W("--file-size"),
                           W("8M"),
                           W("--memload-size"),
                           W("64M"),
                           W("-N"),
                           W("5"),
                           W("-I"),
                           W("20000"),
                           W("-C"),
                           W("25"),
                           NULL};

    expect_loads(made(sizes),
                 "none: 3 threads, 2 groups, file 8, memory 64 spare, nice 5 given, 0:0 late 0 loops 5000\n"
                 "video: 3 threads, 2 groups, file 8, memory 64 spare, nice 5 given, 16666:6666 late 16666 "
                 "loops 5000\n"
                 "burn: 3 threads, 2 groups, file 8, memory 64 spare, nice 5 given, 0:0 late 0 loops 5000\n"
                 "write: 3 threads, 2 groups, file 8, memory 64 spare, nice 5 given, 0:0 late 0 loops 5000 rate 20\n"
                 "read: 3 threads, 2 groups, file 8, memory 64 spare, nice 5 given, 0:0 late 0 loops 5000\n"
                 "compile: 3 threads, 2 groups, file 4, memory 64 spare, nice 5 given, 0:0 late 0 loops "
                 "5000\n"
                 "custom: 3 threads, 2 groups, file 8, memory 64 spare, nice 5 given, 20000:5000 late 7000 "
                 "loops 5000\n");
    /* A load has as many threads as there are CPUs to measure on; in the classic protocol, as the machine has. */
    expect_loads(made(WORDS(W("--dir"), W("/tmp"), W("-l"), W("5000"), W("-W"), W("audio"), W("-w"), W("burn"),
                            W("--file-size"), W("8M"), W("--memload-size"), W("64M"))),
                 "burn: 4 threads, 4 groups, file 8, memory 64 spare, nice 0, 0:0 late 0 loops 5000\n");
    expect_loads(
        made(WORDS(W("--dir"), W("/tmp"), W("-l"), W("5000"), W("-W"), W("audio"), W("-w"), W("burn"), W("--file-size"),
                   W("8M"), W("--memload-size"), W("64M"), W("-u"), W("--classic"))),
        "burn: 6 threads, 6 groups, file 8, memory 64 spare, nice 0, 0:0 late 0 loops 5000 single-cpu classic\n");
    struct suite_plan *one = made(WORDS(W("--dir"), W("/tmp"), W("-l"), W("5000"), W("-W"), W("audio"), W("-w"),
                                        W("burn"), W("--file-size"), W("8M"), W("--memload-size"), W("64M")));
    one->m.place.bind_given = true;
    expect_loads(one, "burn: 1 threads, 1 groups, file 8, memory 64 spare, nice 0, 0:0 late 0 loops 5000\n");
}

/* With swap memload uses 110 % of the memory, if that and 5 % fit: 800 MiB are available, and 350 MiB of swap are not
 * enough. Without, it uses 90 % of what is available. */
TEST(test_latency_plan_memload_fits_into_memory_and_swap)
{
    struct suite_plan *s = made(WORDS(W("--dir"), W("/tmp")));
    struct load_params *p = calloc(1, sizeof(*p));
    uint64_t *swap = &s->m.machine.swap_total_bytes;

    assert_non_null(p);
    *swap = 350 * MIB;
    assert_string_equal(latency_fill_load(&s->m, s->options, false, p),
                        "no swap that could hold it: `--load memload` runs it in 90 % of what is available");
    assert_null(latency_fill_load(&s->m, s->options, true, p));
    assert_true(p->memory_spare);
    const uint64_t room = memload_room(), most = 800 * MIB / 100 * 90;
    if (room > most)
        assert_int_equal(p->memory_bytes, most);
    else
        assert_true(p->memory_bytes <= most); /* this machine's own memory is smaller */
    ++*swap;
    const bool no_limit = cgroup_memory_available() == UINT64_MAX;
    assert_true(no_limit == !latency_fill_load(&s->m, s->options, false, p));
    if (no_limit) {
        assert_false(p->memory_spare);
        assert_int_equal(p->memory_bytes, 1000 * MIB / 100 * 110);
    }
    s->m.machine.memory_total_bytes = 0;
    assert_string_equal(latency_fill_load(&s->m, s->options, true, p), "the size of the memory is not known here");
    free(p);
    suite_plan_free(s, &suite_latency);
}

/* From the calibration's row, or else from the first row that has the parameter; anything less than one loop is none.
 */
TEST(test_latency_plan_takes_loops_from_a_file)
{
    static const struct {
        const char *rows;
        double loops; /* 0: none */
    } cases[] = {
        {"latency,calibration,loops_per_ms,5000,\n", 5000},
        {"latency,audio,latency,7,loops_per_ms=4000\nlatency,calibration,loops_per_ms,5000,\n", 5000},
        {"latency,calibration,loops_per_ms,5000,\nlatency,audio,latency,7,loops_per_ms=4000\n", 5000},
        {"latency,audio,late,7,\nlatency,audio,latency,7,loops_per_ms=4000\nlatency,audio,latency,7,loops_per_ms="
         "3000\n",
         4000},
        {"latency,calibration,loops_per_ms,1,\n", 1},
        {"latency,calibration,loops_per_ms,0.5,\n", 0},
        {"latency,audio,latency,5000,\n", 0},
    };
    char path[64], text[300];

    for (size_t i = 0; i < COUNT(cases); i++) {
        const int fd = memfd_create("test_latency_plan", 0);
        (void)snprintf(text, sizeof(text), "suite,test,metric,value,param\n%s", cases[i].rows);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        struct suite_plan *s = made(WORDS(W("-W"), W("audio"), W("-w"), W("none"), W("-l"), path));
        suite_make_plan(s, &suite_latency);
        if (cases[i].loops > 0) {
            assert_int_equal(s->failed, 0);
            assert_int_equal(s->plan.n, 1);
            const struct sim_params *params = s->plan.items[0].params;
            assert_float_equal(params->loops_per_ms, cases[i].loops, 0);
        } else {
            (void)snprintf(text, sizeof(text), "--loops-per-ms '%s': no row of this file has loops_per_ms", path);
            assert_int_equal(s->failed, EXIT_USAGE);
            assert_string_equal(said.text, text);
        }
        suite_plan_free(s, &suite_latency);
        assert_int_equal(close(fd), 0);
    }
}

/* A file system that does not say how much is free, and a machine that does not say how many CPUs it has. */
TEST(test_latency_plan_where_little_is_known)
{
    struct suite_plan *s = made(WORDS(W("--dir"), W("/proc"), W("--classic"), W("--file-size"), W("9M")));
    struct load_params *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    s->m.machine.cpus_online = 0;
    (void)latency_fill_load(&s->m, s->options, false, p);
    assert_string_equal(p->dir, "/proc");
    assert_int_equal(p->file_bytes, 9 * MIB);
    assert_int_equal(p->threads, 4);
    assert_int_equal(p->groups, 4);
    assert_true(p->sim.classic);
    free(p);
    suite_plan_free(s, &suite_latency);
}

TEST(test_latency_plan_refuses_options_that_contradict)
{
    static char *const words[][7] = {
        {W("suite"), W("--sweep-cpus"), W("4,5"), NULL},
        {W("suite"), W("--sweep-cpus"), W("2"), W("-u"), NULL},
        {W("suite"), W("-w"), W("custom"), NULL},
        {W("suite"), W("-W"), W("custom"), W("-I"), W("20000"), NULL},
        {W("suite"), W("-I"), W("20000"), NULL},
        {W("suite"), W("-C"), W("25"), NULL},
        {W("suite"), W("-b"), W("-l"), W("5000"), NULL},
        {W("suite"), W("-W"), W("audio"), W("-X"), W("audio"), NULL},
        {W("suite"), W("-w"), W("burn"), W("-x"), W("burn"), NULL},
        {W("suite"), W("-W"), W("video"), W("-w"), W("video"), NULL},
        {W("suite"), W("-l"), W("99.9"), NULL},
        {W("suite"), W("-l"), W("1000000001"), NULL},
        {W("suite"), W("-l"), W("5000.0.0"), NULL},
        {W("suite"), W("-l"), W("/nonexistent"), NULL},
    };
    static const char *const errors[COUNT(words)] = {
        "--sweep-cpus 5: only 4 CPUs may be used",
        "--sweep-cpus excludes --single-cpu (-u) and --bind",
        "--custom-interval (-I) is missing: custom needs it (100 us to 10 s)",
        "--custom-cpu (-C) is missing: custom needs it, in % (0.1 to 100)",
        "--custom-interval (-I) and --custom-cpu (-C) go together",
        "--custom-interval (-I) and --custom-cpu (-C) go together",
        "--calibrate (-b) and --loops-per-ms (-l) exclude each other",
        "--exclude-task (-X) leaves no task to measure",
        "--exclude-load (-x) leaves no load to measure under",
        "--task and --load leave no pair to measure: a task is no load of its own",
        "--loops-per-ms '99.9' is outside of 100 to 1000000000",
        "--loops-per-ms '1000000001' is outside of 100 to 1000000000",
        "--loops-per-ms '5000.0.0' is outside of 100 to 1000000000",
        "--loops-per-ms: /nonexistent: No such file or directory",
    };

    for (size_t i = 0; i < COUNT(words); i++) {
        struct suite_plan *s = made(words[i]);
        suite_make_plan(s, &suite_latency);
        assert_int_equal(s->failed, EXIT_USAGE);
        assert_string_equal(said.text, errors[i]);
        assert_int_equal(s->plan.n, 0);
        suite_plan_free(s, &suite_latency);
    }
    expect_pairs(WORDS(W("-l"), W("100"), W("-W"), W("audio"), W("-w"), W("none")), "audio: none");
    expect_pairs(WORDS(W("-l"), W("1000000000"), W("-W"), W("audio"), W("-w"), W("none")), "audio: none");
}
