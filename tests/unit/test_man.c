/* SPDX-License-Identifier: MIT */
/* The man pages say what the tables say, both ways. Runs in the top folder. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/list.h"
#include "cmd/cmd.h"
#include "fixture.h"
#include "row_fixture.h"
#include "rows/rows.h"
#include "rows/text.h"
#include "sys/process.h"

#define LINES_MAX 4096u
#define ITEMS_MAX 256u
#define ITEM_SIZE 512u
#define PATH_SIZE 512u

struct page {
    char path[PATH_SIZE];
    char *text;
    char *line[LINES_MAX];
    const char *section[LINES_MAX], *subsection[LINES_MAX]; /* headings that the line stands under; "" for none */
    size_t n;
};

struct items {
    char item[ITEMS_MAX][ITEM_SIZE];
    size_t n;
};

/* --- Reading. --- */

static void page_split(struct page *page)
{
    const char *section = "", *subsection = "";

    for (char *at = page->text; *at;) {
        char *end = at + strcspn(at, "\n");
        int last = !*end;
        *end = 0;
        assert_true(page->n < LINES_MAX);
        if (!strncmp(at, ".Sh ", 4)) {
            section = at + 4;
            subsection = "";
        } else if (!strncmp(at, ".Ss ", 4)) {
            subsection = at + 4;
        }
        page->section[page->n] = section;
        page->subsection[page->n] = subsection;
        page->line[page->n++] = at;
        at = last ? end : end + 1;
    }
}

static struct page *page_read(const char *path)
{
    struct page *page = calloc(1, sizeof(*page));
    struct text text = {0};
    char buf[4096];
    size_t n;

    assert_non_null(page);
    text_copy(page->path, sizeof(page->path), path);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    while ((n = fread(buf, 1, sizeof(buf), file)) > 0)
        text_append(&text, buf, n);
    (void)fclose(file);
    assert_false(text.failed);
    assert_non_null(text.data);
    page->text = text.data;
    page_split(page);
    return page;
}

static void page_free(struct page *page)
{
    free(page->text);
    free(page);
}

static struct page *page_of(const char *command)
{
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof(path), "man/jitbench-%s.1", command);
    return page_read(path);
}

static int begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static void items_put(struct items *items, const char *item)
{
    assert_true(items->n < ITEMS_MAX);
    assert_true(strlen(item) < ITEM_SIZE);
    text_copy(items->item[items->n++], ITEM_SIZE, item);
}

static struct items *items_new(void)
{
    struct items *items = calloc(1, sizeof(*items));
    assert_non_null(items);
    return items;
}

/* The lines of the page that begin so, under the heading (of either kind; NULL: anywhere). */
static void items_of_page(const struct page *page, const char *heading, const char *with, struct items *items)
{
    for (size_t i = 0; i < page->n; i++)
        if (begins(page->line[i], with) &&
            (!heading || !strcmp(page->section[i], heading) || !strcmp(page->subsection[i], heading)))
            items_put(items, page->line[i]);
}

/* Both ways and in order; says what is missing or too much. Frees both. */
static void items_equal(const char *where, struct items *program, struct items *page)
{
    for (size_t i = 0; i < program->n || i < page->n; i++) {
        const char *ours = i < program->n ? program->item[i] : "nothing more";
        const char *theirs = i < page->n ? page->item[i] : "nothing more";
        if (strcmp(ours, theirs) != 0)
            fail_msg("%s, item %zu: the program has '%s', the page has '%s'", where, i + 1, ours, theirs);
    }
    free(program);
    free(page);
}

static int has(const struct items *items, const char *item)
{
    for (size_t i = 0; i < items->n; i++)
        if (!strcmp(items->item[i], item))
            return 1;
    return 0;
}

static size_t tables_of(const struct command *command, struct option_table *tables)
{
    memset(tables, 0, TABLES_MAX * sizeof(*tables));
    return command_tables(command, tables);
}

/* Every page of ours: names in man/ that begin with jitbench. */
static struct items *all_pages(void)
{
    struct items *pages = items_new();
    const struct dirent *entry;
    DIR *folder = opendir("man");

    if (!folder)
        fail_msg("man: %s (this test runs in the top folder)", strerror(errno));
    while ((entry = readdir(folder)) != NULL)
        if (begins(entry->d_name, "jitbench"))
            items_put(pages, entry->d_name);
    (void)closedir(folder);
    return pages;
}

/* --- Options: tests/man_options.py compares them with help. --- */

