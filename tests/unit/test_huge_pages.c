/* SPDX-License-Identifier: MIT */
/* Which pages the kernel gave, by made-up texts and by this machine. */
#include "tree_fixture.h"

#include "sys/machine.h"

#define MIB      (1ull << 20)
#define PMD_SIZE "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"

static const char smaps[] = "00400000-00c00000 r-xp 00000000 08:02 1 /bin/x\n"
                            "AnonHugePages:      6144 kB\n"
                            "10300000-10a00000 rw-p 00000000 00:00 0 \n"
                            "Size:               7168 kB\n"
                            "AnonHugePages:      4096 kB\n"
                            "VmFlags: rd wr hg \n"
                            "20000000-20200000 rw-p 00000000 00:00 0 \n"
                            "AnonHugePages:         0 kB\n"
                            "Private_Hugetlb:    2048 kB\n"
                            "30000000-30100000 rw-p 00000000 00:00 0 \n"
                            "AnonHugePages:         0 kB\n";

static const void *address(uintptr_t number)
{
    const void *pointer;

    memcpy(&pointer, &number, sizeof(pointer));
    return pointer;
}

TREE_TEST(test_huge_pages_of_the_mappings_named)
{
    /* The first two are in one mapping: 7 MiB that begin 1 MiB behind a multiple of 2 MiB have room for three. */
    const void *const addresses[] = {address(0x10300000), address(0x109fffff), address(0x20000000),
                                     address(0x30000000)};
    struct huge_pages pages;

    tree_put(PMD_SIZE, "2097152\n");
    tree_put("/proc/self/smaps", smaps);
    assert_int_equal(huge_pages_read(addresses, 4, &pages), 0);
    assert_int_equal(pages.huge_bytes, (4 + 2) * MIB); /* the last in a reserved page */
    assert_int_equal(pages.possible_bytes, (6 + 2) * MIB);
    assert_int_equal(huge_pages_read(addresses, 0, &pages), 0);
    assert_int_equal(pages.huge_bytes + pages.possible_bytes, 0);
}

TREE_TEST(test_huge_pages_not_known)
{
    struct huge_pages pages;

    tree_put("/proc/self/smaps", smaps);
    assert_int_equal(huge_pages_read(NULL, 0, &pages), -1);
    tree_put(PMD_SIZE, "0\n");
    assert_int_equal(huge_pages_read(NULL, 0, &pages), -1);
}

/* Memory for which huge pages were refused has none. */
TEST(test_huge_pages_refused_are_none)
{
    const size_t bytes = 8 * MIB;
    struct huge_pages pages;

    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    (void)madvise(p, bytes, MADV_NOHUGEPAGE);
    memset(p, 1, bytes);
    const void *const addresses[] = {p};
    if (BELOW("", huge_pages_read(addresses, 1, &pages)) == 0) {
        assert_int_equal(pages.huge_bytes, 0);
        assert_true(pages.possible_bytes > 0);
    }
    (void)munmap(p, bytes);
}
