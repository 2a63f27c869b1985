/* SPDX-License-Identifier: MIT */
/* Tests of the read and the write load: the disk moved the bytes that they claim, with O_DIRECT and without. */
#ifndef DISK_LOAD_FIXTURE_H
#define DISK_LOAD_FIXTURE_H

#include "disk_fixture.h"

struct disk_load {
    const struct load *load;
    enum load_count claimed, moved; /* by the load; by the block layer */
    double least_share;             /* of the claimed bytes, that the block layer moved */
    const char *refused;            /* what is said where O_DIRECT is refused */
    uint64_t file_bytes;
    bool (*file_good)(uint64_t bytes, const struct disk_party *d); /* the file's size, after the run */
};
extern const struct disk_load disk_load; /* the test program's */

/* As a child's exit status. */
static int disk_load_moves(const char *degraded, bool misaligned)
{
    struct disk_party d;
    uint64_t before[2];

    disk_party_begin(&d, disk_load.load, disk_folder, disk_load.file_bytes);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    const struct disk *disk = d.p.context.state;
    CHECK(!misaligned || disk_misalign(&d) == 0);
    CHECK(task_read_io(&before[0], &before[1]) == 0);
    CHECK(disk_party_run(&d, disk_load.claimed, 30 * MIB) == 0);
    double claimed = disk_party_count(&d, disk_load.claimed);
    double moved = disk_party_count(&d, disk_load.moved) - (double)before[disk_load.moved == LOAD_DISK_WRITTEN];
    CHECK(claimed >= 30 * MIB);
    CHECK(moved >= claimed * disk_load.least_share);
    CHECK(disk_load.file_good((uint64_t)lseek(disk->fd, 0, SEEK_END), &d));
    CHECK(disk_party_count(&d, LOAD_CPU) > 0);
    CHECK(d.p.head->slot[0].state == STATE_READY);
    CHECK(strcmp(disk_party_degraded(&d), degraded) == 0);
    disk_party_end(&d);
    return 0;
}

static int disk_load_direct(void)
{
    return disk_load_moves(disk_takes_direct() ? "" : disk_load.refused, false);
}

static int disk_load_refused_by_fcntl(void)
{
    return disk_refuse_direct() ? CANNOT : disk_load_moves(disk_load.refused, false);
}

static int disk_load_refused_by_first_block(void)
{
    return disk_load_moves(disk_load.refused, true);
}

/* Skips the test where nothing can be written to a disk. */
static void disk_load_assert(int (*body)(void))
{
    disk_needed();
    assert_int_equal(fixture_in_child(body), 0);
}

#endif
