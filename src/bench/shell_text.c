/* SPDX-License-Identifier: MIT */
/* First chooses length and words of each line, then makes up the words. */
#include "bench/unix.h"

#include <stdbool.h>
#include <string.h>

enum { SHORTEST = 1, MEDIAN = 18, LONGEST = 82, LOWER = SHELL_TEXT_LINES / 2, UPPER = SHELL_TEXT_LINES - LOWER };
enum { MATCH_LENGTH = 18 }; /* has room for "the" and another word */

struct line {
    int length, words;
    bool match;
};

/* Below `below`, from the better upper 16 bits of the 32-bit generator of Numerical Recipes. */
static unsigned draw(uint32_t *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

/* The lower half rises from the shortest to the median, the upper on to the longest, steeper towards its end.
 * Remaining bytes are spread over the upper half, one at a time. */
static void choose_lengths(struct line *lines)
{
    int left = SHELL_TEXT_BYTES - SHELL_TEXT_LINES;

    for (int i = 0; i < LOWER; i++)
        lines[i].length = SHORTEST + (MEDIAN - SHORTEST) * i / (LOWER - 1);
    for (int i = 0; i < UPPER; i++)
        lines[LOWER + i].length = MEDIAN + (LONGEST - MEDIAN) * i / (UPPER - 1) * i / (UPPER - 1) * i / (UPPER - 1);
    for (int i = 0; i < SHELL_TEXT_LINES; i++)
        left -= lines[i].length;
    /* The median and the longest line stay. */
    for (int i = 1; left != 0; i = i % (UPPER - 2) + 1) {
        int *length = &lines[LOWER + i].length;
        if (*length < LONGEST) {
            (*length)++;
            left--;
        }
    }
}

static void choose_words(struct line *lines)
{
    int left = SHELL_TEXT_WORDS;

    for (int i = 0; i < SHELL_TEXT_LINES; i++) {
        lines[i].words = 1 + lines[i].length / 9;
        left -= lines[i].words;
    }
    /* To lines with room for three letters a word on average. */
    for (int i = 0; left != 0; i = (i + 1) % SHELL_TEXT_LINES) {
        int *words = &lines[i].words;
        if ((*words + 1) * 4 <= lines[i].length) {
            (*words)++;
            left--;
        }
    }
}

static void shuffle(struct line *lines, uint32_t *state)
{
    for (unsigned i = SHELL_TEXT_LINES - 1; i > 0; i--) {
        unsigned other = draw(state, i + 1);
        struct line line = lines[i];
        lines[i] = lines[other];
        lines[other] = line;
    }
}

/* About every fifth with room for "the". */
static void choose_matches(struct line *lines)
{
    int left = SHELL_TEXT_MATCHES;

    for (int i = 0; left > 0; i = (i + 5) % SHELL_TEXT_LINES)
        if (lines[i].length >= MATCH_LENGTH && lines[i].words >= 2 && !lines[i].match) {
            lines[i].match = true;
            left--;
        }
}

/* Alternating consonants and vowels without h: no "the" by chance. */
static char *put_word(char *at, int length, uint32_t *state)
{
    static const char consonants[] = "bcdfgklmnprstvw", vowels[] = "aeiou";

    for (int i = 0; i < length; i++)
        *at++ = i % 2 ? vowels[draw(state, sizeof(vowels) - 1)] : consonants[draw(state, sizeof(consonants) - 1)];
    return at;
}

static char *put_line(char *at, const struct line *line, uint32_t *state)
{
    int words = line->words, letters = line->length - (words - 1);
    int the = line->match ? (int)draw(state, (unsigned)words) : -1;

    if (line->match)
        letters -= 3;
    int others = line->match ? words - 1 : words;
    for (int i = 0; i < words; i++) {
        if (i)
            *at++ = ' ';
        if (i == the) {
            at = mempcpy(at, "the", 3);
            continue;
        }
        /* An even share of the letters, varied at random, that leaves one for each later word. */
        int share = letters / others, spare = share / 2;
        int length = others == 1 ? letters : share - spare + (int)draw(state, (unsigned)(2 * spare + 1));
        at = put_word(at, length, state);
        letters -= length;
        others--;
    }
    *at++ = '\n';
    return at;
}

void shell_text(char buf[SHELL_TEXT_BYTES + 1])
{
    struct line lines[SHELL_TEXT_LINES];
    uint32_t state = 362;
    char *at = buf;

    memset(lines, 0, sizeof(lines));
    choose_lengths(lines);
    choose_words(lines);
    shuffle(lines, &state);
    choose_matches(lines);
    for (int i = 0; i < SHELL_TEXT_LINES; i++)
        at = put_line(at, &lines[i], &state);
    *at = 0;
}

static uint64_t count_words(const char *line, size_t length)
{
    uint64_t words = 0;

    for (size_t i = 0; i < length; i++)
        words += line[i] != ' ' && (i + 1 == length || line[i + 1] == ' ');
    return words;
}

void shell_text_matches(const char *text, struct shell_text_count *out)
{
    memset(out, 0, sizeof(*out));
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *found = strstr(text, "the");
        if (found && found < text + length) {
            out->lines++;
            out->words += count_words(text, length);
            out->bytes += length + 1;
        }
        text += length + (text[length] == '\n');
    }
}
