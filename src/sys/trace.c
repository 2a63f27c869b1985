/* SPDX-License-Identifier: MIT */
/* Finds the kernel's tracepoints in tracefs, and names of its functions; opens and reads ring buffers of perf events.
 */
#include "sys/trace.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

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
enum { RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_SWITCH_CPU_WIDE = 15 };

#define RECORD_MOST 512u /* no record of the events opened here is longer */

/* Numbers on all architectures, and a constant, of the calls that mount a file system without a path; older C libraries
 * lack them. */
#define SYS_FSOPEN      430L
#define SYS_FSCONFIG    431L
#define SYS_FSMOUNT     432L
#define FSCONFIG_CREATE 6

/* --- Tracepoints. --- */

/* Finds offset and size of a field in the text of a format file: "field:char next_comm[16]; offset:40; size:16;".
 * Returns false when there is no such field. */
static bool find_field(const char *text, const char *name, uint16_t *at, uint16_t *size)
{
    unsigned offset, bytes;

    for (const char *found = text; (found = strstr(found + 1, name));) {
        const char *end = found + strlen(name);
        if (found[-1] != ' ' || (*end != ';' && *end != '[') ||
            sscanf(end + strcspn(end, ";"), "; offset:%u; size:%u;", &offset, &bytes) != 2 || offset > FORMAT_SIZE ||
            bytes > FORMAT_SIZE)
            continue;
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

    ssize_t length = procfs_read(PROCFS_PATH("%s/events/%s/format", directory, path), text, sizeof(text));
    if (length <= 0) {
        events->error = length < 0 ? (int)length : -ENOENT;
        return;
    }
    const int64_t id = procfs_count(text, "ID");
    if (events->n == TRACE_EVENTS_MAX || id < 0 ||
        (number && !find_field(text, number, &event.number_at, &event.number_size)))
        return;
    if (name)
        find_field(text, name, &event.name_at, &event.name_size);
    event.id = (uint32_t)id;
    events->of[events->n++] = event;
}

/* Tracepoints at the beginning and the end of an interrupt or a work item, with the names of their fields. */
static const struct {
    enum trace_source source;
    const char *path, *number, *name;
} pairs[] = {
    {TRACE_IRQ, "irq/irq_handler", "irq", "name"},
    {TRACE_SOFTIRQ, "irq/softirq", "vec", NULL},
    {TRACE_WORK, "workqueue/workqueue_execute", "function", NULL},
    {TRACE_VECTOR, "irq_vectors/local_timer", NULL, NULL},
    {TRACE_VECTOR, "irq_vectors/reschedule", NULL, NULL},
    {TRACE_VECTOR, "irq_vectors/call_function", NULL, NULL},
    {TRACE_VECTOR, "irq_vectors/call_function_single", NULL, NULL},
    {TRACE_VECTOR, "irq_vectors/irq_work", NULL, NULL},
    {TRACE_VECTOR, "irq_vectors/thermal_apic", NULL, NULL},
    {TRACE_VECTOR, "ipi/ipi", NULL, NULL}, /* not on x86 */
};

void trace_events_read(const char *directory, struct trace_events *out)
{
    memset(out, 0, sizeof(*out));
    add(out, directory, "sched/sched_switch", &(struct trace_event){.kind = TRACE_SWITCH}, "next_pid", "next_comm");
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const char *path = pairs[i].path, *number = pairs[i].number;
        const bool work = pairs[i].source == TRACE_WORK;
        struct trace_event event = {.kind = TRACE_ENTER, .source = (uint8_t)pairs[i].source, .vector = (uint16_t)i};
        event.name = event.source == TRACE_VECTOR ? strchr(path, '/') + 1 : NULL;
        add(out, directory, PROCFS_PATH("%s_%s", path, work ? "start" : "entry"), &event, number, pairs[i].name);
        event.kind = TRACE_LEAVE;
        add(out, directory, PROCFS_PATH("%s_%s", path, work ? "end" : "exit"), &event, work ? NULL : number, NULL);
    }
    if (out->n)
        out->error = 0;
}

void trace_events_find(struct trace_events *out)
{
    trace_events_read("/sys/kernel/tracing", out);
    if (out->n || out->error == -EACCES)
        return;
    const int context = (int)syscall(SYS_FSOPEN, "tracefs", 1);
    const int fd = context < 0 || syscall(SYS_FSCONFIG, context, FSCONFIG_CREATE, NULL, NULL, 0)
                       ? -1
                       : (int)syscall(SYS_FSMOUNT, context, 1, 0);
    if (fd >= 0)
        trace_events_read(PROCFS_PATH("/proc/self/fd/%d", fd), out);
    else if (errno == ENOSYS) /* before Linux 5.2; looking there makes newer kernels mount it for everybody */
        trace_events_read("/sys/kernel/debug/tracing", out);
    else
        out->error = -errno;
    fd_close(&fd);
    fd_close(&context);
}