/* roff's escapes of a text line, as far as our pages use them. */
static void plain(const char *line, char *out, size_t size)
{
    size_t n = 0;

    for (; *line && n + 1 < size; line++) {
        if (line[0] == '\\' && line[1] == '-')
            continue;
        if (line[0] == '\\' && line[1] == '&') {
            line++;
            continue;
        }
        out[n++] = *line;
    }
    out[n] = 0;
}

/* The index behind the item's last line. */
static size_t item_end(const struct page *page, size_t from)
{
    size_t i = from + 1;

    while (i < page->n && !begins(page->line[i], ".It") && !begins(page->line[i], ".El"))
        i++;
    return i;
}

/* --- Tests and groups. --- */

/* A measuring session as far as a suite's callbacks look at it: one CPU, the copies asked for, no CSV. */
static struct measure *session_new(void)
{
    const struct csv_target nowhere = {.none = 1};
    struct measure *m = calloc(1, sizeof(*m));
    struct error message, error;

    assert_non_null(m);
    m->place.n_order = 1;
    m->operands_given = true;
    m->options.copies.n = 1;
    m->options.copies.value[0] = 1;
    m->csv = csv_open(&nowhere, &message, &error);
    assert_non_null(m->csv);
    return m;
}

static void session_free(struct measure *m)
{
    for (size_t i = 0; i < m->n_rows; i++)
        row_free(&m->rows[i]);
    free(m->rows);
    assert_int_equal(csv_close(m->csv), 0);
    free(m);
}

/* Fills in the options that latency's custom needs. */
static void fill_options(const struct suite *suite, void *options)
{
    struct option_table tables[TABLES_MAX];
    struct error error;

    memset(tables, 0, sizeof(tables));
    if (strcmp(suite->command.name, "latency") != 0)
        return;
    (void)measure_tables(suite, options, NULL, tables);
    for (size_t r = 0; r < tables[0].n; r++)
        if (tables[0].rows[r].letter == 'C' || tables[0].rows[r].letter == 'I')
            assert_int_equal(
                option_set(&tables[0].rows[r], tables[0].rows[r].letter == 'C' ? "20" : "1000", options, false, &error),
                0);
}

static const char *test_name(const struct plan_item *item)
{
    return item->test ? item->test : item->bench->name;
}

/* A test under several loads is one test; what is no operand is none. */
static void drop_doubles(const struct suite *suite, struct plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++) {
        int keep = !suite->test && !suite->tests;
        struct operand_word word;
        for (size_t t = 0; measure_test(suite, t, &word); t++)
            keep = keep || !strcmp(word.name, test_name(&plan->items[i]));
        if (keep && n && plan->items[n - 1].load && !strcmp(test_name(&plan->items[n - 1]), test_name(&plan->items[i])))
            keep = 0;
        if (keep) {
            struct plan_item swap = plan->items[n];
            plan->items[n++] = plan->items[i];
            plan->items[i] = swap;
        }
    }
    for (size_t i = n; i < plan->n; i++) {
        free(plan->items[i].params);
        free(plan->items[i].load_params);
    }
    plan->n = n;
}

/* Makes the plan of the suite's command with this operand and default options; NULL: all tests. */
static void plan_of(const struct suite *suite, const char *operand, struct plan *plan)
{
    struct measure *m = session_new();
    void *options = calloc(1, suite->options_size);
    struct operand_word word;

    assert_non_null(options);
    memset(plan, 0, sizeof(*plan));
    for (size_t t = 0; t < TESTS_MAX; t++)
        m->selected[t] = !operand;
    for (size_t t = 0; operand && !suite->select && measure_test(suite, t, &word); t++)
        m->selected[t] = !strcmp(word.name, operand);
    if (operand && suite->select && suite->select(m, operand))
        fail_msg("jitbench %s: '%s' is neither a test nor a group", suite->command.name, operand);
    fill_options(suite, options);
    m->plan = plan;
    assert_int_equal(suite->plan(m, options), 0);
    drop_doubles(suite, plan);
    if (suite->end)
        suite->end(options, true);
    free(options);
    session_free(m);
}

static double baseline_of(const struct plan_item *item)
{
    double baseline = 0;

    for (unsigned i = 0; i < item->bench->n_metrics && !item->no_index; i++)
        baseline += bench_metric(item->bench, i)->baseline;
    return baseline;
}

