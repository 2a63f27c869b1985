/* SPDX-License-Identifier: MIT */
/* The subcommands of jitbench, and what they share: options, files, sessions, progress. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "engine/engine.h"
#include "out/out.h"
#include "settings/settings.h"
#include "sys/file.h"

/* See jitbench(1). A signal N gives 128+N. */
enum exit_status { EXIT_DONE = 0, EXIT_ROW_FAILED = 1, EXIT_USAGE = 2, EXIT_STRICT = 3, EXIT_FINDING = 4 };

#define TABLES_MAX 8

struct suite;
struct command;

/* To complete operands in a shell, and to suggest a name for a misspelt one. */
enum operands_kind {
    OPERANDS_NONE,
    OPERANDS_WORDS, /* those of word() */
    OPERANDS_FILES,
    OPERANDS_FOLDERS,
    OPERANDS_COMMAND, /* another program's command line; the first operand ends jitbench's own options */
};
struct operand_word {
    const char *name, *help; /* one line; NULL: none */
    bool old;                /* accepted, but not offered */
};
struct operands {
    enum operands_kind kind;
    unsigned most;    /* 0: any number */
    const char *noun; /* in messages: "test" */
    /* Returns false when there is no ith word. */
    bool (*word)(const struct command *command, size_t i, struct operand_word *out);
};

struct require_options {
    char require[4096], requirements[1024];
};

/* Of all commands; each has tables of some. */
struct options {
    struct option_cpus cpus;
    struct option_sweep ranks;
    struct option_counts copies, steps, uclamp;
    struct require_options require;
    struct fail_on fail_on;
    double max_rsd_pct, min_effect_pct, precision_pct;
    int64_t nice, fifo;
    uint64_t across, labels, max_time_ns, recent, runs, samples, slice_ns, time_ns, who_memory, with_timeout_ns;
    int bind, by, color, core_probe, format, judge, layout, policy, stat; /* core_probe 0: on */
    bool all, classic, counters, dry_run, force, help, hold_latency, json, metrics, nagios, no_csv, no_samples, quick;
    bool quiet, strict, summary, thesis, tuned, verbose, who, within;
    char comment[256], dir[512], fail_items[1024], ignore[1024], interleave[1024], output[1024], series[1024];
    char print[1024], snapshot[1024], start_at[64], with[1024];
};
#define OWN_OPTION(name_, letter_, member_, help_) OPTION(name_, letter_, struct options, member_, help_)

struct command_call {
    struct options options;
    struct option_table table; /* for option_given() */
    const char *const *operands;
    size_t n;
};

struct command {
    const char *name;
    const char *operands; /* in the usage line: "[TEST...]"; "" */
    const char *title;
    const char *description;           /* for help; NULL: none */
    const struct suite *suite;         /* what it measures; NULL: none, or all */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
    /* For commands with one table of options (run: command_main). needs: the error without operands; NULL: none are
     * needed. call: returns the exit status. */
    const struct option_table *options;
    const char *needs;
    int (*call)(struct command_call *call);
    /* NULL: the suite's tests if it has any, otherwise by the usage line, which has FILE (or .csv), DIR or COMMAND. */
    const struct operands *takes;
};

/* Never NULL. */
const struct operands *command_operands(const struct command *command);
/* By what a usage line or an option's value contains: FILE, csv, DIR or COMMAND. */
enum operands_kind operands_named(const char *shown);
/* option: of which it is a value, as "--ignore: ", or "". Returns EXIT_USAGE. */
int command_unknown_operand(const char *option, const char *word);

extern const struct operands command_names;

extern const struct command *const command_list[]; /* ends with NULL */

/* Also __complete, which is not in the list. NULL: there is none. */
const struct command *command_find(const char *name);

/* Prints "jitbench: unknown command 'WORD'; did you mean 'NEAREST'?" on standard error. Returns EXIT_USAGE. */
int command_unknown_command(const char *word);

/* The command that runs, which messages name; NULL: none. Set by main(). */
extern const struct command *command_now;
/* The last error or finding, for --nagios. */
extern char command_said[512];
/* With --nagios in argv, before it is parsed, nothing is printed but the line of nagios_end(), which returns the exit
 * status. */
