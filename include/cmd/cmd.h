/* SPDX-License-Identifier: MIT */
/* The subcommands of jitbench, and what they share: options, files, sessions, progress. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "engine/engine.h"
#include "engine/option.h"
#include "out/out.h"
#include "rows/rows.h"
#include "rows/text.h"
#include "settings/settings.h"
#include "sys/base.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/machine.h"
#include "sys/process.h"

/* The subcommands of jitbench. Each is described by a struct command, and command_list lists them. */

/* Exit statuses, as documented in jitbench(1). A signal N gives 128+N. */
enum exit_status { EXIT_DONE = 0, EXIT_ROW_FAILED = 1, EXIT_USAGE = 2, EXIT_STRICT = 3, EXIT_FINDING = 4 };

#define TABLES_MAX 8

struct suite;
struct command;

/* Kinds of operands that a command takes: used to complete them in a shell, and to suggest a name for a misspelt
 * one. */
enum operands_kind {
    OPERANDS_NONE,
    OPERANDS_WORDS, /* a fixed set of words: those returned by word() of struct operands */
    OPERANDS_FILES,
    OPERANDS_FOLDERS,
    OPERANDS_COMMAND, /* the command line of another program: the first operand ends jitbench's own options */
};
struct operand_word {
    const char *name, *help; /* help: one line, NULL for none */
    bool old;                /* an alias of another word: accepted, but not offered */
};
struct operands {
    enum operands_kind kind;
    unsigned most;    /* maximum number of operands; 0: any number */
    const char *noun; /* what a word is called in messages: "test" */
    /* Fills in the ith word; returns false when there is none. */
    bool (*word)(const struct command *command, size_t i, struct operand_word *out);
};

/* A command line that was parsed. */
struct command_call {
    const struct command *command;
    void *options;             /* struct in which the values of the options are stored */
    struct option_table table; /* the table of the options, for option_given() */
    const char *const *operands;
    size_t n;
};

struct command {
    const char *name;
    const char *operands;      /* text in the usage line: "[TEST...]"; "" for none */
    const char *title;         /* one line */
    const char *description;   /* a paragraph for help; NULL for none */
    const struct suite *suite; /* the suite that the command measures; NULL for none */
    int (*run)(const struct command *command, int argc, char **argv); /* argv[0] is the command's name */
    /* Fills in the option tables, without the structs to store values in, for the help text and the check of the man
     * page. Returns their number. NULL: there are no tables. */
    size_t (*tables)(const struct command *command, struct option_table *tables);
    /* The next four are for commands with one table of options, which have command_main as run and command_table as
     * tables. options: the table. options_size: size of the struct that the values are stored in. needs: the error
     * message when there are no operands; NULL if none are needed. call: executes the command and returns its exit
     * status. */
    const struct option_table *options;
    size_t options_size;
    const char *needs;
    int (*call)(const struct command_call *call);
    /* The operands that the command takes. NULL: the names of the suite's tests if it has any; otherwise the kind is
     * derived from the usage line, which has FILE (or .csv), DIR or COMMAND. */
    const struct operands *takes;
};

/* Returns command->takes; if that is NULL, the operands derived from the suite or the usage line. Never NULL. */
const struct operands *command_operands(const struct command *command);
/* Returns the kind of operands that a usage line, or the name of an option's value, stands for, by its first word among
 * FILE, csv, DIR and COMMAND: OPERANDS_FILES for "FILE|-". OPERANDS_NONE when it has none of them. */
enum operands_kind operands_named(const char *shown);
/* Calls command_unknown() for a word that is not one of the command's operands. Returns EXIT_USAGE. */
int command_unknown_operand(const struct command *command, const char *word);

/* Operands that are the name of a jitbench command. */
extern const struct operands command_names;
/* Operands that are the name of a setting (settings_list). */
extern const struct operands setting_names;
/* Marks the settings that the operands name, by their index in settings_list. Returns 0, or EXIT_USAGE with a line on
 * standard error. */
int command_mark_settings(const struct command *command, const char *const *operands, size_t n, bool *marked);

extern const struct command *const command_list[]; /* ends with NULL */

/* Returns the command of that name, also __complete, which shell completion calls and which is not in the list. NULL
 * when there is none. */
const struct command *command_find(const char *name);

/* Prints "jitbench: unknown WHAT 'WORD'; did you mean 'NEAREST'?" on standard error and returns EXIT_USAGE. */
int command_unknown(const char *what, const char *word, const char *const *candidates, size_t n);

/* Calls command_unknown() for a word that was given in place of a command, with the commands as candidates. Returns
 * EXIT_USAGE. */
