/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on inputs: each argument is a file; behind -p, a file of many inputs, as pack.py makes it. For
 * compilers without libFuzzer. An input that takes longer than INPUT_SECONDS ends the process with exit status 1. */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/* The slowest takes a quarter of a second on an idle machine. */
#define INPUT_SECONDS 10u

static char running[4200]; /* path of the input, or of its file and its number there */

/* dprintf() allocates nothing and takes no lock of standard error, which the input may hold. */
static void too_long(int number)
{
    (void)number;
    (void)dprintf(STDERR_FILENO, "\n%s: takes longer than %u s\n", running, INPUT_SECONDS);
    _exit(1);
}

static void run_input(const uint8_t *data, size_t size)
{
    /* The last line before a crash names the input. */
    (void)fprintf(stderr, "\r%.200s: ", running);
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, data, size);
    (void)alarm(INPUT_SECONDS);
    (void)LLVMFuzzerTestOneInput(exact, size);
    (void)alarm(0);
    free(exact);
}

/* Returns the whole file, terminated, which the caller frees. */
static char *read_file(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "r");
    char *data = file && fstat(fileno(file), &status) == 0 ? calloc(1, (size_t)status.st_size + 1) : NULL;

    *size = data ? (size_t)status.st_size : 0;
    if (!data || fread(data, 1, *size, file) != *size) {
        perror(path);
        exit(2);
    }
    (void)fclose(file);
    return data;
}

/* Returns how many inputs the file had. */
static unsigned run_packed(const char *path)
{
    size_t size;
    char *data = read_file(path, &size), *at = data, *text;
    unsigned n = 0;

    while (at < data + size) {
        unsigned long length = strtoul(at, &text, 10);
        size_t left = (size_t)(data + size - text);
        if (text == at || left < 2 || *text != '\n' || length > left - 2 || text[1 + length] != '\n') {
            (void)fprintf(stderr, "%s: input %u is cut off\n", path, n);
            exit(2);
        }
        (void)snprintf(running, sizeof(running), "%s, input %u", path, n++);
        run_input((const uint8_t *)text + 1, length);
        at = text + 1 + length + 1;
    }
    free(data);
    return n;
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = too_long};
    unsigned n = 0;

    if (sigaction(SIGALRM, &action, NULL))
        return 2;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-p") && i + 1 < argc)
            n += run_packed(argv[++i]);
        else {
            size_t size;
            char *data = read_file(argv[i], &size);
            (void)snprintf(running, sizeof(running), "%s", argv[i]);
            run_input((const uint8_t *)data, size);
            free(data);
            n++;
        }
    (void)fprintf(stderr, "\r%s: %u inputs\n", argv[0], n);
    return n ? 0 : 2;
}
