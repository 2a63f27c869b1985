/* SPDX-License-Identifier: MIT */
/* Tables, plots, names and texts for terminals and files. */
#ifndef OUT_OUT_H
#define OUT_OUT_H

#include "analysis/analysis.h"

/* --- Colours, on terminals only. --- */

enum color {
    COLOR_NONE,
    COLOR_GREEN,
    COLOR_YELLOW,
    COLOR_RED,
    COLOR_HEAT, /* in HTML: from the coldest of HEAT_LEVELS on */
#define HEAT_LEVELS 9u
    COLOR_KEY = COLOR_HEAT + HEAT_LEVELS, /* and above: grid_key() */
};
/* By level, for CSS. */
extern const char *const heat_classes[HEAT_LEVELS];

/* For an int. */
extern const char *const color_choices[]; /* auto, always, never */
#define COLOR_ROW(struct_) \
    { \
        OPTION("color", 0, struct_, color, "colours of statuses and verdicts; auto: on a terminal"), \
            OPTION_ONE_OF("auto|always|never", color_choices), .preset[0] = "auto" \
    }

/* auto: on a terminal that is not "dumb", unless NO_COLOR is set. choice: in color_choices. */
bool color_wanted(int choice, int fd);

/* `length` bytes of s, in colour if out has them on. */
void color_put(struct text *out, enum color color, const char *s, size_t length);

enum color color_of_status(enum row_status status);

/* --- Documents, as text, Markdown or HTML. --- */

enum doc_format { DOC_TEXT, DOC_MARKDOWN, DOC_HTML };

struct doc {
    struct text *out;
    enum doc_format format;
    unsigned width;    /* of a line of text; 0: no limit */
    size_t rows_most;  /* of a table in HTML; 0: no limit */
    const char *class; /* of tables in HTML; NULL: none */
};

