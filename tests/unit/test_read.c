/* SPDX-License-Identifier: MIT */
/* The read load: its bytes come from the disk, whether O_DIRECT works or not. */
#include "disk_load_fixture.h"
#include "made_up_disk.h"

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

TEST(test_read_comes_from_the_disk)
{
    disk_load_assert(disk_load_direct);
}

TEST(test_read_comes_from_the_disk_without_o_direct)
{
    disk_load_assert(disk_load_refused_by_fcntl);
}

TEST(test_read_comes_from_the_disk_when_the_first_block_is_refused)
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

TEST(test_read_leaves_room_to_others)
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

TEST(test_read_without_room_fails_with_the_reason)
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

TEST(test_read_sees_a_file_that_lost_its_end)
{
    disk_load_assert(lost_end);
}

#define FAILED(why) "cannot write a scratch file in '/tmp': " why
#define SLOWLY      "w0 " DISK_SYNC "w1 " DISK_SYNC "w2 " DISK_SYNC "w3 " DISK_SYNC

/* Makes its file: flushes after each of the first four blocks and then every 8 MiB, and ends it where the disk is full
 * or slow. */
TEST(test_read_makes_its_file)
{
    static const struct {
        unsigned file_mib, room_mib, each_s;
        int sync_error, cut_error;
        const char *log;
        unsigned size_mib;
        const char *degraded, *reason;
    } cases[] = {
        {20, 0, 0, 0, 0,
         SLOWLY W_4_TO_7 DISK_SYNC W_8_TO_11 "w12 w13 w14 w15 " DISK_SYNC "w16 w17 w18 w19 cut20 " DISK_SYNC, 20, "",
         ""},
        {64, 11, 0, 0, 0, SLOWLY W_4_TO_7 DISK_SYNC W_8_TO_11 "cut6 " DISK_SYNC, 6,
         "the file to be read has 6 MiB, not 64 MiB: No space left on device", ""},
        {64, 8, 0, 0, 0, SLOWLY W_4_TO_7 DISK_SYNC "w8 cut4 " DISK_SYNC, 4,
         "the file to be read has 4 MiB, not 64 MiB: No space left on device", ""},
        {64, 0, 3, 0, 0, SLOWLY "cut4 " DISK_SYNC, 4,
         "the file to be read has 4 MiB, not 64 MiB: writing it took too long", ""},
        {64, 7, 0, 0, 0, SLOWLY W_4_TO_7, 64, "", FAILED("No space left on device")},
        {64, 0, 8, 0, 0, "w0 " DISK_SYNC "w1 " DISK_SYNC, 64, "", "the disk is too slow to make a file to be read"},
        {64, 0, 0, EIO, 0, "w0 sync ", 64, "", FAILED("Input/output error")},
        {4, 0, 0, 0, EPERM, SLOWLY "cut4 ", 4, "", FAILED("Operation not permitted")},
    };
    struct disk_party d;

    for (size_t i = 0; i < COUNT(cases); i++) {
        made_up_disk_begin(&d, &load_read, cases[i].file_mib * MIB);
        const struct disk *disk = d.p.context.state;
        made_up_disk.room_bytes = cases[i].room_mib * MIB;
        made_up_disk.each_ns = cases[i].each_s * 1000 * MS;
        made_up_disk.sync_error = cases[i].sync_error;
        made_up_disk.cut_error = cases[i].cut_error;
        assert_int_equal(made_up_disk_call(d.p.party->setup), cases[i].reason[0] ? -1 : 0);
        assert_string_equal(made_up_disk.log, cases[i].log);
        assert_string_equal(disk_party_degraded(&d), cases[i].degraded);
        assert_string_equal(d.p.reason, cases[i].reason);
        assert_int_equal(disk->size_bytes, cases[i].size_mib * MIB);
        if (!cases[i].reason[0])
            assert_true(disk->at_bytes == 0 && disk->moved_bytes == 0);
        disk_party_end(&d);
    }
}

/* A block takes 10 ms, and the load tells its counts every 20 ms. */
TEST(test_read_reads_it_again_and_again)
{
    static const int64_t broken[] = {DISK_BLOCK_BYTES, -EIO};
    struct disk_party d;

    for (unsigned fails = 0; fails < 2; fails++) {
        made_up_disk_begin(&d, &load_read, 3 * MIB);
        made_up_disk.stop_at = 5;
        made_up_disk.each_ns = 10 * MS;
        made_up_disk.answer = broken;
        made_up_disk.n_answers = fails ? 2 : 0;
        assert_int_equal(made_up_disk_call(d.p.party->run), fails ? -1 : 0);
        assert_string_equal(made_up_disk.log, fails ? "drop r0 r1 " : "drop r0 r1 r2 drop r0 r1 ");
        assert_string_equal(d.p.reason, fails ? "cannot read a scratch file in '/tmp': Input/output error" : "");
        assert_true(disk_party_count(&d, LOAD_READ) == (double)(fails ? 0 : 4 * MIB));
        assert_int_equal(d.p.head->slot[0].state, STATE_READY);
        disk_party_end(&d);
    }
}

GROUP(disk_prepare, disk_finish);
