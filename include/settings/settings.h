/* SPDX-License-Identifier: MIT */
/* Settings that disturb measurements: found, judged, changed and restored. */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include "rows/text.h"
#include "sys/machine.h"

/* The settings of a machine that disturb measurements: current values, good values, and the files to write. Nothing
 * here writes. Sources: the kernel's documents on isolcpus, nohz_full, rcu_nocbs, cpufreq, cpuidle, IRQ affinity and
 * workqueues. */

enum setting_verdict {
    SETTING_OK,
    SETTING_NOISY,
    SETTING_NA,
    SETTING_UNKNOWN, /* cannot be read */
};
extern const char *const setting_verdict_names[]; /* "ok", "noisy", "n/a", "unknown" */

enum setting_how {
    SETTING_NOT_WRITTEN,
    SETTING_WRITE,       /* `tune` writes it by default */
    SETTING_WRITE_NAMED, /* tune writes it only when named: it could lock out a user or risk a stall */
};

struct settings_view {
    const struct machine *machine;
    const struct cpuset *bench; /* CPUs to measure on */
    bool huge_advised;          /* the benchmark asks for them: they must not be switched off */
    void (*moment)(void);       /* waits, so that counters can rise; NULL: they are read once only */
};

/* Chooses the default CPUs to measure on (bench CPUs) from those that cpuset and affinity mask allow: the isolated
 * CPUs; else all but the boot CPU (the lowest online CPU); else that one. Never empty. */
void settings_bench_cpus(const struct machine *machine, struct cpuset *out);

/* Writes the list, cut after a whole range with "..."; "none" for the empty set. Returns buf, which CPUS_TEXT() and
 * SETTINGS_CPUS() provide until the end of the block. */
char *settings_format_cpus(const struct cpuset *set, char *buf, size_t size);
#define CPUS_TEXT(set, size) settings_format_cpus(set, (char[size]){0}, size)
#define SETTINGS_CPUS(set)   CPUS_TEXT(set, 96)

#define SETTING_STATE_SIZE 160
struct setting_state {
    enum setting_verdict verdict;
    char now[SETTING_STATE_SIZE]; /* as one line: "powersave (8 CPUs)"; "" when not known */
    char why[SETTING_STATE_SIZE]; /* why noisy or not known, if now does not show that; or "" */
};

/* One file to write: the path, and the value as it reads back, without a final newline (for "always
 * [madvise] never" the word in brackets). A CPU mask may be 2 KiB long. */
struct setting_write {
    char *path, *value;
    const struct setting *of; /* whose write it is; NULL: of none */
    /* Of a snapshot: index of its old value, or -errno when it cannot be read; the value before the restore, cut. */
    long saved;
    char before[64];
    bool written;
    int error; /* of the last write */
};
struct setting_writes {
    struct setting_write *write;
    size_t n, capacity;
};
/* Copies both. Returns 0, or -1 when out of memory. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value);
void setting_writes_free(struct setting_writes *writes);

struct reading;
/* Judges the setting, and adds the files that make it good, in the order to write them, without those that are good
 * already. See settings_read.h. */
typedef void setting_looker(struct reading *r);

struct setting {
    const char *name;  /* on the command line of tune: "governor" */
    const char *title; /* in tables: "CPU frequency governor" */
    const char *good;  /* in words: "performance" */
    const char *cost;  /* of a noisy value: "clock changes under the measurement" */
    const char *set;   /* "jitbench tune governor", "boot with isolcpus=" */
    enum setting_how how;
    setting_looker *look;
    const char *path;      /* of its file, where it has one; or of the file of each CPU below the CPU's directory */
    int64_t want;          /* good number */
    const char *want_text; /* good word in the file of each CPU (NULL: see read_cpu()), or good words */
    const char *unit;      /* follows the number: " us"; NULL: none */
    int64_t good_from;     /* this number and larger ones are good too; 0: none */
    bool recorded;         /* in the CSV column `settings` */
};

/* writes (may be NULL) gets the files that make the setting good, in the order to write them, without those that are
 * good already; none of a setting that tune does not write. Returns false when out of memory. */
bool setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out,
                  struct setting_writes *writes);

/* In the order in which tune writes them: the governor before turbo, since writing it resets turbo. */
extern const struct setting settings_list[];
extern const size_t settings_count;
#define for_each_setting(i) for (size_t i = 0; i < settings_count; i++)

/* Returns NULL when there is none. */
const struct setting *setting_find(const char *name);

/* Writes what explains why two machines, or one at two times, differ in speed, as setting_items_add() does:
 * "governor=performance;smt=off;thp=madvise;memory=23.5G;...;cmdline=quiet|isolcpus=2-7;...;spectre_v2=Retpolines".
 * cmdline has only words that affect speed and noise. Unknown and missing values are left out, and so are items that
 * do not fit. */
void settings_describe(const struct settings_view *view, char *buf, size_t size);

/* A program that disturbs measurements: its name in the kernel (at most 15 bytes), and the services or timers that
 * start it, with spaces; NULL: none does. */
struct settings_program {
    const char *comm, *units;
};
#define SETTINGS_PROGRAMS_MAX 40
/* Finds those that run, at most `size`. Returns how many. */
size_t settings_programs(const struct settings_program **found, size_t size);

