/* SPDX-License-Identifier: MIT */
/* The read load: its bytes come from the disk, whether O_DIRECT works or not. */
#include "disk_fixture.h"

#define REFUSED "the file system refuses O_DIRECT: cached reads, dropped by fadvise"

static int bytes_come_from_disk(const char *degraded, bool misaligned)
{
    struct disk_party d;
    uint64_t before, out;

    disk_party_begin(&d, &load_read, disk_folder, 6 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    struct disk *disk = d.p.context.state;
    CHECK(lseek(disk->fd, 0, SEEK_END) == 6 * MIB);
    CHECK(!misaligned || disk_misalign(&d) == 0);
    CHECK(task_read_io(&before, &out) == 0);
    CHECK(disk_party_run(&d, LOAD_READ, 30 * MIB) == 0);
    double claimed = disk_party_count(&d, LOAD_READ);
    double from_disk = disk_party_count(&d, LOAD_DISK_READ) - (double)before;
    CHECK(claimed >= 30 * MIB);
    CHECK(from_disk >= claimed / 2); /* far more than the file has */
    CHECK(disk_party_count(&d, LOAD_WRITTEN) == 0);
    CHECK(disk_party_count(&d, LOAD_CPU) > 0);
    CHECK(d.p.head->slot[0].state == STATE_READY);
    CHECK(strcmp(disk_party_degraded(&d), degraded) == 0);
    disk_party_end(&d);
    return 0;
}

static int direct(void)
{
    return bytes_come_from_disk(disk_takes_direct() ? "" : REFUSED, false);
}

static void test_read_comes_from_the_disk(void **state)
{
    disk_needed();
    assert_int_equal(fixture_in_child(direct), 0);
}

static int refused_by_fcntl(void)
{
    return disk_refuse_direct() ? CANNOT : bytes_come_from_disk(REFUSED, false);
}

static void test_read_comes_from_the_disk_without_o_direct(void **state)
{
    disk_needed();
    assert_int_equal(fixture_in_child(refused_by_fcntl), 0);
}

static int refused_by_read(void)
{
    return bytes_come_from_disk(REFUSED, true);
}

static void test_read_comes_from_the_disk_when_the_first_block_is_refused(void **state)
{
    disk_needed();
    assert_int_equal(fixture_in_child(refused_by_read), 0);
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
    disk_needed();
    assert_int_equal(fixture_in_child(little_room), 0);
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
    disk_needed();
    assert_int_equal(fixture_in_child(lost_end), 0);
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
