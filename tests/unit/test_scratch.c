/* SPDX-License-Identifier: MIT */
/* Scratch files, folders and program copies: what they are, and that nothing of them stays. */

#include "../refuse.h"
#include "fixture.h"
#include "sys/file.h"

#define IMAGE_STATUS 42 /* of this program when it is executed as "image" */

static char dir[] = "/tmp/test_scratch_XXXXXX";

static int make_dir(void **state)
{
    return mkdtemp(dir) ? 0 : -1;
}

/* Fails when a test left something. */
static int remove_dir(void **state)
{
    return rmdir(dir);
}

static void put_file(const char *folder, const char *name)
{
    char path[700];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(close(fd), 0);
}

TEST(test_scratch_file_has_no_name)
{
    struct stat status;
    char got[4] = "";

    int fd = scratch_file(dir);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_nlink, 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 077, 0);
    assert_int_equal(fixture_count_files(dir), 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(pread(fd, got, 3, 0), 3);
    assert_string_equal(got, "abc");
    assert_int_equal(close(fd), 0);
}

/* On file systems without nameless files. */
static int without_nameless_files(void)
{
    struct refusal nameless[] = {{REFUSE_FLAG, SYS_openat, 2, O_TMPFILE, O_TMPFILE, EOPNOTSUPP}, {0}};
    struct stat status;

    if (refuse(nameless))
        return CANNOT;
    const int fd = scratch_file(dir);
    CHECK(fd >= 0 && fixture_count_files(dir) == 0);
    CHECK(fstat(fd, &status) == 0 && status.st_nlink == 0 && !(status.st_mode & 077));
    CHECK(write(fd, "abc", 3) == 3 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    return 0;
}

TEST(test_scratch_file_has_no_name_for_long)
{
    assert_int_equal(fixture_in_child_or_skip(without_nameless_files, "no system call filters (seccomp) here"), 0);
}

/* The file is invisible, or has a random name, before it has its own; it replaces no other file. */
TEST(test_scratch_hidden_file_gets_its_name_when_it_is_whole)
{
    char hidden[2][NEW_FILE_NAME_SIZE], path[700];
    struct stat status;
    const int folder = open(dir, O_RDONLY | O_DIRECTORY), before = fixture_count_files(dir);

    for (int nameless = 0; nameless < 2; nameless++) {
        int fd[2];
        const mode_t mask = umask(027);
        for (int i = 0; i < 2; i++) {
            fd[i] = nameless ? new_file_hidden(folder, 0644, hidden[i])
                             : new_file_with_random_name(folder, hidden[i], 0, 0644);
            assert_true(fd[i] >= 0);
        }
        (void)umask(mask);
        assert_int_equal(write(fd[0], "x", 1), 1);
        (void)snprintf(path, sizeof(path), "%s/whole", dir);
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(new_file_publish(fd[0], folder, hidden[0], "whole"), 0);
        assert_int_equal(new_file_publish(fd[1], folder, hidden[1], "whole"), -EEXIST);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, 1);
        assert_int_equal(status.st_mode & 0777, 0640);
        assert_int_equal(status.st_nlink, 1);
        for (int i = 0; i < 2; i++)
            assert_int_equal(close(fd[i]), 0);
        if (hidden[1][0])
            assert_int_equal(unlinkat(folder, hidden[1], 0), 0);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(fixture_count_files(dir), before);
    }
    assert_int_equal(close(folder), 0);
}

TEST(test_scratch_folder_is_made_and_removed_with_its_files)
{
    char path[600], other[600];
    struct stat status;

    assert_int_equal(scratch_folder(dir, path, sizeof(path)), 0);
    assert_int_equal(scratch_folder(dir, other, sizeof(other)), 0);
    assert_string_not_equal(path, other);
    assert_int_equal(lstat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    for (int i = 0; i < 300; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "f%d", i);
        put_file(path, name);
    }
    assert_int_equal(scratch_remove(path), 0);
    assert_int_equal(scratch_remove(other), 0);
    assert_int_equal(scratch_remove(path), -ENOENT);
    assert_int_equal(fixture_count_files(dir), 0);
}

