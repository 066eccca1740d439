/* SPDX-License-Identifier: MIT */
/* Contract: stacks.h.  By libdw (elfutils 0.188 or later). */
#include "stacks.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

const char *const unwind_missing = NULL;

/* DWARF's numbers of registers. */
struct machine {
    unsigned elf;
    unsigned pc; /* UINT32_MAX: it has no number */
    unsigned sp, fp, count;
    unsigned return_column; /* of the tables */
};

static const struct machine machines[] = {
    {EM_X86_64, 16, 7, 6, 17, 16},
    {EM_AARCH64, UINT32_MAX, 31, 29, 32, 30},
};

enum { WORD = 8 /* bytes */, EXACT_SEARCH = 8192 /* bytes */, RESTARTS = 32 };

/* One walk: libdw's calls get it as their argument. */
struct walk {
    const struct target *t;
    const struct unwind_stack *stack;
    struct target_registers registers;
    uint64_t fp; /* 0: not known */
    struct unwind_frame *frames;
    unsigned count;
    unsigned first;  /* of this attempt */
    uint64_t pc, sp; /* of the last frame */
};

struct unwinder {
    const struct machine *machine;
    Dwfl *dwfl;
    struct walk walk;
};

/* --- What libdw asks for ---------------------------------------------------------------------- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
    (void)dwfl;
    *thread_arg = arg;
    return 0; /* there is no list: get_thread is asked */
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
    (void)dwfl;
    (void)tid;
    *thread_arg = arg;
    return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
    const struct unwinder *u = arg;
    const struct unwind_stack *s = u->walk.stack;
    uint64_t at = address - s->base;

    (void)dwfl;
    if (at < s->size && s->size - at >= WORD) {
        memcpy(result, s->bytes + at, WORD);
        return true;
    }
    return target_read(u->walk.t, address, result, WORD);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
    const struct unwinder *u = arg;
    const struct machine *m = u->machine;
    const struct walk *w = &u->walk;
    Dwarf_Word value = w->registers.sp;

    if (w->registers.has_all && !dwfl_thread_state_registers(thread, 0, m->count, w->registers.all))
        return false;
    if (!dwfl_thread_state_registers(thread, (int)m->sp, 1, &value))
        return false;
    value = w->fp;
    if (value != 0 && !dwfl_thread_state_registers(thread, (int)m->fp, 1, &value))
        return false;
    value = w->registers.pc;
    if (m->pc != UINT32_MAX)
        return dwfl_thread_state_registers(thread, (int)m->pc, 1, &value);
    dwfl_thread_state_register_pc(thread, value);
    return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = memory_read,
    .set_initial_registers = set_registers,
};

static int frame_seen(Dwfl_Frame *state, void *arg)
{
    struct unwinder *u = arg;
    struct walk *w = &u->walk;
    Dwarf_Addr pc;
    Dwarf_Word sp;
    bool is_activation;

    if (w->count == UNWIND_FRAMES || !dwfl_frame_pc(state, &pc, &is_activation) || pc == 0 ||
        dwfl_frame_reg(state, u->machine->sp, &sp) != 0)
        return DWARF_CB_ABORT;
    if (w->count > w->first && sp < w->sp)
        return DWARF_CB_ABORT; /* a caller lies above */
    w->pc = pc;
    w->sp = sp;
    w->frames[w->count] =
        (struct unwind_frame){.address = pc, .is_call = w->count > w->first && !is_activation};
    w->count++;
    return DWARF_CB_OK;
}

/* --- Searching -------------------------------------------------------------------------------- */

/* What the tables say of an address; NULL: nothing. */
static Dwarf_Frame *frame_at(const struct unwinder *u, uint64_t address, Dwarf_Addr *bias)
{
    Dwfl_Module *module = dwfl_addrmodule(u->dwfl, address);
    Dwarf_CFI *table = module != NULL ? dwfl_module_eh_cfi(module, bias) : NULL;
    Dwarf_Frame *frame = NULL;

    if (table == NULL || dwarf_cfi_addrframe(table, address - *bias, &frame) != 0)
        return NULL;
    return frame;
}

/* Does the last frame have no caller?  (libdw ends in the same way where a register is missing.) */
static bool is_outermost(const struct unwinder *u)
{
    const struct unwind_frame *last = &u->walk.frames[u->walk.count - 1];
    Dwarf_Addr bias = 0;
    Dwarf_Frame *frame = frame_at(u, last->address - last->is_call, &bias);
    Dwarf_Op memory[3], *operations = NULL;
    size_t count = 1;
    bool is_undefined;

    if (frame == NULL)
        return false;
    is_undefined = dwarf_frame_register(frame, (int)u->machine->return_column, memory, &operations,
                                        &count) == 0 &&
                   count == 0 && operations == memory;
    free(frame);
    return is_undefined;
}

