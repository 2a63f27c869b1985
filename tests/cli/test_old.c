/* SPDX-License-Identifier: MIT */
/* Old kernels, and containers that forbid calls: nothing newer than Linux 3.2 is needed. Each command goes through with
 * its rows whole where newer calls are missing (ENOSYS) or forbidden (EPERM), all at once and one by one, and what an
 * older call's refusal takes from a run is said in its rows. Only what no run can do without may fail, and says what
 * it was.
 *
 * A fixed cheap part of the table is run; all commands with all calls when $JITBENCH_OLD is "all" (`make old`), or with
 * the call that it names. */
#include <elf.h>

#include "../refuse.h"
#include "cli.h"
#include "program.h"

/* Numbers only grow: this is the last call that Linux 3.2 has. */
#define LAST_OF_3_2 SYS_process_vm_writev

/* --- The commands. --- */

enum command { VERSION, LIST, PRIME, ARRAY, FILES, SHELLS, EXECL, NOISE, LATENCY, PLACED, CHECK, TUNE, N_COMMANDS };
#define BIT(command) (1u << (command))
#define ALL          (BIT(N_COMMANDS) - 1)
#define MEASURING    (ALL & ~(BIT(VERSION) | BIT(LIST) | BIT(CHECK) | BIT(TUNE)))

#define TO_STDOUT "-q", "-i", "1", "-o", "-"

static const struct command_row {
    const char *const *args;
    bool rows;
    int status, other_status; /* that it may have */
} commands[N_COMMANDS] = {
    [VERSION] = {.args = ARGS("version")},
    [LIST] = {.args = ARGS("list")},
    [PRIME] = {.args = ARGS("prime", TO_STDOUT, "-n", "100"), .rows = true},
    [ARRAY] = {.args = ARGS("stream", "array", TO_STDOUT, "-n", "100", "--sizes", "25"), .rows = true},
    [FILES] = {.args = ARGS("unix", TO_STDOUT, "-c", "1", "-t", "20ms", "fcopy256", "pipe", "context1"), .rows = true},
    [SHELLS] = {.args = ARGS("unix", TO_STDOUT, "-c", "1", "-t", "20ms", "spawn", "shell1", "sysexec"), .rows = true},
    [EXECL] = {.args = ARGS("unix", TO_STDOUT, "-c", "1", "-t", "20ms", "execl"), .rows = true},
    [NOISE] = {.args = ARGS("noise", TO_STDOUT, "-t", "50ms"), .rows = true},
    [LATENCY] = {.args = ARGS("latency", "audio", TO_STDOUT, "-t", "100ms", "-w", "burn", "-l", "100000"),
                 .rows = true},
    [PLACED] = {.args = ARGS("prime", TO_STDOUT, "-n", "100", "--layout", "fixed", "--copies", "1", "--cpus", "0",
                             "--nice", "-1", "--fifo"),
                .rows = true},
    [CHECK] = {.args = ARGS("check"), .other_status = 4},
    [TUNE] = {.args = ARGS("tune", "--dry-run")},
};

/* --- The calls. --- */

/* Some C libraries use this call on architectures that still have it; no call has this number. */
#ifndef SYS_open
#define SYS_open (-1)
#endif
#ifndef SYS_fork
#define SYS_fork (-1)
#endif
#ifndef SYS_pipe
#define SYS_pipe (-1)
#endif

#define CALL(call) .name = #call, .refusal = {{.kind = REFUSE_CALL, .number = SYS_##call}}
#define BITS(call, argument_, mask_, value_) \
    { \
        .kind = REFUSE_FLAG, .number = SYS_##call, .argument = (argument_), .mask = (mask_), .value = (value_) \
    }
#define FLAG(name_, call, argument_, mask_, value_) .name = (name_), .refusal = {BITS(call, argument_, mask_, value_)}
#define NAMELESS                                    BITS(openat, 2, O_TMPFILE, O_TMPFILE), BITS(open, 1, O_TMPFILE, O_TMPFILE)

/* System calls of the program and its C library, as `strace -f -c` shows them for all commands, except those that are
 * as old as Linux and that every program needs (read, write, close, exit, signal masks...). */
