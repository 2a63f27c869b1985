/* SPDX-License-Identifier: MIT */
/* Settings that depend on how the kernel was built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "settings/settings_look.h"
#include "sys/file.h"
#include "sys/process.h"

#define PACKED_MAX   ((size_t)1 << 19)
#define UNPACKED_MAX ((size_t)1 << 22)

char *setting_read_config(const struct settings_view *view)
{
    char path[128], *text = NULL;
    const char *release = view->machine->kernel;
    FREED_BY(memory_free) char *packed = malloc(PACKED_MAX);
    ssize_t length = packed ? procfs_read(view->root, "/proc/config.gz", packed, PACKED_MAX) : -1;
    if (length > 0)
        text = inflate_gzip((const unsigned char *)packed, (size_t)length, UNPACKED_MAX);
    snprintf(path, sizeof path, "/boot/config-%.*s", (int)strcspn(release, " "), release);
    if (!text && release[0])
        text = procfs_read_all(view->root, path);
    return text;
}

static void say_no_config(struct setting_state *out)
{
    setting_say(out, SETTING_UNKNOWN, "%s", "");
    setting_why(out, "neither /proc/config.gz nor /boot/config of this kernel");
}

/* Sets the state when it returns NULL. */
static char *read_config(const struct settings_view *view, struct setting_state *out)
{
    char *text = setting_read_config(view);
    if (!text)
        say_no_config(out);
    return text;
}

/* "n" when it is not set. Returns false without a configuration. */
static bool config_value(const char *config, const char *key, char *buf, size_t size)
{
    size_t length = strlen(key);
    snprintf(buf, size, "n");
    for (const char *line = config; line; line = procfs_next_line(line)) {
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return procfs_copy(line + length + 1, strcspn(line + length + 1, "\n"), buf, size);
    }
    return config != NULL;
}

bool setting_config_has(const char *config, const char *key)
{
    char name[64], value[8];
    snprintf(name, sizeof name, "CONFIG_%s", key);
    return config_value(config, name, value, sizeof value) && value[0] == 'y';
}

/* Appends the keys that are set, without "CONFIG_". */
static void append_set(const char *config, const char *const *keys, size_t n, char *list, size_t size)
{
    for (size_t i = 0; i < n; i++)
        if (setting_config_has(config, keys[i]))
            setting_append(list, size, keys[i]);
}

void setting_look_config(const struct settings_view *view, struct setting_state *out)
{
    static const char *const known[] = {"PREEMPT_RT",        "PREEMPT",      "PREEMPT_LAZY",
                                        "PREEMPT_VOLUNTARY", "PREEMPT_NONE", "PREEMPT_DYNAMIC",
                                        "NO_HZ_FULL",        "RCU_NOCB_CPU", "CPU_ISOLATION"};
    static const char *const slow[] = {"KASAN",
                                       "KCSAN",
                                       "KMSAN",
                                       "KCOV",
                                       "PROVE_LOCKING",
                                       "LOCK_STAT",
                                       "DEBUG_LOCK_ALLOC",
                                       "DEBUG_ATOMIC_SLEEP",
                                       "DEBUG_KMEMLEAK",
                                       "DEBUG_OBJECTS",
                                       "DEBUG_VM",
                                       "DEBUG_PAGEALLOC_ENABLE_DEFAULT",
                                       "SLUB_DEBUG_ON",
                                       "CONTEXT_TRACKING_USER_FORCE",
                                       "CONTEXT_TRACKING_FORCE"}; /* its name before Linux 6.0 */
    char now[sizeof out->now] = "", debugging[sizeof out->why - 16] = "";
    FREED_BY(memory_free) char *config = read_config(view, out);
    if (!config)
        return;
    append_set(config, known, COUNT(known), now, sizeof now);
    append_set(config, slow, COUNT(slow), debugging, sizeof debugging);
    setting_say(out, debugging[0] ? SETTING_NOISY : SETTING_OK, "%s", now[0] ? now : "nothing of note");
    if (debugging[0])
        setting_why(out, "debugging: %s", debugging);
}

/* Returns the ticks per second, by which coarse clocks advance; 0: not known. */
static long tick_rate(const struct settings_view *view, const char *config)
{
    char value[16];
    struct timespec grain;
    if (config_value(config, "CONFIG_HZ", value, sizeof value) && value[0] >= '1' && value[0] <= '9')
        return strtol(value, NULL, 10);
    if (view->root[0] || clock_getres(CLOCK_MONOTONIC_COARSE, &grain) || grain.tv_sec || grain.tv_nsec <= 0)
        return 0;
    return (1000000000 + grain.tv_nsec / 2) / grain.tv_nsec;
}

void setting_look_hz(const struct settings_view *view, struct setting_state *out)
{
    static const char *const modes[] = {"NO_HZ_FULL", "NO_HZ_IDLE", "HZ_PERIODIC"};
    char mode[64] = "";
    FREED_BY(memory_free) char *config = read_config(view, out);
    long hz = tick_rate(view, config);
    append_set(config, modes, COUNT(modes), mode, sizeof mode);
    if (hz > 0)
        setting_say(out, SETTING_OK, "%ld%s%s", hz, mode[0] ? ", " : "", mode);
    else
        say_no_config(out);
}
