/* SPDX-License-Identifier: MIT */
/* Contract: rust_name.h.  The letters are those of the grammar in RFC 2603. */
#include "rust_name.h"

#include <string.h>

enum { DEEPEST = 100, HASH = 16, LONGEST = 100000 };

struct parser {
    const char *text, *at; /* behind "_R" */
    char *out;
    size_t used, size;
    bool is_good;
    unsigned silent, depth; /* silent: what is parsed is not written */
};

static void parse_path(struct parser *p);
static void parse_type(struct parser *p);

static bool take(struct parser *p, char c)
{
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static void put(struct parser *p, const char *name, size_t length)
{
    bool is_first = p->used == 0;

    if (p->silent > 0 || !p->is_good)
        return;
    if (p->used + length + 3 > p->size) {
        p->is_good = false;
        return;
    }
    if (!is_first) {
        memcpy(p->out + p->used, "::", 2);
        p->used += 2;
    }
    memcpy(p->out + p->used, name, length);
    p->used += length;
    p->out[p->used] = '\0';
}

/* Digits, letters and "_". */
static size_t parse_base62(struct parser *p)
{
    size_t value = 0;

    if (take(p, '_'))
        return 0;
    for (; *p->at != '_' && *p->at != '\0'; p->at++) {
        char c = *p->at;
        if (value < LONGEST) /* a place; what is longer is a hash, of which nothing is made */
            value = value * 62 + (size_t)(c <= '9'   ? c - '0'
                                          : c <= 'Z' ? c - 'A' + 36
                                                     : c - 'a' + 10);
    }
    p->is_good = p->is_good && take(p, '_');
    return value + 1;
}

static void parse_identifier(struct parser *p)
{
    size_t length = 0;

    if (take(p, 's'))
        parse_base62(p); /* which of several of that name */
    take(p, 'u');        /* with other letters, in Punycode: as it is */
    while (*p->at >= '0' && *p->at <= '9' && length < LONGEST)
        length = length * 10 + (size_t)(*p->at++ - '0');
    take(p, '_');
    if (length > strlen(p->at)) {
        p->is_good = false;
        return;
    }
    if (length > 0)
        put(p, p->at, length);
    else
        put(p, "{closure}", strlen("{closure}"));
    p->at += length;
}

static void skip(struct parser *p, void (*parse)(struct parser *p))
{
    p->silent++;
    parse(p);
    p->silent--;
}

/* Something that stood at an earlier place. */
static void parse_backref(struct parser *p, void (*parse)(struct parser *p))
{
    const char *start = p->at - 1;
    size_t place = parse_base62(p);
    const char *behind = p->at;

    if (place >= (size_t)(start - p->text)) {
        p->is_good = false;
        return;
    }
    if (p->silent > 0)
        return;
    p->at = p->text + place;
    parse(p);
    p->at = behind;
}

static void parse_constant(struct parser *p)
{
    if (take(p, 'B')) {
        parse_base62(p);
        return;
    }
    if (take(p, 'p'))
        return;
    p->at += *p->at != '\0'; /* its type */
    take(p, 'n');
    while (*p->at != '_' && *p->at != '\0')
        p->at++;
    p->is_good = p->is_good && take(p, '_');
}

static void skip_arguments(struct parser *p)
{
    while (p->is_good && *p->at != '\0' && !take(p, 'E')) {
        if (take(p, 'L'))
            parse_base62(p); /* a lifetime */
        else if (take(p, 'K'))
            parse_constant(p);
        else
            skip(p, parse_type);
    }
}

/* A function's, or what a trait object has: binder, names and types up to E. */
static void skip_signature(struct parser *p)
{
    if (take(p, 'G'))
        parse_base62(p);
    take(p, 'U');
    if (take(p, 'K') && !take(p, 'C'))
        skip(p, parse_identifier);
    skip_arguments(p);
    skip(p, parse_type);
}

static void skip_object(struct parser *p)
{
    if (take(p, 'G'))
        parse_base62(p);
    while (p->is_good && *p->at != '\0' && !take(p, 'E')) {
        skip(p, parse_path);
        while (take(p, 'p')) {
            skip(p, parse_identifier);
            skip(p, parse_type);
        }
    }
    if (take(p, 'L'))
        parse_base62(p);
}

static void parse_type(struct parser *p)
{
    char c = *p->at;

    if (strchr("CMXYNI", c) != NULL && c != '\0') {
        parse_path(p);
        return;
    }
    p->at += c != '\0';
    if (++p->depth > DEEPEST || c == '\0')
        p->is_good = false;
    else if (c == 'B')
        parse_backref(p, parse_type);
    else if (c == 'A' || c == 'S' || c == 'R' || c == 'Q' || c == 'P' || c == 'O') {
        if ((c == 'R' || c == 'Q') && take(p, 'L'))
            parse_base62(p);
        parse_type(p);
        if (c == 'A')
            parse_constant(p);
    } else if (c == 'T')
        skip_arguments(p);
    else if (c == 'F')
        skip_signature(p);
    else if (c == 'D')
        skip_object(p);
    else if (c < 'a' || c > 'z')
        p->is_good = false;
    p->depth--;
}

static void parse_impl(struct parser *p)
{
    if (take(p, 's'))
        parse_base62(p);
    skip(p, parse_path);
}

static void parse_path(struct parser *p)
{
    char c = *p->at;

    p->at += c != '\0';
    if (++p->depth > DEEPEST)
        p->is_good = false;
    else if (c == 'C')
        parse_identifier(p);
    else if (c == 'M' || c == 'X') { /* of a type, and for it a trait's */
        parse_impl(p);
        parse_type(p);
        if (c == 'X')
            skip(p, parse_path);
    } else if (c == 'Y') {
        parse_type(p);
        skip(p, parse_path);
    } else if (c == 'N' && *p->at != '\0') {
        p->at++; /* the namespace */
        parse_path(p);
        parse_identifier(p);
    } else if (c == 'I') {
        parse_path(p);
        skip_arguments(p);
    } else if (c == 'B')
        parse_backref(p, parse_path);
    else
        p->is_good = false;
    p->depth--;
}

bool rust_name(const char *symbol, char *path, size_t size)
{
    struct parser p = {
        .text = symbol + 2, .at = symbol + 2, .out = path, .size = size, .is_good = true};

    if (strncmp(symbol, "_R", 2) != 0 || size == 0)
        return false;
    path[0] = '\0';
    parse_path(&p);
    return p.is_good && p.used > 0;
}

void rust_cut_hash(char *path)
{
    size_t length = strlen(path), hash = strlen("::h") + HASH;

    if (length > hash && strncmp(path + length - hash, "::h", 3) == 0 &&
        strspn(path + length - HASH, "0123456789abcdef") == HASH)
        path[length - hash] = '\0';
}
