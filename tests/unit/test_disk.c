/* SPDX-License-Identifier: MIT */
/* Common parts of the loads that use a disk: which file systems are none, how large a file becomes, and where they
 * can run. */
#include "made_up_disk.h"

#define SECOND 1000000000ull

TEST(test_disk_is_no_memory_network_or_layer)
{
    static const char memory[] = "its files are in memory", layer[] = "its files are in another file system",
                      remote[] = "its files are on another machine", program[] = "its files are with another program";
    static const struct {
        const char *name, *why;
    } not [] = {
        {"tmpfs", memory},  {"ramfs", memory},    {"devtmpfs", memory}, {"hugetlbfs", memory},
        {"overlay", layer}, {"overlayfs", layer}, {"aufs", layer},      {"ecryptfs", layer},
        {"fuse", program},  {"nfs", remote},      {"cifs", remote},     {"smb3", remote},
        {"ceph", remote},   {"lustre", remote},   {"9p", remote},       {"virtiofs", remote},
    };
    static const char *const is[] = {"ext4", "xfs", "btrfs", "vfat", "zfs", "ext2/3/4", "0x12345678", ""};

    for (size_t i = 0; i < COUNT(not ); i++)
        assert_string_equal(disk_is_not(not [i].name), not [i].why);
    for (size_t i = 0; i < COUNT(is); i++)
        assert_null(disk_is_not(is[i]));
}

TEST(test_disk_fill_ends_when_the_file_is_whole)
{
    assert_int_equal(disk_fill(255 * MIB, 256 * MIB, SECOND), DISK_GROWS);
    assert_int_equal(disk_fill(256 * MIB, 256 * MIB, SECOND), DISK_FILLED);
    assert_int_equal(disk_fill(4 * MIB, 4 * MIB, 19 * SECOND), DISK_FILLED);
}

TEST(test_disk_fill_is_bounded_in_time)
{
    assert_int_equal(disk_fill(40 * MIB, 256 * MIB, 10 * SECOND - 1), DISK_GROWS);
    assert_int_equal(disk_fill(40 * MIB, 256 * MIB, 10 * SECOND), DISK_FILLED);
    /* Fewer than four blocks are not enough. */
    assert_int_equal(disk_fill(3 * MIB, 256 * MIB, 14 * SECOND), DISK_GROWS);
    assert_int_equal(disk_fill(4 * MIB, 256 * MIB, 14 * SECOND), DISK_FILLED);
    assert_int_equal(disk_fill(3 * MIB, 256 * MIB, 15 * SECOND), DISK_TOO_SLOW);
}

TEST(test_disk_full_has_many_names)
{
    assert_true(disk_is_full(-ENOSPC));
    assert_true(disk_is_full(-EDQUOT));
    assert_true(disk_is_full(-EFBIG));
    assert_false(disk_is_full(-EIO));
    assert_false(disk_is_full(0));
}

TEST(test_disk_describe_names_the_file_as_it_is)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } files[] = {
        {256 * MIB, "file=256M"},
        {24 * 1024 * MIB, "file=24G"},
        {1500 * MIB, "file=1500M"},
        {256 * MIB + 4096, "file=256M"},
        {1, "file=4M"},
    };
    struct load_params params = {.threads = 3};
    struct row_params compile = {.n = 0};

    for (size_t i = 0; i < COUNT(files); i++) {
        struct row_params out = {.n = 0};
        params.file_bytes = files[i].bytes;
        load_write.describe(&params, &out);
        assert_string_equal(out.text, files[i].text);
    }
    params.file_bytes = 256 * MIB;
    struct row_params rated = {.n = 0};
    params.rate = 20 * MIB;
    load_read.describe(&params, &rated);
    assert_string_equal(rated.text, "file=256M disk_rate=20971520");
    params.rate = 0;
    load_compile.describe(&params, &compile);
    assert_string_equal(compile.text, "threads=3 file=256M");
}

TEST(test_disk_needs_a_folder_that_can_be_written)
{
    struct load_params params = {.dir = "/nonexistent"};
    struct error why = {""};

    assert_int_equal(load_compile.supported(&params, &why), -1);
    assert_string_equal(why.text, "scratch directory '/nonexistent': No such file or directory");
    (void)snprintf(params.dir, sizeof(params.dir), "/tmp");
    assert_int_equal(load_compile.supported(&params, &why), 0);
    assert_string_equal(load_compile.scratch_dir(&params), "/tmp");
}

