/* SPDX-License-Identifier: MIT */
/* The read load: its bytes come from the disk, whether O_DIRECT works or not. */
#include "disk_load_fixture.h"

#define REFUSED "the file system refuses O_DIRECT: cached reads, dropped by fadvise"

/* Far less than is read. */
static bool file_good(uint64_t bytes, const struct disk_party *d)
{
    return bytes == 6 * MIB && disk_party_count(d, LOAD_WRITTEN) == 0;
}

const struct disk_load disk_load = {.load = &load_read,
                                    .claimed = LOAD_READ,
                                    .moved = LOAD_DISK_READ,
                                    .least_share = 0.5,
                                    .refused = REFUSED,
                                    .file_bytes = 6 * MIB,
                                    .file_good = file_good};

static void test_read_comes_from_the_disk(void **state)
{
    disk_load_assert(disk_load_direct);
}

static void test_read_comes_from_the_disk_without_o_direct(void **state)
{
    disk_load_assert(disk_load_refused_by_fcntl);
}

static void test_read_comes_from_the_disk_when_the_first_block_is_refused(void **state)
{
    disk_load_assert(disk_load_refused_by_first_block);
}

static int little_room(void)
{
    struct disk_party d;

    CHECK(disk_limit_files(11 * MIB + MIB / 2) == 0);
    disk_party_begin(&d, &load_read, disk_folder, 64 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    const struct disk *disk = d.p.context.state;
    CHECK(lseek(disk->fd, 0, SEEK_END) == 6 * MIB);
    CHECK(strcmp(disk_party_degraded(&d), "the file to be read has 6 MiB, not 64 MiB: File too large") == 0);
    CHECK(disk_party_run(&d, LOAD_READ, 13 * MIB) == 0);
    CHECK(disk_party_count(&d, LOAD_READ) >= 13 * MIB);
    disk_party_end(&d);
    return 0;
}

static void test_read_leaves_room_to_others(void **state)
{
    disk_load_assert(little_room);
}

static int no_room(void)
{
    struct disk_party d;

    if (disk_mount_tmpfs("size=6m"))
        return CANNOT;
    disk_party_begin(&d, &load_read, "/tmp", 64 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == -1);
    CHECK(strcmp(d.p.reason, "cannot write a scratch file in '/tmp': No space left on device") == 0);
    disk_party_end(&d);
    return 0;
}

static void test_read_without_room_fails_with_the_reason(void **state)
{
    assert_int_equal(fixture_in_child(no_room), 0);
}

static int lost_end(void)
{
    struct disk_party d;

    disk_party_begin(&d, &load_read, disk_folder, 8 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    const struct disk *disk = d.p.context.state;
    CHECK(ftruncate(disk->fd, 2 * MIB + MIB / 2) == 0);
    CHECK(disk_party_run(&d, LOAD_READ, 64 * MIB) == -1);
    CHECK(strstr(d.p.reason, "cannot read a scratch file in '") == d.p.reason);
    disk_party_end(&d);
    return 0;
}

static void test_read_sees_a_file_that_lost_its_end(void **state)
{
    disk_load_assert(lost_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_comes_from_the_disk),
        cmocka_unit_test(test_read_comes_from_the_disk_without_o_direct),
        cmocka_unit_test(test_read_comes_from_the_disk_when_the_first_block_is_refused),
        cmocka_unit_test(test_read_leaves_room_to_others),
        cmocka_unit_test(test_read_without_room_fails_with_the_reason),
        cmocka_unit_test(test_read_sees_a_file_that_lost_its_end),
    };
    return cmocka_run_group_tests(tests, disk_prepare, disk_finish);
}
