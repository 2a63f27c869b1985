/* SPDX-License-Identifier: MIT */
/* Scratch directories that a keeper removes. */
#include "sys/scratch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/file.h"
#include "sys/process.h"

static void keeper_main(const struct scratch_keeper *keeper, int life_fd)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    char byte;

    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        (void)signal(ending[i], SIG_IGN);
    (void)dup2(life_fd, 0);
    process_close_from(1);             /* what it inherited would stay open as long as it lives */
    (void)procfs_read_fd(0, &byte, 1); /* end of file: the owner has been killed */
    keeper->orphaned(keeper->context);
    _exit(0);
}

/* Checks that the new directory is ours: who may write to its parent can have replaced it. Returns 0 or -errno. */
static int open_own(struct scratch_keeper *keeper)
{
    struct scratch_note *note = keeper->note;
    struct stat status;
    const char *name;
    FREED_BY(fd_close) int parent = directory_of(note->path, &name);

    keeper->folder = parent < 0 ? parent : scratch_open_folder(parent, name);
    if (keeper->folder < 0)
        return keeper->folder;
    if (fstat(keeper->folder, &status))
        return -errno;
    if (status.st_uid != geteuid())
        return -EPERM;
    note->device = status.st_dev;
    note->inode = status.st_ino;
    return 0;
}

int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper)
{
    struct scratch_note *note = keeper->note;
    int life[2];

    memset(note, 0, sizeof(*note));
    if (pipe2(life, O_CLOEXEC))
        return -errno;
    keeper->folder = -1;
    keeper->fd = life[1];
    keeper->pid = fork();
    int error = keeper->pid < 0 ? -errno : 0;
    if (keeper->pid == 0)
        keeper_main(keeper, life[0]);
    if (!error)
        (void)setpgid(keeper->pid, keeper->pid); /* signals to the owner's group must not reach it */
    (void)close(life[0]);
    /* The name is stored before the directory exists, for those who find it after this process was killed. */
    if (!error && (error = scratch_folder(dir, note->path, sizeof(note->path))))
        note->path[0] = 0;
    if (!error)
        error = open_own(keeper);
    if (error)
        scratch_keeper_end(keeper);
    return error;
}

void scratch_keeper_end(struct scratch_keeper *keeper)
{
    if (!keeper->pid)
        return;
    scratch_remove_noted(keeper->note);
    if (keeper->pid > 0)
        (void)kill(keeper->pid, SIGKILL);
    while (keeper->pid > 0 && waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    (void)close(keeper->fd);
    if (keeper->folder >= 0)
        (void)close(keeper->folder);
    keeper->pid = 0;
}
