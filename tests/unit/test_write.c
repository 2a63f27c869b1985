/* SPDX-License-Identifier: MIT */
/* The write load: its bytes reach the disk, whether O_DIRECT works or not, and a full disk does not stop it. */
#include "disk_load_fixture.h"
#include "made_up_disk.h"

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

TEST(test_write_reaches_the_disk)
{
    disk_load_assert(disk_load_direct);
}

TEST(test_write_reaches_the_disk_without_o_direct)
{
    disk_load_assert(disk_load_refused_by_fcntl);
}

TEST(test_write_reaches_the_disk_when_the_first_block_is_refused)
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

TEST(test_write_begins_again_when_there_is_no_more_room)
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

TEST(test_write_without_room_fails_with_the_reason)
{
    assert_int_equal(fixture_in_child(full_at_once), 0);
}

TEST(test_write_without_a_folder_fails_with_the_reason)
{
    struct disk_party d;

    disk_party_begin(&d, &load_write, "/nonexistent", 64 * MIB);
    assert_int_equal(d.p.party->setup(&d.p.context), -1);
    assert_string_equal(d.p.reason, "cannot make a scratch file in '/nonexistent': No such file or directory");
    disk_party_end(&d);
}

#define FAILED(why) "cannot write a scratch file in '/tmp': " why

/* What it asks of the disk, in order. A block takes 10 ms, and the load tells its counts every 20 ms. */
TEST(test_write_asks_of_the_disk)
{
    static const int64_t broken[] = {-EIO};
    static const struct {
        unsigned file_mib, room_mib, stop_at;
        bool direct;
        int sync_error, cut_error;
        const int64_t *answer;
        const char *log, *degraded, *reason;
        unsigned counted_mib;
    } cases[] = {
        /* From its start again when it is whole; what is cached is flushed every 8 MiB, and before the file is cut. */
        {12, 0, 13, true, 0, 0, NULL, W_0_TO_3 W_4_TO_7 W_8_TO_11 "cut0 w0 ", "", "", 12},
        {12, 0, 14, false, 0, 0, NULL, W_0_TO_3 W_4_TO_7 DISK_SYNC W_8_TO_11 DISK_SYNC "cut0 w0 w1 ", "", "", 14},
        /* Full: from 8 MiB on it begins again. */
        {64, 10, 13, true, 0, 0, NULL, W_0_TO_3 W_4_TO_7 "w8 w9 w10 cut0 " DISK_SYNC "w0 w1 ",
         "the file gets no larger than 10 MiB of 64 MiB: No space left on device", "", 11},
        {64, 8, 10, true, 0, 0, NULL, W_0_TO_3 W_4_TO_7 "w8 cut0 " DISK_SYNC "w0 ",
         "the file gets no larger than 8 MiB of 64 MiB: No space left on device", "", 9},
        {64, 7, 0, true, 0, 0, NULL, W_0_TO_3 W_4_TO_7, "", FAILED("No space left on device"), 6},
        /* What fails is told. */
        {64, 0, 0, false, EIO, 0, NULL, W_0_TO_3 W_4_TO_7 "sync ", "", FAILED("Input/output error"), 6},
        {4, 0, 0, true, 0, EPERM, NULL, W_0_TO_3 "cut0 ", "", FAILED("Operation not permitted"), 2},
        {64, 8, 0, true, 0, EPERM, NULL, W_0_TO_3 W_4_TO_7 "w8 cut0 ",
         "the file gets no larger than 8 MiB of 64 MiB: No space left on device", FAILED("Operation not permitted"), 8},
        {64, 0, 0, true, 0, 0, broken, "w0 ", "", FAILED("Input/output error"), 0},
    };
    struct disk_party d;

    for (size_t i = 0; i < COUNT(cases); i++) {
        made_up_disk_begin(&d, &load_write, cases[i].file_mib * MIB);
        ((struct disk *)d.p.context.state)->direct = cases[i].direct;
        made_up_disk.room_bytes = cases[i].room_mib * MIB;
        made_up_disk.stop_at = cases[i].stop_at;
        made_up_disk.sync_error = cases[i].sync_error;
        made_up_disk.cut_error = cases[i].cut_error;
        made_up_disk.answer = cases[i].answer;
        made_up_disk.n_answers = cases[i].answer != NULL;
        made_up_disk.each_ns = 10 * MS;
        assert_int_equal(made_up_disk_call(d.p.party->run), cases[i].reason[0] ? -1 : 0);
        assert_string_equal(made_up_disk.log, cases[i].log);
        assert_string_equal(disk_party_degraded(&d), cases[i].degraded);
        assert_string_equal(d.p.reason, cases[i].reason);
        assert_true(disk_party_count(&d, LOAD_WRITTEN) == (double)(cases[i].counted_mib * MIB));
        assert_int_equal(d.p.head->slot[0].state, cases[i].answer ? STATE_STARTING : STATE_READY);
        disk_party_end(&d);
    }
}

/* A block takes 10 ms, at 20 MiB a second one is due each 50 ms. What a stall of 60 ms delays is made up for, what one
 * of 320 ms delays but for 100 ms. Faster than the disk, it never sleeps. */
TEST(test_write_keeps_its_rate)
{
    static const struct {
        uint64_t rate_mib, stall_ms;
        unsigned blocks;
        uint64_t ms, slept;
    } cases[] = {{20, 0, 9, 450, 9}, {20, 60, 9, 450, 8}, {20, 320, 9, 680, 7}, {200, 0, 9, 90, 0}, {0, 0, 9, 90, 0}};
    struct disk_party d;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct made_up_jump stall = {1000 * MS + 1, cases[i].stall_ms * MS};
        made_up_disk_begin(&d, &load_write, 64 * MIB);
        ((struct disk *)d.p.context.state)->direct = true;
        d.params.rate = cases[i].rate_mib * MIB;
        made_up_disk.stop_at = cases[i].blocks;
        made_up_disk.each_ns = 10 * MS;
        made_up_clock.slept = 0;
        made_up_clock.jumps = &stall;
        made_up_clock.n_jumps = cases[i].stall_ms > 0;
        assert_int_equal(made_up_disk_call(d.p.party->run), 0);
        assert_int_equal(made_up_clock.now_ns, (1000 + cases[i].ms) * MS);
        assert_int_equal(made_up_clock.slept, cases[i].slept);
        disk_party_end(&d);
    }
}

GROUP(disk_prepare, disk_finish);
