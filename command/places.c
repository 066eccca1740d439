/* SPDX-License-Identifier: MIT */
/* Contract: places.h. */
#include "places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visible.h"

/* A line of /proc/PID/maps that has a name: of a file, or one in brackets. */
struct part {
    uint64_t begin, end;
    const char *name;
};

struct places {
    struct part *parts;
    unsigned part_count;
    struct places_module *modules;
    unsigned module_count;
    struct symbols *symbols;
};

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* "begin-end rwxp offset dev inode   name" */
static void read_line(struct places *p, char *line)
{
    struct part part;
    int name = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &part.begin, &part.end, &name) <
            2 ||
        name == 0 || (line[name] != '/' && line[name] != '['))
        return;
    part.name = must(strdup(visible(line + name)));
    p->parts = must(realloc(p->parts, (p->part_count + 1) * sizeof *p->parts));
    p->parts[p->part_count++] = part;
}

static struct places_module *find_module(struct places *p, const char *path)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (strcmp(p->modules[i].path, path) == 0)
            return &p->modules[i];
    return NULL;
}

static bool is_taken(const struct places *p, const struct part *part)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (part->begin < p->modules[i].end && part->end > p->modules[i].begin &&
            strcmp(p->modules[i].path, part->name) != 0)
            return true;
    return false;
}

/* The latest copy is believed first: what an earlier one has at the same place is gone. */
static void gather_modules(struct places *p)
{
    for (unsigned i = p->part_count; i-- > 0;) {
        const struct part *part = &p->parts[i];
        struct places_module *m = find_module(p, part->name);

        if (part->name[0] != '/' || is_taken(p, part))
            continue;
        if (m == NULL) {
            p->modules = must(realloc(p->modules, (p->module_count + 1) * sizeof *p->modules));
            m = &p->modules[p->module_count++];
            *m = (struct places_module){part->name, part->begin, part->end};
        }
        if (part->begin < m->begin)
            m->begin = part->begin;
        if (part->end > m->end)
            m->end = part->end;
    }
}

struct places *places_open(const char *maps)
{
    struct places *p = must(calloc(1, sizeof *p));
    FILE *in = fopen(maps, "re");
    char *line = NULL;
    size_t size = 0;

    while (in != NULL && getline(&line, &size, in) > 0)
        read_line(p, line);
    free(line);
    if (in != NULL)
        fclose(in);
    gather_modules(p);
    p->symbols = symbols_open(p->modules, p->module_count);
    return p;
}

void places_close(struct places *p)
{
    symbols_close(p->symbols);
    for (unsigned i = 0; i < p->part_count; i++)
        free((char *)p->parts[i].name);
    free(p->parts);
    free(p->modules);
    free(p);
}

/* --- Asking ----------------------------------------------------------------------------------- */

static struct place locate(const struct places *p, uint64_t address)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (address >= p->modules[i].begin && address < p->modules[i].end)
            return (struct place){.module = p->modules[i].path,
                                  .offset = address - p->modules[i].begin};
    for (unsigned i = p->part_count; i-- > 0;)
        if (address >= p->parts[i].begin && address < p->parts[i].end)
            return (struct place){.module = p->parts[i].name};
    return (struct place){0};
}

struct place places_call(struct places *p, uint64_t returns_to)
{
    struct place place = locate(p, returns_to - 1);

    if (returns_to != 0)
        symbols_call(p->symbols, returns_to, &place);
    return place;
}

struct place places_data(struct places *p, uint64_t address)
{
    struct place place = locate(p, address);

    symbols_data(p->symbols, address, &place);
    return place;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

void places_write(const struct place *place, uint64_t address, char *text, unsigned size)
{
    if (place->symbol != NULL && place->line != 0)
        snprintf(text, size, "%s (%s:%d)", place->symbol, last_part(place->file), place->line);
    else if (place->symbol != NULL && place->behind != 0)
        snprintf(text, size, "%s+0x%" PRIx64, place->symbol, place->behind);
    else if (place->symbol != NULL)
        snprintf(text, size, "%s", place->symbol);
    else if (place->module != NULL && place->module[0] == '/')
        snprintf(text, size, "%s+0x%" PRIx64, last_part(place->module), place->offset);
    else
        snprintf(text, size, "%s%s0x%" PRIx64, place->module != NULL ? place->module : "",
                 place->module != NULL ? " " : "", address);
}