int command_unknown_command(const char *word);

/* Prints "jitbench COMMAND: MESSAGE" on standard error (command NULL: "jitbench: MESSAGE") as a single line: control
 * characters, which may come from arguments and file names, become '?'. Returns status. */
int command_fail(const char *command, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define command_complain(command, message, status) command_fail(command, status, "%s", message)

/* Writes text that accompanies the command's main output to fd (1 or 2), and frees it. Returns EXIT_DONE, also when fd
 * is closed, when the reader of a pipe is gone or when a signal ends the writing; or EXIT_ROW_FAILED with one line on
 * standard error. */
struct text;
int command_print(int fd, struct text *text);

/* Writes the command's main output to standard output (or error), and frees it. Returns EXIT_DONE; or EXIT_ROW_FAILED
 * with a line on standard error when it could not be written, or memory ran out. A closed pipe is no error. A
 * descriptor that was closed when the program started is an error only if `only` is set, because the command then has
 * no other output. */
int command_output(const struct command *command, int fd, bool only, struct text *text);

/* Returns the width for output in columns: $COLUMNS if it is a number of at least 40; else the width of the terminal
 * fd, at most `most`; `otherwise` if fd is not a terminal or has less than 40 columns. */
unsigned command_width(int fd, unsigned otherwise, unsigned most);

/* Parses the command line by n option tables, whose targets (the structs for the values) are set, sets the defaults of
 * options that were not given, and prints help if --help is given. operands has room for argc pointers. Returns 0 and
 * sets the number of operands; EXIT_USAGE (or EXIT_ROW_FAILED when help could not be printed) with a line on standard
 * error; or -1 when help was printed. */
int command_parse(const struct command *command, struct option_table *tables, size_t n, int argc, char **argv,
                  const char **operands, size_t *n_operands);

/* Runs a command with one table of options: parses the command line and calls it. Help is printed here. Returns the
 * exit status; EXIT_USAGE for a wrong command line. */
int command_main(const struct command *command, int argc, char **argv);
size_t command_table(const struct command *command, struct option_table *tables);

/* Initialises, in a struct command, the table of options and the size of the struct that their values are stored in. */
#define COMMAND_TABLE(struct_, rows_, ...)                                                                             \
    .tables = command_table, .options_size = sizeof(struct_), .options = &(const struct option_table)                  \
    {                                                                                                                  \
        .rows = rows_, .n = sizeof(rows_) / sizeof(rows_[0]), __VA_ARGS__                                              \
    }
/* Initialises the same as COMMAND_TABLE(), and the function that executes the command. */
#define COMMAND_CALLS(call_, ...) .run = command_main, .call = call_, COMMAND_TABLE(__VA_ARGS__)
/* The entry of the option --help in a table. */
#define COMMAND_HELP_ROW(struct_)                                                                                      \
    {                                                                                                                  \
        OPTION("help", 'h', struct_, help, "print this help")                                                          \
    }

/* Prints the help of a command. Returns the same as command_output(); `by` is the command that error messages name. */
int command_print_help(const struct command *by, const struct command *command);

/* Appends, for the help of a suite's command, how many samples are taken and how long they are: by default, with
 * --quick and with --classic. suite NULL: over all suites. */
void help_sampling(const struct suite *suite, struct text *out);

/* Formats version, commit and build id: "0.1 3f2a9c81b2d4 build 5c0f..". */
void version_build(char *buf, size_t size);

/* Joins, quotes and shortens words of command lines; sys/process.h splits them. */

/* Copies the first word of a line without its quotes, as words_of_command() splits it (with escapes); "" when a quote
 * is not closed. buf has room for as many bytes as the line. */
void words_first(const char *line, char *buf);

/* Appends the words in a form that a shell accepts: quoted where necessary, unprintable characters as $'\n' or
 * $'\x01'. */
void words_quote(char *const *words, size_t n, struct text *out);

/* Appends the words unchanged, with spaces between. */
void words_join(char *const *words, size_t n, struct text *out);

/* Copies the line; if it does not fit, it ends in "...#" and eight hexadecimal digits of a hash of the whole line
 * (FNV-1a), so that two different long lines can be distinguished. Does not cut within a UTF-8 character. size is at
 * least 16. */
void words_shorten(const char *line, char *buf, size_t size);

/* Common code of all commands that read result files. */

/* An operand is a file, "-" (standard input), a directory (its regular files *.csv, sorted), or a pattern with *, ? or
 * [ in its last component (the regular files that match, sorted), unless a file has exactly that name. */

/* Reads the rows of all operands' files (n at least 1; "-" at most once) into the set, and sorts them as tables show
 * them (row_set_sort()). wanted: flags of enum rows_wanted, for the rows' long lists (samples and others) that are read
 * too. Prints a line on standard error if rows of a file are left out. Returns 0, or EXIT_USAGE with a line on standard
 * error when an operand matches no file, when a file cannot be opened or read, or when no file has a row. */
int files_read(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set);

/* As files_read(), but continues after files that cannot be read, with a line for each. Returns EXIT_USAGE, with the
 * other files' rows in the set, when some could not be read. */
int files_read_most(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set);

/* Reads the rows of all operands' files one after the other and passes each to take(), which must copy what it keeps.
 * Files that cannot be read or have damaged lines are reported on standard error, and reading continues. Returns 0; or
 * EXIT_USAGE with a line on standard error when there was no row. */
int files_each(const char *command, const char *const *operands, size_t n, unsigned wanted,
               void (*take)(void *context, const struct row *row), void *context);

/* Entry of an option table: --min-effect, which makes a command ignore small differences; with its least value, default
 * and help text. */
#define FILES_MIN_EFFECT_ROW(struct_, least_, preset_, help_)                                                          \
    {                                                                                                                  \
        OPTION("min-effect", 0, struct_, min_effect_pct, (help_)), OPTION_NUMBER(OPTION_PERCENT, "PCT", least_, 1000), \
            .preset[0] = preset_                                                                                       \
    }

/* Entry of an option table: --force, for commands that have -o FILE. With it they call files_clear(), which removes a
 * regular file at path before the output is created. Returns 0, also for "-" and ""; or EXIT_USAGE with a line on
 * standard error. */
#define FILES_FORCE_ROW(struct_)                                                                                       \
    {                                                                                                                  \
        OPTION("force", 0, struct_, force, "replace the file that -o names; never through a symbolic link")            \
    }
int files_clear(const char *command, const char *path);

/* Writes the whole text to the file given by -o (never over a regular file, unless `force` replaces it when the
 * new one is complete; an existing pipe, terminal or device is written to; "-" is standard output) and frees it.
 * Returns 0; EXIT_USAGE when the file cannot be created; 1 when it cannot be written (a new file is then removed); each
 * with a line on standard error. A closed pipe is no error. */
struct text;
int files_write(const char *command, const char *path, bool force, struct text *text);

/* Checks before measuring that a file can be created at path, and leaves none there. Returns 0, also for path "" (no
 * file is wanted); or -1 with one line in error that names the option. */
int files_check(const char *option, const char *path, char *error, size_t error_size);

/* As files_write(), for output too large for memory: call files_begin(); if it returns 0, call files_put() any number
 * of times, which empties the text; then call files_end(), which returns the status of the whole output. */
struct files_output {
    const char *command, *path;
    int fd, status;
    bool created; /* a new file, which gets its name only when it is complete */
    bool force, unread;
    int folder;                      /* directory of a new file */
    const char *name;                /* its name there */
    char hidden[NEW_FILE_NAME_SIZE]; /* its random name meanwhile; "" if it has none */
    sigset_t mask;                   /* signal mask before */
};
int files_begin(const char *command, const char *path, bool force, struct files_output *out);
void files_put(struct files_output *out, struct text *text);
int files_end(struct files_output *out);

/* The meaning of --cpus, for all commands that have it. */

/* The words that --cpus accepts in place of a list of CPUs. */
enum { CPUS_ALL, CPUS_QUIET };
extern const char *const cpus_choices[];

/* Returns whether the kernel allows this process to run on exactly these CPUs; if not, usable has those that it allows.
 * Returns true also if that cannot be determined. It tries to set the affinity, because an isolated CPU is missing in
 * the present affinity mask but may be used, and a cpuset cgroup may forbid a CPU that is online. */
bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable);

