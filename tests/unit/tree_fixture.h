/* SPDX-License-Identifier: MIT */
/* Trees of /proc and /sys made up in a temporary folder, file by file or from the texts of tests/trees.
 *
 * A text has a line for each file, "PATH<TAB>CONTENT"; what begins with '#' and empty lines are left out. The content
 * gets a newline at its end, unless it is empty or begins with '=', which is left out. "-> TARGET" makes a link and
 * "folder" an empty folder. \n, \t, \\ and \xHH are as in C. One range {FIRST-LAST} in the path makes a file for each
 * number, which {}, {+N} and {-N} then are in path and content, with N added or taken away. */
#ifndef TREE_FIXTURE_H
#define TREE_FIXTURE_H

#include <ftw.h>

#include "../test.h"
#include "sys/process.h"

static char tree_root[64];

/* If set, tree_unpack() calls it to make each file, instead of writing the content in the text. */
static void (*tree_put_other)(const char *path);

static inline int tree_make(void **state)
{
    procfs_root = tree_root;
    tree_put_other = NULL;
    /* The directory is in memory if possible, since a tree may have thousands of files. */
    strcpy(tree_root, "/dev/shm/jitbench-tree-XXXXXX");
    if (mkdtemp(tree_root))
        return 0;
    strcpy(tree_root, "/tmp/jitbench-tree-XXXXXX");
    return mkdtemp(tree_root) ? 0 : -1;
}

static inline int tree_remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline int tree_remove(void **state)
{
    procfs_root = "";
    return nftw(tree_root, tree_remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* The path below the root, with the folders that lead to it. */
static inline void tree_path(const char *path, char *full, size_t size)
{
    int n = snprintf(full, size, "%s%s", tree_root, path);
    struct stat status;

    assert_true(path[0] == '/' && n > 0 && (size_t)n < size);
    char *last = strrchr(full, '/');
    *last = 0;
    bool there = stat(full, &status) == 0;
    *last = '/';
    for (char *slash = full + strlen(tree_root); !there && (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        if (mkdir(full, 0755) && errno != EEXIST)
            fail_msg("%s: %s", full, strerror(errno));
        *slash = '/';
    }
}

static inline void tree_put_bytes(const char *path, const void *bytes, size_t size)
{
    char full[512];

    tree_path(path, full, sizeof(full));
    FILE *file = fopen(full, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        fail_msg("%s: %s", full, strerror(errno));
}

static inline void tree_put(const char *path, const char *text)
{
    tree_put_bytes(path, text, strlen(text));
}

static inline void tree_link(const char *path, const char *target)
{
    char full[512];

    tree_path(path, full, sizeof(full));
    if (symlink(target, full))
        fail_msg("%s: %s", full, strerror(errno));
}

/* Reads the file, up to size-1 bytes; the test fails when it cannot be read. */
static inline void tree_get(const char *path, char *text, size_t size)
{
    char full[512];

    tree_path(path, full, sizeof(full));
    FILE *file = fopen(full, "r");
    if (!file)
        fail_msg("%s: %s", full, strerror(errno));
    size_t n = fread(text, 1, size - 1, file);
    text[n] = 0;
    (void)fclose(file);
}

static inline size_t tree_escape(const char *at, char *c)
{
    unsigned byte;

    if (at[0] == 'x' && sscanf(at + 1, "%2x", &byte) == 1) {
        *c = (char)byte;
        return 3;
    }
    *c = at[0] == 'n' ? '\n' : at[0] == 't' ? '\t' : at[0];
    return 1;
}

/* Copies a path or a content for the number, and returns its length. */
static inline size_t tree_expand(const char *from, long number, char *to, size_t size)
{
    size_t n = 0;

    while (*from) {
        const char *end = *from == '{' ? strchr(from, '}') : NULL;
        assert_true(n + 24 < size);
        if (end) {
            /* The range stands for the number too. */
            bool added = from[1] == '+' || from[1] == '-';
            n += (size_t)snprintf(to + n, size - n, "%ld", number + (added ? strtol(from + 1, NULL, 10) : 0));
            from = end + 1;
        } else if (*from == '\\') {
            from += 1 + tree_escape(from + 1, &to[n]);
            n++;
        } else {
            to[n++] = *from++;
        }
    }
    to[n] = 0;
    return n;
}

static inline void tree_put_line(const char *path, const char *content, long number)
{
    static char text[65536];
    char expanded[256], full[512];

    (void)tree_expand(path, number, expanded, sizeof(expanded));
    if (tree_put_other) {
        tree_put_other(expanded);
        return;
    }
    size_t n = tree_expand(content, number, text, sizeof(text) - 1);
    if (!strncmp(content, "-> ", 3)) {
        tree_link(expanded, text + 3);
    } else if (!strcmp(content, "folder")) {
        tree_path(expanded, full, sizeof(full));
        assert_int_equal(mkdir(full, 0755), 0);
    } else if (content[0] == '=') {
        /* Four bytes are a number, lowest byte first: here as the kernel writes it. */
        uint32_t value = 0;
        for (size_t i = 0; n == 1 + sizeof(value) && i < sizeof(value); i++)
            value |= (uint32_t)(unsigned char)text[1 + i] << 8 * i;
        if (n == 1 + sizeof(value))
            memcpy(text + 1, &value, sizeof(value));
        tree_put_bytes(expanded, text + 1, n - 1);
    } else {
        if (n)
            text[n++] = '\n';
        tree_put_bytes(expanded, text, n);
    }
}

/* Makes the tree of tests/trees/NAME.tree under the root. Runs in the top folder. */
static inline void tree_unpack(const char *name)
{
    static char line[65536];
    char path[128];

    (void)snprintf(path, sizeof(path), "tests/trees/%.64s.tree", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: %s (this test runs in the top folder)", path, strerror(errno));
    while (fgets(line, sizeof(line), file)) {
        long first = 0, last = 0;
        line[strcspn(line, "\n")] = 0;
        char *tab = strchr(line, '\t'), *brace = strchr(line, '{');
        if (!line[0] || line[0] == '#')
            continue;
        if (!tab)
            fail_msg("%s: no tab in '%.80s'", path, line);
        *tab = 0;
        if (brace && brace < tab && sscanf(brace, "{%ld-%ld}", &first, &last) != 2)
            fail_msg("%s: no range in '%.80s'", path, line);
        for (long number = first; number <= last; number++)
            tree_put_line(line, tab + 1, number);
    }
    (void)fclose(file);
}

#define TREE_TEST(name) TEST_WITH(name, tree_make, tree_remove)

#endif
