/* SPDX-License-Identifier: MIT */
/* Latencies between CPUs, as collections of such results have them; runs of prime and array, as in Kot's thesis. */

#include "out/export.h"

static const char *refuse(const struct row *row)
{
    if (strcmp(row->suite, "memory") || strcmp(row->metric, "swap"))
        return "that are not ways between CPUs by compare-and-swap";
    return isnan(row->value) ? "without a value" : NULL;
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    text_printf(out, "a,b,ns\n");
    for (size_t i = 0; i < rows->n; i++)
        text_printf(out, "%.0f,%.0f,%.1f\n", row_param_number(&rows->rows[i]->param, "from"),
                    row_param_number(&rows->rows[i]->param, "to"), rows->rows[i]->value);
}

const struct export_format export_pairs = {
    .refuse = refuse,
    .write = write_rows,
};

static const char *refuse_others(const struct row *row)
{
    if ((strcmp(row->suite, "prime") && strcmp(row->suite, "stream")) || strcmp(row->metric, "cycles"))
        return "that are not experiments of prime or array";
    return row->n_samples ? NULL : "without samples";
}

static void put_runs(const struct export_rows *rows, const char *test, const char *key, struct text *out)
{
    static const char *const metrics[] = {"cycles",   "cycles_sd",     "delays_a", "delays_a_size",
                                          "delays_b", "delays_b_size", "delays_c", "delays_c_size",
                                          "delays_d", "delays_d_size"};
    bool begun = false;

    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = rows->rows[i];
        if (strcmp(row->test, test))
            continue;
        if (!begun)
            text_printf(out, "%s,experiments,mean,sd,countA,sizeA,countB,sizeB,countC,sizeC,countD,sizeD\n", key);
        begun = true;
        for (size_t s = 0; s < row->n_samples; s++) {
            text_printf(out, "%s,%s", ROW_PARAM(&row->param, key), ROW_PARAM(&row->param, "experiments"));
            for (size_t m = 0; m < COUNT(metrics); m++) {
                const struct row *of = row_sibling(rows->all, rows->n_all, row, metrics[m]);
                const double value = of && s < of->n_samples ? of->samples[s] : NAN;
                text_printf(out, isfinite(value) ? ",%.12g" : ",", value);
            }
            text_append(out, "\n", 1);
        }
    }
}

static void write_runs(const struct export_rows *rows, struct text *out)
{
    put_runs(rows, "prime", "limit", out);
    put_runs(rows, "array", "elements", out);
}

const struct export_format export_thesis = {
    .wanted = ROWS_SAMPLES | ROWS_UNKNOWN,
    .refuse = refuse_others,
    .write = write_runs,
};
