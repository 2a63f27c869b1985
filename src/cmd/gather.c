/* SPDX-License-Identifier: MIT */
/* Figures and settings of many machines, from their rows. */
#include "cmd/gather.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/list.h"
#include "engine/text.h"

/* Room for number `number` in an array that grows by doubling, new elements zeroed. */
static void *make_room(void *array, size_t *capacity, size_t number, size_t size)
{
    size_t wanted = *capacity ? *capacity : 16;

    if (number < *capacity)
        return array;
    while (wanted <= number)
        wanted *= 2;
    char *grown = realloc(array, wanted * size);
    if (!grown)
        return NULL;
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    *capacity = wanted;
    return grown;
}

/* --- Machines. --- */

/* Two machines of one name are told apart by what does not change from run to run. */
static size_t enter_machine(struct gather *g, const struct row_run *run)
{
    const char *rank = g->by_rank && run->rank[0] ? run->rank : "", *slash = rank[0] ? "/" : "";
    char identity[512], name[160];
    size_t before = g->identities.n;

    (void)snprintf(identity, sizeof(identity), "%s\x1f%s\x1f%s\x1f%s\x1f%" PRIu64, run->host, rank, run->cpu_model,
                   run->arch, run->cpus_online);
    size_t number = index_enter(&g->identities, identity);
    if (number == SIZE_MAX || number < before)
        return number;
    (void)snprintf(name, sizeof(name), "%s%s%s", run->host[0] ? run->host : "(no name)", slash, rank);
    size_t length = strlen(name), machines = g->machines.n;
    for (unsigned i = 2; index_enter(&g->machines, name) < machines; i++)
        (void)snprintf(name + length, sizeof(name) - length, " (%u)", i);
    void *grown = make_room(g->machine, &g->machine_capacity, number, sizeof(*g->machine));
    if (!grown)
        return SIZE_MAX;
    g->machine = grown;
    return g->machines.n == g->identities.n ? number : SIZE_MAX;
}

/* --- Settings. --- */

static int enter_setting(struct gather *g, size_t machine, const char *name, const char *value)
{
    if (!value[0])
        return 0;
    size_t number = index_enter(&g->settings, name);
    void *grown = number == SIZE_MAX ? NULL : make_room(g->setting, &g->setting_capacity, number, sizeof(*g->setting));
    if (!grown)
        return -1;
    g->setting = grown;
    struct gather_setting *setting = &g->setting[number];
    size_t value_number = index_enter(&setting->values, value);
    grown = make_room(setting->value, &setting->capacity, machine, sizeof(*setting->value));
    if (value_number == SIZE_MAX || !grown)
        return -1;
    setting->value = grown;
    setting->value[machine] = (uint32_t)value_number + 1;
    return 0;
}

static int enter_settings(struct gather *g, size_t machine, const struct row_run *run)
{
    char items[sizeof(run->settings)], cpus[24] = "";

    if (run->cpus_online)
        (void)snprintf(cpus, sizeof(cpus), "%" PRIu64, run->cpus_online);
    if (enter_setting(g, machine, "kernel", run->kernel) || enter_setting(g, machine, "cpu", run->cpu_model) ||
        enter_setting(g, machine, "cpus", cpus) || enter_setting(g, machine, "build", run->build))
        return -1;
    text_copy(items, sizeof(items), run->settings);
    for (char *item = items; *item;) {
        size_t length = strcspn(item, ";");
        char *next = item + length + (item[length] == ';'), *equals = memchr(item, '=', length);
        item[length] = '\0';
        if (equals) {
            *equals = '\0';
            if (enter_setting(g, machine, item, equals + 1))
                return -1;
        }
        item = next;
    }
    return 0;
}

const char *gather_setting(const struct gather *g, size_t setting, size_t machine)
{
    const struct gather_setting *s = &g->setting[setting];

    return machine < s->capacity && s->value[machine] ? s->values.name[s->value[machine] - 1] : NULL;
}

const char *gather_majority(const struct gather *g, size_t setting)
{
    const struct gather_setting *s = &g->setting[setting];
    size_t *count = calloc(s->values.n + 1, sizeof(*count)), known = 0, best = 0;
    const char *majority = NULL;

    if (!count)
        return NULL;
    for (size_t m = 0; m < g->machines.n && m < s->capacity; m++) {
        known += s->value[m] > 0;
        count[s->value[m]] += s->value[m] > 0;
    }
    for (size_t v = 1; v <= s->values.n; v++)
        best = count[v] > count[best] ? v : best;
    if (best && 2 * count[best] > known)
        majority = s->values.name[best - 1];
    free(count);
    return majority;
}

/* --- Figures. --- */

static void work_of(const struct row *row, char *buf, size_t size)
{
    struct text words = {0};
    const char *at = row->param, *word;
    size_t length;

    while ((word = row_next_word(row->param, &at, ROW_WORD_WORK, &length))) {
        text_append(&words, " ", words.length > 0);
        text_append(&words, word, length);
    }
    text_copy(buf, size, words.data ? words.data : "");
    text_free(&words);
}

static struct gather_figure *enter_figure(struct gather *g, const struct row *row, const char *work)
{
    char key[512];