/* Sets out to the CPUs of this process's affinity mask; if that cannot be read, to the online CPUs; if they are not
 * known either, to CPU 0. Never empty. */
void cpus_of_mask(const struct cpuset *online, struct cpuset *out);
/* Sets out to the CPUs of the affinity mask and the other online CPUs that this process may use. Never empty. */
void cpus_allowed(const struct cpuset *online, struct cpuset *out);

/* Returns 0 when all of the CPUs are online, or -1 with a line in error. */
int cpus_check_online(const struct cpuset *cpus, const struct cpuset *online, char *error, size_t error_size);

/* Sets bench to the CPUs to measure on, for the commands check and tune. named: the value of --cpus. CPUs in a list
 * must be online; "all" means all online CPUs; "quiet" means the CPU that loses the least speed while all are sampled
 * for half a second. named NULL: --cpus was not given; bench is then the isolated CPUs, or all but the boot CPU.
 * Returns 0; or -1 with a line in error. */
int cpus_bench(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench, char *error,
               size_t error_size);

/* `--cpus quiet`: finds the CPU that loses the least speed. */

/* Picks the one of n CPUs (at least 1) that loses the least: of its speed (slower), or of its time (lost) if slower is
 * NAN for all of them. Both are in %; NAN is worse than any number; of equal CPUs the first is picked. The boot CPU has
 * duties that a short sample may not show, so it is picked only if it is the only one, or if the best of the others
 * loses more than twice as much. why says in words what the CPU lost, what the noisiest lost, and what the boot CPU
 * lost if that was less and it was not picked. */
