/* SPDX-License-Identifier: MIT */
/* Made-up rows. */
#ifndef ROW_FIXTURE_H
#define ROW_FIXTURE_H

#include <math.h>

#include "rows/rows.h"

struct row_words {
    const char *suite, *test, *load, *param, *metric, *unit, *better, *cpus, *policy, *bind, *causes; /* NULL: "" */
};

static inline void set_params(struct row *row, const char *text)
{
    text_copy(row->param.text, sizeof(row->param.text), text);
    row_params_read(&row->param);
}

/* Reads "steal:20;timer=5". */
static inline void set_causes(struct row *row, const char *text)
{
    char name[16], sign;
    double number;

    row->causes.n = 0;
    for (int n = 0; sscanf(text, "%15[^:=]%c%lf%n", name, &sign, &number, &n) == 3; text += n + (text[n] == ';'))
        row_cause_add(&row->causes, name, strlen(name), sign == ':', number);
}

/* Formats the causes as they are in the CSV. Valid until the next call. */
static inline const char *causes_of(const struct row *row)
{
    static char buf[512];
    struct text text = {0};

    causes_text(&row->causes, &text);
    text_copy(buf, sizeof(buf), text.length ? text.data : "");
    text_free(&text);
    return buf;
}

static inline struct row row_of_words(const struct row_run *run, double value, const struct row_words *words)
{
    struct row row;

    row_init(&row, run);
    const struct {
        char *to;
        size_t size;
        const char *from;
    } texts[] = {
        {row.suite, sizeof(row.suite), words->suite},    {row.test, sizeof(row.test), words->test},
        {row.load, sizeof(row.load), words->load},       {row.param.text, ROW_PARAM_SIZE, words->param},
        {row.metric, sizeof(row.metric), words->metric}, {row.unit, sizeof(row.unit), words->unit},
        {row.better, sizeof(row.better), words->better}, {row.cpus, sizeof(row.cpus), words->cpus},
        {row.policy, sizeof(row.policy), words->policy}, {row.bind, sizeof(row.bind), words->bind},
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i].from)
            text_copy(texts[i].to, texts[i].size, texts[i].from);
    row_params_read(&row.param);
    set_causes(&row, words->causes ? words->causes : "");
    row.value = value;
    return row;
}

/* A row that knows its run (NULL: none), its value and these words, as ROW(NULL, 5, .test = "pipe"): nothing else. */
#define ROW(run, value, ...) row_of_words((run), (value), &(const struct row_words){__VA_ARGS__})

#endif
