/* SPDX-License-Identifier: MIT */
/* Gathers results and settings of many machines from their rows. */
#include "analysis/analysis.h"

/* Larger values are damage: their sums might not be finite. */
#define VALUE_MOST 1e100

/* As memory_grow(), and zeroes the new elements. */
static void *make_room(void *array, size_t *capacity, size_t number, size_t size)
{
    const size_t before = *capacity;

    memory_grow(&array, capacity, number, size);
    memset((char *)array + before * size, 0, (*capacity - before) * size);
    return array;
}

/* --- Machines. --- */

static bool is_number(const char *s)
{
    return *s && !s[strspn(s, "0123456789")];
}

/* vague: CPU model, architecture and number of CPUs are not known. */
static size_t new_machine(struct gather *g, struct gather_name *name, const char *base, bool vague)
{
    char shown[160];
    size_t machines = g->machines.n, number;

    TEXT_SET(shown, base);
    do
        if (name->machines++)
            TEXT_PRINT(shown, "%s (%u)", base, name->machines);
    while ((number = index_enter(&g->machines, shown)) < machines);
    g->machine = make_room(g->machine, &g->machine_capacity, number, sizeof(*g->machine));
    g->machine[number].namesake = name->machines > 1;
    if (name->machines == 1) {
        name->first = number;
        name->vague = vague;
    }
    return number;
}

/* Machines of the same name differ in properties that do not change from run to run. */
static size_t enter_machine(struct gather *g, const struct row_run *run)
{
    const char *rank = g->by_rank && is_number(run->rank) ? run->rank : "";
    bool vague = !g->by_run && !run->cpu_model[0] && !run->arch[0] && !run->cpus_online;
    char identity[512], base[128];
    size_t before = g->identities.n;

    if (g->by_run)
        TEXT_PRINT(base, "%s %s", run->utc, run->run_id);
    else
        TEXT_PRINT(base, "%s%s%s", run->host[0] ? run->host : "(no name)", rank[0] ? "/" : "", rank);
    size_t number = index_enter(&g->names, base);
    g->name = make_room(g->name, &g->name_capacity, number, sizeof(*g->name));
    struct gather_name *name = &g->name[number];
    if (name->machines && vague)
        return name->first;
    TEXT_PRINT(identity, "%s\x1f%s\x1f%s\x1f%s\x1f%" PRIu64, g->by_run ? base : run->host, rank, run->cpu_model,
               run->arch, run->cpus_online);
    number = index_enter(&g->identities, identity);
    if (number < before)
        return g->of_identity[number];
    g->of_identity = make_room(g->of_identity, &g->of_identity_capacity, number, sizeof(*g->of_identity));
    size_t machine = name->machines && name->vague ? name->first : new_machine(g, name, base, vague);
    name->vague = name->vague && vague;
    g->of_identity[number] = (uint32_t)machine;
    return machine;
}

/* --- Settings. --- */

/* A later value replaces an earlier one. */
static void enter_setting(struct gather *g, size_t machine, const char *name, const char *value)
{
    const size_t number = value[0] && name[0] ? index_enter(&g->settings, name) : SIZE_MAX;

    if (number < GATHER_SETTINGS_MAX)
        g->machine[machine].setting[number] = (uint32_t)index_enter(&g->setting_values, value) + 1;
}

static void enter_gathered_items(struct gather *g, size_t machine, const char *text, bool of_run)
{
    struct setting_items items;

    setting_items_begin(&items, text, of_run);
    while (setting_items_next(&items))
        enter_setting(g, machine, items.name, items.value);
}

const char *gather_setting(const struct gather *g, size_t setting, size_t machine)
{
    const uint32_t value = setting < GATHER_SETTINGS_MAX ? g->machine[machine].setting[setting] : 0;

    return value ? g->setting_values.name[value - 1] : NULL;
}

/* What remains when each pair of different values is struck out (Boyer, Moore 1981). Equal values are one string. */
const char *gather_majority(const struct gather *g, size_t setting)
{
    const char *value = NULL;
    size_t left = 0, agree = 0, known = 0;

    for (size_t m = 0; m < g->machines.n; m++) {
        const char *own = gather_setting(g, setting, m);
        if (!own)
            continue;
        value = left ? value : own;
        left = own == value ? left + 1 : left - 1;
        known++;
    }
    for (size_t m = 0; m < g->machines.n; m++)
        agree += value && gather_setting(g, setting, m) == value;
    return 2 * agree > known ? value : NULL;
}

/* --- Figures. --- */