unsigned quiet_pick(const unsigned *cpus, const double *slower, const double *lost, size_t n, unsigned boot_cpu,
                    char *why, size_t why_size);

/* Samples all CPUs of the request at once for half a second, and picks one as quiet_pick() does, by the speed that
 * noise_slower_pct() gives. Without core_probes only the time lost is known. Returns 0 with the explanation in why; or
 * -1 with the reason of the failure in why. */
int quiet_cpu(const struct place_request *allowed, const struct clock_info *clock, bool core_probes, unsigned *cpu,
              char *why, size_t why_size);

/* --start-at: a time at which several machines begin to measure, by their own clocks. */

#define START_DAY_NS ((uint64_t)86400 * 1000000000u)

/* Parses a time and converts it to ns of CLOCK_REALTIME: "+30" or "+2m" from now_ns, "@1700000000" or "@1700000000.5"
 * (seconds since 1970), or "14:30:00", the nearest one in local time, less than 12 hours before or after now_ns. It may
 * have passed; it is at most a day away. Returns 0; or -1 with a line in error. */
int start_parse(const char *text, uint64_t now_ns, uint64_t *at_ns, char *error, size_t error_size);

/* Options of other programs that jitbench does not have. When a user gives one of them, the error message names the
 * option of jitbench for the same purpose. */

extern const struct option_foreign foreign_cyclictest[]; /* options of cyclictest, which latency and noise refuse */
extern const struct option_foreign foreign_wakeup[];     /* options of cyclictest, which wakeup refuses */
extern const struct option_foreign foreign_hyperfine[];  /* options of hyperfine, which run refuses */

/* Prints the advice of `jitbench check`. */

/* Appends "What to do" and n pieces of advice. Commands stay on one line, so that they can be copied; other text is
 * wrapped at `width` characters. Appends nothing when n is 0. */
void advice_print(const struct advice *advice, size_t n, size_t width, struct text *out);

/* Formats the plan's duration for the output's header, and prints a line of progress on a terminal while measuring. */

struct progress {
    uint64_t began_ns, shown_ns; /* times in CLOCK_MONOTONIC_RAW; shown 0: no line was printed */
    double planned_s;            /* planned time of all suites; 0: not known */
    double before, weight;       /* shares of the session (0 to 1): of the suites already done, of the current suite */
    double left_s;               /* time left in s, as last shown; negative: not shown yet */
    const struct clock_info *clock;
    char line[320]; /* text of the line, without the time left */
};

/* Returns whether the progress line may be printed: standard error is a terminal, and standard output is not a pipe,
 * whose reader (a pager) may use that terminal. */
bool progress_wanted(void);
/* Estimates the time left in s from the share done (0 to 1) after elapsed_s, with planned_s expected in total (0: not
 * known). The estimate is not much longer than before_s, the previous one (negative: none). Returns a negative value
 * when it is too early for an estimate. */
double progress_left(double done, double elapsed_s, double planned_s, double before_s);
/* Callbacks of struct plan_run; context is a struct progress. progress_show() is called before each sample, and prints
 * at most five lines a second. progress_elapsed() is called each second within a sample if the benchmark allows that.
 * Other benchmarks would measure the disturbance, so during their samples this process sleeps, and the line says when a
 * long sample ends. */
void progress_show(void *context, const struct plan_item *item, uint64_t sample, double done);
void progress_elapsed(void *context, uint64_t elapsed_ns);
void progress_clear(const struct progress *progress);

/* The least and the most of some numbers; before the first of them, least is UINT64_MAX. */
struct range {
    uint64_t least, most;
};
void range_add(struct range *range, uint64_t value);

/* Appends what the plan will measure and how long that takes: "2 measurements, 10 samples or more of 250 ms each, 10 s
 * to 20 s". */