static const struct call_row {
    const char *name;
    struct refusal refusal[3]; /* all of them */
    int error;                 /* only this one; 0: ENOSYS, and EPERM */
    const char *says;          /* the reason of rows that it degrades or fails has it; NULL: there are none */
    unsigned vital;            /* commands that fail */
    bool memory;               /* or any, saying so: musl has no other memory */
    unsigned part;             /* commands in the cheap part */
} calls[] = {
    /* Newer than Linux 3.2. */
    {.name = "all that came after Linux 3.2",
     .refusal = {{.kind = REFUSE_ABOVE, .number = LAST_OF_3_2}},
     .part = ALL & ~(BIT(PRIME) | BIT(ARRAY) | BIT(LIST))},
    {CALL(clone3), .part = BIT(LATENCY)},     /* 5.3 */
    {CALL(execveat), .part = BIT(EXECL)},     /* 3.19 */
    {CALL(faccessat2)},                       /* 5.8 */
    {CALL(getrandom), .part = BIT(VERSION)},  /* 3.17 */
    {CALL(memfd_create), .part = BIT(EXECL)}, /* 3.17 */
    {CALL(renameat2)},                        /* 3.15; see test_tune.c */
    {CALL(rseq)},                             /* 4.18 */
    {CALL(statx)},                            /* 4.11 */
    {FLAG("memfd_create's seal (6.3)", memfd_create, 1, 0x8, 0x8), .error = EINVAL},
    {FLAG("memfd_create to be executed (6.3)", memfd_create, 1, 0x10, 0x10), .error = EINVAL, .part = BIT(EXECL)},
    {.name = "O_TMPFILE (3.11)", .refusal = {NAMELESS}, .error = EISDIR, .part = BIT(FILES)},
    {.name = "O_TMPFILE here", .refusal = {NAMELESS}, .error = EOPNOTSUPP},
    {FLAG("child subreaper (3.4)", prctl, 0, ~0u, PR_SET_CHILD_SUBREAPER), .error = EINVAL},
    /* Older, but forbidden in containers, or left out of small kernels. */
    {CALL(fadvise64)},
    {CALL(fallocate)},
    {CALL(getcpu)},
    {CALL(getpriority)},
    {CALL(getrusage)},
    {CALL(ioctl)},
    {CALL(madvise)},
    {FLAG("huge pages", madvise, 2, ~1u, MADV_HUGEPAGE), .error = EINVAL},
    {CALL(mlockall)},
    {CALL(personality), .says = "(personality)", .part = BIT(PLACED)},
    {CALL(prlimit64), .says = "RLIMIT_RTTIME cannot be set"},
    {CALL(readlink)},
    {CALL(sched_getaffinity)},
    {CALL(sched_getparam)},
    {CALL(sched_getscheduler)},
    {CALL(sched_setaffinity), .says = "CPU affinity refused"},
    {CALL(sched_setscheduler), .says = "SCHED_FIFO", .part = BIT(PLACED)},
    {CALL(set_robust_list)},
    {CALL(setpriority), .says = "nice -1 refused"},
    {CALL(statfs)},
    {CALL(sysinfo)},
    {CALL(uname)},
    /* Calls that every run needs. */
    {CALL(clock_nanosleep), .says = "clock_nanosleep", .vital = BIT(LATENCY), .part = BIT(LATENCY)},
    {.name = "fork",
     .refusal = {{.kind = REFUSE_CALL, .number = SYS_clone}, {.kind = REFUSE_CALL, .number = SYS_fork}},
     .says = "fork",
     .vital = MEASURING,
     .part = BIT(PRIME)},
    {CALL(mmap), .says = "mmap", .memory = true, .vital = MEASURING, .part = BIT(PRIME)},
    {.name = "pipe",
     .refusal = {{.kind = REFUSE_CALL, .number = SYS_pipe2}, {.kind = REFUSE_CALL, .number = SYS_pipe}},
     .says = "pipe",
     .vital = MEASURING,
     .part = BIT(PRIME)},
    {CALL(prctl), .says = "prctl", .vital = MEASURING, .part = BIT(PRIME)},
};

static const struct refusal none[1];

/* --- Running one. --- */

static struct cli_csv reference[N_COMMANDS]; /* without any refusal; .text is NULL until it ran */

static void run_refused(enum command command, const struct refusal *refusals, struct cli_result *result)
{
    const struct cli_run run = {.args = commands[command].args, .prepare = refuse, .context = (void *)refusals};
    struct cli_child child;

    cli_start(&run, &child);
    cli_wait(&child, result);
    if (child.unprepared)
        cli_skip("this kernel has no seccomp filters: %s", strerror(child.unprepared));
}

