/* SPDX-License-Identifier: MIT */
/* A snapshot is written completely or not at all; nothing that is read is trusted. */

#include <fnmatch.h>
#include <glob.h>

#include "settings/settings_read.h"
#include "sys/file.h"
#include "sys/process.h"

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"
#define FIRST     "# jitbench snapshot of boot "
#define LAST      "# end\n"

/* Files of /proc/sys and /sys hold at most a page. */
#define CONTENT_MAX 4096
/* Files that change each other have their old values after two. */
#define PASSES 3

struct snapshot {
    const char *file;
    struct setting_writes *writes;
    struct setting_writes saved; /* in the order of reading; restoring must not need memory */
    int fd;                      /* -1: nothing to save */
    struct error *error;         /* of the call that goes on */
};

/* Writing a file whose path matches `written` also changes `changed`, in the same directory or a pattern of paths. All
 * are saved before it, and so restored after it. */
static const struct {
    const char *written, *changed;
} side_effects[] = {
    /* With some drivers, leaving 'performance' does not restore the old preference. */
    {"*/cpufreq/scaling_governor", "energy_performance_preference"},
    {"*/cpufreq/scaling_governor", CPU_FOLDER "/intel_pstate/no_turbo"},
    {"*/intel_pstate/no_turbo", "min_perf_pct"},
    {"*/cpufreq/boost", CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_max_freq"},
    {"*/cpufreq/boost", CPU_FOLDER "/cpu[0-9]*/cpufreq/boost"},
    /* Switching it on again starts both lockup detectors. */
    {"*/kernel/watchdog", "soft_watchdog"},
    {"*/kernel/watchdog", "nmi_watchdog"},
    /* The kernel keeps more memory free with huge pages, and computes this anew without them. */
    {"*/transparent_hugepage/enabled", "/proc/sys/vm/min_free_kbytes"},
    /* Interrupts leave a CPU that goes offline, and do not return. */
    {"*/smt/control", "/proc/irq/[0-9]*/smp_affinity"},
    {"*/smt/control", CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_governor"},
};

static const char *without_no(const char *word)
{
    return word + (starts_with(word, "NO_") ? 3 : 0);
}

/* Cuts the content to the value: no final newline; of several words the one in brackets or parentheses; of the
 * scheduler's features the one that `wanted` switches on or off. */
static char *value_of(const char *path, char *content, const char *wanted)
{
    static const char *const pairs[] = {"[]", "()"};

    if (strstr(path, "/sched/features"))
        for (char *rest = content, *word; (word = strsep(&rest, " \n"));)
            if (!strcmp(without_no(word), without_no(wanted)))
                return word;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char *open = strchr(content, pairs[i][0]), *close = open ? strchr(open, pairs[i][1]) : NULL;
        if (close && (open == content || open[-1] == ' ') && (close[1] == ' ' || close[1] == '\n' || !close[1])) {
            *close = 0;
            return open + 1;
        }
    }
    size_t length = strlen(content);
    while (length > 0 && content[length - 1] == '\n')
        content[--length] = 0;
    return content;
}

/* Returns 0 with the value, in content, or -errno with "": no text, or too long to be read whole, is no setting. */
static int read_value(const char *path, const char *wanted, char content[CONTENT_MAX + 2], const char **value)
{
    const ssize_t length = procfs_read(path, content, CONTENT_MAX + 2);
    const int code = length < 0                          ? (int)length
                     : length > CONTENT_MAX              ? -EFBIG
                     : strlen(content) != (size_t)length ? -EILSEQ
                                                         : 0;
    if (code)
        content[0] = 0;
    *value = value_of(path, content, wanted);
    return code;
}

static int write_file(const char *path, const char *value)
{
    char line[CONTENT_MAX + 2];
    int length = TEXT_PRINT(line, "%s\n", value);

    if ((size_t)length >= sizeof(line))
        return -ENAMETOOLONG;
    FREED_BY(fd_close)
    int fd = open(PROCFS_PATH("%s%s", procfs_root, path),
                  O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t done = write(fd, line, (size_t)length); /* the kernel takes each write as a whole value */
    return done == length ? 0 : done < 0 ? -errno : -EIO;
}

int (*snapshot_write)(const char *path, const char *value) = write_file;

const char *snapshot_default_file(void)
{
    static const char *const files[] = {"/run/jitbench.snapshot", "/dev/shm/jitbench.snapshot"};
    struct stat status;

    /* Anybody may put a file jitbench.snapshot into /dev/shm. */
    for (size_t i = 0; i < COUNT(files); i++)
        if (lstat(files[i], &status) == 0 && (status.st_uid == geteuid() || i == 0))
            return files[i];
    return files[access("/run", W_OK) && access("/dev/shm", W_OK) == 0];
}

void snapshot_close(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    fd_close(&snapshot->fd);
    setting_writes_free(&snapshot->saved);
    free(snapshot);
}

/* Returns 0; -EINVAL for a value with '/': tune never writes a path, and the kernel may run one as a program;
 * -EILSEQ when it is not one line of printable ASCII characters and tabs. */
static int snapshot_check_value(const char *value)
{
    for (const char *c = value; *c; c++)
        if (*c != '\t' && (*c < ' ' || *c > '~'))
            return -EILSEQ;
    return strchr(value, '/') ? -EINVAL : 0;
}

/* Before `wanted` is written. Returns 0, -ENOMEM, or another -errno when the file cannot be saved. */
static int remember(struct snapshot *s, const char *path, const char *wanted)
{
    char content[CONTENT_MAX + 2];
    const char *value;

    if (!snapshot_path_allowed(path))
        return -EINVAL;
    int code = read_value(path, wanted, content, &value);
    if (!code)
        code = snapshot_check_value(value);
    return code ? code : setting_writes_add(&s->saved, path, value) ? -ENOMEM : 0;
}

static int remember_matches(struct snapshot *s, const char *pattern)
{
    const size_t root_length = strlen(procfs_root);
    glob_t found;
    int code = glob(PROCFS_PATH("%s%s", procfs_root, pattern), GLOB_NOSORT, NULL, &found);

    if (code)
        return code == GLOB_NOSPACE ? -ENOMEM : 0; /* or no file matches: none on this machine */
    for (size_t i = 0; i < found.gl_pathc && code != -ENOMEM; i++)
        code = remember(s, found.gl_pathv[i] + root_length, "");
    globfree(&found);
    return code;
}

/* Ignores files that cannot be read: they do not exist, or cannot have been set. */
static int remember_side_effects(struct snapshot *s, const char *path, bool seen[COUNT(side_effects)])
{
    const int folder_length = (int)(strrchr(path, '/') - path);
    int code = 0;

    for (size_t i = 0; i < COUNT(side_effects) && code != -ENOMEM; i++) {
        if (fnmatch(side_effects[i].written, path, 0))
            continue;
        if (side_effects[i].changed[0] != '/')
            code = remember(s, PROCFS_PATH("%.*s/%s", folder_length, path, side_effects[i].changed), "");
        else if (!seen[i])
            code = remember_matches(s, side_effects[i].changed);
        seen[i] = true;
    }
    return code == -ENOMEM ? code : 0;
}

static struct snapshot *new_snapshot(const char *file)
{
    struct snapshot *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->file = file;
    s->fd = -1;
    return s;
}

int snapshot_look(const char *file, struct setting_writes *writes, struct snapshot **out)
{
    bool seen[COUNT(side_effects)] = {false};
    struct snapshot *s = *out = new_snapshot(file);
    int code = s ? 0 : -ENOMEM;

    for (size_t i = 0; code != -ENOMEM && i < writes->n; i++) {
        struct setting_write *write = &writes->write[i];
        code = remember_side_effects(s, write->path, seen);
        if (code == 0)
            code = remember(s, write->path, write->value);
        write->saved = code ? code : (long)s->saved.n - 1;
    }
    if (code != -ENOMEM) {
        s->writes = writes;
        return 0;
    }
    snapshot_close(s);
    *out = NULL;
    return -1;
}

/* --- The file. --- */

bool snapshot_path_allowed(const char *path)
{
    static const char *const folders[] = {"/proc/sys/", "/proc/irq/", "/sys/"};
    bool below = false;

    for (size_t i = 0; i < COUNT(folders); i++)
        below = below || starts_with(path, folders[i]);
    return below && !strstr(path, "/../") && !strpbrk(path, "=\n");
}

/* Adds the settings of a list, whose text is modified. Returns 0; -ENOMEM; or -EINVAL, with its number in line, at
 * the first line that is neither an allowed setting nor a comment. */
static int snapshot_read_list(char *text, struct setting_writes *settings, size_t *line)
{
    *line = 0;
    for (char *end, *value; *text; text = end) {
        end = text + strcspn(text, "\n");
        if (*end)
            *end++ = '\0';
        (*line)++;
        if (!text[0] || text[0] == '#')
            continue;
        if (!(value = strchr(text, '=')))
            return -EINVAL;
        *value++ = '\0';
        if (!snapshot_path_allowed(text) || snapshot_check_value(value))
            return -EINVAL;
        if (setting_writes_add(settings, text, value))
            return -ENOMEM;
    }
    return 0;
}

/* Returns 0 when the lock is ours now, the ID of its holder, or -errno. */
static pid_t lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_SETLK, &whole) == 0)
        return 0;
    int code = -errno;
    if (code != -EACCES && code != -EAGAIN)
        return code;
    return fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK && whole.l_pid > 0 ? whole.l_pid : -EBUSY;
}