void progress_plan(const struct plan *plan, const struct plan_time *time, struct text *out);
/* Rounds an estimate in ns to two digits: 2.6 min, not 2.58. Values below a second are not rounded. */
uint64_t progress_round(uint64_t ns);
/* Appends an estimated duration: "about 3 s", "10 s to 20 s", "at least 5 s". */
void progress_time(const struct plan_time *time, struct text *out);

/* The options --require and --requirements of commands that measure, and of compare. */

struct require_options {
    char require[4096], requirements[1024];
};

#define REQUIRE_ROWS(struct_)                                                                                          \
    {OPTION("require", 0, struct_, require.require,                                                                    \
            "exit 4 unless the figure is below VALUE (<, <=, > or >=): 'noise/detour.max<20us'"),                      \
     .type = OPTION_LINES, .value_name = "TEST/METRIC<VALUE"},                                                         \
    {                                                                                                                  \
        OPTION("requirements", 0, struct_, require.requirements,                                                       \
               "the same for each line of FILE; '#' begins a comment"),                                                \
            OPTION_WORD("FILE")                                                                                        \
    }

/* Adds the requirements of --require and --requirements to the set; set->names must list what may be required. Returns
 * 0, or EXIT_USAGE with a line on standard error. */
int require_read(const char *command, const struct require_options *options, struct requirements *set);
/* Reads the requirements of --require and --requirements into the set, and judges the rows by them. Returns the same as
 * require_read(). The caller frees the set with requirements_free(), also after a failure. */
int require_rows(const char *command, const struct require_options *options, const struct row_set *rows,
                 struct requirements *set);

/* Returns whether --require or --requirements was given. */
bool require_given(const struct require_options *options);

/* Prints the tables of a suite's rows, both after measuring and when a file is shown. */

struct show_how {
    int fd;           /* output descriptor: plots are drawn only on a terminal, in its width */
    bool alone;       /* the run measured only this suite: more is printed, such as plots on a terminal */
    const char *more; /* option that increases the number of samples, for the warnings */
    bool counters;    /* print a table of event counts */
    bool verbose;     /* print a line for each sample, the plots and all columns of the tables in any case */
};

/* Appends the first lines of a run's header: program and time, and the machine, without the end of that line. */
void show_run(const struct row_run *run, struct text *out);

/* Sorts the rows, which are of one suite and one run, by the order of the plan, and appends the suite's tables to out,
 * followed by an empty line, and warnings about doubtful figures to warnings. Rows of an unknown suite are printed in a
 * plain table. Prints nothing for a suite that did not begin because of a signal. */
void show_rows(struct row *rows, size_t n, const struct show_how *how, struct text *out, struct text *warnings);

/* Common code of all commands that measure: options, session, rows, tables, exit status. */

struct measure_options {
    struct option_cpus cpus;
    struct option_counts copies;
    int bind, layout, color;
    int64_t nice, fifo;
    uint64_t samples, max_time_ns, time_ns, runs, who_memory;
    double precision_pct, max_rsd_pct;
    char output[1024], series[1024], comment[256], dir[512], start_at[64], interleave[1024];
    struct require_options require;
    int core_probe; /* value of --core-probe: 0 is on, 1 is off */
    bool counters, who, hold_latency, tuned, force, no_csv, no_file, quick, classic, strict, quiet, verbose, help;
};

#define TESTS_MAX 64

/* State of a measuring session. */
struct measure {
    struct measure_options options;
    struct option_table tables[TABLES_MAX];
    size_t n_tables;
    enum option_preset preset;
    bool selected[TESTS_MAX];    /* flag for each of the suite's tests; all are set when there are no operands */
    bool operands_given, of_all; /* of_all: several suites run */
    struct machine machine;
    struct place_request place;
    struct clock_info clock;
    struct clock_pair clock_start;
    struct core_session *core;   /* core probes: do other guests or hardware threads use a core? NULL: none */
    struct culprit_watch *watch; /* records which tasks have the CPUs; NULL: not recorded */
    struct core_sight cores;     /* result of the first core probes, before anything was measured */
    uint64_t start_at_ns;        /* start time in CLOCK_REALTIME; 0: at once */
    struct row_run run;
    struct csv *csv;
    /* The words after the first "--", for suites that execute commands. */
    char *const *words;
    size_t n_words;
    int out_fd; /* descriptor to which tables are printed */
    bool print_failed;
    int series_fd;
    int hold_fd;        /* descriptor of /dev/cpu_dma_latency; -1: not held */
    char not_set[256];  /* settings that --hold-latency or --tuned could not change; "" when nothing failed */
    char tuned[200];    /* settings that --tuned changed */
    char quietest[240]; /* explanation of the choice by --cpus quiet */
    /* Rows of the suite that is running, for its tables. */
    struct row *rows;
    size_t n_rows, rows_capacity;
    struct progress progress;
    struct requirements requirements;
    enum row_status worst;
    int ended_by; /* signal that ended the session; 0: none */
    struct text warnings;
};

