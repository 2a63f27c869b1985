/* SPDX-License-Identifier: MIT */
/* Parses one text as a value of every kind: options, CPU lists and masks, times, names, devices, numbers. Accepted
 * values are in their range, and printed values read back as the same. */
#include <math.h>

#include "cmd/cmd.h"
#include "fuzz.h"

/* --- Options. --- */

static void check_range(const struct option *row, double value)
{
    if (row->min < row->max)
        FUZZ_CHECK_OF(value >= row->min && value <= row->max, row->name, strlen(row->name));
}

static void check_taken(const struct option *row, const void *field, const char *text)
{
    const struct option_sweep *sweep = field;
    const struct option_counts *counts = field;
    size_t n = 0;

    switch (row->type) {
    case OPTION_COUNT:
    case OPTION_SIZE:
    case OPTION_DURATION:
    case OPTION_DURATION_US:
        check_range(row, (double)*(const uint64_t *)field);
        break;
    case OPTION_INT:
        check_range(row, (double)*(const int64_t *)field);
        break;
    case OPTION_PERCENT:
        check_range(row, *(const double *)field);
        break;
    case OPTION_CHOICE:
        while (row->choices[n])
            n++;
        FUZZ_CHECK(*(const int *)field >= 0 && (size_t) * (const int *)field < n);
        break;
    case OPTION_TEXT:
    case OPTION_LINES:
        FUZZ_CHECK(!strcmp(field, text));
        break;
    case OPTION_SWEEP:
        check_range(row, (double)sweep->first);
        check_range(row, (double)sweep->last);
        FUZZ_CHECK(sweep->first <= sweep->last && sweep->step >= 1);
        break;
    case OPTION_COUNTS:
    case OPTION_DURATIONS:
        FUZZ_CHECK(counts->n >= 1 && counts->n <= OPTION_COUNTS_MAX);
        for (; n < counts->n; n++)
            check_range(row, (double)counts->value[n]);
        break;
    case OPTION_CPUS:
        FUZZ_CHECK(((const struct option_cpus *)field)->choice >= 0 ||
                   cpuset_count(&((const struct option_cpus *)field)->set) > 0);
        break;
    case OPTION_FLAG:
    case OPTION_NAMES:
    case OPTION_FAIL_ON:
        break;
    }
}

/* Options with the same type and range are read in the same way, so one of each kind is tried. */
#define KINDS_MAX 64
static const struct option *kinds[KINDS_MAX];
static size_t n_kinds;

static void find_kinds(void)
{
    for (size_t c = 0; command_list[c]; c++) {
        struct option_table tables[TABLES_MAX];
        memset(tables, 0, sizeof(tables));
        const size_t n = command_tables(command_list[c], tables);
        for (size_t t = 0; t < n; t++)
            for (size_t r = 0; r < tables[t].n; r++) {
                const struct option *row = &tables[t].rows[r];
                size_t k = 0;
                while (k < n_kinds &&
                       (kinds[k]->type != row->type || kinds[k]->min != row->min || kinds[k]->max != row->max ||
                        kinds[k]->choices != row->choices || kinds[k]->size != row->size))
                    k++;
                if (k == n_kinds && k < KINDS_MAX)
                    kinds[n_kinds++] = row;
            }
    }
}

static void check_options(const char *text)
{
    struct error error = {""};

    if (!n_kinds)
        find_kinds();
    for (size_t k = 0; k < n_kinds; k++) {
        char *target = calloc(1, kinds[k]->offset + kinds[k]->size);
        FUZZ_CHECK(target != NULL);
        if (option_set(kinds[k], text, target, false, &error) == 0)
            check_taken(kinds[k], target + kinds[k]->offset, text);
        else
            FUZZ_CHECK(error.text[0]); /* sanitized where it is printed: command_complain() */
        free(target);
    }
}

/* --- CPUs. --- */

static void check_cpus(const char *text)
{
    static struct cpuset set, again;
    struct error why;
    char list[4 * CPUSET_MAX], small[20], mask[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 2];

    if (cpuset_parse(text, &set, &why) == 0) {
        FUZZ_CHECK(cpuset_count(&set) > 0);
        FUZZ_CHECK(cpuset_format(&set, small, sizeof(small)) == cpuset_format(&set, list, sizeof(list)));
        if (strlen(list) + 1 < sizeof(list)) {
            FUZZ_CHECK_OF(cpuset_parse(list, &again, &why) == 0, list, strlen(list));
            FUZZ_CHECK_OF(cpuset_equal(&set, &again), list, strlen(list));
        }
    } else {
        FUZZ_CHECK(why.text[0]);
    }
    const int digits = cpuset_parse_mask(text, &set);
    if (digits >= 0) {
        FUZZ_CHECK(cpuset_format_mask(&set, (size_t)digits, mask, sizeof(mask)) < sizeof(mask));
        FUZZ_CHECK_OF(cpuset_parse_mask(mask, &again) >= 0 && cpuset_equal(&set, &again), mask, strlen(mask));
    }
}