/* Locks the file before it gets its name: no process finds it unlocked. Never replaces another file. */
static int publish(const char *file, const struct text *text)
{
    char hidden[NEW_FILE_NAME_SIZE];
    const char *name;
    FREED_BY(fd_close) int folder = directory_open_parent(file, &name);
    int fd = folder < 0 ? folder : new_file_hidden(folder, 0600, hidden);

    if (fd < 0)
        return fd;
    int code = new_file_write(fd, text->data, text->length);
    if (code == 0)
        code = fsync(fd) ? -errno : lock(fd);
    if (code == 0)
        code = new_file_publish(fd, folder, hidden, name);
    if (code && hidden[0])
        unlinkat(folder, hidden, 0);
    if (code == 0 && (code = directory_flush(file)) != 0)
        unlinkat(folder, name, 0);
    if (code)
        fd_close(&fd);
    return code ? code : fd;
}

/* Returns 0, or -1 with a line in error, as the next functions do. */
static int read_boot(struct snapshot *s, char boot[64])
{
    const int code = procfs_read_line(BOOT_FILE, boot, 64);

    return code ? error_set(s->error, "cannot identify this boot: %s cannot be read: %s", BOOT_FILE, strerror(-code))
                : 0;
}

int snapshot_save(struct snapshot *s, struct error *error)
{
    FREED_BY(text_free) struct text text = {0};
    struct stat status;
    char boot[64];
    const char *file = s->file;

    if (!s->saved.n && lstat(file, &status))
        return 0;
    s->error = error;
    if (read_boot(s, boot))
        return -1;
    text_printf(&text, FIRST "%s\n", boot);
    for (size_t i = 0; i < s->saved.n; i++)
        text_printf(&text, "%s=%s\n", s->saved.write[i].path, s->saved.write[i].value);
    text_printf(&text, LAST);
    if (text.failed)
        return error_set(s->error, "out of memory");
    int fd = publish(file, &text);
    if (fd == -EEXIST)
        return error_set(s->error, "'%s' is there already; 'jitbench untune' restores what it holds", file);
    if (fd < 0)
        return error_set(s->error, "snapshot '%s': %s", file, strerror(-fd));
    s->fd = fd;
    return 0;
}

