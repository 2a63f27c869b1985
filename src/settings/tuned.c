/* SPDX-License-Identifier: MIT */
#include "settings/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows/text.h"
#include "settings/settings_read.h"
#include "sys/base.h"
#include "sys/file.h"
#include "sys/process.h"

bool tuned_is_managed(const char *path, int error)
{
    static const char folder[] = "/proc/irq/";

    if (strncmp(path, folder, sizeof(folder) - 1) != 0 || !strspn(path + sizeof(folder) - 1, "0123456789"))
        return false;
    return error == -EIO || (error == -EPERM && geteuid() == 0); /* EIO on older kernels */
}

const char *tuned_refusal(const char *path, int error)
{
    if (tuned_is_managed(path, error))
        return "the kernel manages this interrupt itself";
    if (error == -EROFS)
        return "mounted read-only, as in a container";
    if (error == -EILSEQ)
        return "its value is not one line of printable text, and could not be restored exactly";
    return error == -EPERM && geteuid() == 0 ? "the kernel or the firmware forbids it" : strerror(-error);
}

/* For --tuned; static because a process can end in many places. */
static struct {
    struct setting_writes plan;
    struct snapshot *snapshot;
} held;

struct outcome {
    size_t set, refused;
    char first[160];  /* that could not be set, and why */
    char managed[64]; /* interrupts that could not be moved */
};

static void count_outcome(void *context, const struct snapshot_report *report)
{
    struct outcome *outcome = context;
    const struct setting *of = held.plan.write[report->index].of;

    outcome->set += report->result == SNAPSHOT_DONE;
    if (report->result == SNAPSHOT_REFUSED && tuned_is_managed(report->path, report->error)) {
        char number[16];
        snprintf(number, sizeof(number), "%.*s", (int)strcspn(report->path + 10, "/"), report->path + 10);
        setting_append(outcome->managed, sizeof(outcome->managed), number);
        return;
    }
    if (report->result != SNAPSHOT_REFUSED && report->result != SNAPSHOT_OTHER)
        return;
    if (!outcome->refused++)
        snprintf(outcome->first, sizeof(outcome->first), "%.60s: %.90s", of ? of->name : report->path,
                 report->error ? tuned_refusal(report->path, report->error) : "the kernel keeps another value");
}

static int make_plan(const struct cpuset *bench, bool huge_advised)
{
    FREED_BY(memory_free) struct machine *machine = calloc(1, sizeof(*machine));
    const struct settings_view view = {.root = "", .machine = machine, .bench = bench, .huge_advised = huge_advised};
    int status = 0;

    if (!machine)
        return -1;
    machine_read("", machine);
    for (size_t i = 0; i < settings_count && status == 0; i++)
        if (settings_list[i].how == SETTING_WRITE)
            status = setting_plan(&settings_list[i], &view, &held.plan);
    return status;
}

/* The message that no setting was changed, and why. Returns -1. */
static int not_tuned(char *message, size_t size, const char *why)
{
    return fail_because(-1, message, size, "%s; no setting was changed", why);
}

/* Saves, then writes. Returns 0, or -1 with a message when some cannot be written. */
static int begin(char *message, size_t size)
{
    struct snapshot_place place = {.root = "", .file = snapshot_default_file()};
    struct outcome outcome = {.set = 0};
    char why[512];

    if (!held.plan.n)
        return 0;
    if (geteuid() != 0)
        return not_tuned(message, size, "needs root");
    if (snapshot_look(&place, &held.plan, &held.snapshot))
        return not_tuned(message, size, "out of memory");
    if (snapshot_save(held.snapshot, why, sizeof(why))) {
        snapshot_close(held.snapshot);
        held.snapshot = NULL;
        return not_tuned(message, size, why);
    }
    snapshot_apply(held.snapshot, count_outcome, &outcome);
    if (!outcome.refused) {
        snprintf(message, size, "%zu settings changed until the end of the run%s%s", outcome.set,
                 outcome.managed[0] ? "; interrupts that the kernel manages itself stay: " : "", outcome.managed);
        return 0;
    }
    return fail_because(-1, message, size, "%zu of %zu settings refused (%s)", outcome.refused, held.plan.n,
                        outcome.first);
}

int tuned_begin(const struct cpuset *bench, bool huge_advised, char *message, size_t size)
{
    text_copy(message, size, "");
    return make_plan(bench, huge_advised) ? not_tuned(message, size, "out of memory") : begin(message, size);
}

static int read_list(const char *file, struct setting_writes *writes, char *message, size_t size)
{
    const char *why;
    size_t line;
    FREED_BY(memory_free) char *text = text_file_read(file, false, &why);

    if (!text)
        return fail_because(-1, message, size, "%s", why);
    const int code = snapshot_read_list(text, writes, &line);
    if (code == -ENOMEM)
        return fail_because(-1, message, size, "out of memory");
    return code
               ? fail_because(-1, message, size, "line %zu is not PATH=VALUE with a file below /proc/sys or /sys", line)
               : 0;
}

int tuned_check_file(const char *file, char *message, size_t size)
{
    FREED_BY(setting_writes_free) struct setting_writes writes = {.n = 0};
    return read_list(file, &writes, message, size);
}

int tuned_begin_file(const char *file, char *message, size_t size)
{
    text_copy(message, size, "");
    return read_list(file, &held.plan, message, size) || begin(message, size) ? -1 : 0;
}

static void say_left(void *context, const struct snapshot_report *report)
{
    (void)context;
    if (report->result == SNAPSHOT_REFUSED || report->result == SNAPSHOT_OTHER)
        message_print("jitbench: %s could not be set back to '%.80s': %s\n", report->path, report->wanted,
                      report->error ? tuned_refusal(report->path, report->error) : "kept by the kernel");
}

int tuned_end(void)
{
    char error[512];
    const int code = held.snapshot ? snapshot_restore(held.snapshot, say_left, NULL, error, sizeof(error)) : 0;

    if (code) {
        text_sanitize(error);
        message_print("jitbench: %s\n", error);
    }
    snapshot_close(held.snapshot);
    held.snapshot = NULL;
    setting_writes_free(&held.plan);
    return code;
}

bool tuned_has_snapshot(void)
{
    return access(snapshot_default_file(), F_OK) == 0;
}
