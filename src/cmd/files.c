/* SPDX-License-Identifier: MIT */
/* Expands operands to result files, reads these files, and writes output files. */
#include "cmd/cmd.h"

#include <dirent.h>
#include <fnmatch.h>

/* --- Operands. --- */

struct names {
    struct name {
        char *path;
        unsigned regular; /* ROWS_REGULAR: found in a directory, where others may have put it */
    } * of;
    size_t n, capacity;
    unsigned inputs; /* how often '-' came */
};

static char *add_name(struct names *names, const char *folder, const char *name, unsigned regular)
{
    const char *slash = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";

    MEMORY_GROW(names->of, names->capacity, names->n);
    struct name *added = &names->of[names->n];
    added->regular = regular;
    if (asprintf(&added->path, "%s%s%s", folder, slash, name) < 0)
        memory_out();
    names->n++;
    return added->path;
}

/* Other than regular files get a line on standard error. Returns -1 with errno. */
static int add_matching(struct names *names, const char *folder, const char *pattern)
{
    FREED struct dirent **entries = NULL;
    const int n = scandir(folder[0] ? folder : ".", &entries, NULL, alphasort);
    struct stat st;

    for (int i = 0; i < n; i++) {
        const bool matches = !fnmatch(pattern, entries[i]->d_name, FNM_PERIOD);
        char *path = matches ? add_name(names, folder, entries[i]->d_name, ROWS_REGULAR) : NULL;
        free(entries[i]);
        if (path && !stat(path, &st) && !S_ISREG(st.st_mode)) {
            command_fail(0, "%.4000s: not a regular file: left out", path);
            free(path);
            names->n--;
        }
    }
    return n < 0 ? -1 : 0;
}

static int add_operand(struct names *names, const char *operand)
{
    struct stat st = {0};
    const char *slash = strrchr(operand, '/'), *last = slash ? slash + 1 : operand;
    bool there = !strcmp(operand, "-") || !stat(operand, &st);

    if (!there && errno != ENOENT && errno != ENOTDIR)
        return -1;
    if (there && strcmp(operand, "-") && S_ISDIR(st.st_mode))
        return add_matching(names, operand, "*.csv");
    if (there || !last[strcspn(last, "*?[")]) {
        add_name(names, "", operand, 0);
        return 0;
    }
    FREED char *folder = strndup(operand, (size_t)(last - operand));
    return folder ? add_matching(names, folder, last) : -1;
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->of[i].path);
    free(names->of);
}

/* Returns how many matched no file, each with a line on standard error. */
static size_t add_operands(struct names *names, const char *const *operands, size_t n)
{
    size_t wrong = 0;

    memory_exits(command_now->name);
    for (size_t i = 0; i < n; i++) {
        size_t before = names->n;
        int result = add_operand(names, operands[i]);
        if (!result && names->n > before)
            continue;
        command_fail(0, "%.4000s: %s", operands[i],
                     result                        ? strerror(errno)
                     : strpbrk(operands[i], "*?[") ? "no file has such a name"
                                                   : "no file in this folder ends in .csv");
        wrong++;
    }
    return wrong;
}

/* Says so, but for a single file of which all rows were wanted: its own line has said it. Returns EXIT_USAGE. */
static int no_rows(const struct names *names, bool chosen)
{
    return names->n < 2 && !chosen ? EXIT_USAGE : usage_error("no rows to read");
}

/* Returns 0, or EXIT_USAGE with a line for each file that cannot be read; most: goes on after them. */
static int read_names(struct names *names, bool most, unsigned wanted, struct row_set *set)
{
    struct error message, error;
    int status = 0;

    for (size_t i = 0; i < names->n && (most || !status); i++) {
        const char *path = names->of[i].path;
        if (!strcmp(path, "-") && names->inputs++)
            return usage_error("standard input ('-') can be read only once");
        if (row_set_read(set, path, wanted | names->of[i].regular, &message, &error))
            status = usage_error("%s", error.text);
        if (message.text[0] && (most || !status))
            command_complain(message.text, 0);
    }
    return status;
}

int files_read(const char *const *operands, size_t n, bool most, unsigned wanted, struct row_set *set)
{
    FREED_BY(names_free) struct names names = {0};
    int status = add_operands(&names, operands, n) ? EXIT_USAGE : 0;

    if (most || !status)
        status |= read_names(&names, most, wanted, set);
    if (!status && !set->n)
        status = no_rows(&names, set->choose != NULL);
    if (most || !status)
        row_set_sort(set);
    return status;
}

struct each {
    void (*take)(void *context, const struct row *row);
    void *context;
    size_t n;
};

