/* SPDX-License-Identifier: MIT */
/* Result rows, their columns, and the files that have them. */
#ifndef ROWS_ROWS_H
#define ROWS_ROWS_H

#include <math.h>

#include "rows/text.h"
#include "stats/stats.h"
#include "sys/machine.h"

/* The parameters of a measurement: words "key=value", each of one kind. */

enum row_param_kind {
    PARAM_WORK,      /* what the benchmark did: sizes, counts, method */
    PARAM_CPU,       /* of the CPU: cache sizes, chosen instructions, distance of CPUs */
    PARAM_BUILD,     /* of the build: C library, linkage */
    PARAM_PLACEMENT, /* policy and CPUs of other processes than the measured: timer, load */
    PARAM_OUTCOME,   /* known only after the run: calibration, work that a load did */
    PARAM_COMMAND,   /* of jitbench run: input, preparation, values of "{NAME}", and last the command line, to the
                      * end; each word is quoted as for a shell */
};

#define ROW_PARAM_SIZE 512
#define ROW_PARAMS_MAX 24 /* the last one has all further words of a damaged file */

struct row_param {
    uint16_t at, length; /* of "key=value" in row_params.text, in bytes */
    uint8_t key, kind;   /* length of the key; enum row_param_kind */
};

/* All zero: none. */
struct row_params {
    char text[ROW_PARAM_SIZE]; /* CSV column `param`: words with spaces between, no commas but in the command line */
    struct row_param of[ROW_PARAMS_MAX];
    uint8_t n;
};

/* The value is as by printf(); what does not fit is cut. */
void row_param_add(struct row_params *params, enum row_param_kind kind, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline void row_param_count(struct row_params *params, enum row_param_kind kind, const char *key, uint64_t count)
{
    row_param_add(params, kind, key, "%llu", (unsigned long long)count);
}
/* Cuts what does not fit. */
void row_params_append(struct row_params *params, const struct row_params *more);
/* Splits params->text, read from a file. Kinds follow from keys. */
void row_params_read(struct row_params *params);

/* Returns buf with the value, "" when the key is missing; ROW_PARAM() provides it until the end of the block. */
const char *row_param(const struct row_params *params, const char *key, char buf[ROW_PARAM_SIZE]);
#define ROW_PARAM(params, key) row_param(params, key, (char[ROW_PARAM_SIZE]){0})
bool row_param_is(const struct row_params *params, const char *key, const char *value);
/* NAN when the key is missing. */
double row_param_number(const struct row_params *params, const char *key);

/* Appends the keys "{NAME}" of --parameter-list and --parameter-scan that are not in the list of n yet, as far as
 * there is room. Returns their new number. */
#define ROW_VARIED_MAX  4u
#define ROW_VARIED_SIZE 34u
size_t row_params_varied(const struct row_params *params, char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE], size_t n);

/* Returns params->text from the first PARAM_COMMAND on; NULL: none. */
const char *row_command(const struct row_params *params);
/* Returns "command", which extends to the end of params->text; NULL: none. */
const char *row_command_line(const struct row_params *params);

/* "stable protocol" or "classic protocol"; "" without the parameter "protocol", which rows of --classic and the
 * index rows of unix have. Returns buf, which ROW_PROTOCOL() provides until the end of the block. */
enum { ROW_PROTOCOL_SIZE = 32 };
char *row_protocol(const struct row_params *params, char buf[ROW_PROTOCOL_SIZE]);
#define ROW_PROTOCOL(params) row_protocol(params, (char[ROW_PROTOCOL_SIZE]){0})

/* row_next_word() goes through the words: a command line has several, other parameters have one. word is all zero at
 * first. Returns false after the last. */
struct row_word {
    const char *text;
    size_t length;
    const struct row_param *of;
};
bool row_next_word(const struct row_params *params, struct row_word *word);

/* A row: one metric of one measurement, a line of the CSV. */

#define ROW_SCHEMA 2

enum row_status { ROW_OK, ROW_UNSTABLE, ROW_DEGRADED, ROW_SKIPPED, ROW_FAILED };
const char *row_status_name(enum row_status status);

