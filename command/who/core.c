/* SPDX-License-Identifier: MIT */
/* Contract: core.h.  The files that were mapped, and opening: core_files.c. */
#include "core.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_parts.h"

/* --- Memory ----------------------------------------------------------------------------------- */

/* What the core itself has from that address on; 0: nothing. */
size_t core_read_own(const struct core *c, uint64_t address, void *bytes, size_t size)
{
    for (size_t i = 0; i < c->segment_count; i++) {
        const Elf64_Phdr *s = &c->segments[i];
        uint64_t at = address - s->p_vaddr;
        ssize_t n;

        if (at >= s->p_filesz)
            continue;
        if (size > s->p_filesz - at)
            size = s->p_filesz - at;
        n = pread(c->fd, bytes, size, (off_t)(s->p_offset + at));
        return n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* What a file has that was mapped there: a core has the pages only that were changed. */
static size_t read_file(const struct target *t, uint64_t address, void *bytes, size_t size)
{
    const struct target_map *m = target_map_at(t, address);
    ssize_t n;
    int fd;

    if (m == NULL || m->path[0] != '/')
        return 0;
    fd = core_file(t->core, m->path);
    if (fd < 0)
        return 0;
    if (size > m->end - address)
        size = m->end - address;
    n = pread(fd, bytes, size, (off_t)(m->offset + (address - m->begin)));
    return n > 0 ? (size_t)n : 0;
}

size_t core_read(const struct target *t, uint64_t address, void *bytes, size_t size)
{
    size_t got = 0, n;

    do {
        n = core_read_own(t->core, address + got, (char *)bytes + got, size - got);
        if (n == 0)
            n = read_file(t, address + got, (char *)bytes + got, size - got);
        got += n;
    } while (n != 0 && got < size);
    return got;
}

/* --- Threads ---------------------------------------------------------------------------------- */

pid_t *core_threads(const struct core *c, size_t *count)
{
    pid_t *all = malloc((c->thread_count + 1) * sizeof *all);

    if (all == NULL)
        abort();
    for (size_t i = 0; i < c->thread_count; i++)
        all[i] = c->threads[i].tid;
    *count = c->thread_count;
    return all;
}

static const struct core_thread *find(const struct core *c, pid_t tid)
{
    for (size_t i = 0; i < c->thread_count; i++)
        if (c->threads[i].tid == tid)
            return &c->threads[i];
    return NULL;
}

bool core_thread(const struct core *c, pid_t tid, struct target_thread *about)
{
    if (find(c, tid) == NULL)
        return false;
    *about = (struct target_thread){.tid = tid, .inner = tid, .state = '?'};
    return true;
}

/* Of `struct user_regs_struct`: the places of the registers, by their DWARF numbers. */
static const unsigned char x86_places[] = {10, 12, 11, 5, 13, 14, 4, 19, 9,
                                           8,  7,  6,  3, 2,  1,  0, 16};
enum { X86_ORIG_RAX = 15, A64_X8 = 8, A64_SP = 31, A64_PC = 32 };

static void x86_call(const uint64_t *r, struct target_call *call)
{
    static const unsigned char arguments[] = {14, 13, 12, 7, 9, 8};

    call->number = (int64_t)r[X86_ORIG_RAX];
    for (unsigned i = 0; i < sizeof x86_places; i++)
        call->registers.all[i] = r[x86_places[i]];
    for (unsigned i = 0; i < sizeof arguments; i++)
        call->argument[i] = r[arguments[i]];
    call->registers.sp = r[x86_places[7]];
    call->registers.pc = r[x86_places[16]];
}

static void a64_call(const uint64_t *r, struct target_call *call)
{
    call->number = (int64_t)r[A64_X8];
    memcpy(call->registers.all, r, 32 * sizeof *r);
    memcpy(call->argument, r, sizeof call->argument);
    call->registers.sp = r[A64_SP];
    call->registers.pc = r[A64_PC];
}

void core_decode_registers(unsigned machine, const uint64_t *r, struct target_call *call)
{
    *call = (struct target_call){.state = TARGET_RUNNING};
    call->registers.has_all = true;
    if (machine == EM_X86_64)
        x86_call(r, call);
    else
        a64_call(r, call);
    if (call->number >= 0)
        call->state = TARGET_ASLEEP;
}

bool core_call(const struct core *c, pid_t tid, struct target_call *call)
{
    const struct core_thread *t = find(c, tid);

    if (t == NULL)
        return false;
    core_decode_registers(c->machine, t->registers, call);
    return true;
}

const char *core_note(const struct core *c)
{
    return c->note[0] != '\0' ? c->note : NULL;
}
