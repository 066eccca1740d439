/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_OF(file) &file##_programs
const struct program_group *const names_groups[] = {PROGRAM_GROUPS(ADDRESS_OF), NULL};
#define GROUPS (sizeof names_groups / sizeof *names_groups - 1)
const struct model_program *names_program(const char *name)
{
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned i = 0; i < names_groups[g]->count; i++)
            if (strcmp(names_groups[g]->programs[i].name, name) == 0)
                return &names_groups[g]->programs[i];
    fprintf(stderr, "fw-model: no program %s; there are:", name);
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned i = 0; i < names_groups[g]->count; i++)
            fprintf(stderr, " %s", names_groups[g]->programs[i].name);
    fprintf(stderr, "\n");
    exit(EXIT_USAGE);
}

const struct model_fault *names_fault(const char *name)
{
    for (unsigned i = 0; i < model_fault_count; i++)
        if (strcmp(model_faults[i].name, name) == 0)
            return &model_faults[i];
    fprintf(stderr, "fw-model: no fault %s; there are:", name);
    for (unsigned i = 0; i < model_fault_count; i++)
        fprintf(stderr, " %s", model_faults[i].name);
    fprintf(stderr, "\n");
    exit(EXIT_USAGE);
}

/* What its threads do, what the environment may do, and the rest. */
static void print_program(const struct model_program *p)
{
    const struct model_budget *b = &p->budget;
    const struct {
        const char *name;
        uint64_t n;
    } parts[] = {{"spurious", b->spurious}, {"eintr", b->eintr},
                 {"signals", b->signals},   {"ticks", b->ticks},
                 {"refusals", b->refusals}, {"chances", b->chances},
                 {"cancels", b->cancels},   {"kills", b->kills},
                 {"rechecks", b->rechecks}, {"clock-steps", b->clock_steps}};

    printf("  %-24s %s", p->name, p->script != NULL ? p->script : "");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].n != 0)
            printf("; %s %u", parts[i].name, (unsigned)parts[i].n);
    printf("%s%s\n", p->script != NULL && p->about != NULL ? ": " : "",
           p->about != NULL ? p->about : "");
}

void names_list(void)
{
    for (unsigned g = 0; g < GROUPS; g++) {
        printf("%s%s:\n", g == 0 ? "" : "\n", names_groups[g]->name);
        for (unsigned i = 0; i < names_groups[g]->count; i++) {
            print_program(&names_groups[g]->programs[i]);
        }
    }
    printf("\nfaults:\n");
    for (unsigned i = 0; i < model_fault_count; i++)
        printf("  %-24s %s (program %s)\n", model_faults[i].name, model_faults[i].about,
               model_faults[i].program);
}

bool names_has_group(const char *name)
{
    for (unsigned g = 0; g < GROUPS; g++)
        if (strcmp(name, names_groups[g]->name) == 0)
            return true;
    return strcmp(name, "faults") == 0;
}