static int too_little_room(void)
{
    const struct load_params params = {.dir = "/tmp"};
    struct error why = {""};

    if (disk_mount_tmpfs("size=15m"))
        return CANNOT;
    CHECK(load_read.supported(&params, &why) == -1);
    CHECK(strcmp(why.text, "scratch directory '/tmp' has 15 MiB free, not 16 MiB") == 0);
    return 0;
}

TEST(test_disk_needs_room)
{
    assert_int_equal(fixture_in_child(too_little_room), 0);
}

/* Blocks at their places, of bytes that are not all alike, and what is read is what was written. */
TEST(test_disk_moves_blocks)
{
    struct disk_party d;
    unsigned values[256] = {0}, n_values = 0;

    disk_needed();
    unsigned char *first = malloc(DISK_BLOCK_BYTES);
    assert_non_null(first);
    disk_party_begin(&d, &load_write, disk_folder, 4 * MIB);
    assert_int_equal(d.p.party->setup(&d.p.context), 0);
    struct disk *disk = d.p.context.state;
    for (size_t i = 0; i < DISK_BLOCK_BYTES; i++)
        n_values += values[disk->block[i]]++ == 0;
    assert_true(n_values > 200);
    memcpy(first, disk->block, DISK_BLOCK_BYTES);
    assert_int_equal(disk_move(&d.p.context, true), 0);
    disk->block[7]++;
    assert_int_equal(disk_move(&d.p.context, true), 0);
    assert_int_equal(disk->at_bytes, 2 * MIB);
    assert_int_equal(disk->moved_bytes, 2 * MIB);
    assert_int_equal(disk_sync(disk), 0);
    disk->at_bytes = 0;
    memset(disk->block, 0, DISK_BLOCK_BYTES);
    assert_int_equal(disk_move(&d.p.context, false), 0);
    assert_memory_equal(disk->block, first, DISK_BLOCK_BYTES);
    first[7]++;
    assert_int_equal(disk_move(&d.p.context, false), 0);
    assert_memory_equal(disk->block, first, DISK_BLOCK_BYTES);
    assert_int_equal(disk_move(&d.p.context, false), -EIO); /* nothing is behind it */
    assert_int_equal(disk->at_bytes, 2 * MIB);
    disk_party_end(&d);
    free(first);
}

/* Of a block from 3 MiB on: what is left after a short move or a signal is moved from there. Only a whole one counts.
 */
static int write_block(struct party_context *context)
{
    return disk_move(context, true);
}

static int read_block(struct party_context *context)
{
    return disk_move(context, false);
}

TEST(test_disk_moves_what_is_left_of_a_block)
{
    static const int64_t in_parts[] = {300 << 10, -EINTR, 24 << 10, 700 << 10}, invalid[] = {-EINVAL}, nothing[] = {0},
                         broken[] = {300 << 10, -EIO};
    static const char refused[] = "the file system refuses O_DIRECT: cached writes, dropped by fadvise",
                      closed[] =
                          "the file system refuses O_DIRECT: Bad file descriptor: cached writes, dropped by fadvise";
    static const struct {
        int (*move)(struct party_context *);
        bool direct, file; /* file: the descriptor is one */
        const int64_t *answer;
        size_t n;
        int result;
        const char *log, *degraded;
    } cases[] = {
        {write_block, true, true, in_parts, 4, 0, "w3 w3+300 w3+300 w3+324 ", ""},
        {read_block, true, true, in_parts, 4, 0, "r3 r3+300 r3+300 r3+324 ", ""},
        {write_block, true, true, invalid, 1, 0, "w3 w3 ", refused},
        {read_block, true, false, invalid, 1, 0, "r3 r3 ", closed},
        {write_block, false, true, invalid, 1, -EINVAL, "w3 ", ""},
        {write_block, true, true, nothing, 1, -ENOSPC, "w3 ", ""},
        {read_block, true, true, nothing, 1, -EIO, "r3 ", ""},
        {write_block, true, true, broken, 2, -EIO, "w3 w3+300 ", ""},
        {read_block, false, true, broken, 2, -EIO, "r3 r3+300 ", ""},
    };
    struct disk_party d;

    for (size_t i = 0; i < COUNT(cases); i++) {
        made_up_disk_begin(&d, &load_write, 64 * MIB);
        struct disk *disk = d.p.context.state;
        disk->fd = cases[i].file ? fixture_file() : -1;
        disk->direct = cases[i].direct;
        disk->at_bytes = 3 * MIB;
        disk->moved_bytes = 5 * MIB;
        made_up_disk.answer = cases[i].answer;
        made_up_disk.n_answers = cases[i].n;
        assert_int_equal(made_up_disk_call(cases[i].move), cases[i].result);
        assert_string_equal(made_up_disk.log, cases[i].log);
        assert_int_equal(disk->at_bytes, (cases[i].result ? 3 : 4) * MIB);
        assert_int_equal(disk->moved_bytes, (cases[i].result ? 5 : 6) * MIB);
        assert_string_equal(disk_party_degraded(&d), cases[i].degraded);
        assert_int_equal(disk->direct, cases[i].direct && !cases[i].degraded[0]);
        disk_party_end(&d);
    }
}

