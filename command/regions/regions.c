/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/print.h"
#include "region.h"

#define SHARED_MEMORY "/dev/shm"

struct list {
    bool as_json;
    struct printer printer;
    unsigned count;
    int status;
    int first; /* of the names, in the command line; 0: there is none */
};

/* A region as it is listed. */
struct row {
    const char *name;
    uint64_t bytes;
    bool is_whole;
    unsigned objects, threads, processes;
    const char *trouble; /* NULL: none */
    bool is_read;        /* its numbers are known, if it is whole or not */
};

static void end_row(const struct printer *p, const void *record, const void *context)
{
    const struct row *row = record;

    (void)context;
    if (row->is_read)
        print_words(p, " %8u %8u %10u", row->objects, row->threads, row->processes);
    print_words(p, "%s%s\n", row->trouble != NULL ? "  " : "",
                row->trouble != NULL ? row->trouble : "");
}

static const struct print_field fields[] = {
    {PRINT_FIELD("name", "region", PRINT_TEXT, row, name), .width = -28},
    {PRINT_FIELD("bytes", "bytes", PRINT_U64, row, bytes), .width = 12},
    {PRINT_FIELD("is_whole", NULL, PRINT_BOOL, row, is_whole)},
    {PRINT_FIELD("objects", NULL, PRINT_UNSIGNED, row, objects)},
    {PRINT_FIELD("threads", NULL, PRINT_UNSIGNED, row, threads)},
    {PRINT_FIELD("processes", NULL, PRINT_UNSIGNED, row, processes)},
    {PRINT_FIELD("trouble", NULL, PRINT_TEXT, row, trouble)},
};
static const struct print_record record = PRINT_RECORD(fields, end_row);

static void show(struct list *list, const struct region *r, const char *why)
{
    struct row row = {.name = r->name, .bytes = r->bytes, .is_read = r->is_whole, .trouble = why};
    unsigned damaged;

    if (r->is_whole) {
        free(region_objects(r, &row.objects, &damaged));
        region_count(r, &row.threads, &row.processes);
    }
    if (region_trouble(r) != NULL) {
        row.trouble = region_trouble(r);
        row.is_read = false;
        row.objects = row.threads = row.processes = 0;
    }
    row.is_whole = row.is_read && !r->is_stale;
    if (list->count++ == 0)
        print_words(&list->printer, "%-28s %12s %8s %8s %10s\n", "region", "bytes", "objects",
                    "threads", "processes");
    print_append(&list->printer, "regions", &record, &row, NULL);
}

/* What was asked for by name has to be a region; what lies about need not be one. */
static void look(struct list *list, const char *name, bool is_wanted)
{
    struct region r;
    const char *why;
    int error = region_look(name, &r, &why);

    if (error == 0)
        show(list, &r, why);
    else if (is_wanted) {
        command_warn("%s: %s", name, why);
        list->status = COMMAND_FAILED;
    }
    region_drop(&r);
}

static int is_visible(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void look_around(struct list *list)
{
    struct dirent **entries;
    int n = scandir(SHARED_MEMORY, &entries, is_visible, alphasort);

    if (n < 0) {
        command_warn("%s: %s", SHARED_MEMORY, strerror(errno));
        list->status = COMMAND_FAILED;
        return;
    }
    for (int i = 0; i < n; i++) {
        char name[sizeof entries[i]->d_name + 1];
        snprintf(name, sizeof name, "/%s", entries[i]->d_name);
        look(list, name, false);
        free(entries[i]);
    }
    free(entries);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct list *list = state->input;

    (void)arg;
    switch (key) {
    case 'j':
        list->as_json = true;
        return 0;
    case ARGP_KEY_ARG: /* and the rest: run looks at them */
        list->first = command_first_word(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[FILE...]",
    .doc = "List the regions of shared memory on this machine.\v"
           "A region is shared memory for locks that survive the death of the processes that use "
           "them (furwock/ipc/region.h).  Listed are the regions in " SHARED_MEMORY
           " that the caller may "
           "read, and those in the FILEs.  Nothing is changed.  furwock show REGION inspects one.",
};

static int run(int argc, char **argv)
{
    struct list list = {.status = EXIT_SUCCESS};

    argp_parse(&command_line, argc, argv, 0, NULL, &list);
    list.printer = print_begin(list.as_json, "furwock-regions-1");
    look_around(&list);
    for (int i = list.first; i != 0 && i < argc; i++)
        look(&list, argv[i], true);
    if (list.count == 0) {
        print_list(&list.printer, "regions", &record, NULL, 0, 0, NULL);
        if (list.status == EXIT_SUCCESS)
            print_words(&list.printer, "no regions\n");
    }
    print_end(&list.printer);
    return list.status;
}

const struct command command_regions = {
    .name = "regions",
    .about = "list the regions of shared memory",
    .run = run,
};