/* Locks the file, and refuses one that others could have written: through it they could change any setting. */
static int check_trust(struct snapshot *s)
{
    const char *file = s->file;
    struct stat status;
    pid_t owner = lock(s->fd);

    if (owner > 0)
        return error_set(s->error, "'%s' is in use: process %ld is tuning or measuring", file, (long)owner);
    if (owner < 0)
        return error_set(s->error, "'%s' cannot be locked: %s", file, strerror(-owner));
    if (fstat(s->fd, &status))
        return error_set(s->error, "snapshot '%s': %s", file, strerror(errno));
    const char *why = !S_ISREG(status.st_mode)     ? "is not a regular file"
                      : status.st_uid != geteuid() ? TEXT_LINE("belongs to user %lu", (unsigned long)status.st_uid)
                      : status.st_mode & 022       ? "can be written by others"
                                                   : NULL;
    if (why)
        return error_set(s->error, "'%s' %s: not trusted", file, why);
    if (status.st_nlink > 1)
        return error_set(s->error, "'%s' has %lu names (hard links): not trusted; remove the others", file,
                         (unsigned long)status.st_nlink);
    /* Its holder may have restored the settings and removed the file before it released the lock. */
    if (status.st_nlink == 0)
        return error_set(s->error, "there is no snapshot '%s': nothing to restore", file);
    return 0;
}

