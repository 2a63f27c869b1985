/* SPDX-License-Identifier: MIT */
/* The write load: its bytes reach the disk, whether O_DIRECT works or not, and a full disk does not stop it. */
#include "disk_load_fixture.h"

#define REFUSED "the file system refuses O_DIRECT: cached writes, dropped by fadvise"

/* It was begun again, more than once. */
static bool file_good(uint64_t bytes, const struct disk_party *d)
{
    return bytes < 12 * MIB && disk_party_count(d, LOAD_WRITTEN) > 24 * MIB;
}

const struct disk_load disk_load = {.load = &load_write,
                                    .claimed = LOAD_WRITTEN,
                                    .moved = LOAD_DISK_WRITTEN,
                                    .least_share = 0.9,
                                    .refused = REFUSED,
                                    .file_bytes = 12 * MIB,
                                    .file_good = file_good};

static void test_write_reaches_the_disk(void **state)
{
    disk_load_assert(disk_load_direct);
}

static void test_write_reaches_the_disk_without_o_direct(void **state)
{
    disk_load_assert(disk_load_refused_by_fcntl);
}

static void test_write_reaches_the_disk_when_the_first_block_is_refused(void **state)
{
    disk_load_assert(disk_load_refused_by_first_block);
}

/* Room for ten blocks and a half. */
static int full_above_the_least(void)
{
    struct disk_party d;

    CHECK(disk_limit_files(10 * MIB + MIB / 2) == 0);
    disk_party_begin(&d, &load_write, disk_folder, 64 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    CHECK(disk_party_run(&d, LOAD_WRITTEN, 30 * MIB) == 0);
    CHECK(disk_party_count(&d, LOAD_WRITTEN) >= 30 * MIB);
    CHECK(strcmp(disk_party_degraded(&d),
                 disk_takes_direct() ? "the file gets no larger than 10 MiB of 64 MiB: File too large" : REFUSED) == 0);
    disk_party_end(&d);
    return 0;
}

static void test_write_begins_again_when_there_is_no_more_room(void **state)
{
    disk_load_assert(full_above_the_least);
}

static int full_at_once(void)
{
    struct disk_party d;

    if (disk_mount_tmpfs("size=6m"))
        return CANNOT;
    disk_party_begin(&d, &load_write, "/tmp", 64 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    CHECK(disk_party_run(&d, LOAD_WRITTEN, 30 * MIB) == -1);
    CHECK(strcmp(d.p.reason, "cannot write a scratch file in '/tmp': No space left on device") == 0);
    CHECK(strcmp(disk_party_degraded(&d), "tmpfs is not a disk: its files are in memory") == 0);
    disk_party_end(&d);
    return 0;
}

static void test_write_without_room_fails_with_the_reason(void **state)
{
    assert_int_equal(fixture_in_child(full_at_once), 0);
}

static void test_write_without_a_folder_fails_with_the_reason(void **state)
{
    struct disk_party d;

    disk_party_begin(&d, &load_write, "/nonexistent", 64 * MIB);
    assert_int_equal(d.p.party->setup(&d.p.context), -1);
    assert_string_equal(d.p.reason, "cannot make a scratch file in '/nonexistent': No such file or directory");
    disk_party_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_reaches_the_disk),
        cmocka_unit_test(test_write_reaches_the_disk_without_o_direct),
        cmocka_unit_test(test_write_reaches_the_disk_when_the_first_block_is_refused),
        cmocka_unit_test(test_write_begins_again_when_there_is_no_more_room),
        cmocka_unit_test(test_write_without_room_fails_with_the_reason),
        cmocka_unit_test(test_write_without_a_folder_fails_with_the_reason),
    };
    return cmocka_run_group_tests(tests, disk_prepare, disk_finish);
}