/* Judges all settings, and counts them by verdict. */
void settings_summary(const struct settings_view *view, unsigned counts[4]);

/* The arrays are in the order of settings_list. */
struct advice_found {
    const struct settings_view *view;
    const bool *selected;
    const struct setting_state *state;
    bool all; /* no items were named: give all advice */
};

struct advice {
    const char *about;
    struct text command;
    struct text text; /* one or two sentences */
};

#define ADVICE_MAX 6

/* Fills in the advice of `check`, the most useful first, and returns the number of entries. The caller calls
 * advice_free() for each. */
size_t advice_make(const struct advice_found *found, struct advice advice[ADVICE_MAX]);
void advice_free(struct advice *advice, size_t n);

/* Changes settings of the machine and restores them. The old contents are saved in a snapshot, completely and on
 * disk, before the first file is written: after a kill at any moment either nothing is changed and there is no
 * snapshot, or it can restore everything. A snapshot belongs to one boot of one machine. */

/* Writes a file of a setting. Returns 0 or -errno. Tests replace the kernel by it. */
extern int (*snapshot_write)(const char *path, const char *value);

enum snapshot_result {
    SNAPSHOT_DONE,    /* written, and reads back as intended */
    SNAPSHOT_ALREADY, /* had the value already, not written */
    SNAPSHOT_OTHER,   /* written, but reads back as something else */
    SNAPSHOT_REFUSED, /* not read or written: see error */
};

/* Values are in the form in which they are written: for "always [madvise] never" "madvise". */
struct snapshot_report {
    size_t index; /* into the writes, from snapshot_apply() */
    const char *path;
    /* was and now are "" when they cannot be read. From snapshot_restore(), was is cut to 63 bytes. */
    const char *was, *wanted, *now;
    enum snapshot_result result;
    int error; /* -errno of the read or write */
};
typedef void snapshot_put(void *context, const struct snapshot_report *report);

/* In /run, or in /dev/shm when /run cannot be written; if one of them has a snapshot already, that one. */
const char *snapshot_default_file(void);

struct snapshot;

/* Reads the files that `writes` (which must outlive the snapshot) is to change, and those that the kernel changes
 * with them. Files that cannot be read will not be written. Returns 0, or -1 when out of memory. */
int snapshot_look(const char *file, struct setting_writes *writes, struct snapshot **out);

/* Makes the snapshot's file, locked until snapshot_close(), unless there is nothing to save. Returns 0; or -1 with a
 * line in error, and no file, also when there is one already. */
int snapshot_save(struct snapshot *snapshot, struct error *error);

/* Writes the files in order, reads them back, and reports each; one that is refused does not stop the rest. Without
 * snapshot_save(), nothing is written: SNAPSHOT_OTHER then means that the file would be. */
void snapshot_apply(const struct snapshot *snapshot, snapshot_put *put, void *context);

/* Reads a snapshot and locks it. Returns 0; or -1 with a line in error: there is none, the process that made it still
 * runs, it is damaged, of another boot, or cannot be trusted (no regular file, with several names, another user's, or
 * writable by others). */
int snapshot_open(const char *file, struct snapshot **out, struct error *error);

/* Writes the old values in reverse order, reads them back, and reports each file; one that changed again because
 * another was restored is written once more. Needs no memory. Returns 0 and removes the snapshot when all have their
 * old values; otherwise -1 with a line in error, and keeps it. put may be NULL. */
int snapshot_restore(struct snapshot *snapshot, snapshot_put *put, void *context, struct error *error);

/* NULL is allowed. Leaves the file as it is. */
void snapshot_close(struct snapshot *snapshot);

/* The file of a snapshot, and other lists of settings: lines PATH=VALUE, empty ones, and comments after '#'. The first
 * line of a snapshot names the boot, the last one is "# end". */

/* Only files below /proc/sys, /proc/irq and /sys: a path such as /proc/self/root/... leads to any file. */
bool snapshot_path_allowed(const char *path);

/* Returns in words why a file could not be read or written; error is -errno. */
const char *tuned_refusal(const char *path, int error);

/* Returns whether the file, by its path and the -errno of writing it, is about an interrupt that the kernel manages
 * itself: it cannot be moved. */
bool tuned_is_managed(const char *path, int error);

/* Sets all that `tune` writes by default. Returns 0 when all but managed interrupts are set, with "" or a line for
 * the output's header in message; -1 with a line that names the others. tuned_end() must follow in both cases; after a
 * kill, `untune` restores. */
int tuned_begin(const struct settings_view *view, struct error *message);
/* Sets what a file lists (see snapshot_read_list()), as tuned_begin() does; tuned_check_file() only checks the file.
 * Both return -1 with a message when it cannot be read or has any other line. */
int tuned_begin_file(const char *file, struct error *message);
int tuned_check_file(const char *file, struct error *message);
/* Returns 0; with lines on standard error -1 when some could not be restored, and 1 when something else had set others.
 */
int tuned_end(void);
/* Returns whether `tune` or tuned_begin() has left a snapshot in its default place. */
bool tuned_has_snapshot(void);

#endif
