/* SPDX-License-Identifier: MIT */
/* Contract: stacks.h. */
#include "stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/print/visible.h"
#include "command/who/stacks.h"
#include "measure/clock.h"

struct stacks_process {
    pid_t pid;
    bool is_open, has_namespace;
    char why[200];
    struct target target;
    uint64_t opened;     /* ns */
    struct known *known; /* frames by their addresses, sorted */
    size_t known_count;
};

struct known {
    uint64_t address;
    bool is_call, is_guess;
    const struct waits_frame *frame;
};

#define REOPEN_NS UINT64_C(1000000000) /* at least between two looks at what is mapped */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Processes -------------------------------------------------------------------------------- */

static void open_target(struct stacks_process *p)
{
    p->opened = clock_ns();
    p->is_open = target_open(&p->target, p->pid, p->why, sizeof p->why);
}

static void close_target(struct stacks_process *p)
{
    if (p->is_open)
        target_close(&p->target);
    p->is_open = false;
    free(p->known);
    p->known = NULL;
    p->known_count = 0;
}

struct stacks_process *stacks_open(pid_t pid)
{
    struct stacks_process *p = must(calloc(1, sizeof *p));
    struct stat own, its;
    char path[64];

    p->pid = pid;
    open_target(p);
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    p->has_namespace =
        stat("/proc/self/ns/pid", &own) == 0 && stat(path, &its) == 0 && own.st_ino != its.st_ino;
    return p;
}

void stacks_close(struct stacks_process *p)
{
    if (p == NULL)
        return;
    close_target(p);
    free(p);
}

const char *stacks_why(const struct stacks_process *p)
{
    return p->is_open ? NULL : p->why;
}

/* --- Names ------------------------------------------------------------------------------------ */

static const struct waits_frame *describe(struct stacks_process *p, const struct unwind_frame *f)
{
    struct waits_frame frame = {.address = f->address, .is_guess = f->is_guess};

    if (p->is_open) {
        const struct target_site *site = target_site_of(&p->target, f->address);
        const struct location *l = &site->location;

        frame.function = l->symbol;
        frame.called = f->is_call ? site->called : NULL;
        frame.file = l->line != 0 ? l->file : NULL;
        frame.line = l->line;
        frame.module = l->module;
        frame.offset = l->offset;
    }
    return stacks_frame(&frame);
}

static const struct waits_frame *frame_of(struct stacks_process *p, const struct unwind_frame *f)
{
    size_t low = 0, high = p->known_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->known[middle].address < f->address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < p->known_count && p->known[i].address == f->address; i++)
        if (p->known[i].is_call == f->is_call && p->known[i].is_guess == f->is_guess)
            return p->known[i].frame;

    const struct waits_frame *frame = describe(p, f);
    p->known = must(realloc(p->known, (p->known_count + 1) * sizeof *p->known));
    memmove(&p->known[low + 1], &p->known[low], (p->known_count - low) * sizeof *p->known);
    p->known[low] = (struct known){f->address, f->is_call, f->is_guess, frame};
    p->known_count++;
    return frame;
}

/* Has something been mapped since? */
static void look_again(struct stacks_process *p, uint64_t pc)
{
    if (p->is_open && target_map_at(&p->target, pc) == NULL && clock_ns() - p->opened > REOPEN_NS) {
        close_target(p);
        open_target(p);
    }
}

static const struct waits_stack *name_stack(struct stacks_process *p,
                                            const struct target_registers *r,
                                            const struct unwind_stack *copy)
{
    struct unwind_frame frames[UNWIND_FRAMES];
    const struct waits_frame *named[UNWIND_FRAMES];
    unsigned count = 1;

    look_again(p, r->pc);
    frames[0] = (struct unwind_frame){.address = r->pc};
    if (p->is_open)
        count = unwind(p->target.unwinder, &p->target, r, copy, frames);
    for (unsigned i = 0; i < count; i++)
        named[i] = frame_of(p, &frames[i]);
    return stacks_stack(named, count);
}

const struct waits_stack *stacks_of_event(struct stacks_process *p,
                                          const struct fw_waits_stack_event *e)
{
    static struct unwind_stack copy;
    struct target_registers r = {.sp = e->sp, .pc = e->pc, .has_all = true};

    _Static_assert((int)TARGET_REGISTERS == (int)FW_WAITS_REGISTERS &&
                       (int)FW_WAITS_STACK <= (int)UNWIND_STACK,
                   "an event fills what is unwound");
    memcpy(r.all, e->registers, sizeof r.all);
    copy.base = e->sp;
    copy.size = e->stack_size;
    memcpy(copy.bytes, e->stack, e->stack_size);
    return name_stack(p, &r, &copy);
}

const struct waits_stack *stacks_of_thread(struct stacks_process *p, pid_t tid, uint64_t address)
{
    static struct unwind_stack copy;
    struct target_call before, after;

    if (!p->is_open || !target_call(&p->target, tid, &before) || before.state != TARGET_ASLEEP ||
        before.argument[0] != address)
        return NULL;
    copy.base = before.registers.sp;
    copy.size = target_read_some(&p->target, copy.base, copy.bytes, sizeof copy.bytes);
    if (!target_call(&p->target, tid, &after) || memcmp(&before, &after, sizeof before) != 0)
        return NULL;
    return name_stack(p, &before.registers, &copy);
}

/* --- Objects ---------------------------------------------------------------------------------- */

char *stacks_variable(struct stacks_process *p, uint64_t address)
{
    char text[200];

    if (!p->is_open)
        return NULL;
    target_read_names(&p->target);
    struct location l = locations_data(p->target.locations, address);
    if (l.symbol == NULL)
        return NULL;
    locations_write(&l, address, text, sizeof text);
    return strdup(text);
}

const struct target *stacks_target(const struct stacks_process *p)
{
    return p->is_open ? &p->target : NULL;
}

pid_t stacks_thread(struct stacks_process *p, pid_t inner)
{
    struct target_thread thread;
    pid_t found = 0, *all;
    size_t count;

    if (!p->has_namespace)
        return inner;
    if (!p->is_open)
        return 0;
    all = target_threads(&p->target, &count);
    for (size_t i = 0; i < count && found == 0; i++)
        if (target_thread(&p->target, all[i], &thread) && thread.inner == inner)
            found = all[i];
    free(all);
    return found;
}