static const struct metric *headline_of(const struct bench *bench)
{
    for (unsigned i = 0; i < bench->n_metrics; i++)
        if (bench_metric(bench, i)->headline)
            return bench_metric(bench, i);
    fail_msg("%s has no headline metric", bench->name);
    return NULL;
}

/* "index dhry2reg whetstone ...": what an operand runs. */
static void names_of(const struct suite *suite, const char *operand, char *names, size_t size)
{
    struct text text = {0};
    struct plan plan;

    plan_of(suite, operand, &plan);
    for (size_t i = 0; i < plan.n; i++)
        text_printf(&text, "%s%s", i ? " " : "", test_name(&plan.items[i]));
    assert_true(text.length > 0 && text.length < size);
    text_copy(names, size, text.data);
    text_free(&text);
    plan_free(&plan);
}

/* The item's text as words with single blanks between, without commas and the full stop at the end. */
static void body_words(const struct page *page, size_t at, char *words, size_t size)
{
    size_t n = 0;

    for (size_t i = at + 1; i < item_end(page, at); i++) {
        assert_true(n + strlen(page->line[i]) + 2 < size);
        for (const char *c = page->line[i]; *c; c++)
            if (*c != ',')
                words[n++] = *c;
        words[n++] = ' ';
    }
    while (n > 0 && (words[n - 1] == ' ' || words[n - 1] == '.'))
        n--;
    words[n] = 0;
}

/* Cuts "Cm first , second Pq unit" into its names and puts them into items; returns what stands behind them. */
static char *cut_names(char *line, struct items *names)
{
    char *at = line + strlen(".It Cm ");

    assert_true(begins(line, ".It Cm "));
    for (;;) {
        size_t length = strcspn(at, " ");
        char *behind = at + length + strspn(at + length, " ");
        at[length] = 0;
        items_put(names, at);
        if (!begins(behind, ", "))
            return behind;
        at = behind + 2;
    }
}

/* All names of an item mean the same; each but the first is an old name or another one. */
static void check_same(const struct page *page, const struct suite *suite, const struct items *names)
{
    char first[ITEM_SIZE], other[ITEM_SIZE];

    names_of(suite, names->item[0], first, sizeof(first));
    for (size_t i = 1; i < names->n; i++) {
        names_of(suite, names->item[i], other, sizeof(other));
        if (strcmp(first, other) != 0)
            fail_msg("%s: '%s' runs %s, but '%s' runs %s", page->path, names->item[0], first, names->item[i], other);
    }
}

/* TESTS: name, old names, unit and baseline; the text begins with the title that the table shows. */
static void check_tests(const struct page *page, const struct suite *suite, struct items *operands, struct items *old)
{
    struct items *program = items_new(), *listed = items_new();
    char line[ITEM_SIZE];
    struct plan plan;

    plan_of(suite, NULL, &plan);
    for (size_t i = 0; i < plan.n; i++) {
        const struct plan_item *item = &plan.items[i];
        int n = snprintf(line, sizeof(line), "%s Pq %s", test_name(item), headline_of(item->bench)->unit);
        if (baseline_of(item) > 0)
            (void)snprintf(line + n, sizeof(line) - (size_t)n, ", %g", baseline_of(item));
        items_put(program, line);
    }
    for (size_t i = 0, k = 0; i < page->n; i++) {
        if (strcmp(page->section[i], "TESTS") != 0 || !begins(page->line[i], ".It "))
            continue;
        struct items *names = items_new();
        char copy[ITEM_SIZE];
        text_copy(copy, sizeof(copy), page->line[i]);
        const char *rest = cut_names(copy, names);
        check_same(page, suite, names);
        (void)snprintf(line, sizeof(line), "%.200s %.200s", names->item[0], rest);
        items_put(listed, line);
        items_put(operands, names->item[0]);
        for (size_t n = 1; n < names->n; n++)
            items_put(old, names->item[n]);
        if (k < plan.n && !begins(page->line[i + 1], plan.items[k].bench->title))
            fail_msg("%s: the text of '%s' does not begin with its title '%s'", page->path, names->item[0],
                     plan.items[k].bench->title);
        free(names);
        k++;
    }
    items_equal(page->path, program, listed);
    plan_free(&plan);
}