/* The same in all rows of one run of jitbench. */
struct row_run {
    char run_id[40], utc[24], host[65], job[40], rank[16];
    char kernel[160], arch[65], cpu_model[128], build[96], libc[48], settings[3072];
    uint64_t cpus_online; /* 0: not known */
    char comment[256];
    double start_late_us; /* how late after --start-at the first sample began; NAN: not given */
    double uptime_s;      /* of the machine, at the start; NAN: not known */
};

/* Work of a background load while the row was measured. */
enum load_count {
    LOAD_CPU,          /* s of all threads */
    LOAD_WRITTEN,      /* bytes passed to write() */
    LOAD_READ,         /* bytes returned by read() */
    LOAD_DISK_WRITTEN, /* bytes, by the kernel's count (/proc/self/io) */
    LOAD_DISK_READ,
    LOAD_WAKEUPS, /* of one thread by another */
    LOAD_MOVED,   /* bytes of memory touched or copied */
    LOAD_BURSTS,  /* of work of a simulated interactive program */
    LOAD_STARTED, /* programs */
    LOAD_NUMBERS, /* that a program printed */
    LOAD_PRINTED, /* their sum */
    LOAD_PACED,   /* bytes, by its rate */
    LOAD_COUNTS
};
extern const char *const load_count_names[LOAD_COUNTS]; /* in the column param: "load_cpu_s", ... */

void row_run_init(struct row_run *run); /* all 'not known' */
bool row_run_equal(const struct row_run *a, const struct row_run *b);

/* Causes and length classes of detours: times in which the measured thread did not run its own code. Metrics
 * "lost_CAUSE" of jitbench noise. */

enum detour_cause {
    DETOUR_QUOTA,       /* a quota of CPU time stopped the thread's control group */
    DETOUR_PREEMPTED,   /* the kernel ran another task */
    DETOUR_FAULT,       /* a page fault */
    DETOUR_MIGRATED,    /* moved to another CPU */
    DETOUR_INTERRUPT,   /* recurs with the period of the timer interrupts that the kernel counted */
    DETOUR_STEAL,       /* the hypervisor ran something else: the longest detours without another cause, up to the
                         * steal time that the kernel counted */
    DETOUR_PERIODIC,    /* recurs with another period, that of nothing the kernel counts */
    DETOUR_SHARED,      /* short, while another hardware thread used the core (sys/clock.h) */
    DETOUR_UNEXPLAINED, /* hypervisor, firmware, anything that the kernel does not count */
    DETOUR_CAUSES
};

/* Time lost to a cause, or number of events of a kind (interrupts, migrations). */
struct row_cause {
    double number; /* ms if is_time, else events */
    char name[15];
    bool is_time;
};
#define ROW_CAUSES_MAX (DETOUR_CAUSES + 9) /* of the kernel's counters */
struct row_causes {
    struct row_cause of[ROW_CAUSES_MAX];
    size_t n;
};

struct row {
    const struct row_run *run;
    char suite[24], test[48], load[48];
    struct row_params param;
    uint64_t copies;
    char metric[48], unit[24], better[8]; /* better: "lower", "higher" or "" */
    double value;                         /* NAN: not known, as in all doubles below */
    struct stats_summary stats;
    double index;
    enum row_status status;
    char reason[256];
    char policy[24], cpus[256], bind[8], layout[64], scratch_fs[24];
    double rt_priority, nice;
    double wall_s, cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major;
    double run_delay_ms, irqs, softirqs, steal_ms, freq_khz;
    double temp_begin_c, temp_end_c; /* of the CPU, around the samples */
    struct row_causes causes;
    char timer_latency_held[8]; /* deep idle states avoided: "yes", "no" or "" */
    char scratch_disk[256];     /* by storage_describe() */
    char core_share[8];         /* of the CPU, 0 to 1; "own": the run itself could use the rest */
    double core_mhz;            /* mean during the samples */
    char counters[256];         /* by counted_text() of rows/rows.h */
    char culprits[512];         /* other tasks that ran, by interference_text() */
    double explained_pct;       /* of the variance between samples, by other use of the core */
    /* Freed by row_free(). */
    double *samples;
    size_t n_samples;
    struct stats_point *hist;
    size_t n_hist;
    struct stats_point *series;
    size_t n_series;
    uint64_t series_left_out;
    /* Position in the order in which the suite was to measure, from 1: the order of tables; rows are written in that
     * of completion. 0: computed from other rows, or not known. */
    uint64_t item;
    /* Not in the CSV. */
    int headline;  /* the main result of its test */
    size_t number; /* order of arrival among the rows of a run or of files */
};

