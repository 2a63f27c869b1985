/* SPDX-License-Identifier: MIT */
/* The party of a load that uses a disk, in the test's own process: in a folder that is on a disk, with O_DIRECT or
 * without. */
#ifndef DISK_FIXTURE_H
#define DISK_FIXTURE_H

#include "bench_fixture.h"

#include "../refuse.h"
#include "load/load.h"

#define MIB ((uint64_t)1 << 20)

static char disk_folder[64]; /* "": nowhere is there a disk */

/* File systems whose bytes are known to go through the block layer. */
static inline bool disk_is(const char *path)
{
    static const char *const names[] = {"ext4", "ext3", "ext2", "xfs", "btrfs", "f2fs"};
    char name[32];

    machine_fs_name(path, name, sizeof(name));
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* The first folder that is on one, and can be written. */
static inline int disk_prepare(void **state)
{
    static const char *const tried[] = {".", "/var/tmp", "/tmp"};

    for (size_t i = 0; i < COUNT(tried); i++) {
        (void)snprintf(disk_folder, sizeof(disk_folder), "%s/.jitbench_test_XXXXXX", tried[i]);
        if (disk_is(tried[i]) && mkdtemp(disk_folder))
            return 0;
    }
    disk_folder[0] = 0;
    return 0;
}

/* Fails when a file was left. */
static inline int disk_finish(void **state)
{
    return disk_folder[0] ? rmdir(disk_folder) : 0;
}

static inline void disk_needed(void)
{
    uint64_t in, out;

    if (!disk_folder[0])
        skip_because("no folder that is on a disk can be written");
    if (task_read_io(&in, &out))
        skip_because("no /proc/self/io");
}

/* The load's only party, before its setup. */
struct disk_party {
    struct fixture_party p;
    struct bench bench;
    struct load_params params;
    unsigned char *aligned, *odd; /* of disk_misalign() */
    pthread_t thread;
    int failed;
};

static inline void disk_party_begin(struct disk_party *d, const struct load *load, const char *dir, uint64_t file_bytes)
{
    memset(d, 0, sizeof(*d));
    d->bench.parties = load->parties;
    d->params.file_bytes = file_bytes;
    (void)snprintf(d->params.dir, sizeof(d->params.dir), "%s", dir);
    fixture_party_begin(&d->p, &d->bench, &d->params);
    d->p.head->event_fd = -1;
}

static inline void disk_party_end(struct disk_party *d)
{
    struct disk *disk = d->p.context.state;

    if (d->odd && disk)
        disk->block = d->aligned;
    fixture_party_end(&d->p);
    free(d->odd);
}

/* Puts the block at an odd address, which O_DIRECT rejects. */
static inline int disk_misalign(struct disk_party *d)
{
    struct disk *disk = d->p.context.state;

    d->odd = malloc(DISK_BLOCK_BYTES + 1);
    if (!d->odd)
        return -1;
    memcpy(d->odd + 1, disk->block, DISK_BLOCK_BYTES);
    d->aligned = disk->block;
    disk->block = d->odd + 1;
    return 0;
}

static inline const char *disk_party_degraded(const struct disk_party *d)
{
    return d->p.head->slot[0].refused;
}

static inline double disk_party_count(const struct disk_party *d, enum load_count count)
{
    double value;

    __atomic_load((double *)d->p.context.recorder[0] + count, &value, __ATOMIC_ACQUIRE);
    return value;
}

static inline void *disk_party_main(void *argument)
{
    struct disk_party *d = argument;

    d->failed = d->p.party->run(&d->p.context);
    return NULL;
}

/* Runs until the count is that high, or the run has ended by itself, or nothing has come of it. run's result. */
static inline int disk_party_run(struct disk_party *d, enum load_count count, double until)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    if (pthread_create(&d->thread, NULL, disk_party_main, d))
        return -1;
    for (int i = 0; i < 20000 && disk_party_count(d, count) < until && !d->p.reason[0]; i++)
        (void)nanosleep(&pause, NULL);
    __atomic_store_n(&d->p.head->stop, 1, __ATOMIC_RELEASE);
    (void)pthread_join(d->thread, NULL);
    return d->failed;
}

static inline bool disk_takes_direct(void)
{
    int fd = scratch_file(disk_folder);
    bool takes = fd >= 0 && fcntl(fd, F_SETFL, O_RDWR | O_DIRECT) == 0;

    if (fd >= 0)
        (void)close(fd);
    return takes;
}

/* The call by which the C library sets the flags: 32-bit machines have two. */
#ifdef SYS_fcntl64
#define SET_FLAGS SYS_fcntl64
#else
#define SET_FLAGS SYS_fcntl
#endif

/* Makes the kernel refuse to switch O_DIRECT on. */
static inline int disk_refuse_direct(void)
{
    return refuse_flag(SET_FLAGS, 1, ~0u, F_SETFL, EINVAL);
}

static inline int disk_limit_files(uint64_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};

    return setrlimit(RLIMIT_FSIZE, &limit);
}

/* Runs in a child in which /tmp is a tmpfs of this size. */
static inline int disk_mount_tmpfs(const char *options)
{
    return fixture_own_mounts() || mount("none", "/tmp", "tmpfs", 0, options);
}

#endif
