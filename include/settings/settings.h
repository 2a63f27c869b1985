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
    SETTING_NA,      /* this machine does not have the setting */
    SETTING_UNKNOWN, /* the machine may have the setting, but it cannot be read */
};
extern const char *const setting_verdict_names[]; /* names of the verdicts: "ok", "noisy", "n/a", "unknown" */

enum setting_how {
    SETTING_WRITE,       /* the command `tune` writes the setting: the default */
    SETTING_WRITE_NAMED, /* tune writes the setting only when it is named: it could lock out a user or risk a stall */
    SETTING_HOLD,        /* set by a descriptor that stays open while measuring (--hold-latency, --tuned) */
    SETTING_BOOT,        /* set on the kernel's command line, which needs a reboot */
    SETTING_ADVISE,      /* only the user can change it: a daemon, a cable, another machine */
    SETTING_REPORT,      /* the setting cannot be changed; it is reported only */
};

/* Context in which the settings are judged. */
struct settings_view {
    const char *root;
    const struct machine *machine;
    const struct cpuset *bench; /* CPUs to measure on */
    bool huge_advised;          /* the benchmark asks for huge pages, so that they must not be switched off */
    void (*moment)(void);       /* waits for a moment, so that counters can rise; NULL: they are read once only */
};

/* Chooses the default CPUs to measure on (bench CPUs), from those that the process's cpuset and affinity mask allow:
 * the isolated CPUs; else all but the boot CPU (the lowest online CPU); else the boot CPU. Never empty. */
void settings_bench_cpus(const char *root, const struct machine *machine, struct cpuset *out);

/* Writes the list of CPUs; if it does not fit, "..." follows the last whole range. "none" for the empty set. */
void settings_format_cpus(const struct cpuset *set, char *buf, size_t size);

struct setting_state {
    enum setting_verdict verdict;
    char now[160]; /* current value as one line: "powersave (8 CPUs)"; "" when it is not known */
    char why[160]; /* why the setting is noisy or not known, if now does not show that; "" otherwise */
};

/* One file to write: the path below the root, and the value without a final newline, in the form in which the file
 * reads back (for "always [madvise] never" the word in brackets). A CPU mask may be 2 KiB long. */
struct setting_write {
    char *path, *value;
    const struct setting *of; /* the setting that this write belongs to; set by setting_plan(); NULL: none */
};
struct setting_writes {
    struct setting_write *write;
    size_t n, capacity;
};
/* Copies path and value. Returns 0, or -1 when out of memory. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value);
void setting_writes_free(struct setting_writes *writes);

typedef void setting_looker(const struct settings_view *view, struct setting_state *out);
typedef int setting_writer(const struct settings_view *view, struct setting_writes *out);

struct setting {
    const char *name;  /* name on the command line of tune: "governor" */
    const char *title; /* title in tables: "CPU frequency governor" */
    const char *good;  /* good value in words: "performance" */
    const char *cost;  /* effect of a noisy value: "clock changes under the measurement" */
    const char *set;   /* how to set it: "jitbench tune governor", "boot with isolcpus=" */
    enum setting_how how;
    /* A setting that is one decimal number in one file needs no functions: it is good when the file holds the number
     * `want`. */
    const char *path;
    int64_t want;
    bool recorded;                         /* it is in the CSV column `settings` */
    bool or_more;                          /* larger numbers are good as well */
    const char *unit;                      /* follows the number in the table: " us"; NULL: none */
    const struct setting_of_cpus *of_cpus; /* for a setting that each CPU has; NULL for other settings */
    /* Reads the setting and judges it. If `path` is set, the number in that file has been judged already, and this
     * function may correct the result. Only setting_look() calls it. */
    setting_looker *look;
    /* Adds the files to write, instead of a write of `want` to `path`. Only setting_plan() calls it. */
    setting_writer *writes;
};

/* Initialises the fields that every setting has. */
#define SETTING(name_, title_, good_, cost_, set_)                                                                     \
    .name = name_, .title = title_, .good = good_, .cost = cost_, .set = set_

/* Finds out the state of a setting now. */
void setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out);
/* Adds the files to write to make the setting good, in the order in which they must be written. Adds no file whose
 * content is good already, and none for a setting that tune does not write. Returns 0, or -1 when out of memory. */
int setting_plan(const struct setting *setting, const struct settings_view *view, struct setting_writes *out);
/* Returns whether tune writes the setting, by default or when it is named. */
bool setting_is_written(const struct setting *setting);

/* All settings in the order in which tune writes them: the governor before turbo, since writing it resets turbo. */
extern const struct setting settings_list[];
extern const size_t settings_count;

/* Returns the setting of that name, or NULL. */
const struct setting *setting_find(const char *name);

/* Counts a setting by its verdict, and appends its name to the list of noisy ones (separated by ", ") when it is
 * noisy. */
void setting_count(const struct setting *setting, const struct setting_state *state, unsigned counts[4], char *noisy,
                   size_t size);
/* Writes the settings that explain why two machines, or one machine at two times, differ in speed, in the form of
 * sys/setting_items.h:
 * "governor=performance;smt=off;thp=madvise;memory=23.5G;...;cmdline=quiet|isolcpus=2-7;...;spectre_v2=Retpolines".
 * cmdline has only the words of the kernel's command line that affect speed and noise. Unknown and missing values
 * are left out, and so are items that do not fit. */
void settings_describe(const struct settings_view *view, char *buf, size_t size);

/* A program that disturbs measurements: its name in the kernel (at most 15 bytes), and the services or timers that
 * start it, separated by spaces; NULL when no service starts it. */
struct settings_program {
    const char *comm, *units;
};
/* Finds the running programs that the settings irqbalance and daemons look for, at most `size` of them. Returns how
 * many. */
size_t settings_programs(const struct settings_view *view, const struct settings_program **found, size_t size);

/* Judges all settings, counts them by verdict, and lists the noisy ones, as setting_count() does. */
void settings_summary(const struct settings_view *view, unsigned counts[4], char *noisy, size_t size);

#endif