/* GROUPS: names, and the tests that they stand for. */
static void check_groups(const struct page *page, const struct suite *suite, struct items *operands)
{
    char members[ITEM_SIZE], words[ITEM_SIZE];

    for (size_t i = 0; i < page->n; i++) {
        if (strcmp(page->section[i], "GROUPS") != 0 || !begins(page->line[i], ".It "))
            continue;
        struct items *names = items_new();
        char copy[ITEM_SIZE];
        text_copy(copy, sizeof(copy), page->line[i]);
        assert_string_equal(cut_names(copy, names), "");
        check_same(page, suite, names);
        names_of(suite, names->item[0], members, sizeof(members));
        body_words(page, i, words, sizeof(words));
        if (strcmp(members, words) != 0)
            fail_msg("%s: the group '%s' is '%s', the page has '%s'", page->path, names->item[0], members, words);
        for (size_t k = 0; k < names->n; k++)
            items_put(operands, names->item[k]);
        free(names);
    }
}

TEST(test_man_tests_and_groups_are_those_of_the_suites)
{
    for (size_t i = 0; command_list[i]; i++) {
        const struct suite *suite = command_list[i]->suite;
        if (!suite)
            continue;
        struct page *page = page_of(command_list[i]->name);
        struct items *program = items_new(), *listed = items_new(), *old = items_new();
        struct operand_word word;
        for (size_t t = 0; measure_test(suite, t, &word); t++)
            items_put(program, word.name);
        if (suite->select || suite == &suite_latency) {
            check_tests(page, suite, listed, old);
            check_groups(page, suite, listed);
            for (size_t k = 0; k < old->n; k++)
                items_put(listed, old->item[k]);
        } else {
            for (size_t k = 0; k < page->n; k++)
                if (!strcmp(page->section[k], "DESCRIPTION") && begins(page->line[k], ".Ss "))
                    items_put(listed, page->line[k] + strlen(".Ss "));
        }
        items_equal(page->path, program, listed);
        free(old);
        page_free(page);
    }
}

/* --- How many samples. --- */

/* The line of a preset, from the second column on. */
static bool is_timed(const struct suite *suite)
{
    const struct suite_options *o = suite->options;

    while ((o->rows || o->bench) && o->rows != measure_timed_rows)
        o++;
    return o->rows;
}

static void sampling_line(const struct suite *suite, const struct bench *bench, enum option_preset preset, char *line,
                          size_t size)
{
    static const char *const presets[] = {"default", "Fl -quick", "Fl -classic"};
    const struct sampling *s = &bench->sampling[preset];
    unsigned long long least = s->min_samples, most = s->max_samples;
    char samples[64], each[48] = "", cap[32];

    text_duration(s->max_ns, cap, sizeof(cap));
    if (is_timed(suite)) {
        text_copy(each, sizeof(each), " Ta ");
        text_duration(s->time_ns, each + strlen(each), sizeof(each) - strlen(each));
    }
    if (most && least >= most) {
        (void)snprintf(line, size, "%s Ta %llu%s Ta \\- Ta \\-", presets[preset], least, each);
        return;
    }
    if (most)
        (void)snprintf(samples, sizeof(samples), "%llu to %llu", least, most);
    else
        (void)snprintf(samples, sizeof(samples), "%llu or more", least);
    (void)snprintf(line, size, "%s Ta %s%s Ta %s Ta %g %%", presets[preset], samples, each, cap, s->precision_pct);
}

static int same_sampling(const struct suite *suite, const struct bench *a, const struct bench *b)
{
    char first[ITEM_SIZE], second[ITEM_SIZE];

    for (unsigned p = 0; p < PRESET_COUNT; p++) {
        sampling_line(suite, a, (enum option_preset)p, first, sizeof(first));
        sampling_line(suite, b, (enum option_preset)p, second, sizeof(second));
        if (strcmp(first, second) != 0)
            return 0;
    }
    return 1;
}

/* The first benchmark of the suite that is sampled like this one. */
static const struct bench *sampled_like(const struct suite *suite, const struct bench *bench)
{
    size_t b = 0;

    while (strcmp(bench_list[b]->suite, suite->command.name) != 0 || !same_sampling(suite, bench_list[b], bench))
        b++;
    return bench_list[b];
}