static int parse(struct snapshot *s, const char *boot, char *text)
{
    const size_t length = strlen(text), last = sizeof(LAST) - 1, first = sizeof(FIRST) - 1;
    const char *file = s->file;
    char *line = text + first;
    size_t number;

    if (length < first + last || strncmp(text, FIRST, first) || strcmp(text + length - last, LAST) ||
        text[length - last - 1] != '\n')
        return error_set(s->error, "'%s' is not a whole snapshot of this jitbench: remove the file", file);
    const size_t boot_length = strcspn(line, "\n");
    if (strlen(boot) != boot_length || strncmp(line, boot, boot_length))
        return error_set(s->error,
                         "'%s' is from before the last boot, which undid the settings too, or of another host: "
                         "remove the file",
                         file);
    const int code = snapshot_read_list(text, &s->saved, &number);
    if (code == -ENOMEM)
        return error_set(s->error, "out of memory");
    return code ? error_set(s->error, "'%s': line %zu: not as jitbench writes it", file, number) : 0;
}

static int load(struct snapshot *s)
{
    const char *file = s->file, *why;
    char boot[64];

    /* O_NONBLOCK: a FIFO must not hang the program. O_RDWR: a lock needs it. */
    s->fd = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (s->fd < 0 && errno == ENOENT)
        return error_set(s->error, "there is no snapshot '%s': nothing to restore", file);
    if (s->fd < 0 && errno == ELOOP)
        return error_set(s->error, "'%s' is a symbolic link: not trusted", file);
    if (s->fd < 0)
        return error_set(s->error, "snapshot '%s': %s", file, strerror(errno));
    if (check_trust(s) || read_boot(s, boot))
        return -1;
    FREED char *text = text_file_rest(s->fd, false, &why);
    return text ? parse(s, boot, text) : error_set(s->error, "snapshot '%s' cannot be read: %s", file, why);
}

int snapshot_open(const char *file, struct snapshot **out, struct error *error)
{
    struct snapshot *s = *out = new_snapshot(file);

    if (!s)
        return error_set(error, "out of memory");
    s->error = error;
    if (!load(s))
        return 0;
    snapshot_close(s);
    *out = NULL;
    return -1;
}

/* --- Writing and restoring. --- */

/* Reads the file back, written or not, after this -errno of writing it. */
static void judge(struct snapshot_report *report, bool written, int error, char content[CONTENT_MAX + 2])
{
    const int code = read_value(report->path, report->wanted, content, &report->now);
    const bool good = !code && !strcmp(report->now, report->wanted);

    report->error = good ? 0 : error ? error : code;
    report->result = good            ? written ? SNAPSHOT_DONE : SNAPSHOT_ALREADY
                     : report->error ? SNAPSHOT_REFUSED
                                     : SNAPSHOT_OTHER;
}

void snapshot_apply(const struct snapshot *snapshot, snapshot_put *put, void *context)
{
    char content[CONTENT_MAX + 2];

    for (size_t i = 0; i < snapshot->writes->n; i++) {
        const struct setting_write *write = &snapshot->writes->write[i];
        const long saved = write->saved;
        struct snapshot_report report = {
            .index = i, .path = write->path, .wanted = write->value, .was = "", .now = "", .result = SNAPSHOT_REFUSED};
        if (saved < 0) {
            report.error = (int)saved;
        } else {
            report.was = report.now = snapshot->saved.write[saved].value;
            report.result = strcmp(report.was, report.wanted) ? SNAPSHOT_OTHER : SNAPSHOT_ALREADY;
        }
        if (report.result == SNAPSHOT_OTHER && snapshot->fd >= 0)
            judge(&report, true, snapshot_write(report.path, report.wanted), content);
        put(context, &report);
    }
}