/* Returns whether `reason` need not be shown after `said` of another row: equal, or `said` followed by ";" and more. */
bool row_reason_repeats(const char *reason, const char *said);

void row_init(struct row *row, const struct row_run *run); /* all 'not known' */
void row_free(struct row *row);
/* A deep copy, for row_free(). Returns 0; or -1 when out of memory, and `to` is empty. */
int row_copy(struct row *to, const struct row *from);

enum row_column_type {
    COLUMN_TEXT,
    COLUMN_UINT, /* uint64_t, 0: not known */
    COLUMN_REAL, /* double, NAN: not known */
    COLUMN_STATUS,
    COLUMN_CAUSES,  /* "name:milliseconds" and "name=number", separated by ';' */
    COLUMN_SCHEMA,  /* always ROW_SCHEMA */
    COLUMN_SAMPLES, /* separated by ';' */
    COLUMN_HIST,    /* "lower limit:count", separated by ';' */
    COLUMN_SERIES,  /* "position:value", separated by ';', and ';+N' when N were left out */
};
struct row_column {
    const char *name;
    enum row_column_type type;
    int in_run;          /* in struct row_run */
    size_t offset, size; /* of the field in bytes; size 0: no field, or an allocated array */
};
extern const struct row_column row_columns[];
extern const size_t row_n_columns;
static inline const void *row_field(const struct row *row, const struct row_column *column)
{
    return (column->in_run ? (const char *)row->run : (const char *)row) + column->offset;
}
/* NULL: none. */
const struct row_column *row_column(const char *name);

/* text_sanitize(), and ';' for commas, so that scripts can split a line at commas; spaces in the column settings.
 * Keeps the commas of comment, test, load and param. */
void row_text_to_csv(const struct row_column *column, char *field);
/* The same for a field read from a file, which in older versions has commas. cpus, a list, gets its commas back. */
void row_text_from_csv(const struct row_column *column, char *field);

bool row_same_measurement(const struct row *a, const struct row *b);
/* The row with this metric of the measurement of `row`, one of the n rows, in which it is not interrupted by others;
 * NULL: none. */
const struct row *row_sibling(const struct row *rows, size_t n, const struct row *row, const char *metric);
/* What a load did beside a task, in % of what it did alone in that run, on as many CPUs. NAN: not known. */
double row_load_share(const struct row *rows, size_t n, const struct row *rate);

/* Suffix of a metric from those parts of the samples in which no other hardware thread used the core ("the core was
 * free"). */
#define ROW_ALONE "_alone"
/* Returns the length of the metric's name before ROW_ALONE; 0 without it. */
size_t row_is_alone(const struct row *row);
/* Returns whether the row is that of the same measurement as raw with ROW_ALONE ("rate_alone" for "rate"). */
bool row_is_alone_of(const struct row *row, const struct row *raw);
/* This row, perhaps with the value NAN; NULL: use of the core was not measured. */
const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row);

/* One value a run, computed from the tests of its suite. */
bool row_is_index(const struct row *row);
/* Returns the number of the build of its side (jitbench run --name); 0: it is none. */
uint64_t row_build(const struct row *row);

