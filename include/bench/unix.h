/* SPDX-License-Identifier: MIT */
/* UNIX microbenchmarks. */
#ifndef BENCH_UNIX_H
#define BENCH_UNIX_H

#include "bench/list.h"

/* Common to the UNIX microbenchmarks. Method: the BYTE UNIX Benchmarks (UnixBench) as documented; see
 * jitbench-unix(1). */

/* Recorders of the measured process, the first party. The engine records slices of work() of 1 to 2 ms; an own run()
 * calls slices_add(). */
enum { UNIX_SLICES, UNIX_CHECKS, UNIX_NUMBERS, UNIX_CORE };
enum { UNIX_N_NUMBERS = 16 }; /* for a benchmark's own use */
#define UNIX_MEASURED(name_) \
    PARTY_IS(name_, [UNIX_SLICES] = {RECORD_SLICES, 4096}, [UNIX_CHECKS] = {RECORD_CHECKS, 48}, \
             [UNIX_NUMBERS] = {RECORD_NUMBERS, UNIX_N_NUMBERS}, [UNIX_CORE] = {RECORD_CORE, 0}), \
        .stop = STOP_FLAG

/* Default: at least min_ samples of time_ms_, in at most most_ms_; --quick: three of quick_ms_, in at most
 * quick_most_ms_; --classic: passes_ of seconds_. */
#define UNIX_SAMPLING(min_, time_ms_, most_ms_, quick_ms_, quick_most_ms_, passes_, seconds_) \
    { \
        SAMPLING(min_, 0, time_ms_, most_ms_ / 1e3), SAMPLING(3, 3, quick_ms_, quick_most_ms_ / 1e3), \
            SAMPLING(passes_, passes_, (seconds_)*1000, 3600) \
    }

/* A test may belong to several. */
enum unix_group {
    UNIX_INDEX_STABLE = 1,
    UNIX_INDEX_CLASSIC = 2,
    UNIX_INDEX = UNIX_INDEX_STABLE | UNIX_INDEX_CLASSIC,
    UNIX_CPU = 4,
    UNIX_FILES = 8,
    UNIX_PROCESS = 16,
    UNIX_ARITH = 32,
    UNIX_SHELL = 64,
    UNIX_MISC = 128,
    UNIX_OLDSYSTEM = 256,
    /* another user of the core slows it down; no processes, no files */
    UNIX_CORE_BOUND = 512
};
#define UNIX_OLD_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* CPUs of context1's processes: by the kernel; the same; two. */
enum unix_halves { HALVES_FREE, HALVES_SAME, HALVES_TWO };

enum { UNIX_RATE, UNIX_ALONE, UNIX_START_SPREAD, UNIX_END_SPREAD, UNIX_N_METRICS };

/* Test with parties of its own. scale_: from units of work per second to the rate's unit (60 for lpm, 10 for MWIPS).
 * baseline_: rate of 10 points in the index; 0: not part of it. */
#define UNIX_BENCH_OF(name_, title_, unit_, scale_, baseline_) \
    BENCH_IS("unix", name_, title_, struct unix_params), \
        .n_shared_metrics = UNIX_N_METRICS, .n_metrics = UNIX_N_METRICS, \
        .metrics = \
            (const struct metric[]){ \
                [UNIX_RATE] = {METRIC("rate", unit_, "higher", \
                                      "mean rate: completions of all copies in the common window"), \
                               .headline = true, .scale = scale_, .baseline = baseline_}, \
                [UNIX_ALONE] = {METRIC("rate_alone", unit_, "higher", \
                                       "mean rate over the slices in which the core was free"), \
                                .scale = scale_, .alone = true, .of = UNIX_RATE, .recorder = UNIX_CORE}, \
                [UNIX_START_SPREAD] = {METRIC("start_spread", "ms", "lower", "first to last copy's start"), \
                                       .value = VALUE_MAX}, \
                [UNIX_END_SPREAD] = {METRIC("end_spread", "ms", "lower", "first to last copy's end"), \
                                     .value = VALUE_MAX}}, \
        .reduce = unix_reduce, .told_while_running = true

/* Test of one process; after the baseline the fields of its struct party. */
#define UNIX_BENCH(name_, title_, unit_, scale_, baseline_, ...) \
    UNIX_BENCH_OF(name_, title_, unit_, scale_, baseline_), BENCH_PARTY(UNIX_MEASURED(name_), __VA_ARGS__)

