/* SPDX-License-Identifier: MIT */
/* Section numbers are those of RFC 1951. */
#include "sys/file.h"

#define LENGTHS_MAX 320 /* codes in a block: 288 for literals and lengths, 32 for distances */
#define BITS_MAX    15

struct stream {
    const unsigned char *at, *end;
    unsigned bits, n_bits; /* bits read but not used yet, the first ones lowest */
    char *out;
    size_t length, size;
    bool failed; /* the data are damaged: from then on all bits read as 0 */
};

/* Huffman codes of one alphabet: how many of each length in bits, and the symbols in the order of their codes
 * (3.2.2). */
struct codes {
    unsigned count[BITS_MAX + 1], symbol[LENGTHS_MAX];
};

/* Returns the next n bits, at most 16. */
static unsigned take(struct stream *s, unsigned n)
{
    for (; s->n_bits < n; s->n_bits += 8) {
        s->failed |= s->at == s->end;
        if (s->failed)
            return 0;
        s->bits |= (unsigned)*s->at++ << s->n_bits;
    }
    unsigned value = s->bits & ((1u << n) - 1);
    s->bits >>= n;
    s->n_bits -= n;
    return value;
}

static void put(struct stream *s, unsigned byte)
{
    s->failed |= s->length == s->size;
    if (!s->failed)
        s->out[s->length++] = (char)byte;
}

/* From the lengths of the symbols' codes in bits (0: no code). An incomplete set is allowed (a single distance), an
 * oversubscribed one is not. */
static void make_codes(struct stream *s, const unsigned char *lengths, unsigned n, struct codes *codes)
{
    unsigned next[BITS_MAX + 2] = {0}, room = 1;

    memset(codes, 0, sizeof *codes);
    for (unsigned i = 0; i < n; i++)
        codes->count[lengths[i]] += lengths[i] != 0;
    for (unsigned bits = 1; bits <= BITS_MAX && !s->failed; bits++) {
        s->failed = codes->count[bits] > 2 * room;
        room = 2 * room - codes->count[bits];
        next[bits + 1] = next[bits] + codes->count[bits];
    }
    for (unsigned i = 0; i < n && !s->failed; i++)
        if (lengths[i])
            codes->symbol[next[lengths[i]]++] = i;
}

static unsigned take_symbol(struct stream *s, const struct codes *codes)
{
    unsigned code = 0, first = 0, shorter = 0; /* first: code of the current length */

    for (unsigned bits = 1; bits <= BITS_MAX && !s->failed; bits++) {
        code = code << 1 | take(s, 1);
        first <<= 1;
        if (code < first + codes->count[bits])
            return codes->symbol[shorter + code - first];
        first += codes->count[bits];
        shorter += codes->count[bits];
    }
    s->failed = true;
    return 0;
}

/* Not compressed (3.2.4): begins at the next byte. */
static void copy_block(struct stream *s)
{
    s->bits = s->n_bits = 0;
    unsigned length = take(s, 16), inverse = take(s, 16);
    s->failed |= length + inverse != 0xffff;
    for (; length > 0 && !s->failed; length--)
        put(s, take(s, 8));
}

/* Literal bytes and repetitions of earlier output (3.2.5). */
static void unpack_block(struct stream *s, const struct codes *literals, const struct codes *distances)
{
    for (unsigned symbol = take_symbol(s, literals); symbol != 256 && !s->failed; symbol = take_symbol(s, literals)) {
        if (symbol < 256) {
            put(s, symbol);
            continue;
        }
        unsigned length = symbol - 254, distance, bits;
        if (symbol > 264) {
            bits = (symbol - 261) / 4;
            length = symbol == 285 ? 258 : 3 + ((4 + (symbol - 265) % 4) << bits) + take(s, bits);
        }
        distance = take_symbol(s, distances);
        bits = distance > 3 ? distance / 2 - 1 : 0;
        s->failed |= symbol > 285 || distance > 29;
        distance = 1 + (bits ? ((2 + distance % 2) << bits) + take(s, bits) : distance);
        s->failed |= distance > s->length;
        for (; length > 0 && !s->failed; length--)
            put(s, (unsigned char)s->out[s->length - distance]);
    }
}

/* Codes that the block contains (3.2.7), or fixed ones (3.2.6). */
static void take_codes(struct stream *s, bool fixed, struct codes *literals, struct codes *distances)
{
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[LENGTHS_MAX] = {0};
    unsigned n_literals = 288, n_distances = 30, n = 0, symbol, again;

    for (unsigned i = 0; fixed && i < 318; i++)
        lengths[n++] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : i < 288 ? 8 : 5;
    if (!fixed) {
        n_literals = take(s, 5) + 257;
        n_distances = take(s, 5) + 1;
        for (unsigned i = 0, n_lengths = take(s, 4) + 4; i < n_lengths; i++)
            lengths[order[i]] = (unsigned char)take(s, 3);
        make_codes(s, lengths, 19, literals);
    }
    while (n < n_literals + n_distances && !s->failed) {
        symbol = take_symbol(s, literals);
        again = symbol < 16 ? 1 : symbol == 16 ? 3 + take(s, 2) : symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
        s->failed |= (symbol == 16 && n == 0) || n + again > n_literals + n_distances;
        symbol = symbol < 16 ? symbol : symbol == 16 && n > 0 ? lengths[n - 1] : 0;
        for (; again > 0 && !s->failed; again--)
            lengths[n++] = (unsigned char)symbol;
    }
    make_codes(s, lengths, n_literals, literals);
    make_codes(s, lengths + n_literals, n_distances, distances);
}

char *inflate_gzip(const unsigned char *data, size_t size, size_t most)
{
    static const unsigned char start[4] = {0x1f, 0x8b, 8, 0}; /* no name, no other optional fields */
    struct stream s = {.failed = size < 18 || memcmp(data, start, sizeof start)};
    struct codes literals, distances;

    for (unsigned i = 1; i <= 4 && !s.failed; i++)
        s.size = s.size << 8 | data[size - i]; /* the last four bytes are the length */
    errno = s.failed ? EILSEQ : s.size > most ? EFBIG : ENOMEM;
    if (s.failed || s.size > most || !(s.out = malloc(s.size + 1)))
        return NULL;
    s.at = data + 10;
    s.end = data + size - 8;
    for (bool last = false; !last && !s.failed;) {
        last = take(&s, 1);
        unsigned kind = take(&s, 2);
        s.failed |= kind == 3;
        if (kind == 0) {
            copy_block(&s);
        } else if (!s.failed) {
            take_codes(&s, kind == 1, &literals, &distances);
            unpack_block(&s, &literals, &distances);
        }
    }
    if (s.failed || s.length != s.size) {
        free(s.out);
        errno = EILSEQ;
        return NULL;
    }
    s.out[s.length] = '\0';
    return s.out;
}
