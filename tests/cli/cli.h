/* SPDX-License-Identifier: MIT */
/* Tests of the command line: runs the real binary as a user would, and reads what it left.
 *
 * $JITBENCH names the binary (./jitbench otherwise). Each test has a scratch directory of its own: work is where the
 * binary runs, tmp is its $TMPDIR, and root, which holds both, has room for what a test sets up. All of it is removed
 * after the test, which fails when a worker process is left. */
#ifndef TESTS_CLI_H
#define TESTS_CLI_H

#include <sys/types.h>

#include "../test.h"

#define CLI_PATH  1024
#define CLI_FILES 32

struct cli {
    char root[64], work[80], tmp[80];
};
/* Those of the test that runs. */
extern struct cli *const cli;

/* Absolute path of the binary under test. */
extern char cli_binary[CLI_PATH];
/* The lowest CPU that the test may use, "0" unless a control group or taskset keeps CPU 0 from it. */
extern char cli_cpu[16];

int cli_group_setup(void **state);
int cli_setup(void **state);
int cli_teardown(void **state);
#define CLI_TEST(name) TEST_WITH(name, cli_setup, cli_teardown)

/* --- Running. --- */

enum { CLI_DEFAULT, CLI_CLOSED = -1, CLI_TERMINAL = -2 };
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct cli_run {
    const char *program;     /* NULL: the binary; a name without '/' is looked for in $PATH */
    const char *const *args; /* behind argv[0], NULL-ended */
    const char *const *env;  /* all of it, NULL-ended; NULL: PATH, HOME and TMPDIR=tmp */
    const char *directory;   /* NULL: work */
    /* CLI_DEFAULT is /dev/null for in, and to be captured for out and err; otherwise CLI_CLOSED, CLI_TERMINAL (one for
     * all three, the child's controlling terminal) or a descriptor. */
    int in, out, err;
    unsigned short columns;        /* of the terminal; 0: 80 */
    int (*prepare)(void *context); /* in the child, last before the exec; -1 with errno when it cannot */
    void *context;
    unsigned limit_s; /* on a quiet machine, see cli_deadline(); 0: 30 */
};

struct cli_child {
    pid_t pid;
    int out, err;
    int terminal; /* the other end of it, -1 when there is none; written to, it is what the user types */
    char *shown;
    size_t shown_size;
    uint64_t start_ns, until_ns;
    int unprepared; /* errno of prepare or exec; 0 when the program was started */
};

/* It, files that are read and CSVs last until the program ends. */
struct cli_result {
    int status; /* of the exit; -N when signal N ended it */
    int unprepared;
    char *out, *err; /* the captured text, terminated; "" otherwise */
    char *terminal;  /* what was shown on it, carriage returns and all; "" when there was none */
    size_t out_size;
    double seconds;
};

void cli_start(const struct cli_run *run, struct cli_child *child);
/* Waits; a child that takes longer than its limit is killed, and the test fails. */
void cli_wait(struct cli_child *child, struct cli_result *result);
/* Both, and fails (showing what was printed) unless the exit status is the expected one. Skips the test with a reason
 * when the child could not be prepared. result: NULL when the output does not matter. */
void cli_expect(const struct cli_run *run, int status, struct cli_result *result);
/* The same with these arguments. */
void cli_expect_args(const char *const *args, int status, struct cli_result *result);
/* Expects exit status 2, nothing on standard output, and exactly this message or one line with this part. */
void cli_expect_error(const char *const *args, const char *message);
void cli_expect_error_with(const char *const *args, const char *part);
void cli_expect_status(const struct cli_result *result, int status);
/* Waits until the child's terminal shows the text. */
void cli_wait_shown(struct cli_child *child, const char *text);

/* A copy of the binary that every user can reach: root/bin/jitbench. */
void cli_copy_binary(char path[CLI_PATH]);

/* --- What the machine has; the test is skipped, with the reason printed, when it lacks it. --- */

#define cli_skip(...) skip_because(__VA_ARGS__)
void cli_need_root(void);
void cli_need_cpus(unsigned n); /* CPUs 0 to n-1 online and allowed */
void cli_need_fifo(void);
void cli_need_mount_namespace(void);
/* The program does not run under an emulator; why says what the test cannot expect of one. */
void cli_need_processor(const char *why);
void cli_need_commands(void); /* that run can start some */

