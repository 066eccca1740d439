/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

struct model_object model_objects[MODEL_MAX_OBJECTS];
unsigned model_object_count;
uint8_t model_memory[MODEL_MEMORY] __attribute__((aligned(4096)));
unsigned model_memory_used;

void *model_object(const char *name, unsigned size, const struct model_part *parts,
                   void (*decode)(uint64_t, unsigned, unsigned, char *, size_t))
{
    unsigned offset = 0;

    for (unsigned i = 0; i < model_object_count; i++)
        offset = model_objects[i].offset + ((model_objects[i].size + 15) & ~7u); /* with a gap */
    if (model_object_count == MODEL_MAX_OBJECTS || offset + size > MODEL_MEMORY) {
        fputs("fw-model: too many objects\n", stderr);
        exit(3);
    }
    model_memory_used = (offset + size + 7) & ~7u;
    model_objects[model_object_count++] = (struct model_object){name, offset, size, parts, decode};
    return model_memory + offset;
}

const struct model_object *model_object_at(uint64_t addr, uint64_t size)
{
    uint64_t base = (uint64_t)(uintptr_t)model_memory;

    for (unsigned i = 0; i < model_object_count; i++)
        if (addr >= base + model_objects[i].offset &&
            addr + size <= base + model_objects[i].offset + model_objects[i].size)
            return &model_objects[i];
    return NULL;
}

void model_check_freed(void)
{
    for (unsigned i = 0; model_shared.dead >> i != 0; i++) {
        const struct model_object *o = &model_objects[i];

        for (unsigned k = 0; (model_shared.dead >> i & 1) != 0 && k < o->size; k++)
            if (model_memory[o->offset + k] != MODEL_DEAD)
                model_fail("use after free", "freed memory was written to, at 0x%llx",
                           (uint64_t)(uintptr_t)&model_memory[o->offset + k], 0);
    }
}
