/* SPDX-License-Identifier: MIT */
#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "visible.h"

enum { LONGEST = 512 }; /* bytes of a value as text */

struct printer print_begin(bool as_json, const char *format)
{
    struct printer p = {stdout, as_json ? json_object() : NULL, JSON_INDENT(2)};

    if (as_json)
        print_member(&p, "format", json_string(format));
    return p;
}

void print_end(struct printer *p)
{
    if (p->json == NULL)
        return;
    json_dumpf(p->json, p->out, p->layout);
    putc('\n', p->out);
    json_decref(p->json);
    p->json = NULL;
}

void print_words(const struct printer *p, const char *format, ...)
{
    va_list list;

    if (p->json != NULL)
        return;
    va_start(list, format);
    vfprintf(p->out, format, list);
    va_end(list);
}

void print_member(const struct printer *p, const char *key, json_t *value)
{
    if (p->json != NULL)
        json_object_set_new(p->json, key, value);
    else
        json_decref(value);
}

struct printer print_object(const struct printer *p, const char *key)
{
    struct printer inner = {p->out, p->json != NULL ? json_object() : NULL, 0};

    print_member(p, key, inner.json); /* which keeps it */
    return inner;
}

json_t *print_text_json(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

json_t *print_real_json(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

void print_visible(const void *value, char *text, size_t size)
{
    snprintf(text, size, "%s", *(const char *const *)value);
    visible(text);
}

/* --- One value -------------------------------------------------------------------------------- */

static const void *value_of(const struct print_field *f, const void *record)
{
    return (const char *)record + f->offset;
}

static json_t *to_json(const struct print_field *f, const void *value)
{
    switch (f->type) {
    case PRINT_TEXT:
        return print_text_json(*(const char *const *)value);
    case PRINT_ARRAY:
        return json_string(value);
    case PRINT_BOOL:
        return json_boolean(*(const bool *)value);
    case PRINT_INT:
        return json_integer(*(const int *)value);
    case PRINT_UNSIGNED:
        return json_integer(*(const unsigned *)value);
    case PRINT_U64:
        return json_integer((json_int_t) * (const uint64_t *)value);
    case PRINT_REAL:
        return print_real_json(*(const double *)value);
    case PRINT_US:
        return *(const uint64_t *)value == UINT64_MAX
                   ? json_null()
                   : json_real((double)*(const uint64_t *)value / 1e3);
    }
    abort();
}

static void to_text(const struct print_field *f, const void *value, char *text)
{
    const uint64_t *whole = value;
    const double *real = value;

    switch (f->format == NULL ? (int)f->type : -1) {
    case PRINT_TEXT:
        snprintf(text, LONGEST, "%s", *(const char *const *)value);
        break;
    case PRINT_ARRAY:
        snprintf(text, LONGEST, "%s", (const char *)value);
        break;
    case PRINT_BOOL:
        snprintf(text, LONGEST, "%s", *(const bool *)value ? "yes" : "no");
        break;
    case PRINT_INT:
        snprintf(text, LONGEST, "%d", *(const int *)value);
        break;
    case PRINT_UNSIGNED:
        snprintf(text, LONGEST, "%u", *(const unsigned *)value);
        break;
    case PRINT_U64:
        snprintf(text, LONGEST, "%" PRIu64, *whole);
        break;
    case PRINT_REAL:
        if (isnan(*real))
            snprintf(text, LONGEST, "-");
        else
            snprintf(text, LONGEST, "%.*f", f->digits, *real);
        break;
    case PRINT_US:
        if (*whole == UINT64_MAX)
            snprintf(text, LONGEST, "-");
        else
            snprintf(text, LONGEST, "%.*f", f->digits, (double)*whole / 1e3);
        break;
    default:
        f->format(value, text, LONGEST);
    }
}

/* What an optional field does not show. */
static bool is_empty(const struct print_field *f, const void *value)
{
    switch (f->type) {
    case PRINT_TEXT:
        return *(const char *const *)value == NULL || **(const char *const *)value == '\0';
    case PRINT_ARRAY:
        return *(const char *)value == '\0';
    case PRINT_BOOL:
        return !*(const bool *)value;
    case PRINT_INT:
    case PRINT_UNSIGNED:
        return *(const unsigned *)value == 0;
    case PRINT_U64:
    case PRINT_US:
        return *(const uint64_t *)value == 0;
    case PRINT_REAL:
        return *(const double *)value == 0;
    }
    abort();
}

/* --- Records ---------------------------------------------------------------------------------- */

static bool is_for_people(const struct print_field *f)
{
    return f->title != NULL || f->before != NULL;
}

static void put_cell(const struct printer *p, const struct print_field *f, bool is_first,
                     const char *text)
{
    fprintf(p->out, "%s%*s", f->before != NULL ? f->before : is_first ? "" : " ", f->width, text);
}

static void put_line(const struct printer *p, const struct print_record *r, const void *record)
{
    bool is_first = true;

    for (size_t i = 0; i < r->count; i++) {
        const struct print_field *f = &r->fields[i];
        char text[LONGEST];
        if (!is_for_people(f) || (f->is_optional && is_empty(f, value_of(f, record))))
            continue;
        to_text(f, value_of(f, record), text);
        put_cell(p, f, is_first, text);
        is_first = false;
    }
}

void print_record(const struct printer *p, const struct print_record *r, const void *record,
                  const void *context)
{
    if (p->json == NULL)
        put_line(p, r, record);
    for (size_t i = 0; p->json != NULL && i < r->count; i++)
        if (r->fields[i].key != NULL)
            print_member(p, r->fields[i].key,
                         to_json(&r->fields[i], value_of(&r->fields[i], record)));
    if (r->more != NULL)
        r->more(p, record, context);
    else
        print_words(p, "\n");
}

void print_header(const struct printer *p, const struct print_record *r)
{
    bool is_first = true;

    if (p->json != NULL)
        return;
    for (size_t i = 0; i < r->count; i++) {
        if (r->fields[i].title == NULL)
            continue;
        put_cell(p, &r->fields[i], is_first, r->fields[i].title);
        is_first = false;
    }
    if (!is_first)
        putc('\n', p->out);
}

void print_append(const struct printer *p, const char *key, const struct print_record *r,
                  const void *record, const void *context)
{
    struct printer one = {p->out, p->json != NULL ? json_object() : NULL, 0};

    print_record(&one, r, record, context);
    if (p->json != NULL) {
        json_t *list = json_object_get(p->json, key);
        if (list == NULL) {
            list = json_array();
            print_member(p, key, list);
        }
        json_array_append_new(list, one.json);
    }
}

void print_list(const struct printer *p, const char *key, const struct print_record *r,
                const void *records, size_t count, size_t size, const void *context)
{
    if (count != 0)
        print_header(p, r);
    else if (p->json != NULL)
        print_member(p, key, json_array());
    for (size_t i = 0; i < count; i++)
        print_append(p, key, r, (const char *)records + i * size, context);
}
