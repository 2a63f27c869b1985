/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on files: each argument is a file or a folder of them. For compilers without libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

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
        (void)LLVMFuzzerTestOneInput(exact, size);
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
    unsigned n = 0;

    for (int i = 1; i < argc; i++)
        n += run_path(argv[i]);
    (void)fprintf(stderr, "\r%s: %u inputs\n", argv[0], n);
    return n ? 0 : 2;
}