void trace_functions_name(struct trace_function *functions, size_t n)
{
    char line[512], *end;
    FILE *file =
        n ? fopen(PROCFS_PATH("%s/proc/kallsyms", procfs_root), "re") : NULL; /* too long to be read into memory */

    while (file && fgets(line, sizeof(line), file)) { /* "ffffffff81000000 T function" */
        const uint64_t address = strtoull(line, &end, 16);
        for (size_t i = 0; address && i < n; i++)
            if (functions[i].address == address && !functions[i].name[0] && end[0] == ' ' && end[1] && end[2] == ' ')
                snprintf(functions[i].name, sizeof(functions[i].name), "%.*s", (int)strcspn(end + 3, " \t\n"), end + 3);
    }
    if (file)
        fclose(file);
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

/* Interprets the raw data of a tracepoint's record. Returns false when the event is not one of `events`. */
static bool read_raw(const char *raw, size_t size, const struct trace_events *events, struct trace_record *out)
{
    static const char *const softirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                           "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
    const struct trace_event *event = events->of, *end = events->of + events->n;
    const uint64_t id = size >= 2 ? number_at(raw, 2) : 0;

    while (event < end && event->id != id)
        event++;
    if (event == end || (size_t)event->number_at + event->number_size > size)
        return false;
    out->kind = event->kind;
    out->source = event->source;
    out->number = event->number_size ? number_at(raw + event->number_at, event->number_size) : event->vector;
    if (event->kind == TRACE_SWITCH)
        out->tid = (uint32_t)out->number;
    if (event->name || (event->source == TRACE_SOFTIRQ && out->number < COUNT(softirqs)))
        TEXT_PRINT(out->name, "%s", event->name ? event->name : softirqs[out->number]);
    size_t at = event->name_at, length = event->name_size;
    if (length == 4 && at + length <= size) {
        const uint64_t location = number_at(raw + at, length);
        at = location & 0xffff;
        length = location >> 16;
    }
    if (length && at + length <= size)
        TEXT_PRINT(out->name, "%.*s", (int)length, raw + at);
    return true;
}

bool trace_record_read(const void *bytes, size_t size, const struct trace_events *events, struct trace_record *out)
{
    struct header header;
    struct sample_id id; /* as long as what is read of a body before it */
    const char *body = (const char *)bytes + sizeof(header);

    memset(out, 0, sizeof(*out));
    memcpy(&header, bytes, sizeof(header));
    if (header.size > size || header.size < sizeof(header) + sizeof(id))
        return false;
    const size_t length = header.size - sizeof(header) - sizeof(id);
    memcpy(&id, header.type == RECORD_SAMPLE ? body : body + length, sizeof(id));
    out->ns = id.ns;
    out->tid = id.tid;
    switch (header.type) {
    case RECORD_SAMPLE:
        body += sizeof(id);
        return length >= 4 && number_at(body, 4) <= length - 4 && read_raw(body + 4, number_at(body, 4), events, out);
    case RECORD_SWITCH_CPU_WIDE:
        out->kind = TRACE_SWITCH;
        if (header.misc & SWITCH_OUT) /* of a task that stops running: names the next one */
            out->tid = (uint32_t)number_at(body + 4, 4);
        return length >= 8;
    case RECORD_COMM:
        out->kind = TRACE_NAME;
        out->tid = (uint32_t)number_at(body + 4, 4);
        if (length > 8)
            TEXT_PRINT(out->name, "%.*s", (int)(length - 8), body + 8);
        return length > 8;
    case RECORD_FORK:
        out->kind = TRACE_FORK;
        out->tid = (uint32_t)number_at(body + 8, 4);
        out->number = number_at(body + 12, 4);
        return length >= 16;
    default:
        return false;
    }
}

/* --- The ring. --- */

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

/* Adds a tracepoint to the ring; or (id 0) new tasks and names, and perhaps context switches. The first one maps it.
 * Returns 0 or -errno. */
static int add_event(struct trace_ring *ring, unsigned cpu, size_t bytes, uint64_t id, bool switches)
{
    const struct perf_event event = {.type = id ? PERF_EVENT_TRACEPOINT : PERF_EVENT_SOFTWARE,
                                     .size = PERF_EVENT_SIZE_CLOCK,
                                     .config = id ? id : PERF_EVENT_DUMMY,
                                     .sample_period = id != 0,
                                     .sample_type = SAMPLE_TID | SAMPLE_TIME | (id ? SAMPLE_RAW : 0),
                                     .disabled = 1,
                                     .comm = !id,
                                     .task = !id,
                                     .sample_id_all = 1,
                                     .use_clockid = 1,
                                     .context_switch = switches,
                                     .write_backward = ring->last,
                                     .watermark = 1,
                                     .wakeup_events = INT32_MAX, /* no process waits for data in the ring */
                                     .clockid = CLOCK_MONOTONIC_RAW};
    const int fd = ring->fd[ring->n] = perf_open(&event, -1, (int)cpu);

    if (fd < 0)
        return fd;
    const int error = ring->n ? sys_result(ioctl(fd, IOC_SET_OUTPUT, ring->fd[0])) : map_ring(ring, bytes);
    if (error)
        close(fd);
    else
        ring->n++;
    return error;
}

int trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes, bool last)
{
    bool switches = false;

    if (ring->n && ring->bytes >= bytes && ring->last == last)
        return 0;
    trace_ring_close(ring);
    *ring = (struct trace_ring){.events = events, .last = last};
    for (size_t i = 0; i < events->n; i++)
        if (add_event(ring, cpu, bytes, events->of[i].id, false) == 0)
            switches |= events->of[i].kind == TRACE_SWITCH; /* by their tracepoint, which has the names */
    const int error = add_event(ring, cpu, bytes, 0, !switches);
    if (error)
        trace_ring_close(ring);
    return error;
}

