/* SPDX-License-Identifier: MIT */
/* The settings of a machine that disturb measurements: current values, good values, and the files to write. All are
 * read below a root directory that is "" except in tests; nothing here writes. Sources: the kernel's documents on
 * isolcpus, nohz_full, rcu_nocbs, cpufreq, cpuidle, IRQ affinity and workqueues. */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"
#include "sys/machine.h"

enum setting_verdict {
    SETTING_OK,
    SETTING_NOISY,
    SETTING_NA,
    SETTING_UNKNOWN, /* cannot be read */
};
extern const char *const setting_verdict_names[]; /* "ok", "noisy", "n/a", "unknown" */

enum setting_how {
    SETTING_WRITE,       /* `tune` writes it by default */
    SETTING_WRITE_NAMED, /* tune writes it only when named: it could lock out a user or risk a stall */
    SETTING_HOLD,        /* by a descriptor that stays open while measuring (--hold-latency, --tuned) */
    SETTING_BOOT,        /* on the kernel's command line, which needs a reboot */
    SETTING_ADVISE,      /* only the user can: a daemon, a cable, another machine */
    SETTING_REPORT,      /* cannot be changed */
};

struct settings_view {
    const char *root;
    const struct machine *machine;
    const struct cpuset *bench; /* CPUs to measure on */
    bool huge_advised;          /* the benchmark asks for them: they must not be switched off */
    void (*moment)(void);       /* waits, so that counters can rise; NULL: they are read once only */
};

/* Chooses the default CPUs to measure on (bench CPUs) from those that cpuset and affinity mask allow: the isolated
 * CPUs; else all but the boot CPU (the lowest online CPU); else that one. Never empty. */
void settings_bench_cpus(const char *root, const struct machine *machine, struct cpuset *out);

/* Writes the list, cut after a whole range with "..."; "none" for the empty set. */
void settings_format_cpus(const struct cpuset *set, char *buf, size_t size);

struct setting_state {
    enum setting_verdict verdict;
    char now[160]; /* as one line: "powersave (8 CPUs)"; "" when not known */
    char why[160]; /* why noisy or not known, if now does not show that; or "" */
};

/* One file to write: the path below the root, and the value as it reads back, without a final newline (for "always
 * [madvise] never" the word in brackets). A CPU mask may be 2 KiB long. */
struct setting_write {
    char *path, *value;
    const struct setting *of; /* whose write it is; set by setting_plan() */
};
struct setting_writes {
    struct setting_write *write;
    size_t n, capacity;
};
/* Copies both. Returns 0, or -1 when out of memory. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value);
void setting_writes_free(struct setting_writes *writes);

typedef void setting_looker(const struct settings_view *view, struct setting_state *out);
typedef int setting_writer(const struct settings_view *view, struct setting_writes *out);

struct setting {
    const char *name;  /* on the command line of tune: "governor" */
    const char *title; /* in tables: "CPU frequency governor" */
    const char *good;  /* in words: "performance" */
    const char *cost;  /* of a noisy value: "clock changes under the measurement" */
    const char *set;   /* "jitbench tune governor", "boot with isolcpus=" */
    enum setting_how how;
    /* A setting that is one decimal number in one file needs no functions: it is good when the file holds `want`. */
    const char *path;
    int64_t want;
    bool recorded;                         /* in the CSV column `settings` */
    bool or_more;                          /* larger numbers are good too */
    const char *unit;                      /* follows the number: " us"; NULL: none */
    const struct setting_of_cpus *of_cpus; /* for a setting that each CPU has */
    /* Judges the setting. If `path` is set, its number has been judged already, and this may correct the result.
     * Only setting_look() calls it. */
    setting_looker *look;
    /* Adds the files to write instead of `want` to `path`. Only setting_plan() calls it. */
    setting_writer *writes;
};

#define SETTING(name_, title_, good_, cost_, set_)                                                                     \
    .name = name_, .title = title_, .good = good_, .cost = cost_, .set = set_

void setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out);
/* Adds the files that make the setting good, in the order to write them, without those that are good already; none
 * for a setting that tune does not write. Returns 0, or -1 when out of memory. */
int setting_plan(const struct setting *setting, const struct settings_view *view, struct setting_writes *out);
bool setting_is_written(const struct setting *setting);

/* In the order in which tune writes them: the governor before turbo, since writing it resets turbo. */
extern const struct setting settings_list[];
extern const size_t settings_count;

/* Returns NULL when there is none. */
const struct setting *setting_find(const char *name);

/* Counts a setting by its verdict, and appends a noisy one's name to the list, with ", ". */
void setting_count(const struct setting *setting, const struct setting_state *state, unsigned counts[4], char *noisy,
                   size_t size);
/* Writes what explains why two machines, or one at two times, differ in speed, in the form of sys/setting_items.h:
 * "governor=performance;smt=off;thp=madvise;memory=23.5G;...;cmdline=quiet|isolcpus=2-7;...;spectre_v2=Retpolines".
 * cmdline has only words that affect speed and noise. Unknown and missing values are left out, and so are items that
 * do not fit. */
void settings_describe(const struct settings_view *view, char *buf, size_t size);

/* A program that disturbs measurements: its name in the kernel (at most 15 bytes), and the services or timers that
 * start it, with spaces; NULL: none does. */
struct settings_program {
    const char *comm, *units;
};
/* Finds those that run, at most `size`. Returns how many. */
size_t settings_programs(const struct settings_view *view, const struct settings_program **found, size_t size);

/* Judges all settings, and counts them as setting_count() does. */
void settings_summary(const struct settings_view *view, unsigned counts[4], char *noisy, size_t size);

#endif
