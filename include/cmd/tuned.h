/* SPDX-License-Identifier: MIT */
/* Settings of the machine made good and put back: what `tune` does, and what commands that measure do around a run. */
#ifndef CMD_TUNED_H
#define CMD_TUNED_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/command.h"
#include "engine/text.h"
#include "sys/cpuset.h"
#include "sys/settings.h"

/* The names of the settings, for the commands that take them. */
extern const struct operands tuned_operands;

/* The CPUs to be measured on: those named (NULL: none were), which must be online, or the usual ones. 0; or -1 with a
 * line in error. */
int tuned_bench(const struct cpuset *named, const struct machine *machine, struct cpuset *bench, char *error,
                size_t error_size);

/* The same for the option (NULL: not given): "all" is all online CPUs, "quiet" takes half a second to find out. */
int tuned_cpus(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench, char *error,
               size_t error_size);

/* The files to be written, and the place in settings_list of what each belongs to. All zero is empty. */
struct tuned_plan {
    struct setting_writes writes;
    size_t *of;
};
/* Adds what must be written to make that setting of the list good. 0 or -1 when out of memory. */
int tuned_plan_add(struct tuned_plan *plan, size_t setting, const struct settings_view *view);
void tuned_plan_free(struct tuned_plan *plan);

/* Why a file was refused, in words; knows what the kernel means by it where it says little. */
const char *tuned_refusal(const char *path, int error);

/* Whether that is so because the file is of an interrupt that the kernel itself manages, and lets nobody move. */
bool tuned_is_managed(const char *path, int error);

/* Makes all settings good that `tune` writes without being asked for by name. 0 when they are, but for interrupts that
 * the kernel manages, with nothing or a line for the header in message; -1 when not all are, with the line saying what
 * is not. huge_advised: what is measured asks for huge pages, which then stay for those who ask. Whatever it returns,
 * tuned_end() must follow. After a kill in between `untune` restores them. */
int tuned_begin(const struct cpuset *bench, bool huge_advised, char *message, size_t size);
/* Restores them; what cannot be is said on standard error. Does nothing when nothing was changed. */
void tuned_end(void);

#endif