void trace_ring_close(struct trace_ring *ring)
{
    if (ring->memory)
        munmap(ring->memory, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
    while (ring->n)
        close(ring->fd[--ring->n]);
    free(ring->at);
    *ring = (struct trace_ring){0};
}

static uint64_t *head_of(const struct trace_ring *ring)
{
    return (uint64_t *)(void *)((char *)ring->memory + HEAD_AT);
}

void trace_ring_start(struct trace_ring *ring)
{
    uint64_t *ends = head_of(ring);

    ring->begun = __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE);
    if (!ring->last)
        __atomic_store_n(&ends[1], ring->begun, __ATOMIC_RELEASE);
    for (size_t i = ring->n; i-- > 0;)
        ioctl(ring->fd[i], IOC_ENABLE, 0);
}

/* Copies size bytes at a position out of the ring; they may continue at its beginning. */
static void copy_out(const struct trace_ring *ring, uint64_t from, void *to, size_t size)
{
    const char *data = (const char *)ring->memory + sysconf(_SC_PAGESIZE);
    const size_t at = (size_t)(from & (ring->bytes - 1)), first = size < ring->bytes - at ? size : ring->bytes - at;

    memcpy(to, data + at, first);
    memcpy((char *)to + first, data, size - first);
}

void trace_ring_stop(struct trace_ring *ring)
{
    struct header header;

    for (size_t i = 0; i < ring->n; i++)
        ioctl(ring->fd[i], IOC_DISABLE, 0);
    /* Of a ring that keeps the last records, the newest comes first. Those in the last bytes of another one may follow
     * longer ones for which there was no room: the kernel tells of these with a later record only, if there is one. */
    const uint64_t head = __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE);
    const size_t most = ring->last ? ring->bytes : ring->bytes - RECORD_MOST;
    uint64_t at = ring->last ? head : ring->begun;
    ring->used = (size_t)(ring->last ? ring->begun - head : head - ring->begun);
    ring->full = !ring->last && ring->used > most;
    const uint64_t end = at + smaller(ring->used, most);
    for (ring->n_at = ring->next = 0; end - at >= sizeof(header); at += header.size) {
        copy_out(ring, at, &header, sizeof(header));
        if (header.size < sizeof(header) || header.size > end - at)
            return; /* the oldest one, of which a part was overwritten */
        if (!grow_array(&ring->at, &ring->capacity, ring->n_at, sizeof(*ring->at))) {
            ring->full = true;
            return;
        }
        ring->at[ring->n_at++] = at;
    }
}

bool trace_ring_next(struct trace_ring *ring, struct trace_record *out)
{
    char bytes[RECORD_MOST];

    while (ring->next < ring->n_at) {
        const size_t i = ring->next++;
        copy_out(ring, ring->at[ring->last ? ring->n_at - 1 - i : i], bytes, sizeof(bytes));
        if (trace_record_read(bytes, sizeof(bytes), ring->events, out))
            return true;
    }
    return false;
}

/* --- Rights. --- */

const char *trace_ring_why(int error, char *buf, size_t size)
{
    const bool forbidden = error == -EACCES || error == -EPERM;
    char text[4096] = "", value[32] = "";

    procfs_read("/proc/self/status", text, sizeof(text));
    procfs_value(text, "CapEff", value, sizeof(value));
    const unsigned long long set = strtoull(value, NULL, 16);
    if (forbidden && !(set >> 38 & 1) && !(set >> 21 & 1)) { /* neither CAP_PERFMON nor CAP_SYS_ADMIN */
        procfs_read_line("/proc/sys/kernel/perf_event_paranoid", value, sizeof(value));
        snprintf(buf, size, "needs CAP_PERFMON (root) or kernel.perf_event_paranoid=-1 (it is %s)", value);
        return buf;
    }
    snprintf(buf, size, "perf_event_open: %s", strerror(-error));
    return forbidden          ? "a seccomp filter or a security module forbids perf_event_open"
           : error == -ENOSYS ? "the kernel has no perf_event_open or a filter forbids it"
           : error == -EINVAL
               ? "the kernel is too old for these perf events (4.3; 4.7 for the last moments before a stop)"
               : buf;
}
