/* SPDX-License-Identifier: MIT */
/* Settings that depend on how the kernel was built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "settings/settings_look.h"
#include "sys/inflate.h"
#include "sys/procfs.h"

#define PACKED_MAX   ((size_t)1 << 19)
#define UNPACKED_MAX ((size_t)1 << 22)

static void say_no_config(struct setting_state *out)
{
    setting_say(out, SETTING_UNKNOWN, "%s", "");
    setting_why(out, "neither /proc/config.gz nor /boot/config of this kernel");
}

/* Returns the kernel's configuration: /proc/config.gz, or the file that the distribution installs beside the kernel;
 * NULL when neither exists; then sets the state. */
static char *read_config(const struct settings_view *view, struct setting_state *out)
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
    if (!text)
        say_no_config(out);
    return text;
}

/* Copies the value of a key in a kernel configuration, "n" when it is not set. Returns false without a
 * configuration. */
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

void setting_look_hardening(const struct settings_view *view, struct setting_state *out)
{
    static const struct {
        const char *key, *name;
    } keys[] = {
        {"CONFIG_HARDENED_USERCOPY", "usercopy"},
        {"CONFIG_SLAB_FREELIST_RANDOM", "slab freelist random"},
        {"CONFIG_SLAB_FREELIST_HARDENED", "slab freelist hardened"},
        {"CONFIG_INIT_ON_ALLOC_DEFAULT_ON", "init on alloc"},
    };
    FREED_BY(memory_free) char *config = read_config(view, out);
    char value[8], item[64], now[sizeof out->now] = "";
    for (size_t i = 0; config && i < COUNT(keys); i++) {
        config_value(config, keys[i].key, value, sizeof value);
        snprintf(item, sizeof item, "%s %s", keys[i].name, value[0] == 'y' ? "yes" : "no");
        setting_append(now, sizeof now, item);
    }
    if (config)
        setting_say(out, SETTING_OK, "%s", now);
}

/* Appends those of the keys that the configuration sets, without "CONFIG_", to a list. */
static void append_set(const char *config, const char *const *keys, size_t n, char *list, size_t size)
{
    char key[64], value[8];
    for (size_t i = 0; i < n; i++) {
        snprintf(key, sizeof key, "CONFIG_%s", keys[i]);
        if (config_value(config, key, value, sizeof value) && value[0] == 'y')
            setting_append(list, size, keys[i]);
    }
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
                                       "SLUB_DEBUG_ON"};
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

/* CONTEXT_TRACKING_USER_FORCE is a test option of kernel developers, which no distribution should set. Before Linux
 * 6.0 its name has no USER. */
void setting_look_context_tracking(const struct settings_view *view, struct setting_state *out)
{
    static const char *const keys[] = {"CONTEXT_TRACKING_USER_FORCE", "CONTEXT_TRACKING_FORCE"};
    char forced[64] = "";
    FREED_BY(memory_free) char *config = read_config(view, out);
    if (!config)
        return;
    append_set(config, keys, COUNT(keys), forced, sizeof forced);
    setting_say(out, forced[0] ? SETTING_NOISY : SETTING_OK, "%s", forced[0] ? "forced on all CPUs" : "not forced");
}

/* Returns the kernel's ticks per second, by which the coarse clocks advance. 0 when not known. */
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

void setting_look_tick(const struct settings_view *view, struct setting_state *out)
{
    static const char *const modes[] = {"NO_HZ_FULL", "NO_HZ_IDLE", "HZ_PERIODIC"};
    char mode[64] = "";
    FREED_BY(memory_free) char *config = read_config(view, out);
    long hz = tick_rate(view, config);
    append_set(config, modes, COUNT(modes), mode, sizeof mode);
    if (hz > 0)
        setting_say(out, SETTING_OK, "HZ %ld, %s", hz, mode[0] ? mode : "NO_HZ mode not known");
    else
        say_no_config(out);
}