static const struct cli_csv *reference_of(enum command command)
{
    struct cli_result result;

    if (!reference[command].text) {
        run_refused(command, none, &result);
        cli_expect_status(&result, 0);
        cli_csv_parse(result.out, &reference[command]);
    }
    return &reference[command];
}

/* Returns the first row from there on that each run has: some figures have one only when the core was seen free. */
static size_t next_row(const struct cli_csv *csv, size_t row)
{
    static const char *const sometimes[] = {"slower", "core_share", "core_free", "core_mhz", "lost_alone"};
    const size_t n = COUNT(sometimes);

    for (; row < csv->n_rows; row++) {
        size_t i = 0;
        while (i < n && strcmp(cli_cell(csv, row, "metric"), sometimes[i]) != 0)
            i++;
        if (i == n)
            break;
    }
    return row;
}

/* Good, or not good as it is here without a refusal too, or says what was refused. */
static bool row_explained(const struct cli_csv *csv, size_t row, const char *here, const char *says)
{
    const char *status = cli_cell(csv, row, "status"), *reason = cli_cell(csv, row, "reason");

    if (!strcmp(status, "ok") || !strcmp(status, here))
        return true;
    return !strcmp(status, "degraded") && says && strstr(reason, says);
}

static void expect_whole(enum command command, const struct call_row *call, const struct cli_result *result,
                         const char *what)
{
    const struct command_row *row = &commands[command];
    struct cli_csv csv;

    if (result->status != row->status && result->status != row->other_status)
        fail_msg("%s: exit status %d\nstdout: %.2000s\nstderr: %.2000s", what, result->status, result->out,
                 result->err);
    if (!row->rows)
        return;
    const struct cli_csv *as = reference_of(command);
    cli_csv_parse(result->out, &csv);
    assert_string_not_equal(cli_cell(&csv, 0, "value"), "");
    for (size_t i = next_row(&csv, 0), k = next_row(as, 0); i < csv.n_rows || k < as->n_rows;
         i = next_row(&csv, i + 1), k = next_row(as, k + 1)) {
        if (i >= csv.n_rows || k >= as->n_rows)
            fail_msg("%s: %zu rows, not %zu", what, csv.n_rows, as->n_rows);
        assert_string_equal(cli_cell(&csv, i, "test"), cli_cell(as, k, "test"));
        assert_string_equal(cli_cell(&csv, i, "metric"), cli_cell(as, k, "metric"));
        if (!row_explained(&csv, i, cli_cell(as, k, "status"), call->says))
            fail_msg("%s: %s %s is %s: %s", what, cli_cell(&csv, i, "test"), cli_cell(&csv, i, "metric"),
                     cli_cell(&csv, i, "status"), cli_cell(&csv, i, "reason"));
    }
}

static void expect_failed(const struct call_row *call, const struct cli_result *result, const char *what)
{
    struct cli_csv csv;

    if (result->status != 1)
        fail_msg("%s: exit status %d, not 1\nstderr: %.2000s", what, result->status, result->err);
    cli_csv_parse(result->out, &csv);
    assert_true(csv.n_rows > 0);
    cli_expect_all(&csv, "status", "failed");
    for (size_t i = 0; i < csv.n_rows; i++)
        cli_expect_text(cli_cell(&csv, i, "reason"), call->says);
}

static void try_call(const struct call_row *call, enum command command, int error)
{
    struct refusal refusals[4] = {call->refusal[0], call->refusal[1], call->refusal[2], {.kind = 0}};
    struct cli_result result;
    char what[160];

    for (size_t i = 0; refusals[i].kind; i++)
        refusals[i].error = error;
    (void)snprintf(what, sizeof(what), "%s refused (%s), %s", call->name, strerror(error), commands[command].args[0]);
    run_refused(command, refusals, &result);
    if (call->memory && result.status == 1 && !result.out_size)
        cli_expect_text(result.err, "out of memory");
    else if (call->vital & BIT(command))
        expect_failed(call, &result, what);
    else
        expect_whole(command, call, &result, what);
    cli_expect_all_gone(what);
    cli_expect_files(cli->work, 0);
}

static void need_filters(void)
{
    if (!program_has_our_calls(cli_binary))
        cli_skip("a program for another machine: its emulator's calls would be refused");
}

