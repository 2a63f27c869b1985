/* SPDX-License-Identifier: MIT */
/* The settings of a machine that disturb measurements: what they are now, what would be good, and what would have to be
 * written. All under a root directory that is "" in use and a made-up tree in tests; nothing here writes.
 * Sources: the kernel's documents on isolcpus, nohz_full, rcu_nocbs, cpufreq, cpuidle, IRQ affinity and workqueues. */
#ifndef SYS_SETTINGS_H
#define SYS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"
#include "sys/machine.h"

enum setting_verdict {
    SETTING_OK,
    SETTING_NOISY,
    SETTING_NA,      /* this machine has no such thing */
    SETTING_UNKNOWN, /* it may have it, but it cannot be read here */
};
extern const char *const setting_verdict_names[]; /* "ok", "noisy", "n/a", "unknown" */

enum setting_how {
    SETTING_WRITE,       /* tune writes it */
    SETTING_WRITE_NAMED, /* tune writes it only when it is named: it could lock someone out or risk a stall */
    SETTING_HOLD,        /* by a descriptor that is held open while measuring (--hold-latency, --tuned) */
    SETTING_BOOT,        /* on the kernel's command line */
    SETTING_ADVISE,      /* by the user: a daemon, a cable, another machine */
    SETTING_REPORT,      /* nothing to set: known is good */
};

/* What the settings are judged for. */
struct settings_view {
    const char *root;
    const struct machine *machine;
    const struct cpuset *bench; /* the CPUs to measure on */
    bool huge_advised;          /* what is measured asks for huge pages, so that they are not to be switched off */
    void (*moment)(void);       /* lets a moment pass, to see what rises; NULL: one look only */
};

/* The CPUs to measure on unless the user names some, of those that the process's cpuset allows and its own mask does
 * not leave out: the isolated ones; else all but the boot CPU, which is the lowest online one; else that. Never empty.
 */
void settings_bench_cpus(const char *root, const struct machine *machine, struct cpuset *out);

/* The list of CPUs, cut to the size with "..." behind the last whole range; "none" for the empty set. */
void settings_format_cpus(const struct cpuset *set, char *buf, size_t size);

struct setting_state {
    enum setting_verdict verdict;
    char now[160]; /* the value now, as one line: "powersave (8 CPUs)"; "" when it is not known */
    char why[160]; /* what spoils it or why it is not known, when that is not plain from now; "" otherwise */
};

/* One file to be written: path below the root, and the value without the newline at its end, in the form in which the
 * file reads back (of "always [madvise] never" the word in brackets). A CPU mask may be 2 KiB long. */
struct setting_write {
    char *path, *value;
};
struct setting_writes {
    struct setting_write *write;
    size_t n, capacity;
};
/* Copies both. 0 or -1 when out of memory. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value);
void setting_writes_free(struct setting_writes *writes);

struct setting {
    const char *name;  /* "governor": what tune takes */
    const char *title; /* "CPU frequency governor" */
    const char *good;  /* "performance" */
    const char *cost;  /* what it costs to have it noisy, in words: "clock changes under the measurement" */
    const char *set;   /* how to set it, in words: "jitbench tune governor", "boot with isolcpus=" */
    enum setting_how how;
    /* A setting that is one decimal number in one file needs no functions: it is good when the file holds want. */
    const char *path;
    int64_t want;
    bool or_more;     /* larger numbers are good as well */
    const char *unit; /* follows the number in the table: " us"; NULL: none */
    /* For all others, or instead of the number. Use setting_look() and setting_plan() to call them. */
    void (*look)(const struct settings_view *view, struct setting_state *out);
    int (*writes)(const struct settings_view *view, struct setting_writes *out);
};

/* Finds out the state of a setting now. */
void setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out);
/* Adds the files to write to make the setting good, in the order in which they must be written. Adds no file whose
 * content is good already, and none for a setting that tune does not write. 0, or -1 when out of memory. */
int setting_plan(const struct setting *setting, const struct settings_view *view, struct setting_writes *out);
/* Whether tune writes the setting, unasked or when it is named. */
bool setting_is_written(const struct setting *setting);

/* In the order in which tune writes them (governor before turbo, which it resets). */
extern const struct setting settings_list[];
extern const size_t settings_count;

/* NULL when there is none of that name. */
const struct setting *setting_find(const char *name);

/* Counts one by its verdict, and appends its name to those of the noisy ones, ", " between, when it is one. */
void setting_count(const struct setting *setting, const struct setting_state *state, unsigned counts[4], char *noisy,
                   size_t size);
/* Writes what explains why two machines, or one before and after, differ in speed, in the form of sys/setting_items.h:
 * "governor=performance;smt=off;thp=madvise;memory=23.5G;...;cmdline=quiet|isolcpus=2-7;...;spectre_v2=Retpolines". Of
 * the kernel's command line these are the words that bear on speed and noise. What is not known or not there is left
 * out, and so is an item that has no room. */
void settings_describe(const struct settings_view *view, char *buf, size_t size);

/* A program that disturbs: its name as the kernel has it (at most 15 bytes), and the services or timers that start it,
 * spaces between; NULL where it is not one of a service. */
struct settings_program {
    const char *comm, *units;
};
/* Finds the programs of the items irqbalance and daemons that run now, at most size of them. Returns how many. */
size_t settings_programs(const struct settings_view *view, const struct settings_program **found, size_t size);

/* Looks at all of them and counts them. */
void settings_summary(const struct settings_view *view, unsigned counts[4], char *noisy, size_t size);

#endif
