/* SPDX-License-Identifier: MIT */
#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdio.h>

#include "bench/adapters/adapter.h"
#include "bench/adapters/rw_adapter.h"
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

static json_t *describe(const void *adapter, bool trylock)
{
    const adapter_head *a = adapter;

    return json_pack("{s:s, s:s, s:s, s:I, s:b, s:b, s:b, s:b, s:b, s:b}", "lock", a->name, "about",
                     a->about, "family", family_name(a->family), "size", (json_int_t)a->size,
                     "blocks", (a->flags & ADAPTER_BLOCKS) != 0, "spins",
                     (a->flags & ADAPTER_SPINS) != 0, "fair", (a->flags & ADAPTER_FAIR) != 0,
                     "shared", (a->flags & ADAPTER_SHARED) != 0, "threads",
                     (a->flags & ADAPTER_PROCESSES) == 0, "trylock", trylock);
}

static json_t *mutexes(void)
{
    json_t *found = json_array();

    for (const struct adapter *const *a = adapter_list; *a != NULL; a++)
        json_array_append_new(found, describe(*a, (*a)->trylock != NULL));
    return found;
}

static json_t *rwlocks(void)
{
    json_t *found = json_array();

    for (const struct rw_adapter *const *a = rw_adapter_list; *a != NULL; a++) {
        json_t *j = describe(*a, (*a)->tryrdlock != NULL && (*a)->trywrlock != NULL);

        json_object_set_new(j, "preference", json_string(rw_preference_name((*a)->preference)));
        json_array_append_new(found, j);
    }
    return found;
}

static json_t *missing(const struct missing_adapter *m)
{
    json_t *found = json_array();

    for (; m->name != NULL; m++)
        json_array_append_new(found, json_pack("{s:s, s:s}", "lock", m->name, "why", m->why));
    return found;
}

void list_print(void)
{
    json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:s, s:s}", "locks", mutexes(), "missing",
                          missing(adapter_missing), "rwlocks", rwlocks(), "rwmissing",
                          missing(rw_adapter_missing), "compiler", __VERSION__, "libc",
                          gnu_get_libc_version());

    json_dumpf(j, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(j);
}