/* --- For prepare: 0, or -1 with errno. --- */

/* Runs as the user nobody, who has only the rights that the limits give; as the present user if that is not root. */
int cli_become_nobody(void);
/* Runs in a mount namespace of its own, which is invisible outside. */
int cli_own_mounts(void);

/* --- Processes, files. --- */

/* Workers among all descendants of this test, zombies left out. */
unsigned cli_workers(void);
/* A worker that is a child of parent, 0 when there is none. */
pid_t cli_worker_of(pid_t parent);
/* Waits for one. */
pid_t cli_wait_worker(pid_t parent);
/* The parent of a living process; 0 when it is gone or a zombie. */
pid_t cli_parent_of(pid_t pid);
/* All descendants of ancestor, not only workers: shells, tools, keepers; zombies left out. What a killed jitbench
 * leaves behind becomes a child of the test. */
unsigned cli_living(pid_t ancestor);
/* Waits until this test has no living descendant, and the binary's tmp is empty; a failure names what. */
void cli_expect_all_gone(const char *what);
/* The child has ended and waits to be reaped. */
bool cli_ended(pid_t pid);
/* Waits for its end, and kills it after the deadline. Returns whether it ended by itself. */
bool cli_ends(struct cli_child *child, unsigned seconds, struct cli_result *result);
void cli_sleep_ms(unsigned ms);
uint64_t cli_now_ns(void);
/* When, by cli_now_ns(), what takes a quiet machine so many seconds must be over: other work may have seven eighths of
 * the CPUs, and an emulator is four times slower still. All that waits in here fails the test then. */
uint64_t cli_deadline(unsigned seconds);

/* The names in a folder, sorted. */
size_t cli_files(const char *directory, char names[CLI_FILES][256]);
/* Fails unless the folder holds as many files. */
void cli_expect_files(const char *directory, size_t n);
void cli_write_file(const char *directory, const char *name, const char *text);
/* Lasts as results do. */
char *cli_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The whole file, terminated; the test fails when it cannot be read. size may be NULL. */
char *cli_read_file(const char *path, size_t *size);

/* --- CSV (RFC 4180), strictly: CRLF behind each record, the same number of fields in all. --- */

struct cli_csv {
    char *text;
    char **cell; /* the header's cells, then the rows' */
    size_t n_columns, n_rows;
};

/* Set by tests of samples that wait for a CPU; to others, a row that is degraded by nothing else is ok. */
extern bool cli_waiting_counts;

/* The test fails when the text is no CSV. */
void cli_csv_parse(const char *text, struct cli_csv *csv);
void cli_csv_read(const char *path, struct cli_csv *csv);
/* The only file of the folder. */
void cli_csv_only(const char *directory, struct cli_csv *csv);
const char *cli_cell(const struct cli_csv *csv, size_t row, const char *column);
double cli_number(const struct cli_csv *csv, size_t row, const char *column);
/* Rows of that test and metric (NULL: any). */
size_t cli_count(const struct cli_csv *csv, const char *test, const char *metric);
/* The nth of them, from 0; the test fails when there are not as many. */
size_t cli_row(const struct cli_csv *csv, const char *test, const char *metric, size_t nth);
/* Items of a list with ';' between. */
size_t cli_items(const char *list);
/* Every row has the status. */
void cli_expect_all(const struct cli_csv *csv, const char *column, const char *value);
bool cli_is_measured(const char *status); /* ok, or unstable: the spread is the machine's */
/* Returns whether a test's rows are made of other rows: they do not say where and how they ran. */
bool cli_is_made_of_rows(const char *test);

/* Returns the number of metrics that `list --metrics` shows for a test, which is its number of rows. */
size_t cli_metrics(const char *test);

/* --- Text. --- */

/* The beginning of line `number`, from 0. */
const char *cli_line(const char *text, unsigned number);
void cli_expect_text(const char *text, const char *part);
void cli_expect_no_text(const char *text, const char *part);

#endif
