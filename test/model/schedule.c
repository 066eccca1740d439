/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "schedule.h"

void schedule_print(FILE *out, const struct model_choice *schedule, unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        fprintf(out, "%s%c", i == 0 ? "" : ".", 'A' + schedule[i].thread);
        if (schedule[i].what != CHOICE_DO)
            fputc(schedule[i].what, out);
    }
}

bool schedule_parse(const char *text, struct model_choice **schedule, unsigned *length)
{
    struct model_choice *list = calloc(strlen(text) + 1, sizeof *list);
    unsigned n = 0;

    if (list == NULL)
        return false;
    while (*text != '\0') {
        if (*text < 'A' || *text >= (int)('A' + MODEL_MAX_THREADS))
            break;
        list[n].thread = (uint8_t)(*text++ - 'A');
        list[n].what = CHOICE_DO;
        if (*text != '.' && *text != '\0')
            list[n].what = (uint8_t)*text++;
        n++;
        if (*text == '.')
            text++;
        else if (*text != '\0')
            break;
    }
    *schedule = list;
    *length = n;
    return *text == '\0';
}