static int sync_the_disk(struct party_context *context)
{
    return disk_sync(context->state);
}

TEST(test_disk_drops_what_has_reached_it)
{
    struct disk_party d;

    made_up_disk_begin(&d, &load_write, 4 * MIB);
    assert_int_equal(made_up_disk_call(sync_the_disk), 0);
    made_up_disk.sync_error = EIO;
    assert_int_equal(made_up_disk_call(sync_the_disk), -EIO);
    assert_string_equal(made_up_disk.log, DISK_SYNC "sync ");
    disk_party_end(&d);
}

/* No descriptor is left to read /proc/self/io with. */
static int kernel_does_not_tell(void)
{
    struct rlimit files;
    struct disk_party d;

    CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
    disk_party_begin(&d, &load_write, "/tmp", 4 * MIB);
    CHECK(d.p.party->setup(&d.p.context) == 0);
    files.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
    CHECK(disk_move(&d.p.context, true) == 0);
    disk_count(&d.p.context, LOAD_WRITTEN);
    CHECK(disk_party_count(&d, LOAD_WRITTEN) == DISK_BLOCK_BYTES);
    CHECK(isnan(disk_party_count(&d, LOAD_DISK_WRITTEN)));
    CHECK(isnan(disk_party_count(&d, LOAD_DISK_READ)));
    disk_party_end(&d);
    return 0;
}

TEST(test_disk_count_of_the_kernel_may_not_be_known)
{
    assert_int_equal(fixture_in_child(kernel_does_not_tell), 0);
}

static bool io_is_made_up;

int __real_task_read_io(uint64_t *read_bytes, uint64_t *written_bytes);
int __wrap_task_read_io(uint64_t *read_bytes, uint64_t *written_bytes);
int __wrap_task_read_io(uint64_t *read_bytes, uint64_t *written_bytes)
{
    if (!io_is_made_up)
        return __real_task_read_io(read_bytes, written_bytes);
    *read_bytes = 7000;
    *written_bytes = 11000;
    return 0;
}

/* Checks that the bytes moved are counted as what the load says, and the kernel's bytes as read and written. */
static void check_count(const struct load *load, enum load_count moved, enum load_count other)
{
    struct disk_party d;

    disk_party_begin(&d, load, "", 4 * MIB);
    d.params.rate = 100;
    *(struct disk *)d.p.context.state =
        (struct disk){.fd = -1, .moved_bytes = 5000, .start_ns = clock_raw_ns() - 70 * SECOND};
    io_is_made_up = true;
    disk_count(&d.p.context, moved);
    io_is_made_up = false;
    assert_true(disk_party_count(&d, moved) == 5000);
    assert_true(disk_party_count(&d, other) == 0);
    assert_true(disk_party_count(&d, LOAD_PACED) >= 7000);
    assert_true(disk_party_count(&d, LOAD_DISK_READ) == 7000);
    assert_true(disk_party_count(&d, LOAD_DISK_WRITTEN) == 11000);
    disk_party_end(&d);
}

TEST(test_disk_counts_reads_and_writes_apart)
{
    check_count(&load_read, LOAD_READ, LOAD_WRITTEN);
    check_count(&load_write, LOAD_WRITTEN, LOAD_READ);
}

GROUP(disk_prepare, disk_finish);