/* In text with an empty line before it. id: of a section of an HTML page; NULL: a heading within one. */
void doc_heading(const struct doc *doc, const char *id, const char *title);
/* An empty line in text, unless there is one. */
void doc_gap(const struct doc *doc);
/* Lines of text as wide as the document, or a paragraph. */
void doc_say(const struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- Tables. --- */

#define GRID_COLUMNS_MAX 72

struct grid_column {
    const char *title; /* not copied; NULL: none */
    size_t width;      /* at least */
    /* wider cells do not widen the column: they overlap empty neighbours or shift their line; 0: no limit */
    size_t most;
    unsigned rank; /* 0: always shown; the highest is left out first */
    bool left;     /* otherwise right-aligned */
    bool wrap;     /* cells may be broken between words */
    bool optional; /* left out if all cells are "-" or empty */
    bool known;    /* a cell has a value */
    bool left_out;
};

struct grid {
    struct grid_column column[GRID_COLUMNS_MAX];
    size_t n_columns;
    bool html;         /* grid_value() keeps typographic signs */
    struct text cells; /* of each cell and note: a byte (a colour, or 'n'), the text, a zero */
    size_t n_cells;    /* with the unfinished one */
    size_t unfinished; /* position of the one being written */
};

/* Before the first cell; beyond GRID_COLUMNS_MAX ignored. */
void grid_columns(struct grid *grid, const struct grid_column *columns, size_t n);
#define GRID_COLUMNS(grid_, array_) grid_columns(grid_, array_, COUNT(array_))
/* One, by its fields. */
#define GRID_COLUMN(grid_, ...) grid_columns(grid_, &(struct grid_column){__VA_ARGS__}, 1)

/* Row by row. The text is valid until the grid's next call. Control characters and what is not UTF-8 become '?'. */
struct text *grid_cell(struct grid *grid, enum color color);

void grid_text(struct grid *grid, const char *s);
/* In HTML, the colour of that number stands before a text that is not empty. */
struct text *grid_key(struct grid *grid, size_t number);

/* "-" when it is not finite. */
void grid_number(struct grid *grid, double value, unsigned decimals);

/* As units_value() in plain ASCII; "-" when it is not finite. */
void grid_value(struct grid *grid, double value, const char *unit);

/* Empty for ROW_OK. */
void grid_status(struct grid *grid, enum row_status status);

void grid_end_row(struct grid *grid);

/* A line of its own between rows, indented to the second column. */
struct text *grid_note(struct grid *grid);

/* And frees it. Text that is wider than the document's lines loses the columns of the highest rank, then the next,
 * until it fits with wrapping columns of 24, or has rank 0 only; those of one rank go together, so that digits seldom
 * change what is shown. Then wrapping columns are narrowed, to 9 at least. Markdown has no notes. */
void doc_table(const struct doc *doc, struct grid *grid);

/* As text, or Markdown if `out` says so. width 0: no limit. */
void grid_print(struct grid *grid, unsigned width, struct text *out);

/* --- HTML. --- */

/* For elements and attributes; invalid UTF-8 and control characters other than tab and line feed become U+FFFD. */
void html_escape(struct text *out, const char *s, size_t length);
/* Texts of %s are escaped. Knows %s, %.24s, %.*s, %c, %zu, %.1f, %+.1f and %%; %f, for coordinates: one decimal or
 * none, within +-1e6, 0 if not finite. */
void html_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- JSON (RFC 8259). --- */

/* Quoted and escaped; invalid UTF-8 becomes U+FFFD. */
void json_text(struct text *out, const char *s);
/* 17 significant digits; null when it is not finite. */
void json_number(struct text *out, double value);
/* %s as json_text(), %f as json_number(); also %zu, %.0f and %%. */
void json_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- Names of output files. --- */

/* %h host, %j job, %r rank, %t UTC time, %% a percent sign; "unknown", and '_' for unsuitable characters. Not alone
 * and without %r, "-RANK" goes before the ending. Returns -1 with a reason that begins with option. */
int names_expand(const char *option, const char *template, const struct row_run *run, int alone, char *name,
                 size_t size, struct error *error);

/* --- Distributions as text. --- */

/* About 20 bins with round limits, even or (from a ratio of 100 on) in even ratios, as "low .. high unit count
 * |####", low included; counts logarithmic; without bars if width is too small. Nothing without a histogram. */
void plot_histogram(const struct row *row, unsigned width, struct text *out);

/* --- Rows as a table. --- */

/* Fields of struct row: name, kind (a count of 0 is not known), field, usual heading. Computed ones name no field of
 * their own: half of the 95 % interval; core_share in %; a line for each sample, see per_sample; of key in param. */
#define TABLE_FIELDS(ENTRY) \
    ENTRY(TEST, TEXT, test, "Test") \
    ENTRY(PARAM, TEXT, param.text, "Parameters") \
    ENTRY(LOAD, TEXT, load, "Load") \
    ENTRY(METRIC, TEXT, metric, "Metric") \
    ENTRY(CPUS, TEXT, cpus, "CPU") \
    ENTRY(UNIT, TEXT, unit, "Unit") \
    ENTRY(COPIES, COUNT, copies, "Copies") \
    ENTRY(VALUE, REAL, value, "Value") \
    ENTRY(N, COUNT, stats.n, "n") \
    ENTRY(MEAN, REAL, stats.mean, "Mean") \
    ENTRY(SD, REAL, stats.sd, "SD") \
    ENTRY(RSD, REAL, stats.rsd_pct, "RSD %") \
    ENTRY(CI95_HALF, COMPUTED, stats, "+-95%") \
    ENTRY(MIN, REAL, stats.min, "Min") \
    ENTRY(MEDIAN, REAL, stats.median, "Median") \
    ENTRY(P90, REAL, stats.p90, "P90") \
    ENTRY(P99, REAL, stats.p99, "P99") \
    ENTRY(P999, REAL, stats.p999, "P99.9") \
    ENTRY(MAX, REAL, stats.max, "Max") \
    ENTRY(SLEPT, REAL, ctx_voluntary, "Slept") \
    ENTRY(PREEMPTED, REAL, ctx_involuntary, "Preempted") \
    ENTRY(MOVED, REAL, migrations, "Moved") \
    ENTRY(CORE, COMPUTED, core_share, "Core %") \
    ENTRY(SAMPLE, COMPUTED, samples, NULL) \
    ENTRY(PARAM_VALUE, COMPUTED, param, NULL)
#define TABLE_FIELD(name, ...) TABLE_##name,
enum table_field { TABLE_FIELDS(TABLE_FIELD) };

/* As many decimals as give four significant digits. */
#define TABLE_FOUR_DIGITS 99u

struct table_column {
    const char *heading; /* NULL: the field's usual one */
    const char *metric;  /* of the group; NULL: that of the layout, or its headline row */
    enum table_field field;
    unsigned decimals; /* or TABLE_FOUR_DIGITS */
    double scale;      /* 0 means 1 */
    const char *key;   /* of TABLE_PARAM_VALUE */
    const char *of;    /* key of a number in param: shown is how many % of it */
    int optional;      /* left out when no line has a value */
    unsigned rank;     /* as in struct grid_column */
};

/* A field without TABLE_, its decimals, and what else is to be set. */
#define COLUMN(heading_, metric_, ...) \
    { \
        .heading = heading_, .metric = metric_, .field = TABLE_##__VA_ARGS__ \
    }
/* With the field's usual heading, and metric, scale and decimals of the layout. */
#define FIELD(...) \
    { \
        .field = TABLE_##__VA_ARGS__ \
    }

/* The value of key in param. */
#define KEY(heading_, ...) \
    { \
        .heading = heading_, .field = TABLE_PARAM_VALUE, .key = __VA_ARGS__ \
    }

struct table_layout {
    const char *title; /* a line above; NULL: none */
    const struct table_column *columns;
    size_t n_columns;
    /* of columns that name no metric; a count has neither */
    const char *metric;
    double scale;
    unsigned decimals;
    int no_status;  /* another table of the rows shows them */
    int per_sample; /* not for each group */
};

#define TABLE_OF(title_, columns_) .title = title_, .columns = columns_, .n_columns = COUNT(columns_)

/* Rows with the same item, test, load, param, copies and cpus share a line: a group. Groups without any of the
 * metrics are left out, but not those whose rows all have an empty metric (a test that did not run); "-" is unknown.
 * The worst status ends the line, and each reason follows once below. Columns without
 * a metric use the headline row, else the first. width: as for grid_print(). */
void table_print(const struct table_layout *layout, const struct row *rows, size_t n, unsigned width, struct text *out);

/* With the first test that has it and the number of others. */
void table_put_reasons(const struct row *rows, size_t n, struct text *out);

/* --- Event counts, and what else ran. --- */

/* A line for each measurement, in the order measured, without events never counted; reasons are printed below. Nothing
 * without counts. width 0: no limit. */
void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out);

