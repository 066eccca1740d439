/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/model.h"
#include "engine/report.h"
#include "memory.h"

static bool lies_in(uint64_t addr, uint64_t size, const void *base, uint64_t room)
{
    return addr >= (uint64_t)(uintptr_t)base && addr + size <= (uint64_t)(uintptr_t)base + room;
}

bool memory_is_shared(uint64_t addr)
{
    return lies_in(addr, 1, model_shared.memory, MODEL_MEMORY) ||
           lies_in(addr, 1, model_stacks, sizeof model_stacks);
}

/* A waiter's node may live on its stack: such memory lives as long as the frame it is in. */
static bool is_live_stack(uint64_t addr, uint64_t size)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (lies_in(addr, size, model_stacks[i], MODEL_STACK))
            return addr >= (uint64_t)(uintptr_t)model_threads[i].sp;
    return false;
}

bool memory_check(uint64_t addr, uint64_t size)
{
    const struct model_object *object = model_object_at(addr, size);

    if (object != NULL && (model_shared.dead >> (object - model_objects) & 1) == 0)
        return true;
    if (object == NULL && is_live_stack(addr, size))
        return true;
    if (object != NULL)
        model_fail("use after free", "an access to freed memory at 0x%llx, %llu bytes", addr, size);
    else
        model_fail("stray access", "an access outside all objects, at 0x%llx, %llu bytes", addr,
                   size);
    return false;
}

uint64_t memory_read(unsigned thread, uint64_t addr, uint64_t size)
{
    const struct model_thread *t = &model_threads[thread];
    uint8_t bytes[8] = {0};
    uint64_t value;

    memcpy(bytes, (const void *)(uintptr_t)addr, size);
    for (unsigned i = 0; i < t->buffered; i++) {
        const struct model_store *s = &t->buffer[i];
        for (unsigned k = 0; k < s->size; k++)
            if (s->addr + k >= addr && s->addr + k < addr + size)
                bytes[s->addr + k - addr] = (uint8_t)(s->value >> 8 * k);
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

void memory_write(unsigned thread, uint64_t addr, uint64_t size, uint64_t value)
{
    uint64_t word = addr & ~UINT64_C(7);
    uint64_t before;

    if (!memory_check(addr, size))
        return;
    memcpy(&before, (const void *)(uintptr_t)word, sizeof before);
    memcpy((void *)(uintptr_t)addr, &value, size);
    if (model_program->changed != NULL)
        model_program->changed(thread, word, before);
}

void memory_buffer(unsigned thread, uint64_t addr, uint64_t size, uint64_t value)
{
    struct model_thread *t = &model_threads[thread];

    t->buffer[t->buffered++] = (struct model_store){addr, size, value};
}

bool memory_buffer_is_full(unsigned thread)
{
    return model_threads[thread].buffered == MODEL_MAX_BUFFER;
}

void memory_flush_oldest(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];
    struct model_store s = t->buffer[0];

    for (unsigned i = 1; i < t->buffered; i++)
        t->buffer[i - 1] = t->buffer[i];
    t->buffered--;
    t->buffer[t->buffered] = (struct model_store){0, 0, 0};
    report_arrival(thread, s.addr, s.size, s.value);
    memory_write(thread, s.addr, s.size, s.value);
}

void memory_drain(unsigned thread)
{
    while (model_threads[thread].buffered > 0 && model_failure.kind == NULL)
        memory_flush_oldest(thread);
}
