/* SPDX-License-Identifier: MIT */
/* Calls perf_event_open(2); some C libraries come without the kernel's headers. */
#ifndef SYS_PERF_EVENT_H
#define SYS_PERF_EVENT_H

#include <stdint.h>
#include <sys/types.h>

/* The software event counts nothing, for those who need only its records (context switches). */
enum { PERF_EVENT_HARDWARE, PERF_EVENT_SOFTWARE, PERF_EVENT_TRACEPOINT };
#define PERF_EVENT_DUMMY 9u

/* The kernel's struct perf_event_attr up to clockid (Linux 4.1). */
struct perf_event {
    uint32_t type, size; /* size: PERF_EVENT_SIZE_FIRST or PERF_EVENT_SIZE_CLOCK */
    uint64_t config, sample_period, sample_type, read_format;
    uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1, exclude_kernel : 1, exclude_hv : 1,
        exclude_idle : 1, mmap : 1, comm : 1, freq : 1, inherit_stat : 1, enable_on_exec : 1, task : 1, watermark : 1,
        precise_ip : 2, mmap_data : 1, sample_id_all : 1, exclude_host : 1, exclude_guest : 1,
        exclude_callchain_kernel : 1, exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1, use_clockid : 1,
        context_switch : 1, write_backward : 1, others : 36;
    uint32_t wakeup_events, breakpoint_type;
    uint64_t config1;
    uint64_t config2, branch_sample_type, sample_regs_user;
    uint32_t sample_stack_user;
    int32_t clockid;
};
#define PERF_EVENT_SIZE_FIRST 64u /* up to config1: all kernels accept it */
#define PERF_EVENT_SIZE_CLOCK ((uint32_t)sizeof(struct perf_event))

/* pid 0: the calling thread, -1: all; cpu -1: any. Returns a descriptor (close-on-exec) or -errno. */
int perf_open(const struct perf_event *event, pid_t pid, int cpu);

#endif
