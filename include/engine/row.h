/* SPDX-License-Identifier: MIT */
/* A result row: what the CSV's columns say, in memory. One table of columns drives the writer, the reader, the man
 * page check and the tests. */
#ifndef ENGINE_ROW_H
#define ENGINE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/stats.h"

#define ROW_SCHEMA 2

enum row_status { ROW_OK, ROW_UNSTABLE, ROW_DEGRADED, ROW_SKIPPED, ROW_FAILED };
const char *row_status_name(enum row_status status);

/* What is the same in all rows of a run. */
struct row_run {
    char run_id[40], utc[24], host[65], job[40], rank[16];
    char kernel[160], arch[65], cpu_model[128], build[96], libc[48], settings[3072];
    uint64_t cpus_online; /* 0: not known */
    char comment[256];
    double start_late_us; /* how late the first sample began against --start-at; NAN: not asked for */
};

void row_run_init(struct row_run *run); /* all 'not known' */
bool row_run_equal(const struct row_run *a, const struct row_run *b);

struct row_pair {
    double at, value;
};

struct row {
    const struct row_run *run;
    char suite[24], test[48], load[48], param[512];
    uint64_t copies;
    char metric[48], unit[24], better[8]; /* better: "lower", "higher" or "" */
    double value;                         /* NAN: not known, here and in all doubles below */
    struct stats_summary stats;
    double index;
    enum row_status status;
    char reason[256];
    char policy[24], cpus[256], bind[8], layout[64], scratch_fs[24];
    double rt_priority, nice;
    double wall_s, cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major;
    double run_delay_ms, irqs, softirqs, steal_ms, freq_khz;
    char causes[384];           /* causes_format() */
    char timer_latency_held[8]; /* "yes", "no" or "" */
    char scratch_disk[256];     /* storage_describe() of the scratch folder */
    char core_share[8];         /* part of the core that it had, 0 to 1; "own": its own parties shared it */
    double core_mhz;            /* as measured */
    double explained_pct;       /* of the variance between samples, by the core probe */
    /* Owned by the row: row_free(). */
    double *samples;
    size_t n_samples;
    struct row_pair *hist;
    size_t n_hist;
    struct row_pair *series;
    size_t n_series;
    uint64_t series_left_out;
    /* The measurement's place in its suite's plan, from 1: rows are written as they are done, tables show them as they
     * were planned. 0: made of other rows, or not known. */
    uint64_t item;
    /* For the program, not in the CSV. */
    int headline;  /* the row's metric is the one that its test is judged by */
    size_t number; /* as it came, within a suite or a set of rows */
};

/* Makes the texts of a row, or of a run, harmless for terminals: text_harmless(). */
void row_harmless(struct row *row);
void row_run_harmless(struct row_run *run);

/* Whether a reason says what another one has said already: the same, or that with more behind it ("; the core was
 * ..."). */
bool row_reason_repeats(const char *reason, const char *said);

void row_init(struct row *row, const struct row_run *run); /* all 'not known' */
void row_free(struct row *row);
/* A deep copy; -1 when out of memory (then to is empty). */
int row_copy(struct row *to, const struct row *from);

enum row_column_type {
    COLUMN_TEXT, /* char array */
    COLUMN_UINT, /* uint64_t, 0 is 'not known' */
    COLUMN_REAL, /* double, NAN is 'not known' */
    COLUMN_STATUS,
    COLUMN_SCHEMA,  /* the number ROW_SCHEMA */
    COLUMN_SAMPLES, /* samples, ';' between */
    COLUMN_HIST,    /* low:count, ';' between */
    COLUMN_SERIES,  /* position:value, ';' between, and ';+N' at the end when N were left out */
};
struct row_column {
    const char *name;
    enum row_column_type type;
    int in_run;          /* offset is into struct row_run */
    size_t offset, size; /* of the field; 0: samples, hist and series, which are arrays elsewhere */
};
extern const struct row_column row_columns[];
extern const size_t row_n_columns;

/* Replaces the commas in a text column's field, so that a line of the CSV can be split at its commas: ';' stands for
 * ',', and a blank in settings, whose items have ';' between. Leaves the user's own words alone: comment, test, load,
 * and param from its command on. */
void row_text_to_csv(const struct row_column *column, char *field);
/* Does the same to a field that was read, which may be of a file from before that rule. CPU lists get their commas
 * back. */
void row_text_from_csv(const struct row_column *column, char *field);

/* What a word of param says: the work itself; what follows from the CPU, or from the build; how the parties beside the
 * measured one ran; or what came out of it (calibration, what a load did), which differs from run to run. The word
 * stands in param, or in some of its words in their order: in a command line all words are the work. */
enum row_word { ROW_WORD_WORK, ROW_WORD_CPU, ROW_WORD_BUILD, ROW_WORD_BESIDE, ROW_WORD_OUTCOME };
enum row_word row_word_kind(const char *param, const char *word, size_t length);
/* The words of a kind, one after the other: *at begins as param and moves on. NULL when there is none left. */
const char *row_next_word(const char *param, const char **at, enum row_word kind, size_t *length);

/* Where the words of a user's command begin in a param: its command line, or what is written before that (its input,
 * its preparation), each of these quoted to one word as a shell takes it. NULL when it has none. */
const char *row_command(const char *param);
/* Its command line alone, which goes to the end of param. NULL when it has none. */
const char *row_command_line(const char *param);

/* The value of a word in a row's param ("limit=22 experiments=1000000"), which ends at the next space; its length in
 * *length. NULL when there is no such word. */
const char *row_param(const struct row *row, const char *key, size_t *length);

/* "stable protocol", "classic protocol": what the word protocol= of a param says (an index of suite unix, latency under
 * --classic); "" when there is none. */
enum { ROW_PROTOCOL_SIZE = 32 };
void row_protocol(const char *param, char buf[ROW_PROTOCOL_SIZE]);

/* The row of the same measurement with the core free ("rate_alone" for "rate"); its value may be NAN. NULL when the
 * core was not probed. */
const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row);

/* Takes rows as they become known. The row is the caller's; the sink copies what it keeps. */
struct row_sink {
    void (*put)(void *context, const struct row *row);
    void *context;
};

#endif