/* Input of the tables: rows of one suite and run, sorted by show_rows(), either just measured or read from a file. */
struct table_rows {
    const struct row *rows;
    size_t n;
    bool alone;     /* only this suite was measured, not `all`: prime and stream then print a line for each sample */
    bool verbose;   /* -v was given */
    bool pictures;  /* plots after the tables */
    unsigned width; /* width of the terminal in columns, at most 100; 100 when it is not a terminal */
    /* Maximum width of a table, for table_print(): width, but 0 (no limit) with -v. */
    unsigned table_width;
};

/* A table of a suite's own options. */
struct suite_options {
    const char *heading;
    const struct bench *bench; /* the entries are this benchmark's options; NULL: they are in `rows` */
    const struct option *rows;
    size_t n, offset; /* offset: of the struct for the values, within the suite's options struct */
    const struct option_foreign *foreign;
};
#define SUITE_ROWS(rows_) .rows = rows_, .n = sizeof(rows_) / sizeof((rows_)[0])

/* A suite: a family of measurements with a command of its own. `all` runs those in suite_list. */
struct suite {
    const char *name, *title;
    unsigned seconds[PRESET_COUNT]; /* usual duration in s on two CPUs, for the plan and the progress line */
    size_t options_size;
    const struct suite_options *options; /* ends with heading NULL */
    bool timed;                          /* has the options --time (length of a sample) and --dir (scratch directory) */
    bool copies;                         /* has the option --copies (number of copies that run at once) */
    /* Letters that usually belong to common options, but in the command of this suite to its own options, as in the
     * tool that it replaces. NULL: none. */
    const char *letters;
    /* Defaults of common options that differ for this suite. May be NULL. */
    const struct option_default *defaults;
    /* Further entries for common options (old names and letters, other help texts), whose values are stored in struct
     * measure_options. May be NULL. */
    const struct option *common_rows;
    size_t n_common_rows;
    enum schedule schedule;
    /* Names of the tests, which are the operands; ends with NULL. NULL: the suite takes no operands, or has test(). */
    const char *const *tests;
    /* Fills in the ith operand that is valid; returns false when there is none. */
    bool (*test)(size_t i, struct operand_word *out);
    /* For suites with test(): marks the tests selected by an operand (a test, a group, an old name) in m->selected;
     * returns -1 when it is unknown. */
    int (*select)(struct measure *m, const char *operand);
    const char *series_header; /* first line of --series FILE; NULL: the suite has no such option */
    /* Adds the items of the selected tests to the plan. Returns 0, or -1 with one line in error. Ends the program when
     * out of memory. */
    int (*plan)(const struct measure *m, void *options, struct plan *plan, char *error, size_t error_size);
    /* Appends to the header of the output what will be measured, in place of the usual line "Plan". May be NULL. */
    void (*announce)(const struct measure *m, const struct plan *plan, struct text *out);
    /* Returns whether idle CPUs are kept awake while the suite runs, as by --hold-latency. May be NULL. */
    bool (*holds_latency)(const void *options);
    void (*print)(const struct table_rows *rows, struct text *out);
    /* Computes rows, such as an index, from other rows when all items are done; `made` describes the test of the
     * computed rows. May be NULL. */
    void (*conclude)(struct measure *m);
    const struct metrics_test *made;
    /* Called after the tables if only this suite is measured: writes files in other formats, or judges the results.
     * Returns the exit status. May be NULL. */
    int (*finish)(const struct measure *m, const void *options);
    /* Returns whether the header of the output lacks its lines "Setting", "Quiet?" and "Check". May be NULL. */
    bool (*brief)(const void *options);
    bool names_takers; /* the plan has an item that records which tasks took the time, even without --who */
    bool commands;     /* words after "--" are commands to be executed (m->words) */
    /* Returns whether standard output is used by the measured commands, so that tables go to standard error. May be
     * NULL. */
    bool (*prints)(const void *options);
    /* Closes what plan() opened. unused: nothing was measured, so files created for it are removed. Returns
     * the exit status if a signal ended this, else 0. May be NULL. */
    int (*end)(void *options, bool unused);
};