static bool pass_on(void *context, struct row *row)
{
    struct each *each = context;

    each->take(each->context, row);
    each->n++;
    return false;
}

int files_each(const char *const *operands, size_t n, unsigned wanted,
               void (*take)(void *context, const struct row *row), void *context)
{
    FREED_BY(names_free) struct names names = {0};
    struct each each = {.take = take, .context = context};
    FREED_BY(row_set_free) struct row_set set = {.choose = pass_on, .context = &each};

    add_operands(&names, operands, n);
    const int status = read_names(&names, true, wanted, &set);
    return names.inputs > 1 ? status : each.n ? 0 : no_rows(&names, false);
}

void files_count_once(uint64_t n)
{
    if (n)
        command_fail(0, "%" PRIu64 " row%s came twice, and count%s once", n, PLURAL(n), n == 1 ? "s" : "");
}

/* --- Writing. --- */

static void cannot_write(struct files_output *out, const char *why)
{
    out->status = command_fail(EXIT_ROW_FAILED, "%.4000s cannot be written: %s",
                               out->fd == 1 ? "standard output" : out->path, why);
}

int files_clear(const char *path)
{
    const int why = path[0] && strcmp(path, "-") ? directory_clear(path) : 0;

    return why ? usage_error("-o '%.4000s': %s", path, directory_why_not(why)) : 0;
}

/* With a random name while it is not complete; ending signals, which would leave it, are blocked. NULL: none. */
static struct files_output *partial;

static void remove_partial(void)
{
    if (!partial)
        return;
    if (partial->hidden[0])
        unlinkat(partial->folder, partial->hidden, 0);
    sigprocmask(SIG_SETMASK, &partial->mask, NULL);
    partial = NULL;
}

static int make_hidden(struct files_output *out)
{
    static bool registered;
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &out->mask);
    const int fd = new_file_hidden(out->folder, 0644, out->hidden);
    partial = out;
    if (fd < 0 || !out->hidden[0])
        remove_partial();
    else if (!registered)
        registered = !atexit(remove_partial); /* for example when memory runs out */
    return fd;
}

/* Without its name until it is complete. Opens an existing pipe, terminal or device. Returns the descriptor or
 * -errno. */
static int open_output(struct files_output *out)
{
    struct stat st;

    out->folder = directory_open_parent(out->path, &out->name);
    if (out->folder < 0)
        return out->folder;
    out->created = fstatat(out->folder, out->name, &st, AT_SYMLINK_NOFOLLOW) || (out->force && S_ISREG(st.st_mode));
    return out->created ? make_hidden(out) : out->only_new ? -EEXIST : directory_open_existing(out->path);
}

int files_check(const char *option, const char *path)
{
    struct files_output out = {.path = path, .only_new = true};

    if (!path[0])
        return 0;
    const int fd = open_output(&out);
    remove_partial();
    fd_close(&fd);
    fd_close(&out.folder);
    if (fd < 0)
        return usage_error("%s '%.200s': %s", option, path, directory_why_not(fd));
    return 0;
}

int files_begin(const char *path, bool force, struct files_output *out)
{
    char error[4352];

    *out = (struct files_output){.path = path, .folder = -1, .fd = 1, .force = force};
    if (strcmp(path, "-"))
        out->fd = open_output(out);
    if (out->fd >= 0)
        return 0;
    fd_close(&out->folder);
    directory_refused(path, out->fd, error, sizeof(error));
    return usage_error("%s", error);
}

void files_put(struct files_output *out, struct text *text)
{
    errno = ENOMEM;
    if (!out->status && !out->unread &&
        (text->failed || signals_write(out->fd, text->data, text->length) != text->length)) {
        out->unread = !text->failed && out->fd == 1 && errno == EPIPE;
        if (!out->unread)
            cannot_write(out, strerror(errno));
    }
    text->length = 0;
}

int files_end(struct files_output *out)
{
    if (!out->status && out->created && fsync(out->fd))
        cannot_write(out, strerror(errno));
    if (!out->status && out->created) {
        int error = out->force ? directory_clear(out->path) : 0;
        if (!error)
            error = new_file_publish(out->fd, out->folder, out->hidden, out->name);
        if (error) {
            cannot_write(out, directory_why_not(error));
        } else {
            out->hidden[0] = '\0';
            directory_flush(out->path);
        }
    }
    remove_partial();
    if (out->fd != 1)
        close(out->fd);
    fd_close(&out->folder);
    return out->status;
}

int files_write(const char *path, bool force, struct text *text)
{
    struct files_output out;
    int status = files_begin(path, force, &out);

    if (!status) {
        files_put(&out, text);
        status = files_end(&out);
    }
    text_free(text);
    return status;
}