/* A line for each preset of the first of those that are sampled alike, and the names of the others. */
static void put_sampling(const struct suite *suite, struct items *program)
{
    char line[ITEM_SIZE], rest[ITEM_SIZE - 64];

    items_put(program, is_timed(suite) ? ".It Em test Ta Em preset Ta Em samples Ta Em each Ta Em time Ta Em precision"
                                       : ".It Em test Ta Em preset Ta Em samples Ta Em time Ta Em precision");
    for (size_t b = 0; bench_list[b]; b++)
        for (unsigned p = 0; p < PRESET_COUNT && !strcmp(bench_list[b]->suite, suite->command.name); p++) {
            if (sampled_like(suite, bench_list[b]) != bench_list[b])
                continue;
            sampling_line(suite, bench_list[b], (enum option_preset)p, rest, sizeof(rest));
            (void)snprintf(line, sizeof(line), ".It %.40s Ta %s", bench_list[b]->name, rest);
            items_put(program, line);
        }
    for (size_t b = 0; bench_list[b]; b++) {
        struct text text = {0};
        if (strcmp(bench_list[b]->suite, suite->command.name) != 0)
            continue;
        for (size_t k = b + 1; bench_list[k]; k++)
            if (!strcmp(bench_list[k]->suite, suite->command.name) &&
                sampled_like(suite, bench_list[k]) == bench_list[b])
                text_printf(&text, " %s", bench_list[k]->name);
        if (text.length) {
            (void)snprintf(line, sizeof(line), ".It like Cm %.40s:%.400s", bench_list[b]->name, text.data);
            items_put(program, line);
        }
        text_free(&text);
    }
}

/* In the text around the table: the time of each test that has one of its own. */
static void expect_max_time(const struct suite *suite, const char *said)
{
    char time[32], words[64];

    for (size_t b = 0; bench_list[b]; b++) {
        if (strcmp(bench_list[b]->suite, suite->command.name) != 0 || !bench_list[b]->sampling[0].time_ns)
            continue;
        text_duration(bench_list[b]->sampling[0].max_ns, time, sizeof(time));
        (void)snprintf(words, sizeof(words), "(default %s)", time);
        if (!begins(said, words))
            fail_msg("%s stops after %s; said is '%s'", bench_list[b]->name, time, said);
    }
}

TEST(test_man_sampling_is_that_of_the_benchmarks)
{
    char line[ITEM_SIZE], words[ITEM_SIZE - 64];

    for (size_t i = 0; command_list[i]; i++) {
        if (!command_list[i]->suite)
            continue;
        struct page *page = page_of(command_list[i]->name);
        struct items *program = items_new(), *listed = items_new();
        put_sampling(command_list[i]->suite, program);
        for (size_t k = 0; k < page->n; k++) {
            if (!strcmp(page->line[k], ".Fl -max-time") && begins(page->line[k + 1], "(default "))
                expect_max_time(command_list[i]->suite, page->line[k + 1]);
            if (strcmp(page->section[k], "SAMPLING") != 0 || !begins(page->line[k], ".It "))
                continue;
            text_copy(line, sizeof(line), page->line[k]);
            if (begins(line, ".It like ")) {
                body_words(page, k, words, sizeof(words));
                (void)snprintf(line, sizeof(line), "%.60s: %s", page->line[k], words);
            }
            items_put(listed, line);
        }
        items_equal(page->path, program, listed);
        page_free(page);
    }
}

/* --- The CSV. --- */

TEST(test_man_csv_columns_are_the_rows_in_order)
{
    static const char *const types[] = {
        [COLUMN_TEXT] = "text",   [COLUMN_UINT] = "whole number",   [COLUMN_REAL] = "number",
        [COLUMN_STATUS] = "text", [COLUMN_SCHEMA] = "whole number", [COLUMN_SAMPLES] = "list",
        [COLUMN_HIST] = "pairs",  [COLUMN_SERIES] = "pairs",        [COLUMN_CAUSES] = "text",
    };
    struct page *page = page_read("man/jitbench-csv.5");
    struct items *program = items_new(), *listed = items_new();
    char line[ITEM_SIZE];

    for (size_t i = 0; i < row_n_columns; i++) {
        (void)snprintf(line, sizeof(line), ".It Va %s Pq %s", row_columns[i].name, types[row_columns[i].type]);
        items_put(program, line);
    }
    items_of_page(page, "COLUMNS", ".It ", listed);
    for (size_t i = 0; i < listed->n; i++)
        listed->item[i][strcspn(listed->item[i], ",")] = 0; /* the unit */
    items_equal("man/jitbench-csv.5: COLUMNS", program, listed);
    page_free(page);
}

static int has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
        if ((p == text || p[-1] == ' ') && (p[length] == ' ' || p[length] == ',' || !p[length]))
            return 1;
    return 0;
}

