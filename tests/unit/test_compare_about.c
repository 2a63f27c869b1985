/* SPDX-License-Identifier: MIT */
/* Every setting in which two sides differ is named, and no other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "out/compare.h"
#include "row_fixture.h"

#define ROWS 4

struct side {
    struct row_run run[3], *runs[3];
    struct row rows[ROWS];
    double sample;
    struct row_set set;
};
static struct side base, changed;

static void begin(struct side *side, const char *settings)
{
    memset(side, 0, sizeof(*side));
    text_copy(side->run[0].settings, sizeof(side->run[0].settings), settings);
    side->runs[0] = &side->run[0];
    side->set = (struct row_set){.rows = side->rows, .runs = side->runs, .n_runs = 1};
}

static void add_run(struct side *side, const char *settings)
{
    struct row_run *run = &side->run[side->set.n_runs];

    text_copy(run->settings, sizeof(run->settings), settings);
    side->runs[side->set.n_runs++] = run;
}

static void add_row(struct side *side, const char *test, const char *param, const char *disk)
{
    struct row *row = &side->rows[side->set.n++];

    *row = ROW(side->runs[0], NAN, .test = test, .param = param);
    text_copy(row->scratch_disk, sizeof(row->scratch_disk), disk);
    row->samples = &side->sample;
    row->n_samples = 1;
}

static void expect(const char *expected)
{
    struct text out = {0};

    compared_put_settings(&base.set, &changed.set, &out);
    assert_int_equal(out.failed, 0);
    assert_string_equal(out.length ? out.data : "", expected);
    text_free(&out);
}

/* One at a time, of a run with all of them. */
TEST(test_compare_about_names_each_setting)
{
    static const struct {
        const char *name, *before, *after;
    } items[] = {
        {"governor", "powersave_(8_CPUs)", "performance_(8_CPUs)"},
        {"turbo", "on", "off"},
        {"smt", "on", "off"},
        {"isolated", "none", "2-3+5"},
        {"hypervisor", "none_seen", "kvm"},
        {"thp", "always", "never"},
        {"numa_balancing", "1", "0"},
        {"autogroup", "1", "0"},
        {"memory", "31.2G", "62.5G"},
        {"caches", "L1d:32K+L2:1M", "L1d:32K+L2:2M"},
        {"microcode", "0xa", "0xb"},
        {"firmware", "Acme_1.2", "Acme_1.3"},
        {"cmdline", "quiet", "quiet|mitigations=off"},
        {"spectre_v2", "Retpolines", "Vulnerable"},
    };
    const size_t n = sizeof(items) / sizeof(items[0]);

    for (size_t wanted = 0; wanted <= n; wanted++) {
        char before[1024] = "", after[1024] = "", expected[128] = "";
        for (size_t i = 0; i < n; i++) {
            size_t at = strlen(before);
            (void)snprintf(before + at, sizeof(before) - at, "%s%s=%s", i ? ";" : "", items[i].name, items[i].before);
            at = strlen(after);
            (void)snprintf(after + at, sizeof(after) - at, "%s%s=%s", i ? ";" : "", items[i].name,
                           i == wanted ? items[i].after : items[i].before);
        }
        begin(&base, before);
        begin(&changed, after);
        if (wanted < n)
            (void)snprintf(expected, sizeof(expected), "%s %s -> %s", items[wanted].name, items[wanted].before,
                           items[wanted].after);
        expect(expected);
    }
}

TEST(test_compare_about_names_several)
{
    begin(&base, "smt=on;thp=always;turbo=on;cmdline=quiet");
    begin(&changed, "smt=off;thp=never;turbo=on");
    expect("smt on -> off; thp always -> never; cmdline quiet -> (nothing that matters)");
}