/* Without "copy=". */
static void work_of(const struct row *row, char *buf, size_t size)
{
    FREED_BY(text_free) struct text words = {0};
    struct row_word word = {0};

    while (row_next_word(&row->param, &word)) {
        if ((word.of->kind != PARAM_WORK && word.of->kind != PARAM_COMMAND) || starts_with(word.text, "copy="))
            continue;
        text_append(&words, " ", words.length > 0);
        text_append(&words, word.text, word.length);
    }
    text_copy(buf, size, words.data ? words.data : "");
}

static size_t enter_one_result(struct gather *g, const struct row *row, const char *metric)
{
    char work[ROW_PARAM_SIZE], key[sizeof(*row)];

    work_of(row, work, sizeof(work));
    TEXT_PRINT(key, "%s\x1f%s\x1f%s\x1f%s\x1f%" PRIu64 "\x1f%s\x1f%s", row->suite, row->test, row->load, metric,
               row->copies, row->unit, work);
    size_t before = g->results.n, number = index_enter(&g->results, key);
    g->result = make_room(g->result, &g->result_capacity, number, sizeof(*g->result));
    struct gather_result *result = &g->result[number];
    if (number == before) {
        TEXT_SET(result->suite, row->suite);
        TEXT_SET(result->test, row->test);
        TEXT_SET(result->load, row->load);
        TEXT_SET(result->metric, metric);
        TEXT_SET(result->unit, row->unit);
        TEXT_SET(result->work, work);
        row_protocol(&row->param, result->protocol);
        result->copies = row->copies;
        result->higher_is_better = !strcmp(row->better, "higher");
    }
    return number;
}

/* A result measured only while no one else used the core is linked with the one over the whole time. */
static size_t enter_row_results(struct gather *g, const struct row *row)
{
    const size_t number = enter_one_result(g, row, row->metric);
    char metric[sizeof(row->metric)];

    if (!row_is_alone(row) || g->result[number].raw)
        return number;
    TEXT_PRINT(metric, "%.*s", (int)row_is_alone(row), row->metric);
    const size_t raw = enter_one_result(g, row, metric);
    g->result[number].raw = raw + 1;
    g->result[raw].alone = number + 1;
    return number;
}

static double gathered_value(const struct gather *g, const struct row *row)
{
    return g->stat ? *(const double *)row_field(row, g->stat) : row->value;
}

/* error: relative standard error; not finite: not known. */
static void enter_value(struct gather *g, size_t result, size_t machine, double value, double error)
{
    g->values = make_room(g->values, &g->values_capacity, g->n_values, sizeof(*g->values));
    g->values[g->n_values++] = (struct gather_value){.result = (uint32_t)result,
                                                     .machine = (uint32_t)machine,
                                                     .rows = 1,
                                                     .error = error < VALUE_MOST ? (float)fmin(error, 1e30) : NAN,
                                                     .value = value};
}

/* Rows measured only while the core was free are skipped, so that each measurement counts once. */
static void enter_share(struct gather *g, const struct row *row)
{
    const double share = row_is_alone(row) || g->stat ? NAN : row_core_share(row);
    struct row of_share;

    if (isnan(share))
        return;
    if (!g->share) {
        row_init(&of_share, row->run);
        TEXT_SET(of_share.suite, "core");
        TEXT_SET(of_share.test, "core");
        TEXT_SET(of_share.unit, "ratio");
        TEXT_SET(of_share.better, "higher");
        g->share = enter_one_result(g, &of_share, "share") + 1;
    }
    enter_value(g, g->share - 1, g->last_machine, share, NAN);
}

static int by_result(const void *a, const void *b)
{
    const struct gather_value *x = a, *y = b;

    return x->result != y->result ? ORDER_OF(x->result, y->result) : ORDER_OF(x->machine, y->machine);
}

static void pool(struct gather_value *into, const struct gather_value *from)
{
    into->rows += from->rows;
    into->value += (from->value - into->value) * from->rows / into->rows;
    into->error = fmaxf(into->error, from->error); /* which ignores NAN */
}

static void finish_results(struct gather *g)
{
    size_t kept = 0;

    if (g->n_values)
        SORT(g->values, g->n_values, by_result);
    for (size_t i = 0; i < g->n_values; i++) {
        g->result[g->values[i].result].rows++;
        if (kept && !by_result(&g->values[kept - 1], &g->values[i])) {
            pool(&g->values[kept - 1], &g->values[i]);
            continue;
        }
        struct gather_result *result = &g->result[g->values[i].result];
        result->first = result->n++ ? result->first : kept;
        g->values[kept++] = g->values[i];
    }
    g->n_values = kept;
    for (size_t k = 0; k < g->results.n; k++) {
        struct gather_result *alone = g->result[k].alone ? &g->result[g->result[k].alone - 1] : NULL;
        if (alone && alone->rows < g->result[k].rows) { /* known in some runs only */
            alone->n = 0;
            g->result[k].alone = 0;
        }
    }
}

