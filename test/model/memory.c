/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/model.h"
#include "engine/report.h"
#include "memory.h"

static bool lies_in(uint64_t addr, uint64_t size, const void *base, uint64_t length)
{
    return addr >= (uint64_t)(uintptr_t)base && addr + size <= (uint64_t)(uintptr_t)base + length;
}

bool memory_is_shared(uint64_t addr)
{
    return lies_in(addr, 1, model_memory, MODEL_MEMORY) ||
           lies_in(addr, 1, model_stacks, sizeof model_stacks);
}

bool memory_stack_of(uint64_t addr, unsigned *thread)
{
    if (!lies_in(addr, 1, model_stacks, sizeof model_stacks))
        return false;
    *thread = (unsigned)((addr - (uint64_t)(uintptr_t)model_stacks) / MODEL_STACK);
    return true;
}

static bool is_on_stack_of(uint64_t addr, unsigned thread)
{
    return lies_in(addr, 1, model_stacks[thread], MODEL_STACK);
}

/* A waiter's node lies on its stack: such memory lives as long as the frame it is in. */
bool memory_is_live_stack(uint64_t addr)
{
    unsigned thread;

    return memory_stack_of(addr, &thread) && addr >= (uint64_t)(uintptr_t)model_threads[thread].sp;
}

bool memory_is_freed(uint64_t addr)
{
    const struct model_object *object = model_object_at(addr, 1);

    return object != NULL && (model_shared.dead >> (object - model_objects) & 1) != 0;
}

bool memory_check(uint64_t addr, uint64_t size)
{
    const struct model_object *object = model_object_at(addr, size);
    unsigned thread;

    if (object != NULL && (model_shared.dead >> (object - model_objects) & 1) == 0)
        return true;
    if (object == NULL && memory_is_live_stack(addr))
        return true;
    if (object != NULL)
        model_fail("use after free", "an access to freed memory at 0x%llx, %llu bytes", addr, size);
    else if (memory_stack_of(addr, &thread))
        model_fail("use after free", "an access to a frame that is gone, at 0x%llx, of thread %llu",
                   addr, thread);
    else
        model_fail("stray access", "an access outside all objects, at 0x%llx, %llu bytes", addr,
                   size);
    return false;
}

/* Those of the bytes at [addr, addr + size) that the store covers. */
static void lay_over(uint8_t *bytes, uint64_t addr, uint64_t size, const struct model_store *s)
{
    for (unsigned k = 0; k < s->size; k++)
        if (s->addr + k >= addr && s->addr + k < addr + size)
            bytes[s->addr + k - addr] = (uint8_t)(s->value >> 8 * k);
}

uint64_t memory_read(unsigned thread, uint64_t addr, uint64_t size)
{
    const struct model_thread *t = &model_threads[thread];
    uint8_t bytes[8] = {0};
    uint64_t value;
    unsigned other;

    memcpy(bytes, (const void *)(uintptr_t)addr, size);
    if (memory_stack_of(addr, &other) && other != thread)
        for (unsigned i = (unsigned)model_threads[other].buffered; i-- > 0;)
            if (is_on_stack_of(model_threads[other].buffer[i].addr, other))
                lay_over(bytes, addr, size, &model_threads[other].buffer[i]);
    for (unsigned i = 0; i < t->buffered; i++)
        if (!is_on_stack_of(t->buffer[i].addr, thread))
            lay_over(bytes, addr, size, &t->buffer[i]);
    memcpy(&value, bytes, sizeof value);
    return value;
}

/*
 * A write to another thread's stack while that thread's own store to the same address is in its
 * queue: that one comes later, so what is written here is seen until then.  True: done.
 */
static bool write_before_own(unsigned thread, uint64_t addr, uint64_t size, uint64_t value)
{
    unsigned other;

    if (!memory_stack_of(addr, &other) || other == thread)
        return false;
    for (unsigned i = 0; i < model_threads[other].buffered; i++) {
        struct model_store *s = &model_threads[other].buffer[i];
        if (s->addr == addr && s->size == size) {
            s->value = value;
            return true;
        }
    }
    return false;
}

void memory_write(unsigned thread, uint64_t addr, uint64_t size, uint64_t value)
{
    uint64_t word = addr & ~UINT64_C(7);
    uint64_t before;

    if (!memory_check(addr, size) || write_before_own(thread, addr, size, value))
        return;
    memcpy(&before, (const void *)(uintptr_t)word, sizeof before);
    memcpy((void *)(uintptr_t)addr, &value, size);
    if (model_program->hooks->changed != NULL)
        model_program->hooks->changed(thread, word, before);
}

void memory_buffer(unsigned thread, uint64_t addr, uint64_t size, uint64_t value)
{
    struct model_thread *t = &model_threads[thread];
    uint64_t kept = value;

    if (is_on_stack_of(addr, thread)) {
        kept = 0;
        memcpy(&kept, (const void *)(uintptr_t)addr, size);
        memcpy((void *)(uintptr_t)addr, &value, size);
    }
    t->buffer[t->buffered++] = (struct model_store){addr, size, kept};
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
    if (is_on_stack_of(s.addr, thread)) {
        report_arrival(thread, s.addr, s.size, memory_read(thread, s.addr, s.size));
        return;
    }
    report_arrival(thread, s.addr, s.size, s.value);
    memory_write(thread, s.addr, s.size, s.value);
}

void memory_drain(unsigned thread)
{
    while (model_threads[thread].buffered > 0 && model_failure.kind == NULL)
        memory_flush_oldest(thread);
}