/* As the page has it: the clock's, or the test's where tests of a suite have others for the same metric. */
static const char *unit_shown(const struct bench *bench, const struct metric *metric)
{
    if (!metric->unit)
        return "ticks";
    for (size_t b = 0; bench_list[b]; b++)
        for (unsigned m = 0; m < bench_list[b]->n_metrics && !strcmp(bench_list[b]->suite, bench->suite); m++) {
            const struct metric *other = bench_metric(bench_list[b], m);
            if (!strcmp(other->id, metric->id) && other->unit && strcmp(other->unit, metric->unit) != 0)
                return "the test's unit";
        }
    return metric->unit;
}

/* The items under the headings that name the test or its suite. A word that is a test of another suite too is that. */
static void metrics_of_page(const struct page *page, const char *test, const char *suite, struct items *listed)
{
    for (size_t b = 0; bench_list[b]; b++)
        suite = strcmp(bench_list[b]->name, suite) ? suite : test;
    for (size_t i = 0; i < page->n; i++)
        if (begins(page->line[i], ".It ") && !strcmp(page->section[i], "METRICS") &&
            (has_word(page->subsection[i], test) || has_word(page->subsection[i], suite)))
            items_put(listed, page->line[i]);
}

TEST(test_man_metrics_are_those_of_the_benchmarks)
{
    static const char *const values[] = {[VALUE_MEAN] = "mean",
                                         [VALUE_MEDIAN] = "median",

                                         [VALUE_MIN] = "minimum",
                                         [VALUE_MAX] = "maximum"};
    struct page *page = page_read("man/jitbench-csv.5");
    char line[ITEM_SIZE];

    for (size_t b = 0; bench_list[b]; b++) {
        struct items *program = items_new(), *listed = items_new();
        for (unsigned m = 0; m < bench_list[b]->n_metrics; m++) {
            const struct metric *metric = bench_metric(bench_list[b], m);
            (void)snprintf(line, sizeof(line), ".It Cm %s Pq %s, %s, %s", metric->id, unit_shown(bench_list[b], metric),
                           metric->better[0] ? metric->better : "\\-", values[metric->value]);
            items_put(program, line);
        }
        metrics_of_page(page, bench_list[b]->name, bench_list[b]->suite, listed);
        items_equal(bench_list[b]->name, program, listed);
    }
    page_free(page);
}

static void put_measured(struct measure *m, const struct suite *suite, const struct plan_item *item, uint64_t copies,
                         const struct metric *metric)
{
    struct row row = ROW(&m->run, 1, .suite = suite->command.name, .test = test_name(item), .metric = metric->id);
    row.copies = copies;
    row.stats.max = row.stats.p999 = 1;
    if (item->bench->describe)
        item->bench->describe(&(const struct bench_case){item->bench, item->params, &m->clock}, &row.param);
    if (metric->headline && baseline_of(item) > 0)
        row.index = 10;
    measure_put_row(m, &row);
}

/* The rows that a suite makes of rows: two numbers of copies of all its tests are put in, their headlines and the
 * figures with the core free, and what else is there after conclude is the suite's own. Returns the session; its first
 * own row in first. */
static struct measure *concluded(const struct suite *suite, size_t *first)
{
    struct measure *m = session_new();
    struct plan plan;

    plan_of(suite, NULL, &plan);
    for (uint64_t copies = 1; copies <= 2; copies++)
        for (size_t i = 0; i < plan.n; i++) {
            const struct bench *bench = plan.items[i].bench;
            put_measured(m, suite, &plan.items[i], copies, headline_of(bench));
            for (unsigned k = 0; k < bench->n_metrics; k++)
                if (bench_metric(bench, k)->alone)
                    put_measured(m, suite, &plan.items[i], copies, bench_metric(bench, k));
        }
    plan_free(&plan);
    *first = m->n_rows;
    assert_true(*first > 0);
    suite->conclude(m);
    return m;
}

/* The table of metrics has the row's metric, for `list --metrics` and requirements. */
static bool is_made(const struct row *row)
{
    const struct metrics *metrics = metrics_table();

    for (size_t t = 0; t < metrics->n_made; t++)
        for (size_t m = 0; m < metrics->made[t].n; m++)
            if (!strcmp(metrics->made[t].suite, row->suite) && !strcmp(metrics->made[t].name, row->test) &&
                !strcmp(metrics->made[t].metric[m].id, row->metric) &&
                !strcmp(metrics->made[t].metric[m].unit, row->unit))
                return true;
    return false;
}

