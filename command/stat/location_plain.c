/* SPDX-License-Identifier: MIT */
/* Without libdw: modules and offsets, no symbols. */
#include <stddef.h>

#include "location.h"

struct symbols *symbols_open(const struct locations_module *modules, unsigned count)
{
    (void)modules;
    (void)count;
    return NULL;
}

void symbols_close(struct symbols *s)
{
    (void)s;
}

void symbols_call(struct symbols *s, uint64_t returns_to, struct location *location)
{
    (void)s;
    (void)returns_to;
    (void)location;
}

bool symbols_find(struct symbols *s, unsigned module, const char *name, uint64_t *address)
{
    (void)s;
    (void)module;
    (void)name;
    (void)address;
    return false;
}

void symbols_data(struct symbols *s, uint64_t address, struct location *location)
{
    (void)s;
    (void)address;
    (void)location;
}
