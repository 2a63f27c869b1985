/* SPDX-License-Identifier: MIT */
/* The program's own file, shared memory and random bytes, each also with its first way barred. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/process.h"

#define GOOD     0
#define CANNOT   255
#define EXECUTED 42 /* the exit status of this program when it was executed by itself */

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return __LINE__ % 200 + 50;                                                                                \
    } while (0)

static int status_in_child(int (*body)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT) {
        print_message(
            "skipped: this machine does not give the rights, limits or system call filters that the test sets up\n");
        skip();
    }
    return WEXITSTATUS(status);
}

static int refuse(unsigned number, unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int hide_proc(void)
{
    return unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
           mount("none", "/proc", "tmpfs", 0, NULL) != 0;
}

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

static void test_process_executes_itself(void **state)
{
    assert_int_equal(status_in_child(exec_body), EXECUTED);
}

static int exec_without_proc_body(void)
{
    if (hide_proc() || chdir("/tmp") != 0)
        return CANNOT;
    CHECK(process_can_exec_self());
    return exec_self();
}

static void test_process_executes_itself_without_proc_after_chdir(void **state)
{
    assert_int_equal(status_in_child(exec_without_proc_body), EXECUTED);
}

static int exec_error_body(void)
{
    char name[] = "test";
    char *argv[] = {name, NULL};
    if (refuse(SYS_execve, EACCES))
        return CANNOT;
    CHECK(process_exec_self(argv, argv + 1) == -EACCES);
    return GOOD;
}

static void test_process_exec_answers_the_error(void **state)
{
    assert_int_equal(status_in_child(exec_error_body), GOOD);
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
    return GOOD;
}

static void test_process_shared_memory_is_shared_and_inherited(void **state)
{
    assert_int_equal(check_memory(1), GOOD);
    assert_int_equal(check_memory(1 << 20), GOOD);
}

static int without_memfd_body(void)
{
    if (refuse(SYS_memfd_create, ENOSYS))
        return CANNOT;
    return check_memory(100000);
}

static void test_process_shared_memory_without_memfd(void **state)
{
    assert_int_equal(status_in_child(without_memfd_body), GOOD);
}

static int small_shm_body(void)
{
    if (hide_proc() || refuse(SYS_memfd_create, ENOSYS) || mount("none", "/dev/shm", "tmpfs", 0, "size=64k") != 0)
        return CANNOT;
    return check_memory(1 << 20);
}

static void test_process_shared_memory_passes_over_a_full_folder(void **state)
{
    assert_int_equal(status_in_child(small_shm_body), GOOD);
}

static void test_process_shared_memory_rejects_sizes(void **state)
{
    assert_int_equal(process_shared_memory(0), -EINVAL);
    assert_int_equal(process_shared_memory(SIZE_MAX), -EINVAL);
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
    return GOOD;
}

static void test_process_random_differs_each_time(void **state)
{
    assert_int_equal(check_random(), GOOD);
}

static int without_getrandom_body(void)
{
    unsigned char odd[12] = {0};
    if (refuse(SYS_getrandom, EAGAIN))
        return CANNOT;
    process_random(odd, 11);
    CHECK(odd[11] == 0);
    return check_random();
}

static void test_process_random_without_getrandom(void **state)
{
    assert_int_equal(status_in_child(without_getrandom_body), GOOD);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process_executes_itself),
        cmocka_unit_test(test_process_executes_itself_without_proc_after_chdir),
        cmocka_unit_test(test_process_exec_answers_the_error),
        cmocka_unit_test(test_process_shared_memory_is_shared_and_inherited),
        cmocka_unit_test(test_process_shared_memory_without_memfd),
        cmocka_unit_test(test_process_shared_memory_passes_over_a_full_folder),
        cmocka_unit_test(test_process_shared_memory_rejects_sizes),
        cmocka_unit_test(test_process_random_differs_each_time),
        cmocka_unit_test(test_process_random_without_getrandom),
    };
    if (argc == 2 && strcmp(argv[1], "executed") == 0)
        _exit(EXECUTED); /* without the leak sanitizer's last look, which needs /proc */
    process_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
