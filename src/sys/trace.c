/* SPDX-License-Identifier: MIT */
/* Finds the kernel's tracepoints in tracefs; opens and reads ring buffers of perf events. */
#include "sys/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/process.h"

#define FORMAT_SIZE 4096u

/* Constants of linux/perf_event.h. */
#define SAMPLE_TID     (1u << 1)
#define SAMPLE_TIME    (1u << 2)
#define SAMPLE_RAW     (1u << 10)
#define IOC_ENABLE     0x2400ul /* _IO('$', 0) */
#define IOC_DISABLE    0x2401ul /* _IO('$', 1) */
#define IOC_SET_OUTPUT 0x2405ul /* _IO('$', 5) */
#define SWITCH_OUT     (1u << 13)
#define HEAD_AT        1024u /* offset of data_head in the first page of the mapping; data_tail follows it */
enum { RECORD_LOST = 2, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_SWITCH_CPU_WIDE = 15 };

#define RECORD_MOST 4096u /* size of the buffer for a record; records of the events opened here are shorter */
#define RECORD_ROOM 256u  /* bytes that suffice for a record of the events opened here */

/* --- Tracepoints. --- */

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

/* Returns whether a tracepoint is one of a rare interrupt of x86 CPUs that has not happened since boot: its line in
 * /proc/interrupts has zeros only, or is missing. */
static bool is_missing(const char *interrupts, const char *event)
{
    static const struct {
        const char *event, *label;
    } rare[] = {
        {"deferred_error_apic_entry", "DFR"}, {"error_apic_entry", "ERR"},   {"irq_work_entry", "IWI"},
        {"spurious_apic_entry", "SPU"},       {"thermal_apic_entry", "TRM"}, {"threshold_apic_entry", "THR"},
        {"x86_platform_ipi_entry", "PLT"},
    };
    uint64_t count = 0;
    size_t i = 0;

    while (i < COUNT(rare) && strcmp(event, rare[i].event) != 0)
        i++;
    for (const char *line = interrupts; line && i < COUNT(rare); line = procfs_next_line(line)) {
        const char *at = procfs_line_value(line + strspn(line, " \t"), rare[i].label);
        while (at && count == 0)
            at = procfs_number(at, &count);
    }
    return interrupts && i < COUNT(rare) && count == 0;
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
    for (size_t i = 0; i < COUNT(wanted); i++)
        add(out, directory, wanted[i].path, &wanted[i].event, wanted[i].number, wanted[i].name);
    add_vectors(out, directory, "irq_vectors", interrupts); /* group on x86 */
    add_vectors(out, directory, "ipi", NULL);               /* group on other architectures */
    if (out->n)
        out->error = 0;
}

/* --- Where tracefs is not mounted. --- */

static const char mount_point[] = "/sys/kernel/tracing";