TEST(test_scratch_remove_leaves_subfolders_and_what_links_name)
{
    char path[600], inner[700], target[700], link[700];

    assert_int_equal(scratch_folder(dir, path, sizeof(path)), 0);
    put_file(dir, "target");
    (void)snprintf(target, sizeof(target), "%s/target", dir);
    (void)snprintf(link, sizeof(link), "%s/link", path);
    (void)snprintf(inner, sizeof(inner), "%s/inner", path);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(scratch_remove(path), -ENOTEMPTY);
    assert_int_equal(access(target, F_OK), 0);
    assert_int_equal(access(link, F_OK), -1);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(unlink(target), 0);
    assert_int_equal(symlink(path, target), 0);
    assert_int_equal(scratch_remove(target), -ENOTDIR); /* a link to a folder is not a folder of ours */
    assert_int_equal(unlink(target), 0);
    assert_int_equal(scratch_remove(path), 0);
}

/* What the processes of a trial share. */
static struct shared {
    struct scratch_note note;
    bool orphaned;
} * shared;

static void remove_orphaned(void *context)
{
    scratch_remove_noted(&((struct shared *)context)->note);
    __atomic_store_n(&((struct shared *)context)->orphaned, true, __ATOMIC_RELEASE);
}

static int make_kept(const char *folder, struct scratch_keeper *keeper)
{
    if (!shared) {
        shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(shared != MAP_FAILED);
    }
    *keeper = (struct scratch_keeper){.note = &shared->note, .orphaned = remove_orphaned, .context = shared};
    return scratch_kept_folder(folder, keeper);
}

TEST(test_scratch_kept_folder_ends_with_its_keeper)
{
    struct scratch_keeper keeper, none;

    assert_int_equal(make_kept(dir, &keeper), 0);
    assert_int_equal(fixture_count_files(dir), 1);
    put_file(shared->note.path, "file");
    assert_int_equal(kill(keeper.pid, SIGTERM), 0); /* not what ends it */
    assert_int_not_equal(getpgid(keeper.pid), getpgrp());
    scratch_keeper_end(&keeper);
    assert_int_equal(fixture_count_files(dir), 0);
    assert_false(shared->orphaned);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    scratch_keeper_end(&keeper);
    memset(&none, 0, sizeof(none));
    scratch_keeper_end(&none);
    const int fds = fixture_count_files("/proc/self/fd");
    assert_true(make_kept("/proc", &keeper) < 0); /* nobody makes files there */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_true(keeper.pid == 0 && !shared->note.path[0] && fixture_count_files("/proc/self/fd") == fds);
}

/* Even the whole group is killed. */
TEST(test_scratch_kept_folder_vanishes_when_its_owner_is_killed)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct scratch_keeper keeper;
    int ready[2];
    char byte;

    assert_int_equal(make_kept(dir, &keeper), 0); /* makes the memory that is shared */
    scratch_keeper_end(&keeper);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setpgid(0, 0);
        if (make_kept(dir, &keeper))
            _exit(1);
        put_file(shared->note.path, "left");
        if (write(ready[1], "r", 1) != 1)
            _exit(1);
        for (;;)
            (void)nanosleep(&pause, NULL);
    }
    assert_int_equal(close(ready[1]), 0);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(fixture_count_files(dir), 1);
    assert_int_equal(kill(-child, SIGKILL), 0);
    (void)fixture_wait(child);
    for (int tries = 0; !__atomic_load_n(&shared->orphaned, __ATOMIC_ACQUIRE) && tries < 2000; tries++)
        (void)nanosleep(&pause, NULL);
    assert_true(shared->orphaned);
    assert_int_equal(fixture_count_files(dir), 0);
    assert_int_equal(close(ready[0]), 0);
}

