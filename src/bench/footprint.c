/* SPDX-License-Identifier: MIT */
/* The footprint of a dynamically linked process, for spawn and execl under the classic protocol.
 *
 * Source: smaps, pagemap and strace of a program of ten lines that replaces itself by execl, dynamic and static, on
 * Debian 12, x86-64 (glibc 2.36, gcc 12.2 -O2). The dynamic one also has these mappings, in 4 KiB pages:
 *
 *   mapping                      size  offset  prot  resident  written
 *   loader, read only               1       0  r--          1        0
 *   loader, text                   38       1  r-x         38        0
 *   loader, constants              10      39  r--         10        0
 *   loader, relro                   2      49  r--          2        2
 *   loader, data                    2      51  rw-          2        2
 *   loader's heap                   2          rw-          1        1
 *   C library, symbols             38       0  r--         38        0
 *   C library, text               342      38  r-x        221        0
 *   C library, constants           83     380  r--         39        0
 *   C library, relro                4     463  r--          4        4
 *   C library, data                 2     467  rw-          2        2
 *   C library, zeroed data         13          rw-          5        5
 *   thread-local storage            3          rw-          2        2
 *
 * Pages that only the static program has are subtracted below from the corresponding mappings: 159 of text and
 * constants of its C library, and 7 written ones (data 2, zeroed data 2, heap with thread-local storage 2, relro 1).
 * The result is 13 mappings with 199 resident pages, 11 of them written.
 *
 * A read fault maps the pages around it too, so only one page in each 64 KiB is read, and the last one. The system
 * calls are the loader's, in its order, but for those that a static program makes too. The table was made before any
 * rate was measured with it, and never adjusted to one. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "bench/unix.h"

#define KERNEL_PAGE 4096u /* of the tables */
#define AROUND      16u   /* mapped around a read fault (fault_around_bytes) */

enum kind { TEXT, CONSTANT, RELRO, DATA, ZEROED };

/* Segment of the loader or library: pages of 4 KiB in all, read, written. Its offset in the file is that in the image.
 */
struct segment {
    enum kind kind;
    unsigned pages, read, written;
};

/* Relro and data are mapped together; relro is protected after it was written. */
static const struct segment loader[] = {
    {CONSTANT, 1, 1, 0}, {TEXT, 38, 38, 0}, {CONSTANT, 10, 10, 0}, {RELRO, 2, 0, 2}, {DATA, 2, 0, 2},
};
static const struct segment library[] = {
    {CONSTANT, 38, 38, 0}, {TEXT, 342, 101, 0}, {CONSTANT, 83, 0, 0},
    {RELRO, 4, 0, 3},      {DATA, 2, 0, 0},     {ZEROED, 13, 0, 3},
};
#define LOADER  (COUNT(loader))
#define LIBRARY (COUNT(library))

enum { HEAP_PAGES = 2, HEAP_WRITTEN = 1, THREAD_PAGES = 3, CACHE_PAGES = 11 };

struct mapped {
    const struct segment *segments;
    size_t n, page; /* page: for a page of the tables */
    unsigned char *at;
};

/* 4 KiB, or the kernel's page if larger. */
static size_t page_bytes(void)
{
    const long page = sysconf(_SC_PAGESIZE);

    return page > (long)KERNEL_PAGE ? (size_t)page : KERNEL_PAGE;
}

static unsigned pages_of(const struct mapped *image)
{
    unsigned pages = 0;

    for (size_t i = 0; i < image->n; i++)
        pages += image->segments[i].pages;
    return pages;
}

uint64_t footprint_file_bytes(void)
{
    return (uint64_t)(pages_of(&(struct mapped){library, LIBRARY, 0, NULL}) - library[LIBRARY - 1].pages) *
           page_bytes();
}

static void read_page(const unsigned char *page)
{
    (void)*(const volatile unsigned char *)page;
}

/* As a relocation: reads and writes back. */
static void write_pages(unsigned char *at, unsigned pages, size_t page)
{
    for (unsigned i = 0; i < pages; i++) {
        volatile unsigned char *byte = at + i * page;
        const unsigned char value = *byte;
        *byte = value;
    }
}

