/* SPDX-License-Identifier: MIT */
/* Finds the IDs and data formats of the kernel's tracepoints in tracefs. */
#include "sys/trace_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/process.h"

#define FORMAT_SIZE 4096u

/* Finds offset and size of a field in the text of a format file: "field:int irq; offset:8; size:4; signed:1;". Returns
 * false when there is no such field. */
static bool find_field(const char *text, const char *name, uint16_t *at, uint16_t *size)
{
    const size_t length = strlen(name);

    for (const char *line = text; line; line = procfs_next_line(line)) {
        const char *field = line + strspn(line, " \t"), *end = field + strcspn(field, ";\n");
        unsigned offset, bytes;
        const char *stop = end; /* end of the name: before the size of an array, "char next_comm[16]" */
        while (stop > field && end[-1] == ']' && *stop != '[')
            stop--;
        if (strncmp(field, "field:", 6) != 0 || (size_t)(stop - field) < length + 6 ||
            strncmp(stop - length, name, length) != 0 || !strchr(" *", stop[-(ptrdiff_t)length - 1]))
            continue;
        if (sscanf(end, "; offset:%u; size:%u;", &offset, &bytes) != 2 || offset > FORMAT_SIZE || bytes > FORMAT_SIZE)
            return false;
        *at = (uint16_t)offset;
        *size = (uint16_t)bytes;
        return true;
    }
    return false;
}

/* Adds the tracepoint events/PATH as a copy of `like`, with its ID and the positions of the two fields whose names are
 * `number` and `name` (NULL: none). Adds nothing if this kernel does not have the tracepoint, or the first of these
 * fields. */
static void add(struct trace_events *events, const char *directory, const char *path, const struct trace_event *like,
                const char *number, const char *name)
{
    char text[FORMAT_SIZE];
    struct trace_event event = *like;

    ssize_t length = procfs_read(directory, PROCFS_PATH("/events/%s/format", path), text, sizeof(text));
    if (length <= 0) {
        events->error = length < 0 ? (int)length : -ENOENT;
        return;
    }
    const int64_t id = procfs_count(text, "ID");
    if (events->n == TRACE_EVENTS_MAX || id < 0 ||
        (number && !find_field(text, number, &event.number_at, &event.number_size)))
        return;
    if (name)
        (void)find_field(text, name, &event.name_at, &event.name_size);
    event.id = (uint32_t)id;
    events->of[events->n++] = event;
}

/* Returns whether the counts of a line of /proc/interrupts are all 0, or the kernel has no such line. */
static bool none_came(const char *interrupts, const char *label)
{
    const size_t length = strlen(label);
    uint64_t count = 0;

    for (const char *line = interrupts; line; line = procfs_next_line(line)) {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, label, length) != 0 || at[length] != ':')
            continue;
        for (at += length + 1; count == 0 && at; at = procfs_number(at, &count))
            ;
        return count == 0;
    }
    return true;
}

/* Returns whether a tracepoint is one of a rare interrupt of x86 CPUs that has not happened since boot. */
static bool is_missing(const char *interrupts, const char *event)
{
    static const struct {
        const char *event, *label;
    } rare[] = {
        {"deferred_error_apic_entry", "DFR"}, {"error_apic_entry", "ERR"},   {"irq_work_entry", "IWI"},
        {"spurious_apic_entry", "SPU"},       {"thermal_apic_entry", "TRM"}, {"threshold_apic_entry", "THR"},
        {"x86_platform_ipi_entry", "PLT"},
    };

    for (size_t i = 0; interrupts && i < sizeof(rare) / sizeof(rare[0]); i++)
        if (!strcmp(event, rare[i].event))
            return none_came(interrupts, rare[i].label);
    return false;
}