/* Returns how many do not have their old values. */
static size_t report_restored(const struct snapshot *s, snapshot_put *put, void *context)
{
    char content[CONTENT_MAX + 2];
    size_t left = 0;

    for (size_t i = s->saved.n; i-- > 0;) {
        const struct setting_write *old = &s->saved.write[i];
        struct snapshot_report report = {.index = i, .path = old->path, .was = old->before, .wanted = old->value};
        judge(&report, old->written, old->error, content);
        left += report.result == SNAPSHOT_REFUSED || report.result == SNAPSHOT_OTHER;
        if (put)
            put(context, &report);
    }
    return left;
}

int snapshot_restore(struct snapshot *snapshot, snapshot_put *put, void *context, struct error *error)
{
    const char *file = snapshot->file;
    char content[CONTENT_MAX + 2];
    const char *value;
    bool written = true;

    for (size_t i = 0; i < snapshot->saved.n; i++) {
        struct setting_write *old = &snapshot->saved.write[i];
        read_value(old->path, old->value, content, &value);
        TEXT_SET(old->before, value);
    }
    for (int pass = 0; pass < PASSES && written; pass++) {
        written = false;
        for (size_t i = snapshot->saved.n; i-- > 0;) {
            struct setting_write *old = &snapshot->saved.write[i];
            if (!read_value(old->path, old->value, content, &value) && !strcmp(value, old->value))
                continue;
            old->error = snapshot_write(old->path, old->value);
            old->written = written = true;
        }
    }
    const size_t left = report_restored(snapshot, put, context);
    if (left)
        return error_set(error,
                         "%zu of %zu files could not be restored; '%s' is kept, and 'jitbench untune' tries again",
                         left, snapshot->saved.n, file);
    int code = snapshot->fd >= 0 ? directory_remove(file, snapshot->fd) : 0;
    if (!code && snapshot->fd >= 0)
        code = directory_flush(file);
    if (code)
        return error_set(error, "all is restored, but '%s' cannot be removed: %s; 'jitbench untune' tries again", file,
                         strerror(-code));
    return 0;
}

/* --- For --tuned. --- */

bool tuned_is_managed(const char *path, int error)
{
    unsigned number;

    if (sscanf(path, "/proc/irq/%u", &number) != 1)
        return false;
    return error == -EIO || (error == -EPERM && geteuid() == 0); /* EIO on older kernels */
}

const char *tuned_refusal(const char *path, int error)
{
    if (tuned_is_managed(path, error))
        return "the kernel manages this interrupt itself";
    if (error == -EROFS)
        return "mounted read-only, as in a container";
    if (error == -EILSEQ)
        return "its value is not one line of printable text, and could not be restored exactly";
    return error == -EPERM && geteuid() == 0 ? "the kernel or the firmware forbids it" : strerror(-error);
}

/* For --tuned; static because a process can end in many places. */
static struct {
    struct setting_writes plan;
    struct snapshot *snapshot;
} held;

struct outcome {
    size_t set, refused;
    char first[160];  /* that could not be set, and why */
    char managed[64]; /* interrupts that could not be moved */
};

static void count_outcome(void *context, const struct snapshot_report *report)
{
    struct outcome *outcome = context;
    const struct setting *of = held.plan.write[report->index].of;

    outcome->set += report->result == SNAPSHOT_DONE;
    if (report->result == SNAPSHOT_REFUSED && tuned_is_managed(report->path, report->error)) {
        char number[16];
        TEXT_PRINT(number, "%.*s", (int)strcspn(report->path + 10, "/"), report->path + 10);
        setting_append(outcome->managed, sizeof(outcome->managed), number);
        return;
    }
    if (report->result != SNAPSHOT_REFUSED && report->result != SNAPSHOT_OTHER)
        return;
    if (!outcome->refused++)
        TEXT_PRINT(outcome->first, "%.60s: %.90s", of ? of->name : report->path,
                   report->error ? tuned_refusal(report->path, report->error) : "the kernel keeps another value");
}