/* The whole image read-only first, which reserves addresses; the others over it. */
static int map_segments(int fd, struct mapped *image)
{
    const struct segment *segments = image->segments;
    const size_t page = image->page;
    unsigned first = segments[0].pages;

    image->at = mmap(NULL, pages_of(image) * page, PROT_READ, MAP_PRIVATE, fd, 0);
    if (image->at == MAP_FAILED)
        return -errno;
    for (size_t i = 1; i < image->n; first += segments[i++].pages) {
        const enum kind kind = segments[i].kind;
        const int prot = kind == TEXT ? PROT_READ | PROT_EXEC : kind == CONSTANT ? PROT_READ : PROT_READ | PROT_WRITE;
        const unsigned pages = segments[i].pages + (kind == RELRO ? segments[i + 1].pages : 0);
        const bool anonymous = kind == ZEROED;
        if (kind == DATA) /* with relro before it */
            continue;
        if (mmap(image->at + first * page, pages * page, prot,
                 MAP_PRIVATE | MAP_FIXED | (anonymous ? MAP_ANONYMOUS : 0), anonymous ? -1 : fd,
                 anonymous ? 0 : (off_t)(first * page)) == MAP_FAILED)
            return -errno;
    }
    return 0;
}

/* As the table says. */
static void touch_segments(const struct mapped *image)
{
    const struct segment *segments = image->segments;
    unsigned char *at = image->at;

    for (size_t i = 0; i < image->n; at += segments[i++].pages * image->page) {
        for (unsigned k = 0; k < segments[i].read; k += AROUND)
            read_page(at + k * image->page);
        if (segments[i].read)
            read_page(at + (segments[i].read - 1) * image->page);
        write_pages(at, segments[i].written, image->page);
    }
}

static int protect_relro(const struct mapped *image)
{
    const struct segment *segments = image->segments;
    unsigned char *at = image->at;

    for (size_t i = 0; i < image->n; at += segments[i++].pages * image->page)
        if (segments[i].kind == RELRO && mprotect(at, segments[i].pages * image->page, PROT_READ))
            return -errno;
    return 0;
}

/* As the kernel in execve, after the headers. */
static int map_loader(const char *path, struct mapped *image)
{
    FREED_BY(fd_close) const int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char header[832];

    if (fd < 0 || read(fd, header, 64) < 0 || pread(fd, header, 728, 64) < 0)
        return -errno;
    return map_segments(fd, image);
}

/* Library names; footprint_map() unmaps it at its end. */
static int map_cache(const char *path, size_t page, unsigned char **cache)
{
    FREED_BY(fd_close) const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) ||
        (*cache = mmap(NULL, CACHE_PAGES * page, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        return -errno;
    if ((uint64_t)status.st_size < footprint_file_bytes())
        return -ENOEXEC;
    read_page(*cache);
    return 0;
}

static int map_library(const char *path, struct mapped *image)
{
    FREED_BY(fd_close) const int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char header[832];
    struct stat status;

    if (fd < 0 || read(fd, header, 832) < 0 || pread(fd, header, 784, 64) < 0 || fstat(fd, &status) ||
        pread(fd, header, 784, 64) < 0)
        return -errno;
    return map_segments(fd, image);
}

static int map_anonymous(unsigned pages, unsigned written, size_t page)
{
    unsigned char *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED)
        return -errno;
    write_pages(at, written, page);
    return 0;
}

int footprint_map(const char *path)
{
    const size_t page = page_bytes();
    struct mapped loader_image = {loader, LOADER, page, NULL}, library_image = {library, LIBRARY, page, NULL};
    unsigned char *cache = NULL;
    int error;

    if ((error = map_loader(path, &loader_image)) || (error = map_anonymous(HEAP_PAGES, HEAP_WRITTEN, page)))
        return error;
    access("/etc/ld.so.preload", R_OK);
    if ((error = map_cache(path, page, &cache)) || (error = map_library(path, &library_image)) ||
        (error = map_anonymous(THREAD_PAGES, 0, page)))
        return error;
    touch_segments(&loader_image);
    touch_segments(&library_image);
    error = protect_relro(&library_image);
    if (!error)
        error = protect_relro(&loader_image);
    munmap(cache, CACHE_PAGES * page);
    return error;
}

void unix_take_footprint(struct party_context *context, const char *path)
{
    const int error = ((const struct unix_params *)context->params)->classic ? footprint_map(path) : 0;

    if (error)
        party_degraded(context, "without the footprint of a dynamically linked process: %s", strerror(-error));
}