/* Adds all pairs of tracepoints NAME_entry and NAME_exit of a group. */
static void add_vectors(struct trace_events *events, const char *directory, const char *group, const char *interrupts)
{
    static const char entry[] = "_entry", *const ends[] = {"_entry", "_exit"};
    FREED_BY(memory_free) char **names = procfs_names(directory, PROCFS_PATH("/events/%s", group));

    for (size_t i = 0; names && names[i]; i++) {
        const size_t length = strlen(names[i]), stem = length - (sizeof(entry) - 1);
        struct trace_event event = {.source = TRACE_VECTOR, .vector = (uint16_t)i};
        if (length < sizeof(entry) || strcmp(names[i] + stem, entry) != 0 || is_missing(interrupts, names[i]))
            continue;
        (void)snprintf(event.name, sizeof(event.name), "%.*s", (int)stem, names[i]);
        for (int end = 0; end < 2; end++) {
            event.kind = end ? TRACE_LEAVE : TRACE_ENTER;
            const char *path = PROCFS_PATH("%s/%.*s%s", group, (int)stem, names[i], ends[end]);
            add(events, directory, path, &event, NULL, NULL);
        }
    }
}

void trace_events_read(const char *directory, const char *interrupts, struct trace_events *out)
{
    static const struct {
        const char *path, *number, *name;
        struct trace_event event;
    } wanted[] = {
        {"sched/sched_switch", "next_pid", "next_comm", {.kind = TRACE_SWITCH}},
        {"sched/sched_switch", NULL, "prev_comm", {.kind = TRACE_NAME}},
        {"irq/irq_handler_entry", "irq", "name", {.kind = TRACE_ENTER, .source = TRACE_IRQ}},
        {"irq/irq_handler_exit", "irq", NULL, {.kind = TRACE_LEAVE, .source = TRACE_IRQ}},
        {"irq/softirq_entry", "vec", NULL, {.kind = TRACE_ENTER, .source = TRACE_SOFTIRQ}},
        {"irq/softirq_exit", "vec", NULL, {.kind = TRACE_LEAVE, .source = TRACE_SOFTIRQ}},
        {"workqueue/workqueue_execute_start", "function", NULL, {.kind = TRACE_WORK}},
        {"workqueue/workqueue_execute_end", NULL, NULL, {.kind = TRACE_WORK_END}},
    };

    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        add(out, directory, wanted[i].path, &wanted[i].event, wanted[i].number, wanted[i].name);
    add_vectors(out, directory, "irq_vectors", interrupts); /* group on x86 */
    add_vectors(out, directory, "ipi", NULL);               /* group on other architectures */
    if (out->n)
        out->error = 0;
}

/* --- Where tracefs is not mounted. --- */

static const char mount_point[] = "/sys/kernel/tracing";

static void read_in_child(int fd, const char *interrupts)
{
    struct trace_events events = {.error = mounts_for_oneself()};

    if (!events.error && mount("tracefs", mount_point, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
        events.error = -errno;
    if (!events.error)
        trace_events_read(mount_point, interrupts, &events);
    _exit(new_file_write(fd, &events, sizeof(events)) ? 1 : 0);
}

static int find_in_child(const char *interrupts, struct trace_events *out)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    const pid_t child = fork();
    if (child == 0)
        read_in_child(ends[1], interrupts);
    const int error = child < 0 ? -errno : 0;
    (void)close(ends[1]);
    const bool whole = !error && procfs_read_fd(ends[0], out, sizeof(*out)) == sizeof(*out);
    (void)close(ends[0]);
    if (!error)
        process_await(child);
    return error ? error : whole ? 0 : -EPIPE;
}

void trace_events_find(struct trace_events *out)
{
    static const char *const mounted[] = {mount_point, "/sys/kernel/debug/tracing"};
    FREED_BY(memory_free) char *interrupts = procfs_read_all("", "/proc/interrupts");

    for (size_t i = 0; i < sizeof(mounted) / sizeof(mounted[0]); i++) {
        trace_events_read(mounted[i], interrupts, out);
        if (out->n || out->error == -EACCES)
            return;
    }
    const int error = find_in_child(interrupts, out);
    if (error)
        *out = (struct trace_events){.error = error};
}

const char *trace_softirq_name(uint64_t number)
{
    static const char *const names[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

    return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}