static void find_in_child(const char *interrupts, struct trace_events *out)
{
    struct trace_events *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *out = (struct trace_events){.error = -ENOMEM};
    if (shared == MAP_FAILED)
        return;
    shared->error = -EPIPE; /* of a child that was killed */
    const pid_t child = fork();
    if (child == 0) {
        struct trace_events events = {.error = mounts_for_oneself()};
        if (!events.error && mount("tracefs", mount_point, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
            events.error = -errno;
        if (!events.error)
            trace_events_read(mount_point, interrupts, &events);
        *shared = events;
        _exit(0);
    }
    if (child < 0)
        shared->error = -errno;
    else
        process_await(child);
    *out = *shared;
    (void)munmap(shared, sizeof(*shared));
}

void trace_events_find(struct trace_events *out)
{
    FREED_BY(memory_free) char *interrupts = procfs_read_all("", "/proc/interrupts");

    trace_events_read(mount_point, interrupts, out);
    if (!out->n && out->error != -EACCES)
        trace_events_read("/sys/kernel/debug/tracing", interrupts, out);
    if (!out->n && out->error != -EACCES)
        find_in_child(interrupts, out);
}

const char *trace_softirq_name(uint64_t number)
{
    static const char *const names[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

    return number < COUNT(names) ? names[number] : NULL;
}

/* --- Records. --- */

struct header {
    uint32_t type;
    uint16_t misc, size;
};

/* The last field of every record but a sample, and the first one of a sample. */
struct sample_id {
    uint32_t pid, tid;
    uint64_t ns;
};

static uint64_t number_at(const char *at, size_t size)
{
    uint64_t n = 0;

    if (size <= sizeof(n))
        memcpy((char *)&n + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(n) - size : 0), at, size);
    return n;
}

static void copy_name(char to[TRACE_NAME_SIZE], const char *from, size_t most)
{
    const size_t length = strnlen(from, most < TRACE_NAME_SIZE ? most : TRACE_NAME_SIZE - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

/* Interprets the raw data of a tracepoint's record. Returns false when the event is not one of `events`. */
static bool read_raw(const char *raw, size_t size, const struct trace_events *events, struct trace_record *out)
{
    const struct trace_event *event = events->of, *end = events->of + events->n;
    const uint64_t id = size >= 2 ? number_at(raw, 2) : 0;

    while (event < end && event->id != id)
        event++;
    if (event == end || (size_t)event->number_at + event->number_size > size)
        return false;
    out->kind = event->kind;
    out->source = event->source;
    const uint64_t number = event->number_size ? number_at(raw + event->number_at, event->number_size) : event->vector;
    if (event->kind == TRACE_SWITCH)
        out->tid = (uint32_t)number;
    else
        out->number = number;
    const char *softirq = event->source == TRACE_SOFTIRQ ? trace_softirq_name(number) : NULL;
    copy_name(out->name, softirq ? softirq : event->name, sizeof(event->name));
    if (event->name_size > 4 && (size_t)event->name_at + event->name_size <= size)
        copy_name(out->name, raw + event->name_at, event->name_size);
    if (event->name_size == 4 && (size_t)event->name_at + 4 <= size) {
        const uint64_t location = number_at(raw + event->name_at, 4), at = location & 0xffff, length = location >> 16;
        if (at + length <= size)
            copy_name(out->name, raw + at, length);
    }
    return true;
}

/* Where records have their task and their number, in bytes behind the header; 0: in struct sample_id, or nowhere. */
static const struct form {
    uint8_t type, kind, least, tid_at, number_at, number_size;
} forms[] = {
    {RECORD_SAMPLE, 0, .least = 4},
    {RECORD_SWITCH_CPU_WIDE, TRACE_SWITCH, .least = 8},
    {RECORD_COMM, TRACE_NAME, .least = 9, .tid_at = 4},
    {RECORD_FORK, TRACE_FORK, .least = 16, .tid_at = 8, .number_at = 12, .number_size = 4},
    {RECORD_LOST, TRACE_LOST, .least = 16, .number_at = 8, .number_size = 8},
};

bool trace_record_read(const void *bytes, size_t size, const struct trace_events *events, struct trace_record *out)
{
    const struct form *form = forms, *const end = forms + COUNT(forms);
    struct header header;
    struct sample_id id;
    const char *at = bytes, *body = at + sizeof(header);
    uint32_t raw_size;

    memset(out, 0, sizeof(*out));
    if (size < sizeof(header) + sizeof(id))
        return false;
    const size_t length = size - sizeof(header) - sizeof(id);
    memcpy(&header, at, sizeof(header));
    memcpy(&id, header.type == RECORD_SAMPLE ? body : at + size - sizeof(id), sizeof(id));
    while (form < end && form->type != header.type)
        form++;
    if (form == end || length < form->least)
        return false;
    *out = (struct trace_record){.ns = id.ns, .tid = id.tid, .kind = form->kind};
    if (form->type == RECORD_SAMPLE) {
        body += sizeof(id);
        memcpy(&raw_size, body, sizeof(raw_size));
        return raw_size <= length - sizeof(raw_size) && read_raw(body + sizeof(raw_size), raw_size, events, out);
    }
    /* A record of a task that stops running names the next task. */
    const size_t tid_at = form->kind == TRACE_SWITCH && header.misc & SWITCH_OUT ? 4 : form->tid_at;
    if (tid_at)
        out->tid = (uint32_t)number_at(body + tid_at, sizeof(out->tid));
    out->number = number_at(body + form->number_at, form->number_size);
    if (form->kind == TRACE_NAME)
        copy_name(out->name, body + 8, length - 8);
    return true;
}

/* --- The ring. --- */

/* Adds a tracepoint to the ring; or (id 0) new tasks and names, or context switches. Returns 0 or -errno. */
static int add_event(struct trace_ring *ring, unsigned cpu, uint64_t id, bool switches)
{
    const struct perf_event event = {.type = id ? PERF_EVENT_TRACEPOINT : PERF_EVENT_SOFTWARE,
                                     .size = PERF_EVENT_SIZE_CLOCK,
                                     .config = id ? id : PERF_EVENT_DUMMY,
                                     .sample_period = id != 0,
                                     .sample_type = SAMPLE_TID | SAMPLE_TIME | (id ? SAMPLE_RAW : 0),
                                     .disabled = 1,
                                     .comm = !id && !switches,
                                     .task = !id && !switches,
                                     .sample_id_all = 1,
                                     .use_clockid = 1,
                                     .context_switch = switches,
                                     .write_backward = ring->last,
                                     .watermark = 1,
                                     .wakeup_events = INT32_MAX, /* no process waits for data in the ring */
                                     .clockid = CLOCK_MONOTONIC_RAW};
    const int fd = perf_open(&event, -1, (int)cpu);

    if (fd < 0)
        return fd;
    if (ring->n && ioctl(fd, IOC_SET_OUTPUT, ring->fd[0])) {
        (void)close(fd);
        return -EINVAL;
    }
    ring->fd[ring->n++] = fd;
    return 0;
}

/* Maps the ring. Returns 0 or -errno. */
static int map_ring(struct trace_ring *ring, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* The kernel overwrites the oldest records of a ring that cannot be written here. */
    const int rights = ring->last ? PROT_READ : PROT_READ | PROT_WRITE;

    for (ring->bytes = bytes; ring->bytes >= page; ring->bytes /= 2)
        if ((ring->memory = mmap(NULL, page + ring->bytes, rights, MAP_SHARED, ring->fd[0], 0)) != MAP_FAILED)
            return 0;
    ring->memory = NULL;
    return -errno;
}

int trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes, bool last)
{
    bool switches = false;

    if (ring->n && ring->bytes >= bytes && ring->last == last)
        return 0;
    trace_ring_close(ring);
    *ring = (struct trace_ring){.events = events, .last = last};
    int error = add_event(ring, cpu, 0, false);
    if (!error)
        error = map_ring(ring, bytes);
    for (size_t i = 0; !error && i < events->n; i++)
        if (add_event(ring, cpu, events->of[i].id, false) == 0)
            switches |= events->of[i].kind == TRACE_SWITCH; /* by their tracepoint, which has the names */
    if (!error && !switches)
        error = add_event(ring, cpu, 0, true);
    if (error)
        trace_ring_close(ring);
    return error;
}

void trace_ring_close(struct trace_ring *ring)
{
    if (ring->memory)
        (void)munmap(ring->memory, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
    while (ring->n)
        (void)close(ring->fd[--ring->n]);
    free(ring->at);
    ring->at = NULL;
    ring->memory = NULL;
}

static uint64_t *head_of(const struct trace_ring *ring)
{
    return (uint64_t *)(void *)((char *)ring->memory + HEAD_AT);
}

void trace_ring_start(struct trace_ring *ring)
{
    uint64_t *ends = head_of(ring);

    ring->n_at = 0;
    ring->begun = __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE);
    if (!ring->last)
        __atomic_store_n(&ends[1], ring->begun, __ATOMIC_RELEASE);
    for (size_t i = ring->n; i-- > 0;)
        (void)ioctl(ring->fd[i], IOC_ENABLE, 0);
}

/* Copies size bytes at a position out of the ring; they may continue at its beginning. */
static void copy_out(const struct trace_ring *ring, uint64_t from, void *to, size_t size)
{
    const char *data = (const char *)ring->memory + sysconf(_SC_PAGESIZE);
    const size_t at = (size_t)(from & (ring->bytes - 1)), first = size < ring->bytes - at ? size : ring->bytes - at;

    memcpy(to, data + at, first);
    memcpy((char *)to + first, data, size - first);
}

/* Returns the size of the record at a position, 0 when there is none or it is damaged. */
static size_t record_size(const struct trace_ring *ring, uint64_t at, uint64_t end)
{
    struct header header = {.size = 0};

    if (end - at >= sizeof(header))
        copy_out(ring, at, &header, sizeof(header));
    return header.size >= sizeof(header) && header.size <= end - at ? header.size : 0;
}

void trace_ring_stop(struct trace_ring *ring)
{
    size_t capacity = 0, size;

    for (size_t i = 0; i < ring->n; i++)
        (void)ioctl(ring->fd[i], IOC_DISABLE, 0);
    const uint64_t head = __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE);
    ring->used = (size_t)(ring->last ? ring->begun - head : head - ring->begun);
    if (!ring->last)
        return;
    /* The newest record comes first: positions are kept, to be read from the last one. */
    const uint64_t end = ring->used < ring->bytes ? ring->begun : head + ring->bytes;
    free(ring->at);
    ring->at = NULL;
    for (uint64_t at = head; (size = record_size(ring, at, end)); at += size) {
        if (!grow_array(&ring->at, &capacity, ring->n_at, sizeof(*ring->at)))
            return;
        ring->at[ring->n_at++] = at;
    }
}

bool trace_ring_is_full(const struct trace_ring *ring)
{
    return !ring->last && ring->used + RECORD_ROOM > ring->bytes;
}

bool trace_ring_next(struct trace_ring *ring, struct trace_record *out)
{
    uint64_t *ends = head_of(ring);
    char bytes[RECORD_MOST];

    while (!ring->last || ring->n_at) {
        const uint64_t at = ring->last ? ring->at[--ring->n_at] : ends[1];
        const size_t size =
            record_size(ring, at, ring->last ? at + ring->bytes : __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE));
        if (!size)
            return false;
        if (size <= sizeof(bytes))
            copy_out(ring, at, bytes, size);
        if (!ring->last)
            __atomic_store_n(&ends[1], at + size, __ATOMIC_RELEASE);
        if (size <= sizeof(bytes) && trace_record_read(bytes, size, ring->events, out))
            return true;
    }
    return false;
}

/* --- Rights. --- */

/* Returns whether the process has CAP_PERFMON or CAP_SYS_ADMIN. */
static bool has_capability(void)
{
    char text[4096], value[32];

    (void)procfs_read("", "/proc/self/status", text, sizeof(text));
    const unsigned long long set = procfs_value(text, "CapEff", value, sizeof(value)) ? strtoull(value, NULL, 16) : 0;
    return set >> 38 & 1 || set >> 21 & 1;
}

const char *trace_ring_why(int error, char *buf, size_t size)
{
    const bool forbidden = error == -EACCES || error == -EPERM;
    char level[24] = "";

    if (forbidden && !has_capability()) {
        (void)procfs_read_line("", "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level));
        (void)snprintf(buf, size, "needs CAP_PERFMON (root) or kernel.perf_event_paranoid=-1%s%s%s",
                       level[0] ? " (it is " : "", level, level[0] ? ")" : "");
        return buf;
    }
    (void)snprintf(buf, size, "perf_event_open: %s", strerror(-error));
    return forbidden          ? "a seccomp filter or a security module forbids perf_event_open"
           : error == -ENOSYS ? "the kernel has no perf_event_open or a filter forbids it"
           : error == -EINVAL
               ? "the kernel is too old for these perf events (4.3; 4.7 for the last moments before a stop)"
               : buf;
}
