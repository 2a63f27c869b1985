/* SPDX-License-Identifier: MIT */
/* Running programs from tests that look at what is measured: the payload and the values in the CSV. */
#include "payload_util.h"

#include "../test.h"

char payload_program[4096], payload_top[4096], payload_scratch[4096];

static int absolute(const char *path, char *out, size_t size)
{
    char *found = realpath(path, NULL);
    bool fits = found && strlen(found) < size;

    if (fits)
        memcpy(out, found, strlen(found) + 1);
    else
        (void)fprintf(stderr, "%s: %s\n", path, found ? "path too long" : strerror(errno));
    free(found);
    return fits ? 0 : -1;
}

int payload_setup(void **state)
{
    const char *program = getenv("JITBENCH"), *folder = getenv("TMPDIR");
    char made[sizeof(payload_scratch)];

    if (absolute(program ? program : "./jitbench", payload_program, sizeof(payload_program)) ||
        absolute(".", payload_top, sizeof(payload_top)))
        return -1;
    if (snprintf(made, sizeof(made), "%s/jitbench-test-XXXXXX", folder ? folder : "/tmp") >= (int)sizeof(made) ||
        !mkdtemp(made))
        return -1;
    return absolute(made, payload_scratch, sizeof(payload_scratch));
}

int payload_teardown(void **state)
{
    return PAYLOAD_RUN("/", NULL, "rm", "-rf", "--", payload_scratch);
}

static int open_output(const char *out)
{
    return open(out ? out : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

/* Prepares the child, only as exec needs it. The output's directory is the scratch directory, whatever dir is. */
static void become(const char *dir, const char *out, const char *const *argv)
{
    int in = open("/dev/null", O_RDONLY), to;

    if (chdir(payload_scratch) || (to = open_output(out)) < 0 || chdir(dir ? dir : payload_scratch))
        return;
    if (in < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0)
        return;
    /* A make in a test is not part of the make that runs the test. */
    (void)unsetenv("MAKEFLAGS");
    (void)unsetenv("MAKEOVERRIDES");
    (void)unsetenv("MAKELEVEL");
    (void)unsetenv("MFLAGS");
    /* exec does not write to them */
    (void)execvp(argv[0], (char *const *)(size_t)argv);
}

int payload_run(const char *dir, const char *out, const char *const *argv)
{
    int status;
    pid_t child;

    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
        become(dir, out, argv);
        (void)fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool payload_has(const char *name)
{
    return PAYLOAD_RUN(NULL, NULL, "sh", "-c", "command -v \"$0\"", name) == 0;
}

void payload_need(const char *name)
{
    if (!payload_has(name))
        skip_because("no %s", name);
}

static FILE *open_scratch(const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", payload_scratch, name) >= (int)sizeof(path))
        return NULL;
    return fopen(path, "r");
}

char *payload_read(const char *name)
{
    FILE *file = open_scratch(name);
    char *text = NULL;
    size_t size = 0;

    /* No file has a 0 byte: this reads all of it, and terminates it. */
    if (file && getdelim(&text, &size, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        (void)fclose(file);
    return text;
}

bool payload_cpu(unsigned which, char *buf, size_t size)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set))
        return false;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET((size_t)cpu, &set) && which-- == 0)
            return snprintf(buf, size, "%d", cpu) < (int)size;
    return false;
}

void payload_remove(const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", payload_scratch, name) < (int)sizeof(path))
        (void)unlink(path);
}
