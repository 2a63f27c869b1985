/* SPDX-License-Identifier: MIT */
/* Argument vectors, words with a NUL between: of each command all that is decided before anything is measured. A vector
 * is refused with one line and exit status 2, or it is taken. */

#include "cmd/cmd.h"
#include "fuzz.h"

#define WORDS_MAX 64

static bool taken; /* the command would have begun to measure */

/* A session opens its CSV last before it begins. */
struct csv *__wrap_csv_open(const struct csv_target *target, struct error *message, struct error *error);
struct csv *__wrap_csv_open(const struct csv_target *target, struct error *message, struct error *error)
{
    FUZZ_CHECK(target->name && target->name[0] && !strchr(target->name, '/'));
    taken = true;
    message->text[0] = '\0';
    (void)error_set(error, "taken");
    return NULL;
}

/* That takes half a second. */
int __wrap_quiet_cpu(struct place_request *allowed, const struct clock_info *clock, bool core_probes,
                     struct error *why);
int __wrap_quiet_cpu(struct place_request *allowed, const struct clock_info *clock, bool core_probes, struct error *why)
{
    (void)clock;
    (void)core_probes;
    (void)error_set(why, "the first");
    allowed->order[0] = cpuset_next(&allowed->cpus, 0);
    allowed->n_order = 1;
    return allowed->order[0] == CPUSET_NONE ? -1 : 0;
}

static const char rows[] = "suite,test,metric,unit,better,value,n,samples,host,run_id,cpu_model\r\n"
                           "prime,prime,cycles,cycles,lower,410,5,409;410;411;412;413,a,1,x\r\n";
static const char system_file[] = "0-1\n";

static void make_world(void)
{
    world_reset();
    world_put("a.csv", rows, sizeof(rows) - 1);
    world_put("b.csv", rows, sizeof(rows) - 1);
    world_put("folder/c.csv", rows, sizeof(rows) - 1);
    world_put("/sys/devices/system/cpu/online", system_file, sizeof(system_file) - 1);
    world_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n", 10);
    world_put("/proc/sys/kernel/random/boot_id", "b\n", 2);
    world_put("/proc/sys/kernel/hostname", "h\n", 2);
    world_put("/run/folder", "", 0);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct option_table tables[TABLES_MAX];
    static struct init_orders orders;
    const char *operands[WORDS_MAX];
    size_t n;

    command_now = command;
    if (strcmp(command->name, "init"))
        return command->run(argc, argv);
    /* Its run would be one: only its options. */
    memset(tables, 0, sizeof(tables));
    memset(&orders, 0, sizeof(orders));
    (void)command_tables(command, tables);
    tables[0].target = &orders;
    int status = command_parse(tables, 1, argc, argv, operands, &n);
    return status < 0 ? 0 : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), *words[WORDS_MAX + 1];
    size_t at;
    int n = 0;

    for (char *next = text; next && n < WORDS_MAX;) {
        /* Copies each argument into an allocation of its own. */
        words[n++] = fuzz_string((const uint8_t *)next, strlen(next));
        next += strlen(next) + 1;
        next = next < text + size ? next : NULL;
    }
    words[n] = NULL;
    make_world();
    world_enter();
    taken = false;
    const struct command *command = command_find(words[0]);
    int status = command ? run(command, n, words) : command_unknown_command(words[0]);
    world_leave();
    FUZZ_CHECK(status >= 0 && status <= 4);
    if (status == EXIT_USAGE && !taken) {
        FUZZ_CHECK_OF(wellformed_lines(world_err.data, world_err.length, &at), world_err.data, world_err.length);
        FUZZ_CHECK_OF(!strncmp(world_err.data, "jitbench", 8), world_err.data, world_err.length);
        /* Commands that read files may say something of each. */
        FUZZ_CHECK_OF(strchr(world_err.data, '\n') == world_err.data + world_err.length - 1 ||
                          (command && command_operands(command)->kind == OPERANDS_FILES),
                      world_err.data, world_err.length);
        FUZZ_CHECK_OF(!world_out.length, world_out.data, world_out.length);
    }
    while (n)
        free(words[--n]);
    free(text);
    return 0;
}