void nagios_begin(int argc, char **argv);
int nagios_end(int status);
#define NAGIOS_ROW \
    { \
        OWN_OPTION("nagios", 0, nagios, "print one line and end with status 0 to 3, as a plugin of Nagios does") \
    }
/* Prints "jitbench COMMAND: MESSAGE" (named false: "jitbench: MESSAGE") on standard error as one line: control
 * characters become '?'. Returns status. */
int fail_as(bool named, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
extern bool notes_off; /* of status 0 */
/* Variable of a run of --runs: its parent has printed the notes. */
#define MEASURE_AGAIN                     "JITBENCH_AGAIN"
#define command_fail(status, ...)         fail_as(true, status, __VA_ARGS__)
#define command_complain(message, status) command_fail(status, "%s", message)
#define usage_error(...)                  command_fail(EXIT_USAGE, __VA_ARGS__)

/* Writes to fd (1 or 2), and frees the text. Returns EXIT_ROW_FAILED with a line on standard error when it cannot
 * be written. A closed pipe and a signal that ends the writing are no errors; a
 * descriptor closed at the start is one only if `only` is set: there is no other output. */
int command_output(int fd, bool only, struct text *text);

/* $COLUMNS from 40 on; else the width of the terminal fd, at most `most`; `otherwise`: fd is no terminal of 40
 * columns. */
unsigned command_width(int fd, unsigned otherwise, unsigned most);
/* Breaks wider lines between words; width 0: none. The first `indent` bytes of a line are a label, below which it goes
 * on: LABEL in headers. */
#define LABEL 10u
void command_wrap(struct text *text, size_t indent, unsigned width);
/* A line, if /proc or /sys is missing: what cannot be known. */
void command_put_unmounted(const struct machine *machine, const char *what, struct text *out);

enum option_preset command_preset(const struct option_table *tables, size_t n);
/* Parses by n tables with targets, sets defaults (of the preset), and prints help for --help. operands: room
 * for argc. Returns 0; EXIT_USAGE (EXIT_ROW_FAILED: help could not be printed) with a line on standard error; -1: help
 * was printed. */
int command_parse(struct option_table *tables, size_t n, int argc, char **argv, const char **operands,
                  size_t *n_operands);

/* The run of commands with one table of options. Returns the exit status. */
int command_main(int argc, char **argv);
/* All option tables, for help, without targets. Returns their number. */
size_t command_tables(const struct command *command, struct option_table *tables);

/* In a struct command: its table. */
#define COMMAND_TABLE(rows_, ...) \
    .options = &(const struct option_table) \
    { \
        .rows = rows_, .n = COUNT(rows_), __VA_ARGS__ \
    }
/* And the function that executes it. */
#define COMMAND_CALLS_WITH(call_, ...) .run = command_main, .call = call_, COMMAND_TABLE(__VA_ARGS__)
#define COMMAND_CALLS(call_, rows_)    COMMAND_CALLS_WITH(call_, rows_, .heading = NULL)
#define COMMAND_HELP_ROW \
    { \
        OWN_OPTION("help", 'h', help, "print this help") \
    }

/* Returns the same as command_output(). */
int command_print_help(const struct command *command);

/* How many samples are taken and how long they are, by preset. suite NULL: over all suites. */
void help_sampling(const struct suite *suite, struct text *out);

/* "0.1 3f2a9c81b2d4 build 5c0f.." */
void version_build(char *buf, size_t size);

/* --- Words of command lines; sys/process.h splits them. --- */

/* As a shell accepts them: quoted where necessary, unprintable characters as $'\n' or $'\x01'. */
void words_quote(char *const *words, size_t n, struct text *out);

/* What does not fit ends in "...#" and eight digits of a hash of the whole line (FNV-1a); no UTF-8 character is cut.
 * size: at least 16. */
void words_shorten(const char *line, char *buf, size_t size);

/* --- Result files. --- */

/* In descriptions, and for a command without operands. */
#define FILES_ARE    "FILE is a result file, a directory of them, a pattern, or '-'."
#define FILES_NEEDED "needs a FILE: a result file, a directory, a pattern or '-'"
/* An operand is a file, "-" (standard input), a directory (its *.csv, sorted), or a pattern with *, ? or [ in its
 * last component (what matches, sorted) unless a file has that name. */

/* Reads all rows (n at least 1; "-" at most once), sorted as tables show them. wanted: enum rows_wanted. Rows that
 * are left out get a line on standard error. Returns 0, or EXIT_USAGE with a line for what cannot be read, or if
 * there is no row. most: goes on after files that cannot be read, with the others' rows in the set. */
int files_read(const char *const *operands, size_t n, bool most, unsigned wanted, struct row_set *set);

/* Passes row by row to take(), which copies what it keeps. Goes on after damaged files and lines, each with a line
 * on standard error. Returns EXIT_USAGE when there was no row. */
int files_each(const char *const *operands, size_t n, unsigned wanted,
               void (*take)(void *context, const struct row *row), void *context);

/* Says that n rows (0: nothing) came twice. */
void files_count_once(uint64_t n);

/* Option --min-effect: least value, default, help. */
#define FILES_MIN_EFFECT_ROW(least_, preset_, help_) \
    { \
        OWN_OPTION("min-effect", 0, min_effect_pct, (help_)), OPTION_NUMBER(PERCENT, "PCT", least_, 1000), \
            .preset[0] = preset_ \
    }

/* Option --force of commands with -o FILE; files_clear() then removes a regular file at path before. Returns 0, also
 * for "-" and ""; or EXIT_USAGE with a line on standard error. */
#define FILES_FORCE_ROW \
    { \
        OWN_OPTION("force", 0, force, "replace the file that -o names; never through a symbolic link") \
    }
/* -o FILE, and --force. */
#define FILES_OUTPUT_ROWS(help_) {OWN_OPTION("output", 'o', output, help_), OPTION_WORD("FILE|-")}, FILES_FORCE_ROW
int files_clear(const char *path);

/* Writes all to the file of -o and frees it. A regular file is replaced only by `force`, when the new one is
 * complete; pipes, terminals and devices are written to; "-" is standard output. Returns 0; EXIT_USAGE: cannot be
 * created; 1: cannot be written (a new file is removed); each with a line on standard error. A closed pipe is no
 * error. */
int files_write(const char *path, bool force, struct text *text);

/* Whether a file can be made at path; leaves none. Returns 0, also for ""; EXIT_USAGE with a line on standard error
 * that names the option. */
int files_check(const char *option, const char *path);

/* As files_write(), piece by piece: files_begin(), if that returns 0 files_put(), which empties the text, then
 * files_end() for the status. */
struct files_output {
    const char *path;
    int fd, status;
    bool created;                 /* new: named only when it is complete */
    bool force, unread, only_new; /* only_new: no pipe, terminal or device */
    int folder;                   /* of a new file */
    const char *name;
    char hidden[NEW_FILE_NAME_SIZE]; /* random meanwhile; "": none */
    sigset_t mask;                   /* before */
};
int files_begin(const char *path, bool force, struct files_output *out);
void files_put(struct files_output *out, struct text *text);
int files_end(struct files_output *out);

/* --- --cpus --- */

/* Words in place of a list. */
enum { CPUS_ALL, CPUS_QUIET };
extern const char *const cpus_choices[];
/* The rest of an option's entry. */
#define CPUS_LIST .type = OPTION_CPUS, .value_name = "LIST|all|quiet", .choices = cpus_choices

/* Sets CPUs, online CPUs and the order of the copies; "quiet" as "all", NULL: this process's mask. Returns EXIT_USAGE
 * with a line on standard error when one is not online or not allowed. */
int cpus_place(const struct option_cpus *named, const struct machine *machine, struct place_request *place);

/* For check and tune. named: --cpus; NULL: not given, then the isolated CPUs, or all but the boot CPU. "quiet": the
 * one that loses the least speed while all are sampled for half a second. Returns as cpus_place(). */
int cpus_bench(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench);

/* --- --cpus quiet --- */

/* Returns that of n CPUs that loses the least of its speed, or of its time if slower is all NAN. In %; NAN is worst;
 * the first of equals. The boot CPU, whose duties a short sample may not show, only if it is the only one or the others
 * lose more than twice as much. why: the reasons in words. */
unsigned quiet_pick(const unsigned *cpus, const double *slower, const double *lost, size_t n, unsigned boot_cpu,
                    struct error *why);

/* Samples all CPUs at once for half a second, and leaves only that one in `allowed`. Without core_probes only the time
 * lost is known. Returns 0 with the explanation in why, or -1 with the reason. */
int quiet_cpu(struct place_request *allowed, const struct clock_info *clock, bool core_probes, struct error *why);

/* --- --start-at --- */

#define START_DAY_NS ((uint64_t)86400 * 1000000000u)

/* In ns of CLOCK_REALTIME: "+30" or "+2m" from now_ns, "@1700000000.5" since 1970, or "14:30:00", the nearest in
 * local time. May have passed; at most a day away. Returns 0, or EXIT_USAGE with a line on standard error. */
int start_parse(const char *text, uint64_t now_ns, uint64_t *at_ns);

extern const struct option_foreign foreign_cyclictest[]; /* of wakeup */
extern const struct option_foreign foreign_latency[], foreign_oslat[], foreign_hyperfine[];

/* --- Advice of check --- */

/* "What to do". Commands stay on one line, to be copied; other text is wrapped at `width`. Nothing for n 0. */
void advice_print(const struct advice *advice, size_t n, size_t width, struct text *out);

/* --- Progress --- */

struct progress {
    uint64_t began_ns, shown_ns;  /* times in CLOCK_MONOTONIC_RAW; shown 0: no line was printed */
    double planned_s;             /* of all suites; 0: not known */
    double before, weight;        /* of the session, 0 to 1: of suites done, of the current one */
    double left_s;                /* s, as last shown; negative: not yet */
    const struct plan_item *item; /* last shown */
    char line[320];               /* without the time left */
};

/* Standard error is a terminal, and standard output no pipe, whose reader may use that terminal. */
bool progress_wanted(void);
/* In s, from the share done after elapsed_s; planned_s 0: not known; not much longer than before_s (negative: none).
 * Negative: too early. */
double progress_left(double done, double elapsed_s, double planned_s, double before_s);
/* For struct plan_run; context: a struct progress. progress_show() before each sample, at most five times a second;
 * progress_elapsed() each second within samples of benchmarks that allow it: others would measure the disturbance. */
void progress_show(void *context, const struct plan_item *item, uint64_t sample, double done);
void progress_elapsed(void *context, const struct trial *trial, uint64_t elapsed_ns);
void progress_clear(const struct progress *progress);

/* least is UINT64_MAX at first. */
struct range {
    uint64_t least, most;
};
static inline void range_add(struct range *range, uint64_t value)
{
    range->least = smaller(value, range->least);
    range->most = larger(value, range->most);
}

/* "2 measurements, 10 samples or more of 250 ms each, 10 s to 20 s" */
void progress_plan(const struct plan *plan, const struct plan_time *time, struct text *out);

/* "about 3 s", "10 s to 20 s", "at least 5 s" */
void progress_time(const struct plan_time *time, struct text *out);

/* --- --require and --requirements --- */

#define REQUIRE_ROWS \
    {OWN_OPTION("require", 0, require.require, \
                "exit 4 unless the figure is below VALUE (<, <=, > or >=): 'noise/detour.max<20us'"), \
     .type = OPTION_LINES, .value_name = "TEST/METRIC<VALUE"}, \
        {OWN_OPTION("requirements", 0, require.requirements, "the same for each line of FILE; '#' begins a comment"), \
         OPTION_WORD("FILE")}, \
        NAGIOS_ROW

/* A requirement, or with set->figures a figure, on each line. Returns as require_read(). */
int require_each(const char *option, const char *lines, struct requirements *set);
/* set->names must list what may be required. Returns 0, or EXIT_USAGE with a line on standard error. */
int require_read(const struct require_options *options, struct requirements *set);
/* Which failed, for --nagios. */
void require_say(const struct requirements *set);
/* And judges the rows. The caller frees the set with requirements_free(), also after a failure. */
int require_rows(const struct require_options *options, const struct row_set *rows, struct requirements *set);

/* --- Tables of a suite's rows. --- */

struct show_how {
    int fd;           /* plots only on a terminal, in its width */
    bool alone;       /* only this suite: more is printed, such as plots */
    const char *more; /* option for more samples, in warnings */
    bool counters;
    bool verbose;            /* samples, plots and all columns */
    struct summary *summary; /* takes the rows; NULL: none */
    bool only_summary;       /* no tables */
};

/* Program, time and machine, without the end of that line. */
void show_run(const struct row_run *run, struct text *out);

/* Sorts the rows of one suite and run by the plan, and appends tables and an empty line to out. Rows of an unknown
 * suite get a plain table; a suite that a signal kept from beginning gets none. */
void show_rows(struct row *rows, size_t n, const struct show_how *how, struct text *out, struct text *warnings);

/* "In short" and its lines, and what to do next with the file at path; "": none. Finishes the summary. */
void show_summary(struct summary *summary, const char *path, unsigned width, struct text *out);

#define TESTS_MAX 64

/* A session. */
struct measure {
    const struct command *command;
    const struct suite *const *suites;
    size_t n_suites;
    struct summary summary;        /* of the suites so far */
    void *own[TABLES_MAX];         /* options of each suite */
    struct plan plans[TABLES_MAX]; /* of each suite */
    struct plan *plan;             /* that a suite makes */
    bool brief;                    /* no lines "Setting", "Quiet?" and "Check" */
    bool markdown;                 /* the tables are */
    bool prints;                   /* measured commands use standard output, so tables go to standard error */
    bool alone;                    /* no other rank of a job has the same arguments */
    int finish_status;
    bool ends_orphans; /* of a user's command, in sessions of their own */
    struct options options;
    struct option_table tables[TABLES_MAX];
    size_t n_tables;
    enum option_preset preset;
    bool selected[TESTS_MAX];    /* the suite's tests; all without operands */
    bool operands_given, of_all; /* several suites run */
    struct machine machine;
    struct place_request place;
    struct clock_info clock;
    struct clock_pair clock_start;
    struct core_session *core;        /* other users of the core; NULL: none */
    struct interference_watch *watch; /* who has the CPUs; NULL: not recorded */
    struct core_sight cores;          /* before anything was measured */
    uint64_t start_at_ns;             /* CLOCK_REALTIME; 0: at once */
    struct row_run run;
    struct csv *csv;
    /* After the first "--". */
    char *const *words;
    size_t n_words;
    int out_fd; /* of the tables */
    bool print_failed;
    int series_fd;
    int hold_fd;           /* of /dev/cpu_dma_latency; -1: not held */
    char not_set[256];     /* what --hold-latency or --tuned could not change; "": nothing */
    char tuned[200];       /* by --tuned */
    struct error quietest; /* why --cpus quiet chose it; "": it did not */
    /* The rows of the suite that is running. */
    struct row *rows;
    size_t n_rows, rows_capacity;
    bool rows_missing; /* there was no memory for some: they are only in the CSV */
    struct progress progress;
    struct requirements requirements, figures; /* figures: of --print */
    enum row_status worst;
    int ended_by; /* signal; 0: none */
    struct text warnings;
};

/* Rows of one suite and run, sorted by show_rows(). */
struct table_rows {
    const struct row *rows;
    size_t n;
    struct row *copies; /* room for twice as many shallow copies */
    bool alone;         /* not `all`: prime and stream print each sample */
    bool verbose;
    bool pictures;
    unsigned width; /* of the terminal in columns, at most 100, which also stands for none */
    /* For table_print(): 0 (no limit) with -v. */
    unsigned table_width;
};
static inline bool table_is_whole(const struct table_rows *r)
{
    return r->alone || r->verbose;
}

/* Prints what ran on a CPU before the detour or wake-up that ended the run, and a sentence that sums it up. Returns
 * false when there are no such rows. */
bool noise_put_timeline(const struct row *rows, size_t n, unsigned width, struct text *out);

#define for_each_row(row_, of_) for (const struct row *row_ = (of_)->rows; row_ < (of_)->rows + (of_)->n; row_++)

struct suite_options {
    const char *heading;       /* NULL: "Options of" the command */
    const struct bench *bench; /* its options; NULL: those in `rows` */
    const struct option *rows;
    size_t n, offset; /* offset: of the values within the suite's options struct */
    const struct option_foreign *foreign;
    bool common; /* with values in struct options */
};
#define SUITE_ROWS(rows_) .rows = rows_, .n = COUNT(rows_)
#define SUITE_COMMON(rows_) \
    { \
        SUITE_ROWS(rows_), .common = true \
    }
#define SUITE_TIMED  SUITE_COMMON(measure_timed_rows)
#define SUITE_COPIES SUITE_COMMON(measure_copies_rows)
#define SUITE_SERIES SUITE_COMMON(measure_series_rows)
/* --time and --dir; --copies; --series */
extern const struct option measure_timed_rows[2], measure_copies_rows[1], measure_series_rows[1];

struct suite {
    struct command command;
    unsigned seconds[PRESET_COUNT]; /* usual duration in s on two CPUs; 0: `all` leaves it out */
    size_t options_size;
    struct suite_options options[7]; /* ends with neither rows nor bench */
    /* Letters that the suite takes from common options, as the tool that it replaces. NULL: none. */
    const char *letters;
    /* Other defaults of common options. NULL: none. */
    const struct option_default *defaults;
    enum schedule schedule;
    /* Operands; ends with NULL. NULL: none, or test(). */
    const char *const *tests;
    /* Returns false when there is no ith operand. */
    bool (*test)(size_t i, struct operand_word *out);
    /* Marks what an operand (a test, a group, an old name) selects; -1: unknown. */
    int (*select)(struct measure *m, const char *operand);
    const char *series_header; /* of --series FILE */
    /* Fills m->plan. Returns a status. */
    int (*plan)(struct measure *m, void *options);
    /* Whether idle CPUs are kept awake, as by --hold-latency. May be NULL. */
    bool (*holds_latency)(const void *options);
    void (*print)(const struct table_rows *rows, struct text *out);
    /* Computes rows, such as an index, which `made` describes. May be NULL. */
    void (*conclude)(struct measure *m);
    const struct metrics_test *made;
    /* After the tables if only this suite is measured. Returns the exit status. May be NULL. */
    int (*finish)(const struct measure *m, const void *options);
    bool names_interferers; /* records which tasks took the time even without --who */
    /* unused: nothing was measured, and files made for it are removed. Returns the exit status if a signal ended this.
     * May be NULL. */
    int (*end)(void *options, bool unused);
};

/* Of suites whose samples have a length. */
#define MEASURE_TIME_ROW(help_) \
    { \
        OWN_OPTION("time", 't', time_ns, help_), OPTION_NUMBER(DURATION, "TIME", 10e6, 86400e9), .aliases = "seconds" \
    }

/* All options of a suite (NULL: of `all`), in its order, and then those that all suites have, with its defaults. own,
 * options: of the values, may be NULL. Returns the number of tables. */
size_t measure_tables(const struct suite *suite, void *own, struct options *options, struct option_table *tables);

/* help NULL: the title of its test. Returns false when there is no ith operand. */
bool measure_test(const struct suite *suite, size_t i, struct operand_word *out);

/* Functions that return a status print a line on standard error if it is not 0. Each run is a process. Stops after a
 * signal, a wrong command line, or another program that made no file, with its exit status; else returns the highest.
 */
int measure_repeat(struct measure *m, int argc, char **argv);
/* Starts what --with names, and waits until its scheduler is in force. with_end() must follow in any case. */
int with_begin(struct measure *m);
int with_end(const struct measure *m);
/* Returns the reason for a failed row when that scheduler is no longer in force; or NULL. */
const char *with_look(void);
/* Whether one may be loaded; with_check() says why not. */
bool with_none(void);
int with_check(void);
/* Returns the exit status. */
int measure_main(int argc, char **argv);

/* By this long name or another that sets the same value. */
static inline bool measure_given(const struct measure *m, const char *name)
{
    return option_given(m->tables, m->n_tables, name);
}
/* In bytes: available, within the container's limit, and in 32 bits at most half of the address space. */
uint64_t measure_memory(const struct measure *m);
/* 1: --cpus was not given. */
static inline uint64_t measure_named_cpus(const struct measure *m)
{
    return measure_given(m, "cpus") ? m->place.n_order : 1;
}
/* A phase begins when all earlier ones have ended. */
struct plan_item *measure_item(const struct measure *m, const struct bench *bench, const void *params, uint64_t copies,
                               unsigned phase);
/* measure_item() for each number of copies. Returns the last. */
struct plan_item *measure_add(const struct measure *m, const struct bench *bench, const void *params,
                              uint64_t default_copies, unsigned phase);
/* --dir, $TMPDIR, or ".". */
const char *measure_dir(const struct measure *m);
/* To CSV and table; a put() of struct row_sink, so measure is void: a struct measure. */
void measure_put_row(void *measure, const struct row *row);
/* metric: index in the test. */
void measure_made_row(const struct measure *m, const struct metrics_test *test, size_t metric, struct row *row);
/* metric: index in the test. cpus: may be "". */
void measure_put_made(struct measure *m, const struct metrics_test *test, size_t metric, uint64_t copies,
                      const char *cpus, const struct row_params *param, double value);
/* By preset and options. */
struct sampling measure_sampling(const struct measure *m, const struct bench *bench);
#define COMMAND_MEASURES(suite_) .suite = &(suite_), .run = measure_main

/* --- Suites --- */

/* The suites of `all`, in its order; ends with NULL. */
extern const struct suite *const suite_list[];

extern const struct suite suite_noise, suite_wakeup, suite_prime, suite_memory, suite_stream, suite_unix, suite_latency,
    suite_run;
extern const struct command command_all, command_help_, command_list_, command_version, command_check, command_tune,
    command_untune, command_project, command_fleet, command_completion, command_complete, command_export,
    command_history, command_init, command_report, command_compare, command_show;

/* Ends the program when out of memory. */
const struct metrics *metrics_table(void);

/* --- jitbench init --- */

enum init_end { INIT_STAY, INIT_POWEROFF, INIT_REBOOT, INIT_SHELL, INIT_HALT };

/* Each option is also an order on the kernel's command line: jitbench.NAME=VALUE. */
struct init_orders {
    char run[4096];
    char out[1024];
    char scratch[1024];
    char modules[256];
    int end, tune, csv; /* enum init_end; 0 or 1 */
    bool help;
};

#define INIT_RUN_DEFAULT "all"

/* kernel_line: NULL: cannot be read; "": meant for another process. argv: without the own name, with what follows
 * "--" of the line. The last of several orders counts, argv after the line. The command begins at the first other
 * word of argv that is not the kernel's: after "--", or without a line at the name of a jitbench command; its words
 * go to words (room for argc). Appends what is wrong, separated by "; ", and reads the rest. */
void init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                      const char **words, size_t *n_words, struct text *wrong);

/* "jitbench", then the n words, or those of orders->run, with --tuned and --no-samples as ordered. Appends what is
 * wrong, also with out and scratch; argv NULL: cannot run. */
struct init_command {
    struct words words;
    char **argv;
};
void init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                       struct init_command *command, struct text *wrong);
void init_command_free(struct init_command *command);

/* PID 1 of the machine always; of a container only if the program's file is called init. */
bool init_chosen(const char *name);

/* argv[0] is the program's name. Returns the exit status, never as PID 1 of the machine. */
int init_boot(int argc, char **argv);

/* Test steady for 0.1 s: by how many % P90 of the probes exceeds their median; NAN: caches not known or too large,
 * or failed. */
double memory_look(const struct measure *m);

#endif
