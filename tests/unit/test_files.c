/* SPDX-License-Identifier: MIT */
/* What only a power cut would show: an output file is flushed before it gets its name, and its folder after that. */
#include "cmd/cmd.h"

#include "../test.h"

/* "file" or "folder" for each flush, with "+" where out.txt had its new content by then. */
static char flushes[64];
static int refused; /* errno of the next flush; 0: none */

static bool has_new_content(void)
{
    char content[8] = "";
    FILE *file = fopen("out.txt", "r");

    if (!file)
        return false;
    (void)!fread(content, 1, sizeof(content) - 1, file);
    fclose(file);
    return !strcmp(content, "new");
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    strcat(flushes, S_ISDIR(st.st_mode) ? " folder" : " file");
    strcat(flushes, has_new_content() ? "+" : "");
    errno = refused;
    return refused ? -1 : __real_fsync(fd);
}

static int write_output(bool force)
{
    struct text text = {0};

    flushes[0] = '\0';
    text_printf(&text, "new");
    const int status = files_write("out.txt", force, &text);
    text_free(&text);
    return status;
}

static void go_to_new_folder(void)
{
    char folder[] = "/tmp/jitbench-test-XXXXXX";

    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
}

static void leave_folder(void)
{
    char folder[4096];

    assert_non_null(getcwd(folder, sizeof(folder)));
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left in it */
}

TEST(test_files_are_flushed_before_they_get_their_name)
{
    go_to_new_folder();
    assert_int_equal(write_output(false), 0);
    assert_string_equal(flushes, " file folder+");
    assert_int_equal(write_output(false), 2); /* never overwrites */
    FILE *file = fopen("out.txt", "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(write_output(true), 0);
    assert_string_equal(flushes, " file folder+");
    assert_int_equal(unlink("out.txt"), 0);
    leave_folder();
}

TEST(test_files_that_cannot_be_flushed_get_no_name)
{
    go_to_new_folder();
    refused = EIO;
    assert_int_equal(write_output(false), 1);
    refused = 0;
    assert_string_equal(flushes, " file");
    assert_int_equal(access("out.txt", F_OK), -1);
    leave_folder();
}