/* What is compared of commands (jitbench run --judge), and the metric that has it. */
enum judged_value { JUDGED_WALL, JUDGED_USER, JUDGED_INSTRUCTIONS, JUDGED_RSS };
extern const char *const judged_words[]; /* ends with NULL */
extern const char *const judged_metrics[];
/* By the parameter "judge", which all rows of a run have unless its wall-clock times are compared. */
enum judged_value row_judged(const struct row *row);

/* Column core_share, 0 to 1; NAN: not known, or "own". */
double row_core_share(const struct row *row);
/* Largest standard deviation of the logarithm of row_core_share(): it has one probe for each slice of the row's
 * time. 0 when the time is not known. */
double row_core_share_error(const struct row *row);

/* By how many % the means of the halves of the samples differ; 0: by at most 3 %, or not significantly (p 0.01). */
double row_drift_pct(const struct row *row);

/* Receives rows as they are measured. They belong to the caller: copy what is kept. */
struct row_sink {
    void (*put)(void *context, const struct row *row);
    void *context;
};

/* What may have disturbed a row's measurement: sums of the kernel's counters for the benchmark's processes, threads
 * and CPUs, and the CSV column `causes`. */

#define CAUSES_OWN DETOUR_CAUSES /* that a benchmark measures itself */

/* Over all trials; -1 when not known for one. All zero: none yet. */
struct causes {
    struct task_counters task;
    struct machine_counters machine;
    struct {
        const char *name;
        double ms;
    } own[CAUSES_OWN];
    size_t n_own;
};

/* NAN: not known. */
static inline double counter_number(int64_t counter, double unit)
{
    return counter < 0 ? NAN : (double)counter * unit;
}

/* Adds the counters of a process or thread, of its CPUs, or both: either may be NULL. */
void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine);

/* Adds ms to such a cause; name is not copied. Returns 0; or -1 when there are CAUSES_OWN others. */
int causes_add_measured(struct causes *causes, const char *name, double ms);

/* number: ms when is_time, otherwise events. Left out when NAN, the name (length bytes) is empty or too long, or the
 * table is full. */
void row_cause_add(struct row_causes *causes, const char *name, size_t length, bool is_time, double number);

/* First times, then counts of events; unknown values, and 0 stopped, are left out. Causes that the benchmark
 * measured replace the times "quota" (only with a quota), "preempted" (other waiting for a CPU) and "steal".
 * stopped: samples in which a signal stopped a process. */
void causes_fill(const struct causes *causes, uint64_t stopped, struct row_causes *out);

/* "preempted:12.345;steal:0;timer=250;resched=3" */
void causes_text(const struct row_causes *causes, struct text *out);

/* Sums of perf event counts over the samples of a row, and the CSV column `counters`. */

/* scaled: an estimate, not counted all the time. All zero: no sample yet. */
struct counted {
    double sum[COUNTERS];
    bool scaled[COUNTERS];
    uint64_t known[COUNTERS], n; /* known: samples in which the event was counted; n: all, one for each process or
                                  * thread and trial */
    int error[COUNTERS];         /* -errno of the last sample in which it was not counted; 0: none */
};

/* Adds one sample. A software event that perf did not count is taken from task. */
void counted_add(struct counted *counted, const struct counts *counts, const struct task_counters *task);

/* "cycles=5;instructions=~7;ipc=1.4;task_clock_ms=3;not_counted=branch_misses+cache_misses;why=no PMU for them"; '~'
 * marks an estimate; "" without samples. */
void counted_text(const struct counted *counted, char *buf, size_t size);

/* Returns NULL when the key is missing. */
const char *counted_value(const char *text, const char *key, size_t *length);

/* Amounts by name; and the time that other tasks and interrupts took of the CPUs on which a benchmark ran (option
 * --who): sums over all samples of a result row, and the CSV column `culprits`. */

/* A list of amounts, which shares_free() frees. An empty one is all zero. */
struct shares {
    struct amount {
        char name[160];
        double amount;
    } * of;
    size_t n, capacity;
    bool failed; /* memory ran out */
};

/* Adds an amount to the list, whose order and sums shares_sort() makes: one entry for each name, the largest first. */
void shares_add(struct shares *shares, const char *name, double amount);
void shares_sort(struct shares *shares);
void shares_free(struct shares *shares);