static uint64_t stack_word(const struct unwind_stack *s, uint64_t at)
{
    uint64_t word;

    memcpy(&word, s->bytes + at, sizeof word);
    return word;
}

/* Goes on at the return address that lies at this place of the stack. */
static void continue_at(struct unwinder *u, uint64_t at)
{
    struct walk *w = &u->walk;
    uint64_t fp = at >= WORD ? stack_word(w->stack, at - WORD) : 0;

    w->registers =
        (struct target_registers){.sp = w->stack->base + at + WORD, .pc = stack_word(w->stack, at)};
    w->fp = fp > w->registers.sp && fp - w->stack->base < w->stack->size ? fp : 0;
}

/* False: there is none.  The next frame is to be marked if *is_guess. */
static bool search(struct unwinder *u, bool *is_guess)
{
    struct walk *w = &u->walk;
    uint64_t function = target_function_of(w->t, w->pc - 1);
    uint64_t from = (w->sp - w->stack->base + WORD - 1) / WORD * WORD;
    uint64_t first = UINT64_MAX;

    if (w->sp < w->stack->base)
        return false;
    for (uint64_t at = from; at + WORD <= w->stack->size; at += WORD) {
        uint64_t word = stack_word(w->stack, at);
        if (at - from > EXACT_SEARCH && first != UINT64_MAX)
            break;
        if (!call_returns_to(w->t, word))
            continue;
        if (function != 0 && call_leads_to(w->t, word) == function) {
            *is_guess = false;
            continue_at(u, at);
            return true;
        }
        if (first == UINT64_MAX)
            first = at;
    }
    if (first == UINT64_MAX)
        return false;
    *is_guess = true;
    continue_at(u, first);
    return true;
}

/* --- Contract --------------------------------------------------------------------------------- */

static int no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                         const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
    *found = NULL;
    return -1; /* .eh_frame is in the file itself, and symbols are not asked for here */
}

static const Dwfl_Callbacks file_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = no_debug_file,
};

static void report(Dwfl *dwfl, const struct target *t)
{
    for (size_t i = 0; i < t->map_count; i++) {
        const struct target_map *m = &t->maps[i];
        char file[4352];

        if (m->path[0] != '/' || m->offset != 0 || (i > 0 && t->maps[i - 1].path == m->path))
            continue;
        locations_file(t->core != NULL ? 0 : t->pid, m->path, m->begin, m->end, m->inode, file,
                       sizeof file);
        if (locations_is_elf(file))
            dwfl_report_elf(dwfl, m->path, file, -1, m->begin, false);
    }
}

struct unwinder *unwinder_open(const struct target *t)
{
    struct unwinder *u = NULL;

    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].elf == t->machine) {
            u = calloc(1, sizeof *u);
            if (u == NULL)
                abort();
            u->machine = &machines[i];
        }
    if (u == NULL)
        return NULL;
    u->dwfl = dwfl_begin(&file_callbacks);
    if (u->dwfl != NULL) {
        dwfl_report_begin(u->dwfl);
        report(u->dwfl, t);
        dwfl_report_end(u->dwfl, NULL, NULL);
        if (dwfl_attach_state(u->dwfl, NULL, t->pid, &thread_callbacks, u))
            return u;
    }
    unwinder_close(u);
    return NULL;
}

void unwinder_close(struct unwinder *u)
{
    if (u->dwfl != NULL)
        dwfl_end(u->dwfl);
    free(u);
}

unsigned unwind(struct unwinder *u, const struct target *t, const struct target_registers *r,
                const struct unwind_stack *stack, struct unwind_frame frames[UNWIND_FRAMES])
{
    bool is_guess = false;
    unsigned restarts = 0;

    frames[0] = (struct unwind_frame){.address = r->pc};
    if (u == NULL)
        return 1;
    u->walk = (struct walk){.t = t, .stack = stack, .registers = *r, .frames = frames};
    do {
        struct walk *w = &u->walk;

        w->first = w->count;
        w->pc = w->registers.pc;
        w->sp = w->registers.sp;
        dwfl_getthread_frames(u->dwfl, t->pid, frame_seen, u);
        if (w->count == w->first) /* nothing is known of it */
            frames[w->count++] = (struct unwind_frame){.address = w->pc};
        if (w->first > 0) {
            frames[w->first].is_call = true;
            frames[w->first].is_guess = is_guess;
        }
    } while (u->walk.count < UNWIND_FRAMES && !is_outermost(u) && restarts++ < RESTARTS &&
             search(u, &is_guess));
    return u->walk.count;
}