/* What else ran on the CPUs, and for how long; otherwise as counters_put(). */
void culprits_put(const struct row *rows, size_t n, unsigned width, struct text *out);

/* A metric between CPUs, in HTML in colours. */
void cpu_map_put(const struct cpu_map *map, const char *title, const struct doc *doc);

/* --- Warnings. --- */

/* One line a kind, with the worst case and the number. Headline rows: a slow first sample, drift, an interval wider
 * than
 * +-2 % (unless the row is unstable), a coarse clock; noise: 1 % of a CPU's time not seen. more: the option for more
 * samples. */
void warnings_collect(const struct row *rows, size_t n, const struct metrics *metrics, const char *more,
                      struct text *out);

/* --- Requirements. --- */

/* A table, those not met first. */
void require_put(const struct requirements *set, const struct doc *doc);

/* --- jitbench fleet --- */

/* verbose: all machines, with all results in which they are far off; in HTML with the one in which they are farthest.
 */
void fleet_put_table(const struct judgement *judgement, bool verbose, const struct doc *doc);
void fleet_put_summary(const struct judgement *judgement, const struct doc *doc);
/* number: in judgement->judged; 0: the names of columns come first. */
void fleet_put_csv(const struct judgement *judgement, size_t number, struct text *out);
/* "unix pipe x2 rate"; telling: "prime 22 cycles", with what tells apart results of one test. Returns buf. */
char *fleet_name_result(const struct gather_result *result, bool telling, char *buf, size_t size);
#define FLEET_NAME(result, telling) fleet_name_result(result, telling, (char[256]){0}, 256)

/* --- jitbench history --- */

/* recent: only the last runs; 0: all. verbose: also results that did not change. */
void history_put_table(const struct history *h, size_t recent, bool verbose, const struct doc *doc);
void history_put_summary(const struct history *h, size_t recent, const struct doc *doc);

/* recent 0: true. */
bool history_is_recent(const struct history *h, const struct history_change *change, size_t recent);

/* With parameters if another result has the same name. Returns buf. */
char *history_name(const struct history *h, size_t result, char *buf, size_t size);
#define HISTORY_NAME(h, result) history_name(h, result, (char[384]){0}, 384)

/* --- jitbench project --- */

/* every: all hosts, not only the slowest. */
void project_put_table(const struct project *project, bool every, const struct doc *doc);
void project_put_costs(const struct project *project, const struct doc *doc);
void project_put_csv(const struct project *project, struct text *out);

#endif
