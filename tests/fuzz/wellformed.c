/* SPDX-License-Identifier: MIT */
/* Whether JSON (RFC 8259) and pages of HTML are well formed: written apart from what is tested. */

#include "fuzz.h"

/* --- UTF-8 (RFC 3629). --- */

/* Length of the character at s, of which left bytes are there; 0 for none. */
static size_t utf8(const unsigned char *s, size_t left)
{
    uint32_t value;
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        n = 2, value = s[0] & 0x1fu;
    else if ((s[0] & 0xf0) == 0xe0)
        n = 3, value = s[0] & 0x0fu;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        n = 4, value = s[0] & 0x07u;
    else
        return 0;
    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (s[i] & 0x3fu);
    }
    if ((n == 3 && value < 0x800) || (n == 4 && (value < 0x10000 || value > 0x10ffff)) ||
        (value >= 0xd800 && value <= 0xdfff))
        return 0;
    return n;
}

bool wellformed_utf8(const char *text, size_t length)
{
    size_t at = 0, n = 1;

    for (; at < length && n; at += n)
        n = utf8((const unsigned char *)text + at, length - at);
    return n > 0;
}

struct reading {
    const char *text;
    size_t at, length;
    unsigned depth;
};

static char peek(const struct reading *r)
{
    return r->at < r->length ? r->text[r->at] : 0;
}

static bool take(struct reading *r, const char *word)
{
    size_t n = strlen(word);

    if (r->length - r->at < n || memcmp(r->text + r->at, word, n))
        return false;
    r->at += n;
    return true;
}

/* A printable character (all but controls). */
static bool take_character(struct reading *r)
{
    const unsigned char *s = (const unsigned char *)r->text + r->at;
    size_t n = r->at < r->length && s[0] >= ' ' && s[0] != 0x7f ? utf8(s, r->length - r->at) : 0;

    r->at += n;
    return n > 0;
}

bool wellformed_lines(const char *text, size_t length, size_t *at)
{
    struct reading r = {.text = text, .length = length};

    while (r.at < length && (take(&r, "\n") || take_character(&r)))
        ;
    *at = r.at;
    return r.at == length && (!length || text[length - 1] == '\n');
}

/* --- JSON. --- */

static void skip_blanks(struct reading *r)
{
    while (peek(r) == ' ' || peek(r) == '\n' || peek(r) == '\t' || peek(r) == '\r')
        r->at++;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool take_json_text(struct reading *r)
{
    if (!take(r, "\""))
        return false;
    while (!take(r, "\"")) {
        if (take(r, "\\")) {
            char c = peek(r);
            r->at++;
            for (int i = 0; c == 'u' && i < 4; i++)
                if (!is_hex(r->text[r->at++]))
                    return false;
            if (!c || !strchr("\"\\/bfnrtu", c))
                return false;
        } else if (!take(r, "\x7f") && !take_character(r)) {
            return false;
        }
    }
    return true;
}

static bool take_digits(struct reading *r)
{
    size_t n = 0;

    for (; peek(r) >= '0' && peek(r) <= '9'; n++)
        r->at++;
    return n > 0;
}

static bool take_json_number(struct reading *r)
{
    (void)take(r, "-");
    if (!take(r, "0") && !take_digits(r))
        return false;
    if (take(r, ".") && !take_digits(r))
        return false;
    if (take(r, "e") || take(r, "E")) {
        if (!take(r, "-"))
            (void)take(r, "+");
        return take_digits(r);
    }
    return true;
}

static bool take_json(struct reading *r);

static bool take_members(struct reading *r, bool named)
{
    const char *end = named ? "}" : "]";

    skip_blanks(r);
    if (take(r, end))
        return true;
    do {
        skip_blanks(r);
        if (named && !take_json_text(r))
            return false;
        skip_blanks(r);
        if ((named && !take(r, ":")) || !take_json(r))
            return false;
        skip_blanks(r);
    } while (take(r, ","));
    return take(r, end);
}

static bool take_json(struct reading *r)
{
    bool good;

    skip_blanks(r);
    if (r->depth++ > 100)
        return false;
    if (take(r, "{"))
        good = take_members(r, true);
    else if (take(r, "["))
        good = take_members(r, false);
    else if (peek(r) == '"')
        good = take_json_text(r);
    else
        good = take(r, "true") || take(r, "false") || take(r, "null") || take_json_number(r);
    r->depth--;
    return good;
}

bool wellformed_json(const char *text, size_t length, size_t *at)
{
    struct reading r = {.text = text, .length = length};
    bool good = take_json(&r);

    skip_blanks(&r);
    *at = r.at;
    return good && r.at == length;
}

/* --- HTML. --- */

static const char known_tags[] =
    " a b body br circle code dd desc details div dl dt figcaption figure footer g h1 h2 h3 h4 head header html i li "
    "link "
    "main meta nav p path rect section small span strong style summary svg table tbody td text th thead title tr ul ";
static const char void_tags[] = " br link meta ";

static bool is_in(const char *list, const char *name, size_t length)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (strcspn(at + 1, " ") == length && !memcmp(at + 1, name, length))
            return true;
    return false;
}