/* A setting that one side does not record is no difference; old and new spellings are equal. */
TEST(test_compare_about_with_files_of_earlier_versions)
{
    begin(&base, "aslr=2 (stack, mappings, heap);thp=enabled madvise, defrag never;cmdline=a=1,2 quiet");
    begin(&changed, "aslr=2_(stack+mappings+heap);thp=madvise;thp_defrag=never;memory=1G;cmdline=a=1+2|quiet");
    add_row(&changed, "fcopy256", "", "mount=rw");
    add_row(&base, "bandwidth", "pages=huge-advised", "");
    add_row(&changed, "bandwidth", "pages=huge", "");
    expect("");
    begin(&base, "");
    expect("");
    begin(&base, "thp=enabled always, defrag never");
    expect("thp always -> madvise; cmdline (nothing that matters) -> a=1+2|quiet");
}

TEST(test_compare_about_of_rows)
{
    begin(&base, "smt=on");
    begin(&changed, "smt=on");
    add_row(&base, "fcopy256", "", "mount=rw;disk=solid;scheduler=none");
    add_row(&changed, "fcopy256", "", "mount=rw+noatime;disk=solid;scheduler=bfq");
    add_row(&base, "bandwidth", "stores=ordinary pages=mixed:97%", "");
    add_row(&base, "array", "pages=small", "");
    add_row(&changed, "bandwidth", "stores=ordinary pages=small", "");
    add_row(&changed, "array", "pages=small", "");
    expect("scratch_mount rw -> rw+noatime; scratch_scheduler none -> bfq; bandwidth pages mixed -> small");
}

TEST(test_compare_about_of_several_runs)
{
    begin(&base, "smt=on;thp=never");
    add_run(&base, "smt=off;thp=never");
    begin(&changed, "smt=off;thp=never");
    add_run(&changed, "smt=on;thp=never");
    expect(""); /* the same values on both sides */
    add_run(&changed, "smt=on;thp=always");
    expect("thp never -> never or always");
}

/* Up to eight values a side are told. Where both sides have more they are equal, where one has they are not. */
TEST(test_compare_about_of_many_values)
{
    static const struct {
        unsigned n_base, n_changed;
        const char *expected;
    } cases[] = {{7, 7, "a 0 or 1 or 2 or 3 or 4 or 5 or 6 -> 20 or 21 or 22 or 23 or 24 or 25 or 26"},
                 {8, 8, ""},
                 {9, 10, ""},
                 {2, 9, "a 0 or 1 -> 20 or 21 or 22 or 23 or 24 or 25 or 26 or 27"},
                 {9, 1, "a 0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 -> 20"}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char before[128] = "", after[128] = "";
        for (unsigned i = 0; i < 10; i++) {
            const size_t at = strlen(before), end = strlen(after);
            (void)snprintf(before + at, sizeof(before) - at, "a=%u;", i < cases[c].n_base ? i : 0);
            (void)snprintf(after + end, sizeof(after) - end, "a=%u;", 20 + (i < cases[c].n_changed ? i : 0));
        }
        begin(&base, before);
        begin(&changed, after);
        expect(cases[c].expected);
    }
}

/* The disk of rows one after the other, and the pages of tests that were measured; each value counts once. */
TEST(test_compare_about_of_rows_one_after_the_other)
{
    static const char *const disks[] = {"disk=solid", "disk=solid", "", "disk=turning"};

    begin(&base, "");
    begin(&changed, "");
    for (size_t i = 0; i < 4; i++) {
        add_row(&base, "array", i ? "pages=small" : "pages=huge", disks[i]);
        add_row(&changed, "array", "pages=small:3%", "disk=solid");
    }
    expect("array pages huge or small -> small; scratch_disk solid or turning -> solid");
    base.rows[0].n_samples = 0; /* what was not measured had no pages */
    expect("scratch_disk solid or turning -> solid");
}

TEST(test_compare_about_hostile_names)
{
    struct text out = {0};
    char settings[3000] = "";

    for (unsigned i = 0; i < 300; i++)
        (void)snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings), "n%u=1;", i);
    begin(&base, settings);
    for (char *at = settings; (at = strchr(at, '=')); at += 2)
        at[1] = '2';
    begin(&changed, settings);
    compared_put_settings(&base.set, &changed.set, &out);
    assert_int_equal(out.failed, 0);
    assert_memory_equal(out.data, "n0 1 -> 2; n1 1 -> 2; ", 22);
    text_free(&out);
}