/* The option entry of --time, for the tables of suites whose samples have a length. */
#define MEASURE_TIME_ROW(help_)                                                                                        \
    {                                                                                                                  \
        OPTION("time", 't', struct measure_options, time_ns, help_),                                                   \
            OPTION_NUMBER(OPTION_DURATION, "TIME", 10e6, 86400e9), .aliases = "seconds"                                \
    }

/* Fills in the tables of a suite's own options, whose values are stored in the struct `own` (may be NULL). Returns
 * their number. */
size_t measure_own_tables(const struct suite *suite, void *own, struct option_table *tables);
/* Fills in the tables of a suite: its own options, whose values are stored in the struct `own`, and those common
 * options that not all suites have, with `options`. suite NULL: those of `all`. Both structs may be NULL. Returns the
 * number of tables. */
size_t measure_suite_tables(const struct suite *suite, void *own, struct measure_options *options,
                            struct option_table *tables);

/* Fills in the table of the options that all suites have, with the defaults of this suite (NULL: of several suites).
 * Their values are stored in options, which may be NULL. */
void measure_table(const struct suite *suite, struct measure_options *options, struct option_table *table);

/* Fills in the ith operand of a suite; if the operand's help stays NULL, the title of its test serves as help. Returns
 * false when there is no ith operand. */
bool measure_test(const struct suite *suite, size_t i, struct operand_word *out);

/* Runs a command that measures: that of a suite, or `all`. Returns the exit status. */
int measure_main(const struct command *command, int argc, char **argv);

/* Returns whether the user gave the option of that long name, or another one that sets the same value, such as
 * --affinity for --cpus. */
bool measure_given(const struct measure *m, const char *option);
/* Sets counts (room for OPTION_COUNTS_MAX) to the numbers of copies that the user asked for, or to default_copies.
 * Returns how many numbers there are; each of them gets a plan item. */
size_t measure_copies(const struct measure *m, uint64_t default_copies, uint64_t *counts);
/* Returns the bytes that arrays may use: the available memory, at most the container's limit, and in a 32-bit process
 * at most half of the address space. */
uint64_t measure_memory(const struct measure *m);
/* Returns the number of CPUs given by --cpus, or 1 when it was not given. */
uint64_t measure_named_cpus(const struct measure *m);
/* Adds an item (a benchmark with its parameters) to the plan and returns it. The number and length of its samples are
 * those of measure_sampling(). The items of a phase begin after all earlier phases have ended. */
struct plan_item *measure_item(const struct measure *m, struct plan *plan, const struct bench *bench,
                               const void *params, uint64_t copies, unsigned phase);
/* Calls measure_item() for each number of copies that the user asked for, or for default_copies. */
void measure_add(const struct measure *m, struct plan *plan, const struct bench *bench, const void *params,
                 uint64_t default_copies, unsigned phase);
/* Returns the scratch directory: --dir, $TMPDIR, or the current one. */
const char *measure_dir(const struct measure *m);
/* Adds a row to the CSV and the table. measure points to a struct measure; it is void so that the function can be the
 * put() of a struct row_sink. */
void measure_put_row(void *measure, const struct row *row);
/* Initialises a row that is computed from other rows. metric: index of its metric in the test. */
void measure_made_row(const struct measure *m, const struct metrics_test *test, size_t metric, struct row *row);
/* Adds a row that is computed from other rows. metric: index of its metric in the test. cpus may be "". */
void measure_put_made(struct measure *m, const struct metrics_test *test, size_t metric, uint64_t copies,
                      const char *cpus, const struct row_params *param, double value);
/* Returns how many samples of a benchmark are taken, how long they are and how precise, by the preset (default,
 * --quick, --classic) and the user's options. */
struct sampling measure_sampling(const struct measure *m, const struct bench *bench);
/* Implements tables of struct command for the commands that measure: fills in all their option tables, for help.
 * Returns their number. */
size_t measure_tables(const struct command *command, struct option_table *tables);
/* Initialises a command that measures one suite. */
#define COMMAND_MEASURES(suite_) .suite = &(suite_), .run = measure_main, .tables = measure_tables

/* The suites that `all` runs, and the tables that prime and stream share. */

/* The suites of `all` in the order in which it runs them: quiet suites before noisy ones. Ends with NULL. */
extern const struct suite *const suite_list[];

extern const struct suite suite_noise, suite_wakeup, suite_prime, suite_memory, suite_stream, suite_unix, suite_latency,
    suite_run;
extern const struct command command_noise, command_wakeup, command_prime, command_memory, command_stream, command_unix,
    command_latency, command_all, command_help_, command_list_, command_version, command_check, command_tune,
    command_untune, command_project, command_fleet, command_completion, command_complete, command_export,
    command_history, command_init, command_report, command_run, command_compare, command_show;