/* All zero: nothing was recorded. shares_free() frees `taken`. */
struct interference {
    struct shares taken;  /* CPU time in ms by name of the task or interrupt */
    bool looked;          /* at least one sample was recorded */
    double unrecorded_ms; /* CPU time for which it is not known what ran, in ms; HUGE_VAL: all of it */
    char why[120];        /* why time is missing in the record, or what else is not known; "": everything is known */
};

/* Adds the times and reasons of `more` to `sum`. */
void interference_merge(struct interference *sum, const struct interference *more);

/* Writes the text of the column: "node=3.204;kworker/0:1(vmstat_update)=0.410;not_recorded=12.000;why=the ring was
 * full". It has the five names with the most CPU time, in ms, and others(N) for that of the N other names;
 * not_recorded is "all" when nothing is known. The text is "nobody=0" when no other task ran, and "" when nothing was
 * recorded. */
void interference_text(const struct interference *interference, char *buf, size_t size);

extern const char *const detour_cause_names[DETOUR_CAUSES]; /* "preempted", ... */

/* Octaves: class k begins at 2^k ns; the last has no upper limit. */
#define DETOUR_CLASSES 36u

/* Writes rows as CSV (RFC 4180). Each is a whole line, on disk before the next measurement. */

/* Append a line that ends with "\r\n". Numbers have up to 17 significant digits, with '.' in every locale, as the
 * program never calls setlocale(); a field with a comma, quote, CR or LF is quoted. */
void csv_header(struct text *out);
/* csv_text() appends a field to a file with other columns than rows, quoted if necessary; one that spreadsheets
 * would compute gets a "'" before it, but not by csv_own_text(), for texts that are our own. */
