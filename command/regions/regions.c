/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/json.h"
#include "region.h"

#define SHARED_MEMORY "/dev/shm"

struct list {
    bool as_json;
    json_t *regions;
    unsigned count;
    int status;
    int first; /* of the names, in the command line; 0: there is none */
};

static void show(struct list *list, const struct region *r, const char *why)
{
    unsigned objects = 0, damaged, threads = 0, processes = 0;
    bool is_whole = r->is_whole;

    if (r->is_whole) {
        free(region_objects(r, &objects, &damaged));
        region_count(r, &threads, &processes);
    }
    if (region_trouble(r) != NULL) {
        why = region_trouble(r);
        is_whole = false;
        objects = threads = processes = 0;
    }
    if (list->as_json) {
        json_array_append_new(list->regions,
                              json_pack("{s:s s:I s:b s:i s:i s:i s:o}", "name", r->name, "bytes",
                                        (json_int_t)r->bytes, "is_whole", is_whole && !r->is_stale,
                                        "objects", (int)objects, "threads", (int)threads,
                                        "processes", (int)processes, "trouble",
                                        why != NULL ? json_string(why) : json_null()));
        return;
    }
    if (list->count++ == 0)
        printf("%-28s %12s %8s %8s %10s\n", "region", "bytes", "objects", "threads", "processes");
    if (is_whole)
        printf("%-28s %12llu %8u %8u %10u%s%s\n", r->name, (unsigned long long)r->bytes, objects,
               threads, processes, why != NULL ? "  " : "", why != NULL ? why : "");
    else
        printf("%-28s %12llu  %s\n", r->name, (unsigned long long)r->bytes, why);
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
        list->first = state->next - 1;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print JSON", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[FILE...]",
    .doc = "List the regions of shared memory on this machine.\v"
           "A region is memory in which locks lie that survive the death of whoever uses them "
           "(furwock/ipc/region.h).  Listed are the regions in " SHARED_MEMORY " that the caller "
           "may read, and those in the FILEs.  Nothing is changed.  furwock show REGION looks "
           "into one.",
};

static int run(int argc, char **argv)
{
    struct list list = {.status = EXIT_SUCCESS};

    argp_parse(&command_line, argc, argv, 0, NULL, &list);
    list.regions = json_array();
    look_around(&list);
    for (int i = list.first; i != 0 && i < argc; i++)
        look(&list, argv[i], true);
    if (list.as_json) {
        json_t *whole =
            json_pack("{s:s s:O}", "format", "furwock-regions-1", "regions", list.regions);
        command_print_json(whole);
    } else if (list.count == 0 && list.status == EXIT_SUCCESS) {
        puts("no regions");
    }
    json_decref(list.regions);
    return list.status;
}

const struct command command_regions = {
    .name = "regions",
    .about = "list the regions of shared memory",
    .run = run,
};
