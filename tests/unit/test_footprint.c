/* SPDX-License-Identifier: MIT */
/* The footprint of a dynamically linked process is that of the list: mappings, protection, resident and written pages.
 */

#include "bench/unix.h"
#include "engine_fixture.h"

/* --- A kernel that is made up here: it notes the calls, and refuses one. Off, it is the real one. --- */

static struct {
    bool on;
    char log[1024];
    unsigned calls, refused; /* of the calls that map, the one that is refused, from 1; 0: none */
} made;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    const size_t length = strlen(made.log);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(made.log + length, sizeof(made.log) - length, format, arguments);
    va_end(arguments);
}

static const char *words_of(int prot)
{
    return prot & PROT_EXEC ? "r-x" : prot & PROT_WRITE ? "rw-" : "r--";
}

static void *made_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    if (made.on && ++made.calls == made.refused) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *map = mmap(at, size, prot, flags, fd, offset);
    if (made.on)
        note(" %s:%zu:%lld%s%s", words_of(prot), size / 4096, (long long)offset / 4096, at ? "+" : "",
             flags & MAP_ANONYMOUS ? "a" : "");
    return map;
}

static int made_mprotect(void *at, size_t size, int prot)
{
    if (made.on && ++made.calls == made.refused) {
        errno = EACCES;
        return -1;
    }
    if (made.on)
        note(" protect:%zu", size / 4096);
    return mprotect(at, size, prot);
}

static int made_munmap(void *at, size_t size)
{
    if (made.on)
        note(" unmap:%zu", size / 4096);
    return munmap(at, size);
}

#define mmap     made_mmap
#define mprotect made_mprotect
#define munmap   made_munmap
#include "../../src/bench/footprint.c"
#undef mmap
#undef mprotect
#undef munmap

#define MAPPINGS_MAX 256u

static char path[] = "/tmp/test_footprint_XXXXXX";
static int file;

/* A file as long as it has to be, whose pages are all there. */
static void make_file(uint64_t bytes)
{
    static const char zeros[4096];

    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    while (bytes) {
        size_t part = bytes < sizeof(zeros) ? (size_t)bytes : sizeof(zeros);
        assert_int_equal(write(file, zeros, part), part);
        bytes -= part;
    }
}

static int setup(void **state)
{
    file = mkstemp(path);
    return file < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)close(file);
    return unlink(path);
}

/* A mapping as smaps shows it, sizes in KiB. */
struct mapping {
    uint64_t offset, inode;
    char prot[5];
    unsigned size, resident, written;
};

static size_t read_mappings(struct mapping *mappings)
{
    FILE *smaps = fopen("/proc/self/smaps", "re");
    char line[512];
    size_t n = 0;

    if (!smaps)
        return 0;
    while (fgets(line, sizeof(line), smaps)) {
        struct mapping m = {.offset = 0};
        uint64_t start, end;
        unsigned kib;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64, &start, &end, m.prot, &m.offset,
                   &m.inode) == 5 &&
            n < MAPPINGS_MAX)
            mappings[n++] = m;
        else if (n && sscanf(line, "Size: %u", &kib) == 1)
            mappings[n - 1].size = kib;
        else if (n && sscanf(line, "Rss: %u", &kib) == 1)
            mappings[n - 1].resident = kib;
        else if (n && sscanf(line, "Anonymous: %u", &kib) == 1)
            mappings[n - 1].written = kib;
    }
    (void)fclose(smaps);
    return n;
}

/* The list of footprint.c without its anonymous mappings, in KiB. More may be resident: the kernel maps pages around
 * those that were read. */
static const struct mapping expected[] = {
    {0x00000, 0, "r--p", 4, 4, 0},      {0x01000, 0, "r-xp", 152, 152, 0}, {0x27000, 0, "r--p", 40, 40, 0},
    {0x31000, 0, "r--p", 8, 8, 8},      {0x33000, 0, "rw-p", 8, 8, 8},     {0x00000, 0, "r--p", 152, 152, 0},
    {0x26000, 0, "r-xp", 1368, 404, 0}, {0x17c000, 0, "r--p", 332, 0, 0},  {0x1cf000, 0, "r--p", 16, 12, 12},
    {0x1d3000, 0, "rw-p", 8, 0, 0},
};

