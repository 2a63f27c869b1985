/* SPDX-License-Identifier: MIT */
/* Makes scratch directories that a separate process, the keeper, removes when their owner has ended. */
#include "sys/scratch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/directory.h"
#include "sys/memory.h"
#include "sys/new_file.h"
#include "sys/procfs.h"
#include "sys/scratch.h"

/* Number of descriptors to close in the keeper: more than this program and its parent have open. */
#define DESCRIPTORS 4096

struct keeper_answer {
    int error;
    dev_t device;
    ino_t inode;
};

/* Opens the new directory, and checks that it belongs to this user: others who may write to its parent directory can
 * have replaced it immediately. Returns the descriptor or -errno. */
static int open_own(int parent, const char *name, struct stat *status)
{
    int fd = scratch_open_folder(parent, name);

    if (fd < 0)
        return fd;
    int error = fstat(fd, status) ? -errno : status->st_uid == geteuid() ? 0 : -EPERM;
    if (!error)
        return fd;
    (void)close(fd);
    return error;
}

/* Makes the directory and sends the result to the owner. Returns the descriptor of the directory or -errno. */
static int keeper_begin(int parent, const char *name, int answer_fd)
{
    struct keeper_answer answer;
    struct stat status = {.st_ino = 0};

    memset(&answer, 0, sizeof(answer));
    answer.error = scratch_make_folder(parent, name);
    int folder = answer.error ? answer.error : open_own(parent, name, &status);
    if (folder >= 0) {
        answer.device = status.st_dev;
        answer.inode = status.st_ino;
    } else if (!answer.error) {
        answer.error = folder;
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
    (void)!write(answer_fd, &answer, sizeof(answer)); /* fails if the owner has ended, which end of file on life_fd
                                                       * shows next */
    (void)close(answer_fd);
    return folder;
}

static void keeper_main(const struct scratch_keeper *keeper, int parent, const char *name, int answer_fd, int life_fd)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    const struct scratch_owner *owner = &keeper->owner;
    char byte;

    (void)setsid(); /* a signal to the owner's process group must not reach this process */
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        (void)signal(ending[i], SIG_IGN);
    /* Closes all other descriptors that the keeper inherited, which would stay open as long as it lives. The limit on
     * open files cannot be used instead: it may have been lowered, and musl makes one up where it cannot be read. */
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fd != parent && fd != answer_fd && fd != life_fd)
            (void)close(fd);
    int folder = keeper_begin(parent, name, answer_fd);
    if (folder < 0)
        _exit(1);
    (void)procfs_read_fd(life_fd, &byte, 1); /* end of file comes when the owner has closed its end of the pipe or has
                                              * ended */
    bool orphaned = !__atomic_load_n(&keeper->note->ended, __ATOMIC_ACQUIRE);
    int error = scratch_remove_folder(parent, name, folder);
    for (int tries = 1; scratch_is_still_there(error) && tries < REMOVE_TRIES; tries++) {
        clock_sleep_ns(REMOVE_PAUSE_NS);
        error = scratch_remove_folder(parent, name, folder);
    }
    if (orphaned && owner->orphaned)
        owner->orphaned(owner->context);
    _exit(0);
}

static void close_pair(int (*pair)[2])
{
    fd_close(&(*pair)[0]);
    fd_close(&(*pair)[1]);
}

/* Opens the directory that the keeper has made, in the owner. Returns 0, or -errno: -EPERM when it is another one. */
static int open_kept(int parent, const char *name, const struct keeper_answer *answer, struct scratch_keeper *keeper)
{
    struct stat status;
    int fd = open_own(parent, name, &status);

    if (fd < 0)
        return fd;
    keeper->folder = fd;
    if (status.st_dev != answer->device || status.st_ino != answer->inode)
        return -EPERM;
    keeper->note->device = status.st_dev;
    keeper->note->inode = status.st_ino;
    return 0;
}

static int start_keeper(struct scratch_keeper *keeper, int parent, const char *name)
{
    FREED_BY(close_pair) int answers[2] = {-1, -1}, life[2] = {-1, -1};
    struct keeper_answer answer;

    if (pipe2(answers, O_CLOEXEC) || pipe2(life, O_CLOEXEC) || (keeper->pid = fork()) < 0) {
        keeper->pid = 0;
        return -errno;
    }
    if (keeper->pid == 0)
        keeper_main(keeper, parent, name, answers[1], life[0]);
    keeper->fd = life[1];
    (void)close(answers[1]);
    answers[1] = life[1] = -1;
    const ssize_t n = procfs_read_fd(answers[0], &answer, sizeof(answer));
    if (n != sizeof(answer) || answer.error)
        return n < 0 ? (int)n : n < (ssize_t)sizeof(answer) ? -EPIPE : answer.error;
    return open_kept(parent, name, &answer, keeper);
}

/* Makes the keeper remove the directory, and waits until it has ended. The directory is left behind only when the
 * keeper was killed. */
static void end_keeper(struct scratch_keeper *keeper)
{
    (void)close(keeper->fd);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    if (keeper->folder >= 0)
        (void)close(keeper->folder);
    keeper->pid = 0;
    keeper->fd = keeper->folder = -1;
}

int scratch_kept_folder(const char *dir, const struct scratch_owner *owner, struct scratch_keeper *keeper)
{
    char name[NEW_FILE_NAME_SIZE];
    FREED_BY(fd_close) int parent = directory_open(dir);
    int error = parent < 0 ? parent : -EEXIST;

    memset(keeper, 0, sizeof(*keeper));
    keeper->fd = keeper->folder = -1;
    keeper->owner = *owner;
    keeper->note = owner->note ? owner->note : &keeper->own_note;
    for (int tries = 0; error == -EEXIST && tries < NAME_TRIES; tries++) {
        /* The directory's name is stored before the directory exists, so that other processes can find it if this one
         * is killed. */
        new_file_random_name(name);
        error = scratch_name_path(dir, name, keeper->note->path, sizeof(keeper->note->path));
        if (!error)
            error = start_keeper(keeper, parent, name);
        if (error && keeper->pid > 0)
            end_keeper(keeper);
    }
    if (error)
        keeper->note->path[0] = 0;
    return error;
}

void scratch_keeper_end(struct scratch_keeper *keeper)
{
    if (keeper->pid <= 0)
        return;
    __atomic_store_n(&keeper->note->ended, true, __ATOMIC_RELEASE);
    end_keeper(keeper);
    scratch_remove_noted(keeper->note);
}