void csv_text(struct text *out, const char *s);
void csv_own_text(struct text *out, const char *s);
/* As text_put(): %s as csv_text(), %f as text_real(). */
void csv_print(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void csv_row(const struct row *row, struct text *out);

/* How a field is written. */
struct row_format {
    void (*text)(struct text *out, const struct row_column *column, const char *s);
    void (*real)(struct text *out, double value);
    const char *unknown; /* whole number */
    /* of lists, and of a pair in one: "begin at within value end" */
    const char *begin, *between, *within, *end;
};
/* Without series_left_out. */
void row_put_field(const struct row *row, const struct row_column *column, const struct row_format *format,
                   struct text *out);

/* An output that never overwrites a regular file. If writing a row fails, the incomplete line is cut off, and this
 * row and later ones go to a second file in $TMPDIR or /tmp; if that fails too, they are kept in memory and
 * csv_close() prints them to standard output. If the file is removed meanwhile, its rows are written again to the
 * second one. A new file without a row is removed. */
struct csv;
struct csv_target {
    const char *path; /* of -o; NULL: the default name */
    const char *name; /* default name without ".csv"; NULL: "jitbench" */
    bool to_stdout;   /* -o - */
    bool none;        /* --no-csv */
    bool no_samples;  /* columns samples, hist and series stay empty */
};
/* Opens the file (O_EXCL) and writes the header; csv_close() frees the result. Returns NULL with a line in error
 * when the file of -o exists or cannot be made, or memory runs out. For a default name the second file or memory may
 * be used: message (otherwise "") says so. */
struct csv *csv_open(const struct csv_target *target, struct error *message, struct error *error);
void csv_put(struct csv *csv, const struct row *row);
/* If the open file was removed, writes its rows to a new one elsewhere. Called for each row, and by the caller after
 * the last. */
void csv_rescue(struct csv *csv);
/* Where rows go now, or went last; "-": standard output, "": nowhere. */
const char *csv_path(const struct csv *csv);
/* Rows kept in memory go to standard output, after a message. Returns 0; or -1 when rows could not be written
 * anywhere. */
int csv_close(struct csv *csv);

/* Reads CSV files (RFC 4180), even damaged ones, a record at a time. Fields are asked for by column name: a file may
 * lack columns, have others, and in any order. */

/* Longest record in bytes without its line end; a longer one counts as damaged. */
#define READER_LINE_MAX ((size_t)32 << 20)
/* Columns of a file. A record with more fields counts as damaged. */
#define READER_COLUMNS_MAX 1024u

/* CSV files may be concatenated, also of different versions: a record is a header if it repeats the one before, or
 * if at least three and more than half of its fields are names of columns; the first is one whatever it has. Damaged
 * are violations of RFC 4180 (but a quote within an unquoted field, and LF for CR LF), a NUL byte, another number of
 * fields than the header's, and a last record that was cut off. Reading goes on with the next line, or with a header
 * that what was damaged has swallowed. */
struct reader;

/* "-" is standard input. wanted: enum rows_wanted. Returns NULL with a line in error;
 * reader_close() frees the result. */
struct reader *reader_open(const char *path, unsigned wanted, struct error *error);
/* From an open descriptor, closed by reader_close() and on failure; name is for errors. */
struct reader *reader_take(int fd, const char *name, unsigned wanted, struct error *error);
/* Reads the next undamaged record but headers. Returns 1, 0 at the end, or -1 when the file cannot be read further
 * (reader_error()). Ends the program when out of memory. */
int reader_next(struct reader *r);
/* A line that names the file; "" without an error. */
const char *reader_error(const struct reader *r);
/* Records so far. */
uint64_t reader_damaged(const struct reader *r);
void reader_close(struct reader *r); /* may be NULL */

/* Returns the column's number for reader_at() and reader_number(), at any time; it stays valid for other headers. */
size_t reader_column(struct reader *r, const char *name);
/* Returns the current record's field, valid until reader_next(); NULL when the file has no such column, or there is
 * no record. */
const char *reader_at(const struct reader *r, size_t column);
/* NAN when the field is missing, not entirely a decimal number, or too large. */
double reader_number(const struct reader *r, size_t column);

/* Reads rows from CSV files, for compare, report, export, fleet, project. */

/* Long fields and lists to read; others are left empty and cost no time. ROWS_UNKNOWN: an empty sample becomes NAN.
 * ROWS_REGULAR: only a regular file; a pipe or device would be read for ever. */
enum rows_wanted {
    ROWS_SAMPLES = 1,
    ROWS_HIST = 2,
    ROWS_SERIES = 4,
    ROWS_CAUSES = 8,
    ROWS_ALL = 15,
    ROWS_UNKNOWN = 16,
    ROWS_REGULAR = 32
};

/* --- One row after another: memory use does not grow with the file. --- */

/* Returns 1 with the row, for row_free(); 0 at the end; -1 when the file cannot be read further
 * (reader_error()). row->run points into the reader, unchanged until a row of another run comes. Missing columns
 * and fields that cannot be parsed are 'not known'; texts too long are cut. Records that are no valid row, or of a
 * newer schema, are counted and left out. */
int reader_next_row(struct reader *r, struct row *row);
/* "FILE: 3 damaged lines left out"; "" when nothing was. n_rows: that were read. */
void reader_describe(const struct reader *r, const char *path, size_t n_rows, struct error *message);

struct row_set {
    struct row *rows; /* in the order of files and lines; run points to one of runs[] */
    size_t n, capacity;
    struct row_run **runs; /* in the order of their first rows */
    size_t n_runs, runs_capacity;
    /* Called for each row: whether to add it; after row_free() it is added without its long fields. The run pointer
     * changes after the call. NULL: all are added. */
    bool (*choose)(void *context, struct row *row);
    void *context;
};

/* Appends a file's rows. Returns 0; or -1 with a line in error, and earlier rows are kept. Ends the program when
 * there is no memory for another row. message (otherwise "") says what was left out, or that there are no rows. */
int row_set_read(struct row_set *set, const char *path, unsigned wanted, struct error *message, struct error *error);
/* As tables show them: by run and suite, in the order of their first rows, then by row.item. Stable. */
void row_set_sort(struct row_set *set);
void row_set_free(struct row_set *set);

#endif
