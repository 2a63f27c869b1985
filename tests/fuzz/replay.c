/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on files: each argument is a file or a directory of them. For compilers without libFuzzer. An
 * input that takes longer than INPUT_SECONDS ends the process with exit status 1. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/* The slowest takes a quarter of a second on an idle machine. */
#define INPUT_SECONDS 10u

static const char *running; /* path of the input */

/* dprintf() allocates nothing and takes no lock of standard error, which the input may hold. */
static void too_long(int number)
{
    (void)number;
    (void)dprintf(STDERR_FILENO, "\n%s: takes longer than %u s\n", running, INPUT_SECONDS);
    _exit(1);
}

/* False when it is no file that can be read. */
static bool run_file(const char *path)
{
    uint8_t *data = NULL;
    size_t size = 0, room = 0, n;
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    do {
        room = room ? 2 * room : 4096;
        data = realloc(data, room);
        n = data ? fread(data + size, 1, room - size, file) : 0;
        size += n;
    } while (size == room);
    bool good = data && !ferror(file);
    (void)fclose(file);
    if (good) {
        /* So that a crash's last line names the file. */
        (void)fprintf(stderr, "\r%.200s: ", path);
        uint8_t *exact = malloc(size ? size : 1);
        if (!exact)
            abort();
        memcpy(exact, data, size);
        running = path;
        (void)alarm(INPUT_SECONDS);
        (void)LLVMFuzzerTestOneInput(exact, size);
        (void)alarm(0);
        free(exact);
    }
    free(data);
    return good;
}

/* How many files were run; a path that is neither is an error. */
static unsigned run_path(const char *path)
{
    DIR *folder = opendir(path);
    unsigned n = 0;

    if (!folder && run_file(path))
        return 1;
    if (!folder) {
        perror(path);
        exit(2);
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        (void)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            n += run_path(name);
    }
    (void)closedir(folder);
    return n;
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = too_long};
    unsigned n = 0;

    if (sigaction(SIGALRM, &action, NULL)) {
        perror("sigaction");
        return 2;
    }
    for (int i = 1; i < argc; i++)
        n += run_path(argv[i]);
    (void)fprintf(stderr, "\r%s: %u inputs\n", argv[0], n);
    return n ? 0 : 2;
}