static int has(const struct mapping *mappings, size_t n, uint64_t inode, const struct mapping *wanted)
{
    int found = 0;

    for (size_t i = 0; i < n; i++)
        found += mappings[i].inode == inode && mappings[i].offset == wanted->offset &&
                 mappings[i].size == wanted->size && mappings[i].resident >= wanted->resident &&
                 mappings[i].written == wanted->written && !strcmp(mappings[i].prot, wanted->prot);
    return found;
}

static unsigned written(const struct mapping *mappings, size_t n, uint64_t inode)
{
    unsigned kib = 0;

    for (size_t i = 0; i < n; i++)
        kib += mappings[i].inode == inode ? mappings[i].written : 0;
    return kib;
}

/* Runs in a process of its own. Returns 0, or the number of the failed check. */
static int look_at_footprint(void)
{
    static struct mapping before[MAPPINGS_MAX], after[MAPPINGS_MAX];
    struct stat status;

    if (fstat(file, &status))
        return 99;
    (void)read_mappings(before); /* writes the pages that these write */
    (void)read_mappings(after);
    const size_t n_before = read_mappings(before);
    if (footprint_map(path))
        return 98;
    const size_t n_after = read_mappings(after);
    for (size_t i = 0; i < COUNT(expected); i++)
        if (has(after, n_after, status.st_ino, &expected[i]) != 1)
            return 1 + (int)i;
#if !defined(__SANITIZE_ADDRESS__) /* which has anonymous memory of its own */
    /* Mappings of the heap, of zeroed data and of the thread; two anonymous ones may have been merged. */
    if (n_after < n_before + COUNT(expected) + 1 || n_after > n_before + COUNT(expected) + 3)
        return 97;
    /* 11 pages, 4 of them anonymous. */
    if (written(after, n_after, status.st_ino) != 7 * 4 ||
        written(after, n_after, 0) - written(before, n_before, 0) != 4 * 4)
        return 96;
#endif
    return 0;
}

TEST(test_footprint_is_that_of_the_list)
{
    if (sysconf(_SC_PAGESIZE) != 4096)
        skip_because("the list is of pages of 4 KiB");
    assert_int_equal(footprint_file_bytes(), 0x1d5000);
    make_file(footprint_file_bytes());
    assert_int_equal(fixture_in_child(look_at_footprint), 0);
}

/* The calls in the loader's order, with sizes and offsets in pages; "+" is a mapping over another one. */
static int map_noted(void)
{
    made.on = true;
    CHECK(footprint_map(path) == 0);
    CHECK(!strcmp(made.log, " r--:53:0 r-x:38:1+ r--:10:39+ rw-:4:49+ rw-:2:0a r--:11:0"
                            " r--:482:0 r-x:342:38+ r--:83:380+ rw-:6:463+ rw-:13:0+a rw-:3:0a"
                            " protect:4 protect:2 unmap:11"));
    CHECK(made.calls == 14);
    /* Whichever is refused, none is tried after it. */
    for (unsigned refused = 1; refused <= 14; refused++) {
        made.calls = 0;
        made.refused = refused;
        CHECK(footprint_map(path) == (refused <= 12 ? -ENOMEM : -EACCES));
        CHECK(made.calls == refused);
    }
    return 0;
}

TEST(test_footprint_calls_are_those_of_a_loader)
{
    if (sysconf(_SC_PAGESIZE) != 4096)
        skip_because("the list is of pages of 4 KiB");
    make_file(footprint_file_bytes());
    assert_int_equal(fixture_in_child(map_noted), 0);
}

/* Reading behind the end of a mapped file would be a SIGBUS. */
TEST(test_footprint_refuses_a_short_file)
{
    make_file(footprint_file_bytes() - 1);
    assert_int_equal(footprint_map(path), -ENOEXEC);
    make_file(0);
    assert_int_equal(footprint_map(path), -ENOEXEC);
    assert_int_equal(footprint_map("/nonexistent"), -ENOENT);
    assert_int_equal(footprint_map("/"), -EISDIR);
}

GROUP(setup, teardown);
