/* SPDX-License-Identifier: MIT */
#include "sys/file.h"

#include <stdio.h>
#include <string.h>

/* Returns the next field, up to a blank, and moves *at behind it; "": none. */
static char *take(char **at)
{
    static char nothing[1];
    char *field = strsep(at, " ");

    return field ? field : nothing;
}

/* A path, in which the kernel escapes characters: "\040" is a space. */
static const char *take_path(char **at)
{
    char *path = take(at), *to = path;
    unsigned byte = 0;

    for (const char *from = path; *from; from++) {
        const bool escape = *from == '\\' && strspn(from + 1, "01234567") >= 3 && sscanf(from + 1, "%3o", &byte) == 1;
        *to++ = escape ? (char)byte : *from;
        from += escape ? 3 : 0;
    }
    *to = '\0';
    return path;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE OPTIONS */
bool mountinfo_next(char **rest, struct mountinfo *out)
{
    for (char *line; (line = strsep(rest, "\n"));) {
        char *type = strstr(line, " - ");
        int at = 0;
        if (sscanf(line, "%lu %*u %u:%u %n", &out->id, &out->major, &out->minor, &at) < 3 || !at)
            continue;
        line += at;
        if (type) {
            *type = '\0';
            type += strlen(" - ");
        }
        out->root = take_path(&line);
        out->point = take_path(&line);
        out->options = take(&line);
        out->type = take(&type);
        out->source = take(&type);
        out->super_options = take(&type);
        return true;
    }
    return false;
}

bool mountinfo_has(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
            return true;
    return false;
}