/* --- Moments, names, devices. --- */

static void check_start(const char *text)
{
    const uint64_t now = UINT64_C(1700000000) * 1000000000;
    uint64_t at = 0;

    if (start_parse(text, now, &at) == 0)
        FUZZ_CHECK(at <= now + START_DAY_NS);
}

static void check_names(const char *text)
{
    static struct row_run run;
    char name[300];
    struct error error;

    row_run_init(&run);
    text_copy(run.host, sizeof(run.host), text);
    text_copy(run.job, sizeof(run.job), text);
    text_copy(run.rank, sizeof(run.rank), "3");
    if (names_expand("--output", text, &run, 0, name, sizeof(name), &error))
        FUZZ_CHECK(error.text[0]);
    FUZZ_CHECK(names_expand("--output", "%h-%j.csv", &run, 0, name, sizeof(name), &error) == 0 && name[0] != '.' &&
               !strchr(name, '/'));
}

static void check_devices(const char *text)
{
    char device[256], path[256], place[300];

    if (device_split(text, device, path, sizeof(device)) == 0)
        FUZZ_CHECK(device[0] == '/' && path[0] == '/');
    for (unsigned n = 1; n < 4; n++)
        if (device_file_choice(text, n, place, sizeof(place)))
            FUZZ_CHECK(place[0]);
}

static void check_job(const char *text)
{
    char names[] =
        "SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_JOB_ID SLURM_STEP_ID SLURMD_NODENAME PMI_RANK PMI_SIZE PMI_JOBID";
    struct job job;

    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        (void)setenv(name, text, 1);
    job_read(&job);
    FUZZ_CHECK(strspn(job.rank, "0123456789") == strlen(job.rank));
}

/* --- Numbers and texts. --- */

static void check_number(double value)
{
    char buf[UNITS_SIZE];
    struct text real = {0};
    size_t at;

    static const char *const units[] = {"ns", "bytes", "%", "lps", "cycles", "kHz", "MB/s", ""};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        units_value(value, units[i], buf, sizeof(buf));
        FUZZ_CHECK(buf[0]);
        units_range(value, -value, units[i], buf, sizeof(buf));
    }
    units_number(value, units_decimals(value), buf, sizeof(buf));
    json_number(&real, value);
    FUZZ_CHECK_OF(wellformed_json(real.data, real.length, &at), real.data, real.length);
    if (isfinite(value))
        FUZZ_CHECK(strtod(real.data, NULL) <= value && strtod(real.data, NULL) >= value);
    text_free(&real);
}

static void check_numbers(const char *text, size_t size)
{
    const char *at = text;
    double value, bits;
    uint64_t number;
    char *end;

    /* An exponent, or the hexadecimal digits that strtod() takes too, are not its business. */
    if (text_short_decimal(&at, &value) && (!*at || !strchr("eExX", *at)))
        FUZZ_CHECK(value <= strtod(text, &end) && value >= strtod(text, &end) && end == at);
    check_number(strtod(text, NULL));
    if (size >= sizeof(bits)) {
        memcpy(&bits, text, sizeof(bits));
        check_number(bits);
        memcpy(&number, text, sizeof(number));
        char buf[32];
        text_duration(number, buf, sizeof(buf));
        text_bytes(number, buf, sizeof(buf));
    }
    (void)procfs_number(text, &number);
}

static void check_texts(const char *text, size_t size)
{
    struct text json = {0};
    char *copy = fuzz_string((const uint8_t *)text, size), label[32];
    size_t at, lines = 0;

    json_text(&json, text);
    FUZZ_CHECK_OF(wellformed_json(json.data, json.length, &at), json.data, json.length);
    text_free(&json);
    text_sanitize(copy);
    FUZZ_CHECK(strlen(copy) == strlen(text));
    for (const char *c = copy; *c; c += text_utf8_length(c)) {
        FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 0x7f && text_utf8_length(c) > 0);
        lines++;
    }
    FUZZ_CHECK(lines <= size);
    text_copy(label, sizeof(label), text);
    (void)interrupt_kind(label, text);
    free(copy);
    if (size < 64) {
        static const char *const words[] = {"prime", "performance", "openmetrics"};
        (void)text_nearest(text, words, 3);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);

    check_options(text);
    check_cpus(text);
    check_start(text);
    check_names(text);
    check_devices(text);
    check_job(text);
    check_numbers(text, size);
    check_texts(text, size);
    free(text);
    return 0;
}
