/* SPDX-License-Identifier: MIT */
/* Without libdw: modules and offsets, no symbols. */
#include <stddef.h>

#include "places.h"

struct symbols *symbols_open(const struct places_module *modules, unsigned count)
{
    (void)modules;
    (void)count;
    return NULL;
}

void symbols_close(struct symbols *s)
{
    (void)s;
}

void symbols_call(struct symbols *s, uint64_t returns_to, struct place *place)
{
    (void)s;
    (void)returns_to;
    (void)place;
}

void symbols_data(struct symbols *s, uint64_t address, struct place *place)
{
    (void)s;
    (void)address;
    (void)place;
}