/* Their tests, each once, and of one of them the metrics; either may be NULL. */
static void made_rows(struct items *tests, const char *test, struct items *metrics)
{
    char line[ITEM_SIZE];

    for (size_t c = 0; command_list[c]; c++) {
        size_t first;
        if (!command_list[c]->suite || !command_list[c]->suite->conclude)
            continue;
        struct measure *m = concluded(command_list[c]->suite, &first);
        assert_true(m->n_rows > first);
        for (size_t i = first; i < m->n_rows; i++) {
            const struct row *row = &m->rows[i];
            assert_string_equal(row->suite, command_list[c]->suite->command.name);
            if (tests && !has(tests, row->test))
                items_put(tests, row->test);
            assert_true(is_made(row));
            (void)snprintf(line, sizeof(line), ".It Cm %s Pq %s, %s", row->metric, row->unit,
                           row->better[0] ? row->better : "\\-");
            if (metrics && !strcmp(row->test, test) && !has(metrics, line))
                items_put(metrics, line);
        }
        session_free(m);
    }
}

/* These metrics are not statistics of samples, so the brackets end with the direction. */
TEST(test_man_metrics_of_rows_made_of_rows_are_those_that_suites_make)
{
    struct page *page = page_read("man/jitbench-csv.5");
    struct items *tests = items_new();

    made_rows(tests, NULL, NULL);
    assert_true(tests->n > 0);
    for (size_t t = 0; t < tests->n; t++) {
        struct items *program = items_new(), *listed = items_new();
        made_rows(NULL, tests->item[t], program);
        metrics_of_page(page, tests->item[t], tests->item[t], listed);
        items_equal(tests->item[t], program, listed);
    }
    free(tests);
    page_free(page);
}

/* The index that follows from the column's scores and the program's baselines is the one below them. */
TEST(test_man_published_scores_have_the_index_of_the_baselines)
{
    struct page *page = page_of("unix");
    struct items *listed = items_new();
    double logs[2] = {0, 0}, score[2], index[2] = {0, 0};
    unsigned n = 0;

    items_of_page(page, "PUBLISHED SCORES", ".It ", listed);
    for (size_t i = 0; i < listed->n; i++) {
        char test[32];
        if (sscanf(listed->item[i], ".It %31s Ta %lf Ta %lf", test, &score[0], &score[1]) != 3)
            continue;
        if (!strcmp(test, "index")) {
            memcpy(index, score, sizeof(index));
            continue;
        }
        const struct bench *bench = NULL;
        for (size_t b = 0; bench_list[b]; b++)
            bench = strcmp(bench_list[b]->name, test) ? bench : bench_list[b];
        assert_non_null(bench);
        assert_true(bench_metric(bench, 0)->baseline > 0);
        for (int column = 0; column < 2; column++)
            logs[column] += log(10 * score[column] / bench_metric(bench, 0)->baseline);
        n++;
    }
    assert_int_equal(n, 12);
    for (int column = 0; column < 2; column++)
        assert_true(fabs(exp(logs[column] / n) - index[column]) < 0.1);
    free(listed);
    page_free(page);
}

static int is_test(const char *word, const struct items *made)
{
    int known = has(made, word);

    for (size_t b = 0; bench_list[b]; b++)
        known = known || !strcmp(bench_list[b]->name, word) || !strcmp(bench_list[b]->suite, word);
    return known;
}

/* Each heading is "Metrics of NAME and NAME": tests, suites, or tests that a suite makes. */
TEST(test_man_metrics_name_only_tests_that_exist)
{
    struct page *page = page_read("man/jitbench-csv.5");
    struct items *headings = items_new(), *made = items_new();

    made_rows(made, NULL, NULL);
    items_of_page(page, "METRICS", ".Ss ", headings);
    assert_true(headings->n > 0);
    for (size_t i = 0; i < headings->n; i++) {
        char *rest = NULL;
        assert_true(begins(headings->item[i], ".Ss Metrics of "));
        for (char *word = strtok_r(headings->item[i] + strlen(".Ss Metrics of "), ", ", &rest); word;
             word = strtok_r(NULL, ", ", &rest))
            if (strcmp(word, "and") != 0 && !is_test(word, made))
                fail_msg("%s: '%s' is no test", page->path, word);
    }
    free(made);
    free(headings);
    page_free(page);
}