/* The message that no setting was changed, and why. Returns -1. */
static int not_tuned(struct error *message, const char *why)
{
    return error_set(message, "%s; no setting was changed", why);
}

/* Saves, then writes. Returns 0, or -1 with a message when some cannot be written. */
static int begin(struct error *message)
{
    struct outcome outcome = {0};
    char content[CONTENT_MAX + 2];
    const char *now;
    struct error why;

    if (!held.plan.n)
        return 0;
    if (geteuid() != 0)
        return not_tuned(message, "needs root");
    if (snapshot_look(snapshot_default_file(), &held.plan, &held.snapshot))
        return not_tuned(message, "out of memory");
    if (snapshot_save(held.snapshot, &why)) {
        snapshot_close(held.snapshot);
        held.snapshot = NULL;
        return not_tuned(message, why.text);
    }
    snapshot_apply(held.snapshot, count_outcome, &outcome);
    /* one write may change another file, too */
    for (struct setting_write *write = held.plan.write; write < held.plan.write + held.plan.n; write++)
        write->written = !read_value(write->path, write->value, content, &now) && !strcmp(now, write->value);
    if (!outcome.refused) {
        error_set(message, "%zu settings changed until the end of the run%s%s", outcome.set,
                  outcome.managed[0] ? "; interrupts that the kernel manages itself stay: " : "", outcome.managed);
        return 0;
    }
    return error_set(message, "%zu of %zu settings refused (%s)", outcome.refused, held.plan.n, outcome.first);
}

int tuned_begin(const struct settings_view *view, struct error *message)
{
    struct setting_state state;

    message->text[0] = '\0';
    for_each_setting(i)
        if (settings_list[i].how == SETTING_WRITE && !setting_look(&settings_list[i], view, &state, &held.plan))
            return not_tuned(message, "out of memory");
    return begin(message);
}

static int read_list(const char *file, struct setting_writes *writes, struct error *message)
{
    const char *why;
    size_t line;
    FREED char *text = text_file_read(file, false, &why);

    if (!text)
        return error_set(message, "%s", why);
    const int code = snapshot_read_list(text, writes, &line);
    if (code == -ENOMEM)
        return error_set(message, "out of memory");
    return code ? error_set(message, "line %zu is not PATH=VALUE with a file below /proc/sys or /sys", line) : 0;
}

int tuned_check_file(const char *file, struct error *message)
{
    FREED_BY(setting_writes_free) struct setting_writes writes = {0};
    return read_list(file, &writes, message);
}

int tuned_begin_file(const char *file, struct error *message)
{
    message->text[0] = '\0';
    return read_list(file, &held.plan, message) || begin(message) ? -1 : 0;
}

/* Counts those that something else has changed meanwhile. */
static void say_left(void *context, const struct snapshot_report *report)
{
    size_t i = held.plan.n;

    while (i-- > 0 && held.plan.write[i].saved != (long)report->index) {
    }
    const struct setting_write *write = i < held.plan.n ? &held.plan.write[i] : NULL;
    if (write && write->written && report->was[0] && strncmp(report->was, write->value, sizeof(write->before) - 1)) {
        ++*(size_t *)context;
        message_print("jitbench: something else has set %s to '%s' during the run\n", report->path, report->was);
    }
    if (report->result == SNAPSHOT_REFUSED || report->result == SNAPSHOT_OTHER)
        message_print("jitbench: %s could not be set back to '%.80s': %s\n", report->path, report->wanted,
                      report->error ? tuned_refusal(report->path, report->error) : "kept by the kernel");
}

int tuned_end(void)
{
    struct error error;
    size_t changed = 0;
    const int code = held.snapshot ? snapshot_restore(held.snapshot, say_left, &changed, &error) : 0;

    if (code) {
        text_sanitize(error.text);
        message_print("jitbench: %s\n", error.text);
    }
    snapshot_close(held.snapshot);
    held.snapshot = NULL;
    setting_writes_free(&held.plan);
    return code ? code : changed != 0;
}

bool tuned_has_snapshot(void)
{
    return access(snapshot_default_file(), F_OK) == 0;
}