/* Returns the table of metrics of all benchmarks. Ends the program when memory runs out. */
const struct metrics *metrics_table(void);

/* Describes the tables of a test whose runs time a very short experiment many times (prime, and array of stream): a
 * line for each run as the original program prints it, a summary of all runs, and the time lost in delays. */
struct experiment_tables {
    const char *test, *run_title, *summary_title;
    struct table_column key;          /* first column */
    const struct table_column *extra; /* further columns of the summary */
    size_t n_extra;
};
void cmd_print_experiments(const struct table_rows *rows, const struct experiment_tables *tables, struct text *out);

/* jitbench as the first process of a machine (init): reads its orders from the kernel's command line, decides whether
 * this process is to act as init, and carries the orders out. */

enum init_end { INIT_STAY, INIT_POWEROFF, INIT_REBOOT, INIT_SHELL, INIT_HALT };

/* Values of the options of jitbench init. Each option --NAME VALUE can also be given on the kernel's command line, as
 * an order: jitbench.NAME=VALUE. */
struct init_orders {
    char run[4096];
    char out[1024];
    char scratch[1024];
    char modules[256];
    int end, tune; /* end: enum init_end; tune: 0 or 1 */
    bool help;
};

#define INIT_RUN_DEFAULT "all"

extern const struct option init_rows[];
extern const size_t init_n_rows;

/* Reads the orders of init (words jitbench.NAME=VALUE), and the command to run. kernel_line: the kernel's command line;
 * NULL when it cannot be read, "" when it is meant for another process. argv: the arguments of the process, without its
 * own name, which include the words after "--" of the kernel's line. Orders may be in both; if NAME is given more than
 * once, the last one counts, and argv comes after the line. The command to run begins at the first other word of argv
 * that was not meant for the kernel (that is, not before the "--" of the kernel's line; if there is no line, at the
 * first name of a jitbench command), and extends to the end of argv, except for orders in it. Its words are stored in
 * words (*n_words of them, room for argc). Appends to `wrong` what is wrong, separated by "; ", and reads everything
 * else. */
void init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                      const char **words, size_t *n_words, struct text *wrong);

/* Makes the argument vector of the command to run: "jitbench", then the n words, or if n is 0 those of orders->run. If
 * orders->tune is set, --tuned is inserted after the command's name. Appends to `wrong`, as init_orders_read() does,
 * why the command cannot be run (argv is NULL then), and that orders->out is not of the form DEVICE:PATH, or
 * orders->scratch not of the form DEVICE:/DIR. The caller frees with init_command_free(). */
struct init_command {
    struct words words;
    char **argv;
};
void init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                       struct init_command *command, struct text *wrong);
void init_command_free(struct init_command *command);

/* Returns whether this process, started under that name, is to act as init: PID 1 of the machine always, because it
 * must never exit; PID 1 of a container or PID namespace only when the program's file is called init. */
bool init_chosen(const char *name);

/* Runs as init. Returns the exit status, but does not return as PID 1 of the machine. argv[0] is the program's name. */
int init_boot(int argc, char **argv);

/* Runs the test steady for 0.1 s. Returns by how many % the 90th percentile of the memory probes' times exceeds their
 * median; NAN when the caches' sizes are not known, when four times the size of the last one is too large, or when the
 * run failed. */
double memory_look(const struct measure *m);

/* --- A session: one execution of a measuring command. --- */

/* Functions that return a status print a line on standard error if it is not 0. */
struct session {
    struct measure m;
    const struct command *command;
    const struct suite *const *suites;
    size_t n_suites;
    void *options[TABLES_MAX];     /* options struct of each suite */
    struct plan plans[TABLES_MAX]; /* plan of each suite */
    bool alone;                    /* no other rank of a parallel job was started with the same arguments */
    int finish_status;
};

/* Prints the error. Returns EXIT_USAGE. */
#define session_fail(s, ...)          command_fail((s)->command->name, EXIT_USAGE, __VA_ARGS__)
#define session_usage_error(s, error) session_fail(s, "%s", error)
/* Returns whether --runs or --interleave asks for several runs. */
bool session_repeats(const struct session *s);
/* Executes the runs that --runs or --interleave asks for, each in a process of its own. Stops after the first run that
 * a signal ended, whose command line is wrong, or of another program that made no file, and returns its exit status;
 * otherwise returns the highest exit status of all runs. */
int session_repeat(struct session *s, int argc, char **argv);

#endif