size_t gather_judged(const struct gather *g, size_t result)
{
    return g->result[result].alone ? g->result[result].alone - 1 : result;
}

double gather_value(const struct gather *g, size_t result, size_t machine)
{
    const struct gather_result *f = &g->result[result];
    const struct gather_value wanted = {.result = (uint32_t)result, .machine = (uint32_t)machine};
    const struct gather_value *found =
        f->n ? bsearch(&wanted, &g->values[f->first], f->n, sizeof(wanted), by_result) : NULL;

    return found ? found->value : NAN;
}

/* --- Rows. --- */

/* A file was given twice, or copied. */
static bool came_before(struct gather *g, const struct row *row)
{
    char key[2 * sizeof(*row)];
    size_t before = g->seen.n;

    if (!row->run->run_id[0])
        return false;
    TEXT_PRINT(key, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%" PRIu64 "\x1f%s\x1f%s\x1f%a", row->run->run_id,
               row->run->host, row->suite, row->test, row->load, row->metric, row->copies, row->cpus, row->param.text,
               row->value);
    /* a hash of 64 bits: two of a million rows collide with a probability of 3e-8 */
    snprintf(key, 17, "%016" PRIx64, index_hash(key));
    return index_enter(&g->seen, key) < before;
}

static void enter_machine_run(struct gather *g, const struct row_run *run)
{
    char id[128];
    size_t before = g->runs.n;

    if (g->machines.n && row_run_equal(&g->last_run, run))
        return;
    size_t machine = enter_machine(g, run);
    TEXT_PRINT(id, "%zu\x1f%s\x1f%s", machine, run->run_id, run->utc);
    size_t number = index_enter(&g->runs, id);
    if (number == before) {
        enter_setting(g, machine, "kernel", run->kernel);
        enter_setting(g, machine, "cpu", run->cpu_model);
        enter_setting(g, machine, "cpus", run->cpus_online ? TEXT_LINE("%" PRIu64, run->cpus_online) : "");
        enter_setting(g, machine, "build", run->build);
        enter_gathered_items(g, machine, run->settings, true);
    }
    struct gather_machine *entered = &g->machine[machine];
    entered->many_ranks = entered->many_ranks || (entered->runs && strcmp(entered->rank, run->rank));
    TEXT_SET(entered->rank, run->rank);
    entered->runs += number == before;
    g->last_machine = machine;
    g->last_run = *run;
}

static bool is_result(const struct gather *g, const struct row *row)
{
    /* of memory all but the levels of known caches, and its steadiness */
    const bool one_of_many = !strcmp(row->suite, "memory") && strcmp(row->test, "steady") &&
                             (strcmp(row->test, "levels") || row_param_is(&row->param, "level", "level"));

    return row->status != ROW_SKIPPED && (g->every || !one_of_many) && fabs(gathered_value(g, row)) < VALUE_MOST &&
           (metrics_is_compared(g->metrics, row) || (!g->stat && metrics_is_compared_alone(g->metrics, row)));
}

void gather_row(struct gather *g, const struct row *row)
{
    enter_machine_run(g, row->run);
    if (row->status != ROW_FAILED && !is_result(g, row))
        return;
    if (came_before(g, row)) {
        g->doubles++;
        return;
    }
    struct gather_machine *machine = &g->machine[g->last_machine];
    g->without_rank += g->by_rank && !is_number(row->run->rank);
    if (row->status == ROW_FAILED) {
        machine->failed++;
        return;
    }
    machine->rows++;
    machine->nice = machine->has_nice ? fmax(machine->nice, row->nice) : row->nice; /* fmax() ignores NAN */
    machine->has_nice |= !isnan(row->nice);
    enter_gathered_items(g, g->last_machine, row->scratch_disk, false);
    enter_share(g, row);
    enter_value(g, enter_row_results(g, row), g->last_machine, gathered_value(g, row),
                row->stats.sd / sqrt((double)row->stats.n) / fabs(row->stats.mean));
}

void gather_finish(struct gather *g)
{
    finish_results(g);
    for (size_t m = 0; m < g->machines.n; m++)
        if (g->machine[m].has_nice)
            enter_setting(g, m, "nice", TEXT_LINE("%g", g->machine[m].nice));
}

void gather_free(struct gather *g)
{
    free(g->result);
    free(g->values);
    free(g->machine);
    free(g->name);
    free(g->of_identity);
    index_free(&g->machines);
    index_free(&g->results);
    index_free(&g->settings);
    index_free(&g->setting_values);
    index_free(&g->names);
    index_free(&g->identities);
    index_free(&g->runs);
    index_free(&g->seen);
    memset(g, 0, sizeof(*g));
}