/* Then the owner removes it, or a process that shares the note if the owner was killed. */
TEST(test_scratch_kept_folder_outlives_a_killed_keeper_but_not_its_owner)
{
    struct scratch_keeper keeper;

    assert_int_equal(make_kept(dir, &keeper), 0);
    put_file(shared->note.path, "left");
    assert_int_equal(kill(keeper.pid, SIGKILL), 0);
    scratch_keeper_end(&keeper);
    assert_int_equal(fixture_count_files(dir), 0);

    assert_int_equal(make_kept(dir, &keeper), 0);
    put_file(shared->note.path, "left");
    assert_int_equal(kill(keeper.pid, SIGKILL), 0);
    (void)fixture_wait(keeper.pid);
    assert_int_equal(fixture_count_files(dir), 1);
    /* A note that does not say which directory it is may be about one of others: only an empty one is removed. */
    struct scratch_note other = shared->note;
    other.inode++;
    scratch_remove_noted(&other);
    other = shared->note;
    other.inode = 0;
    assert_int_equal(fixture_count_files(shared->note.path), 1);
    scratch_remove_noted(&shared->note);
    assert_int_equal(fixture_count_files(dir), 0);
    assert_int_equal(mkdir(other.path, 0700), 0);
    scratch_remove_noted(&other);
    assert_int_equal(fixture_count_files(dir), 0);
    assert_int_equal(close(keeper.fd), 0);
    assert_int_equal(close(keeper.folder), 0);
}

static void assert_is_own_copy(int fd)
{
    struct stat mine, copy;
    char a[4096], b[4096];
    int self = open("/proc/self/exe", O_RDONLY);

    assert_true(self >= 0);
    assert_int_equal(fstat(self, &mine), 0);
    assert_int_equal(fstat(fd, &copy), 0);
    assert_true(mine.st_ino != copy.st_ino || mine.st_dev != copy.st_dev);
    assert_true(mine.st_size == copy.st_size);
    for (off_t at = 0; at < mine.st_size; at += (off_t)sizeof(a)) {
        ssize_t n = pread(self, a, sizeof(a), at);
        assert_true(n > 0);
        assert_int_equal(pread(fd, b, sizeof(b), at), n);
        assert_memory_equal(a, b, (size_t)n);
    }
    assert_int_equal(close(self), 0);
}

static int status_of_image(int fd)
{
    char *argv[] = {(char *)"test", (char *)"image", NULL}, *envp[] = {NULL};
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(-scratch_exec(fd, argv, envp));
    int status = fixture_wait(child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(test_scratch_own_image_is_a_program_of_its_own)
{
    struct stat first, second;

    int a = scratch_own_image(dir, 0), b = scratch_own_image("", 0);
    assert_true(a >= 0);
    assert_true(b >= 0);
    assert_int_equal(fstat(a, &first), 0);
    assert_int_equal(fstat(b, &second), 0);
    assert_int_not_equal(first.st_ino, second.st_ino);
    int padded = scratch_own_image(dir, (uint64_t)first.st_size + 20001); /* more than one buffer of zeros */
    assert_true(padded >= 0 && lseek(padded, 0, SEEK_END) == first.st_size + 20001);
    assert_int_equal(close(padded), 0);
    assert_is_own_copy(a);
    assert_int_equal(status_of_image(a), IMAGE_STATUS);
    assert_int_equal(status_of_image(b), IMAGE_STATUS);
    assert_int_equal(fixture_count_files(dir), 0);
    assert_int_equal(close(a), 0);
    assert_int_equal(close(b), 0);
}

/* In a child whose kernel has neither memfd_create nor execveat. */
static int without_new_calls(void)
{
    if (refuse_call(SYS_memfd_create, ENOSYS) || refuse_call(SYS_execveat, ENOSYS))
        return CANNOT;
    if (scratch_own_image("", 0) != -ENOSYS)
        return 1;
    if (scratch_own_image("/proc", 0) != -ENOENT) /* nobody makes files there */
        return 2;
    int fd = scratch_own_image(dir, 0);
    if (fd < 0)
        return 3;
    if (fixture_count_files(dir) != 0)
        return 4;
    assert_is_own_copy(fd);
    return status_of_image(fd) == IMAGE_STATUS ? 0 : 5;
}

TEST(test_scratch_own_image_in_a_folder_when_memory_cannot_hold_it)
{
    assert_int_equal(fixture_in_child_or_skip(without_new_calls, "no system call filters (seccomp) here"), 0);
    assert_int_equal(fixture_count_files(dir), 0);
}

GROUP(make_dir, remove_dir);

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "image"))
        return IMAGE_STATUS;
    return run_all_tests();
}
