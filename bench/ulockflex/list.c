/* SPDX-License-Identifier: MIT */
#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdio.h>

#include "run.h"

static const char *family_name(enum adapter_family f)
{
    switch (f) {
    case FAMILY_FURWOCK:
        return "furwock";
    case FAMILY_CLASSIC:
        return "classic";
    case FAMILY_RIVAL:
        return "rival";
    }
    return "unknown";
}

static json_t *describe(const struct adapter *a)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:b, s:b, s:b, s:b, s:b}", "lock", a->name, "about",
                     a->about, "family", family_name(a->family), "size", (json_int_t)a->size,
                     "blocks", (a->flags & ADAPTER_BLOCKS) != 0, "spins",
                     (a->flags & ADAPTER_SPINS) != 0, "fair", (a->flags & ADAPTER_FAIR) != 0,
                     "shared", (a->flags & ADAPTER_SHARED) != 0, "trylock", a->trylock != NULL);
}

void list_print(void)
{
    json_t *locks = json_array(), *missing = json_array();

    for (const struct adapter *const *a = adapter_list; *a != NULL; a++)
        json_array_append_new(locks, describe(*a));
    for (const struct missing_adapter *m = adapter_missing; m->name != NULL; m++)
        json_array_append_new(missing, json_pack("{s:s, s:s}", "lock", m->name, "why", m->why));

    json_t *j = json_pack("{s:o, s:o, s:s, s:s}", "locks", locks, "missing", missing, "compiler",
                          __VERSION__, "libc", gnu_get_libc_version());

    json_dumpf(j, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(j);
}