struct unix_params {
    char dir[512]; /* "": not needed, or none found */
    int halves;    /* context1: enum unix_halves */
    /* context1 with HALVES_TWO: copy i uses pair i % n. For the parent only, to place and describe: in a measured
     * process the pointer is invalid. */
    struct cpu_pairs pairs;
    const char *pairs_name; /* --pairs, for the parent only; NULL: not given */
    uint64_t resident_mib;  /* of this program, rounded up to a power of two, so that rows of two runs compare */
    /* as UnixBench: fcopy has write and read parts of 2 s; spawn and execl have the footprint of dynamic processes */
    bool classic;
};

/* place(). Unless the user chose: unix_place() binds each copy to its CPU; unix_place_range(), for tests that create
 * processes, allows all chosen CPUs, as the kernel places children; --classic binds neither. */
void unix_place(const struct place_of *of, struct placement *placement);
void unix_place_range(const struct place_of *of, struct placement *placement);

void unix_reduce(const struct trial *trial, struct results *results);
/* describe(): "linkage=static libc=glibc-2.36 resident=2M", with --classic "protocol=classic". */
void unix_describe(const struct bench_case *of, struct row_params *out);

/* Common to the UNIX suite's CPU tests. */

/* The Makefile's: the same on every machine, without -march=native. */
#define UNIX_CPU_FLAGS "-O3,-ffast-math"

/* describe(): also the compiler flags. */
void unix_describe_cpu(const struct bench_case *of, struct row_params *out);

/* --classic: ten passes of ten seconds, as UnixBench's short tests. */
#define UNIX_CPU_BENCH(...) \
    UNIX_BENCH(__VA_ARGS__), .sampling = UNIX_SAMPLING(10, 250, 5000, 100, 1000, 10, 10), .place = unix_place, \
                             .describe = unix_describe_cpu

/* Common to the UNIX suite's tests of the kernel. */

/* --classic: UnixBench's passes: ten of 10 s, three of 30 s, shell scripts three of 60 s. */
#define UNIX_SHORT_SAMPLING UNIX_SAMPLING(10, 250, 5500, 100, 1500, 10, 10)
#define UNIX_LONG_SAMPLING  UNIX_SAMPLING(10, 250, 5500, 100, 1500, 3, 30)
#define UNIX_SHELL_SAMPLING UNIX_SAMPLING(5, 500, 5500, 200, 1500, 3, 60)

/* unix_dir_supported(): `dir` is writable and, as far as known, has `bytes` free. Returns 0, or -1 with the reason
 * in why. */
const char *unix_scratch_dir(const void *params);
int unix_dir_supported(const char *dir, uint64_t bytes, struct error *why);

/* The child (-1: any) must exit with status 0. what NULL: one of launch_start(), which exits with its errno. Returns 0,
 * or -1 with "WHAT ended early with exit status 1". */
int unix_wait(struct party_context *context, pid_t child, const char *what);
/* Mappings of a dynamically linked process that a static one lacks. */

/* Minimum size in bytes of footprint_map()'s file. */
uint64_t footprint_file_bytes(void);

/* Maps, protects and touches memory by the system calls of a dynamic loader and a shared C library, with the file
 * `path` in place of theirs, and keeps it. Returns 0, or -errno: -ENOEXEC when the file is too small. */
int footprint_map(const char *path);
/* With --classic, footprint_map(). Degrades the row if that fails. */
void unix_take_footprint(struct party_context *context, const char *path);

/* The text of the shell tests: always the same, with UnixBench's numbers of lines, words and bytes. */

enum { SHELL_TEXT_LINES = 362, SHELL_TEXT_WORDS = 1200, SHELL_TEXT_BYTES = 8546, SHELL_TEXT_MATCHES = 35 };

/* SHELL_TEXT_BYTES and a NUL. Lines have 1 to 82 bytes (median 18) without newlines; SHELL_TEXT_MATCHES have "the",
 * always as a word. */
void shell_text(char buf[SHELL_TEXT_BYTES + 1]);

/* As wc counts in a text's lines with "the". */
struct shell_text_count {
    uint64_t lines, words, bytes;
};
void shell_text_matches(const char *text, struct shell_text_count *out);

/* Whetstone, for the benchmark and its test. */

enum { WHETSTONE_SECTIONS = 8 };

/* The constants are variables: no compiler sees their values, and a test can set wrong ones. t, of N1, N2 and N5,
 * becomes 1 - t after each pass. */
struct whetstone {
    double t0, t1, t2, t;
    double e[4];
    double result[WHETSTONE_SECTIONS]; /* of N1 .. N8 in the last pass */
    uint64_t passes;                   /* without the first */
};

/* N8: x = sqrt(exp(log(x) / t1)), 9300 times from 0.75, into result[7]. */
void whetstone_n8(struct whetstone *w);

#endif
