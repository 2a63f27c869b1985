/* SPDX-License-Identifier: MIT */
/* Folders read from made-up trees. Files are in test_machine.c. */
#include "tree_fixture.h"

static void expect_names(const char *path, const char *const *expected)
{
    char **names = procfs_names(path);
    size_t n = 0;

    if (!names)
        fail_msg("%s: %s", path, strerror(errno));
    for (; names[n] && expected[n]; n++)
        assert_string_equal(names[n], expected[n]);
    assert_true(!names[n] && !expected[n]);
    free(names);
}

TREE_TEST(test_procfs_names_are_sorted_with_numbers_by_size)
{
    static const char *const expected[] = {"9", "10", "cpu2", "cpu10", "online", NULL};

    tree_put("/f/cpu10/x", "");
    tree_put("/f/cpu2/y", "");
    tree_put("/f/10", "");
    tree_put("/f/online", "");
    tree_put("/f/9", "");
    tree_put("/f/.hidden", "");
    expect_names("/f", expected);
}

TREE_TEST(test_procfs_names_of_an_empty_folder)
{
    static const char *const none[] = {NULL};

    expect_names("", none);
}

TREE_TEST(test_procfs_names_answer_errors)
{
    char path[8192];

    tree_put("/file", "");
    assert_null(procfs_names("/none"));
    assert_int_equal(errno, ENOENT);
    assert_null(procfs_names("/file"));
    assert_int_equal(errno, ENOTDIR);
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = 0;
    assert_null(procfs_names(path));
    assert_int_equal(errno, ENAMETOOLONG);
}

TREE_TEST(test_procfs_names_of_many_files)
{
    char path[64];

    for (unsigned i = 3000; i > 0; i--) {
        (void)snprintf(path, sizeof(path), "/many/with_a_name_that_is_not_short_%u", i);
        tree_put(path, "");
    }
    char **names = procfs_names("/many");
    assert_non_null(names);
    for (unsigned i = 1; i <= 3000; i++) {
        (void)snprintf(path, sizeof(path), "with_a_name_that_is_not_short_%u", i);
        assert_string_equal(names[i - 1], path);
    }
    assert_null(names[3000]);
    free(names);
}
