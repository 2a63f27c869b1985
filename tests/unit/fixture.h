/* SPDX-License-Identifier: MIT */
/* Helpers for all unit tests: skip with a reason, run a part of a test in a child, give that child other rights. */
#ifndef UNIT_FIXTURE_H
#define UNIT_FIXTURE_H

#include <dirent.h>
#include <grp.h>

#include "../test.h"

/* Name and suite of a made-up benchmark. */
#define DUMMY(name_) .name = name_, .suite = "dummy"

#define CANNOT 255 /* exit status of a child whose machine lacks what the test needs */

/* In a child: returns from the body with the number of the failed line as the exit status (1 to 200). */
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return __LINE__ % 200 + 1; \
        } \
    } while (0)

/* Waits for the end of a child. Returns its status as waitpid() gives it. */
static inline int fixture_wait(pid_t child)
{
    int status = 0;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Runs the body in a child, so that what it does to its process is undone. Returns its status as waitpid() gives it. */
static inline int fixture_status_of(int (*body)(void))
{
    (void)fflush(NULL);
    pid_t child = fork();

    if (child == 0)
        _exit(body());
    return fixture_wait(child);
}

/* The same for a body that exits. Returns its exit status; if that is CANNOT, skips the test with this reason. */
static inline int fixture_in_child_or_skip(int (*body)(void), const char *reason)
{
    int status = fixture_status_of(body);

    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT)
        skip_because("%s", reason);
    return WEXITSTATUS(status);
}

static inline int fixture_in_child(int (*body)(void))
{
    return fixture_in_child_or_skip(
        body, "this machine does not give the rights, limits or system call filters that the test sets up");
}

/* Makes the process nobody's, where it is root's. Returns 0, or -1 with errno. */
static inline int fixture_become_nobody(void)
{
    return geteuid() == 0 && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
               ? -1
               : 0;
}

/* Gives the process mounts of its own, of which nobody outside sees anything. Returns 0, or -1 with errno. */
static inline int fixture_own_mounts(void)
{
    return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ? -1 : 0;
}

/* The same, and hides a directory behind an empty one. */
static inline int fixture_hide(const char *path)
{
    return fixture_own_mounts() || mount("none", path, "tmpfs", 0, NULL) ? -1 : 0;
}

/* Returns how many files a directory has. */
static inline int fixture_count_files(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);

    assert_non_null(folder);
    while (readdir(folder))
        n++;
    assert_int_equal(closedir(folder), 0);
    return n - 2;
}

#endif