static bool take_entity(struct reading *r)
{
    return take(r, "&lt;") || take(r, "&gt;") || take(r, "&amp;") || take(r, "&quot;") || take(r, "&#39;") ||
           take(r, "&nbsp;");
}

/* Text up to one of the characters that end it. */
static bool take_html_text(struct reading *r, char end)
{
    while (r->at < r->length && peek(r) != end) {
        if (peek(r) == '&' ? !take_entity(r)
                           : (peek(r) == '<' || !(take(r, "\n") || take(r, "\t") || take_character(r))))
            return false;
    }
    return true;
}

static size_t name_length(const struct reading *r)
{
    size_t n = 0;

    while (r->at + n < r->length && r->text[r->at + n] &&
           strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:", r->text[r->at + n]))
        n++;
    return n;
}

static bool take_attributes(struct reading *r)
{
    while (take(r, " ")) {
        size_t n = name_length(r);
        if (!n || (n > 2 && !memcmp(r->text + r->at, "on", 2)))
            return false;
        r->at += n;
        if (take(r, "=") && (!take(r, "\"") || !take_html_text(r, '"') || !take(r, "\"")))
            return false;
    }
    return true;
}

#define DEPTH_MAX 64
struct open_tag {
    const char *name;
    size_t length;
};

/* A tag behind its '<'. */
static bool take_tag(struct reading *r, struct open_tag *open)
{
    bool closes = take(r, "/");
    const char *name = r->text + r->at;
    size_t length = name_length(r);

    if (!is_in(known_tags, name, length))
        return false;
    r->at += length;
    if (closes) {
        if (!r->depth || open[r->depth - 1].length != length || memcmp(open[r->depth - 1].name, name, length))
            return false;
        r->depth--;
        return take(r, ">");
    }
    if (!take_attributes(r))
        return false;
    if (take(r, "/>"))
        return true;
    if (!take(r, ">"))
        return false;
    if (is_in(void_tags, name, length))
        return true;
    if (r->depth == DEPTH_MAX)
        return false;
    open[r->depth++] = (struct open_tag){name, length};
    if (length == 5 && !memcmp(name, "style", 5)) {
        const char *end = memmem(r->text + r->at, r->length - r->at, "</style>", 8);
        if (!end)
            return false;
        r->at = (size_t)(end - r->text);
    }
    return true;
}

bool wellformed_html(const char *text, size_t length, size_t *at)
{
    struct reading r = {.text = text, .length = length};
    struct open_tag open[DEPTH_MAX];
    bool good = take(&r, "<!DOCTYPE html>");

    while (good && r.at < length)
        good = take(&r, "<") ? take_tag(&r, open) : take_html_text(&r, '<');
    *at = r.at;
    return good && !r.depth;
}
