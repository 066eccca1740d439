/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_PRINT_PRINT_H
#define FW_COMMAND_PRINT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Prints what a subcommand has found, as text for people or as JSON.
 *
 * A subcommand describes a record once, as a table of fields: the member of the JSON object, the
 * title and width of the column, the type of the value and where in the record it lies.  The
 * printer writes a list of records as a table or as an array of objects, and a single record as a
 * line or as members of an object.  What the fields do not cover is added by a function, which is
 * called for each record: it ends the line, or adds members.
 */
enum print_type {
    PRINT_TEXT,     /* const char *; NULL: null */
    PRINT_ARRAY,    /* char[] */
    PRINT_BOOL,     /* bool */
    PRINT_INT,      /* int */
    PRINT_UNSIGNED, /* unsigned or uint32_t */
    PRINT_U64,      /* uint64_t */
    PRINT_REAL,     /* double; not finite: null */
    PRINT_US        /* uint64_t, ns, which is shown as microseconds; UINT64_MAX: null */
};

/* How a value is shown to people, where that is not by its type. */
typedef void print_format(const void *value, char *text, size_t size);

struct print_field {
    const char *key;   /* JSON member; NULL: for people only */
    const char *title; /* of the column; NULL: for JSON only, or in a line without a header */
    enum print_type type;
    size_t offset;
    int width;          /* of the column; negative: left-aligned */
    int digits;         /* behind the point */
    const char *before; /* text before the value; NULL: one space, or nothing before the first */
    bool is_optional;   /* neither the value nor the text before it, where it is 0, "" or NULL */
    print_format *format;
};

/* Of a PRINT_TEXT: as visible.h makes it.  (JSON has the text as it is.) */
print_format print_visible;

/* `print_field`s begin so: key, title, type, where. */
#define PRINT_FIELD(k, t, value_type, record, member) \
    .key = (k), .title = (t), .type = (value_type), .offset = offsetof(struct record, member)

struct printer {
    FILE *out;
    json_t *json;  /* the object whose members are added; NULL: text */
    size_t layout; /* of the document: flags of json_dumpf */
};

struct print_record {
    const struct print_field *fields;
    size_t count;
    /* Called after the fields of each record; NULL: the line ends. */
    void (*more)(const struct printer *p, const void *record, const void *context);
};

#define PRINT_RECORD(fields, more)                           \
    {                                                        \
        (fields), sizeof(fields) / sizeof *(fields), (more), \
    }

/* A document, on standard output unless `out` is changed.  "format" is its first member. */
struct printer print_begin(bool as_json, const char *format);
void print_end(struct printer *p);

/* As printf, for people only. */
void print_words(const struct printer *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A record as a line of text, or as members of the object. */
void print_record(const struct printer *p, const struct print_record *r, const void *record,
                  const void *context);

/* Records, `size` bytes apart, as a table or as an array.  Without records, no header. */
void print_list(const struct printer *p, const char *key, const struct print_record *r,
                const void *records, size_t count, size_t size, const void *context);

/* The same, one by one: a header where the fields have titles; then records. */
void print_header(const struct printer *p, const struct print_record *r);
void print_append(const struct printer *p, const char *key, const struct print_record *r,
                  const void *record, const void *context);

/* An object or an array within the one of the printer, for `more`. */
struct printer print_object(const struct printer *p, const char *key);

/* A member that is for JSON only.  Takes over the reference of the value. */
void print_member(const struct printer *p, const char *key, json_t *value);

/* --- Values ----------------------------------------------------------------------------------- */

json_t *print_text_json(const char *text); /* NULL: null */
json_t *print_real_json(double x);         /* not finite: null */

/* "s" of more than one, "" of one. */
static inline const char *print_plural(unsigned long n)
{
    return n == 1 ? "" : "s";
}

#endif