    (void)snprintf(key, sizeof(key), "%s\x1f%s\x1f%s\x1f%s\x1f%" PRIu64 "\x1f%s\x1f%s", row->suite, row->test,
                   row->load, row->metric, row->copies, row->unit, work);
    size_t before = g->figures.n, number = index_enter(&g->figures, key);
    void *grown = number == SIZE_MAX ? NULL : make_room(g->figure, &g->figure_capacity, number, sizeof(*g->figure));
    if (!grown)
        return NULL;
    g->figure = grown;
    struct gather_figure *figure = &g->figure[number];
    if (number == before) {
        text_copy(figure->suite, sizeof(figure->suite), row->suite);
        text_copy(figure->test, sizeof(figure->test), row->test);
        text_copy(figure->load, sizeof(figure->load), row->load);
        text_copy(figure->metric, sizeof(figure->metric), row->metric);
        text_copy(figure->unit, sizeof(figure->unit), row->unit);
        text_copy(figure->work, sizeof(figure->work), work);
        figure->copies = row->copies;
        figure->higher_is_better = !strcmp(row->better, "higher");
    }
    return figure;
}

static int make_room_for(struct gather_figure *figure, size_t machine)
{
    size_t of_sum = figure->capacity, of_count = figure->capacity;
    double *sum = make_room(figure->sum, &of_sum, machine, sizeof(*sum));

    if (!sum)
        return -1;
    figure->sum = sum;
    uint32_t *count = make_room(figure->count, &of_count, machine, sizeof(*count));
    if (!count)
        return -1;
    figure->count = count;
    figure->capacity = of_count;
    return 0;
}

/* Relative, of the value: by the spread of the samples. NAN: not known. */
static double standard_error(const struct row *row)
{
    return row->stats.sd / sqrt((double)row->stats.n) / fabs(row->stats.mean);
}

static int enter_value(struct gather_figure *figure, size_t machine, const struct row *row)
{
    double error = standard_error(row);

    if (make_room_for(figure, machine))
        return -1;
    figure->sum[machine] += row->value;
    figure->count[machine]++;
    if (isfinite(error)) {
        figure->error_sum += error;
        figure->error_n++;
    }
    return 0;
}

double gather_value(const struct gather_figure *figure, size_t machine)
{
    return machine < figure->capacity && figure->count[machine] ? figure->sum[machine] / figure->count[machine]
                                                                : (double)NAN;
}

/* --- Rows. --- */

/* Whether this very row was entered before: a file that was given twice, or copied. 1, 0, or -1 when out of memory. */
static int came_before(struct gather *g, const struct row *row, const char *work)
{
    char key[640];
    size_t before = g->seen.n;

    if (!row->run->run_id[0])
        return 0;
    (void)snprintf(key, sizeof(key), "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%" PRIu64 "\x1f%s\x1f%s", row->run->run_id,
                   row->run->host, row->suite, row->test, row->load, row->metric, row->copies, row->cpus, work);
    /* Its hash alone: of a million rows two agree by chance in one of ten million fleets. */
    (void)snprintf(key, 17, "%016" PRIx64, index_hash(key));
    size_t number = index_enter(&g->seen, key);
    return number == SIZE_MAX ? -1 : number < before;
}

/* Once for the rows of a run that follow each other. */
static int enter_run(struct gather *g, const struct row_run *run)
{
    char id[128];
    size_t before = g->runs.n;

    if (g->machines.n && row_run_equal(&g->last_run, run))
        return 0;
    g->last_machine = enter_machine(g, run);
    if (g->last_machine == SIZE_MAX || enter_settings(g, g->last_machine, run))
        return -1;
    (void)snprintf(id, sizeof(id), "%s\x1f%s", run->run_id, run->utc);
    size_t number = index_enter(&g->runs, id);
    if (number == SIZE_MAX)
        return -1;
    g->machine[g->last_machine].runs += number == before;
    g->last_run = *run;
    return 0;
}

int gather_row(struct gather *g, const struct row *row)
{
    char work[96];

    if (enter_run(g, row->run))
        return -1;
    struct gather_machine *machine = &g->machine[g->last_machine];
    if (row->status == ROW_FAILED) {
        machine->failed++;
        return 0;
    }
    if (row->status == ROW_SKIPPED || !isfinite(row->value) || !bench_is_headline(row->suite, row->metric, row->better))
        return 0;
    work_of(row, work, sizeof(work));
    int before = came_before(g, row, work);
    if (before) {
        g->doubles += before > 0;
        return before < 0 ? -1 : 0;
    }
    machine->rows++;
    struct gather_figure *figure = enter_figure(g, row, work);
    return figure ? enter_value(figure, g->last_machine, row) : -1;
}

void gather_free(struct gather *g)
{
    for (size_t f = 0; f < g->figures.n && f < g->figure_capacity; f++) {
        free(g->figure[f].sum);
        free(g->figure[f].count);
    }
    for (size_t s = 0; s < g->settings.n && s < g->setting_capacity; s++) {
        free(g->setting[s].value);
        index_free(&g->setting[s].values);
    }
    free(g->figure);
    free(g->setting);
    free(g->machine);
    index_free(&g->machines);
    index_free(&g->figures);
    index_free(&g->settings);
    index_free(&g->identities);
    index_free(&g->runs);
    index_free(&g->seen);
    memset(g, 0, sizeof(*g));
}