CLI_TEST(test_old_calls_that_are_refused)
{
    const char *wanted = getenv("JITBENCH_OLD");

    need_filters();
    for (size_t i = 0; i < COUNT(calls); i++) {
        bool all = wanted && (!strcmp(wanted, "all") || !strcmp(wanted, calls[i].name));
        unsigned commands_of_it = all ? ALL : wanted ? 0 : calls[i].part;
        for (enum command command = 0; command < N_COMMANDS; command++) {
            if (!(commands_of_it & BIT(command)))
                continue;
            try_call(&calls[i], command, calls[i].error ? calls[i].error : ENOSYS);
            if (!calls[i].error)
                try_call(&calls[i], command, EPERM);
        }
    }
}

/* --- /proc. --- */

/* In a copy of the binary /proc/thread-self, which came with Linux 3.17, has a name that no kernel has. */
static void misname_thread_self(char path[CLI_PATH])
{
    static const char there[] = "/proc/thread-self/", missing[] = "/proc/thread-none/";
    size_t size;

    cli_copy_binary(path);
    char *bytes = cli_read_file(path, &size), *at = memmem(bytes, size, there, sizeof(there) - 1);
    assert_non_null(at);
    memcpy(at, missing, sizeof(missing) - 1);
    assert_null(memmem(bytes, size, there, sizeof(there) - 1));
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
}

/* The counts of a thread are still known, for a worker's main thread and for another one. */
CLI_TEST(test_old_proc_without_thread_self)
{
    static const char *const columns[] = {"run_delay_ms", "migrations"};
    const enum command tried[] = {PRIME, LATENCY};
    char patched[CLI_PATH];

    misname_thread_self(patched);
    for (size_t i = 0; i < COUNT(tried); i++) {
        const struct cli_run run = {.program = patched, .args = commands[tried[i]].args};
        const struct cli_csv *as = reference_of(tried[i]);
        struct cli_result result;
        struct cli_csv csv;
        cli_expect(&run, 0, &result);
        cli_csv_parse(result.out, &csv);
        assert_int_equal(csv.n_rows, as->n_rows);
        for (size_t c = 0; c < COUNT(columns); c++)
            assert_int_equal(cli_cell(&csv, 0, columns[c])[0] != 0, cli_cell(as, 0, columns[c])[0] != 0);
    }
}

/* --- What the C library asks for. --- */

static uint32_t word_at(const unsigned char *bytes, bool big_endian)
{
    uint32_t word = 0;

    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)bytes[i] << (big_endian ? 8 * (3 - i) : 8 * i);
    return word;
}

/* The first kernel that the machine's architecture has, where that is a newer one. */
static void oldest_kernel(uint32_t machine, uint32_t oldest[2])
{
    static const struct {
        uint32_t machine, kernel[2];
    } newer[] = {{EM_AARCH64, {3, 7}}, {EM_PPC64, {3, 10}}, {EM_RISCV, {4, 15}}};

    oldest[0] = 3;
    oldest[1] = 2;
    for (size_t i = 0; i < COUNT(newer); i++)
        if (newer[i].machine == machine)
            memcpy(oldest, newer[i].kernel, sizeof(newer[i].kernel));
}

/* glibc ends with 'FATAL: kernel too old' below what its ABI note says; musl has none, and runs on any. */
CLI_TEST(test_old_kernel_of_the_abi_note)
{
    static const unsigned char little[16] = {4, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0};
    static const unsigned char big[16] = {0, 0, 0, 4, 0, 0, 0, 16, 0, 0, 0, 1, 'G', 'N', 'U', 0};
    size_t size;
    uint32_t oldest[2];

    unsigned char *file = (unsigned char *)cli_read_file(cli_binary, &size);
    assert_true(size > EI_NIDENT + 4 && memcmp(file, ELFMAG, SELFMAG) == 0);
    bool big_endian = file[EI_DATA] == ELFDATA2MSB;
    oldest_kernel(word_at(file + EI_NIDENT, big_endian) >> (big_endian ? 0 : 16) & 0xffff, oldest);
    const unsigned char *note = memmem(file, size, big_endian ? big : little, 16);
    if (note) {
        assert_true(note + 32 <= file + size);
        const uint32_t system = word_at(note + 16, big_endian), major = word_at(note + 20, big_endian),
                       minor = word_at(note + 24, big_endian);
        assert_int_equal(system, 0); /* Linux */
        if (major > oldest[0] || (major == oldest[0] && minor > oldest[1]))
            fail_msg("needs Linux %u.%u, not only %u.%u", major, minor, oldest[0], oldest[1]);
    }
}

GROUP(cli_group_setup, NULL);