static void check_statuses(const char *path, const char *heading)
{
    struct page *page = page_read(path);
    struct items *program = items_new(), *listed = items_new();
    char line[ITEM_SIZE];

    for (int status = 0; strcmp(row_status_name((enum row_status)status), "unknown") != 0; status++) {
        (void)snprintf(line, sizeof(line), ".It Cm %s", row_status_name((enum row_status)status));
        items_put(program, line);
    }
    items_of_page(page, heading, ".It ", listed);
    items_equal(path, program, listed);
    page_free(page);
}

TEST(test_man_statuses_are_those_of_rows)
{
    check_statuses("man/jitbench.1", "Status");
    check_statuses("man/jitbench-csv.5", "STATUS");
}

/* --- Examples: each command line that a page or the README shows is one. --- */

/* How many of the words a shell would give to jitbench: to the end of the simple command. */
static size_t words_of_example(char **words, size_t n)
{
    size_t i = 0;

    while (i < n && strcmp(words[i], "||") != 0 && strcmp(words[i], "&&") != 0 && !strchr("|<>;", words[i][0]) &&
           strncmp(words[i], "2>", 2) != 0) {
        size_t length = strlen(words[i]);
        i++;
        if (length && words[i - 1][length - 1] == ';') {
            words[i - 1][length - 1] = 0;
            break;
        }
    }
    return i;
}

/* Returns the number of words before the first "--" if another program's command line follows it. */
static int without_command(const struct command *command, char **words, int n)
{
    for (int i = 1; command->suite == &suite_run && i < n; i++)
        if (!strcmp(words[i], "--"))
            return i;
    return n;
}

static void check_operand(const struct command *command, const char *where, const char *operand)
{
    const struct operands *known = command_operands(command);
    struct operand_word word;

    if (known->kind != OPERANDS_WORDS)
        return;
    for (size_t i = 0; known->word(command, i, &word); i++)
        if (!strcmp(word.name, operand))
            return;
    fail_msg("%s: no operand '%s'", where, operand);
}

/* As the command itself parses it. */
static void check_example(const char *path, const char *line)
{
    static char target[TABLES_MAX][65536];
    struct option_table tables[TABLES_MAX];
    const char *operands[64];
    struct error error;
    char where[1024];
    struct words split;
    const char *wrong = words_of_command(line, true, &split);
    char **words = split.word;

    (void)snprintf(where, sizeof(where), "%s: '%s'", path, line);
    if (wrong)
        fail_msg("%s: %s", where, wrong);
    size_t n = words_of_example(words, split.n);
    const struct command *command = n > 1 && n < 64 ? command_find(words[1]) : NULL;
    if (!command)
        fail_msg("%s: no command", where);
    size_t n_tables = tables_of(command, tables);
    for (size_t t = 0; t < n_tables; t++)
        tables[t].target = target[t];
    int found =
        option_parse(without_command(command, words + 1, (int)n - 1), words + 1, tables, n_tables, operands, &error);
    if (found < 0)
        fail_msg("%s: %s", where, error.text);
    for (int i = 0; i < found; i++)
        check_operand(command, where, operands[i]);
    words_free(&split);
}

/* Checks the commands of a line that begins with a prompt and the program's name. Returns how many. */
static unsigned check_line(const char *path, const char *line)
{
    static const char *const names[] = {"jitbench ", "./jitbench "};
    char text[1024];

    plain(line, text, sizeof(text));
    const char *at = text + strspn(text, " ");
    at += !strncmp(at, ".Dl ", 4) ? 4 : 0;
    if ((at[0] != '$' && at[0] != '#') || at[1] != ' ')
        return 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strncmp(at + 2, names[i], strlen(names[i]))) {
            check_example(path, at + 2);
            return 1;
        }
    return 0;
}

TEST(test_man_examples_are_command_lines)
{
    struct items *pages = all_pages();
    char path[PATH_SIZE];
    unsigned examples = 0;

    for (size_t p = 0; p <= pages->n; p++) {
        (void)snprintf(path, sizeof(path), p < pages->n ? "man/%s" : "README.md", p < pages->n ? pages->item[p] : "");
        struct page *page = page_read(path);
        for (size_t i = 0; i < page->n; i++) {
            char line[1024], *more;
            text_copy(line, sizeof(line), page->line[i]);
            /* A backslash at its end, in mdoc \\e: the next line belongs to it. */
            while (i + 1 < page->n && (more = strstr(line, " \\e")) && !more[3])
                text_copy(more, sizeof(line) - (size_t)(more - line), page->line[++i]);
            examples += check_line(path, line);
        }
        page_free(page);
    }
    assert_true(examples > 50);
    free(pages);
}
