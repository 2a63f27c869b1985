/* SPDX-License-Identifier: MIT */
/* The program's own file, shared memory and random bytes, each also with its first way barred. */

#include "../refuse.h"
#include "fixture.h"
#include "sys/process.h"

#define EXECUTED 242 /* the exit status of this program when it was executed by itself; no CHECK() gives it */

static int exec_self(void)
{
    char name[] = "test", word[] = "executed";
    char *argv[] = {name, word, NULL}, *envp[] = {NULL};
    process_exec_self(argv, envp);
    return 1;
}

static int exec_body(void)
{
    CHECK(process_can_exec_self());
    return exec_self();
}

TEST(test_process_executes_itself)
{
    assert_int_equal(fixture_in_child(exec_body), EXECUTED);
}

static int exec_without_proc_body(void)
{
    if (fixture_hide("/proc") || chdir("/tmp") != 0)
        return CANNOT;
    CHECK(process_can_exec_self());
    return exec_self();
}

TEST(test_process_executes_itself_without_proc_after_chdir)
{
    assert_int_equal(fixture_in_child(exec_without_proc_body), EXECUTED);
}

static int check_memory(size_t size)
{
    struct stat status;
    int fd = process_shared_memory(size);
    CHECK(fd >= 0);
    CHECK(fstat(fd, &status) == 0 && (size_t)status.st_size == size && status.st_nlink == 0);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0);
    char *a = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(a != MAP_FAILED && b != MAP_FAILED && a != b);
    CHECK(a[0] == 0 && a[size - 1] == 0);
    a[size - 1] = 'x';
    CHECK(b[size - 1] == 'x');
    munmap(a, size);
    munmap(b, size);
    close(fd);
    return 0;
}

TEST(test_process_shared_memory_is_shared_and_inherited)
{
    assert_int_equal(check_memory(1), 0);
    assert_int_equal(check_memory(1 << 20), 0);
}

static int without_memfd_body(void)
{
    if (refuse_call(SYS_memfd_create, ENOSYS))
        return CANNOT;
    return check_memory(100000);
}

TEST(test_process_shared_memory_without_memfd)
{
    assert_int_equal(fixture_in_child(without_memfd_body), 0);
}

static int small_shm_body(void)
{
    if (fixture_hide("/proc") || refuse_call(SYS_memfd_create, ENOSYS) ||
        mount("none", "/dev/shm", "tmpfs", 0, "size=64k") != 0)
        return CANNOT;
    return check_memory(1 << 20);
}

TEST(test_process_shared_memory_passes_over_a_full_folder)
{
    assert_int_equal(fixture_in_child(small_shm_body), 0);
}

/* The chance that 32 random bytes are equal, or all zero, is 2^-256. */
static int check_random(void)
{
    static const unsigned char zero[32];
    unsigned char a[34] = {0}, b[32] = {0};
    process_random(a, 32);
    process_random(b, 32);
    CHECK(memcmp(a, b, 32) != 0);
    CHECK(memcmp(a, zero, 32) != 0);
    CHECK(memcmp(a + 24, zero, 8) != 0);
    CHECK(a[32] == 0 && a[33] == 0);
    process_random(a + 32, 0);
    CHECK(a[32] == 0);
    return 0;
}

TEST(test_process_random_differs_each_time)
{
    assert_int_equal(check_random(), 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "executed") == 0)
        _exit(EXECUTED); /* without the leak sanitizer's last look, which needs /proc */
    process_init();
    return run_all_tests();
}
