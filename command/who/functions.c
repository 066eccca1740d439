/* SPDX-License-Identifier: MIT */
/*
 * Where functions begin, in files without symbols: contract in target.h.
 *
 * The linker makes a sorted table of all functions that can be unwound (.eh_frame_hdr, described in
 * the Linux Standard Base), which is mapped with the program.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { VERSION = 1, POINTER = 0x1b, COUNT = 0x03, TABLE = 0x3b, HEADS_MAX = 64 };

struct header {
    uint8_t version, pointer_encoding, count_encoding, table_encoding;
    int32_t frames;
    uint32_t count;
};

struct entry {
    int32_t function, frame; /* from the beginning of the table */
};

/* The mapping of the beginning of the file that has the address; NULL: there is none. */
static const struct target_map *beginning_of(const struct target *t, uint64_t address)
{
    const struct target_map *m = target_map_at(t, address);

    while (m != NULL && m->path[0] == '/' && m->offset != 0) {
        if (m == t->maps || strcmp(m[-1].path, m->path) != 0)
            return NULL;
        m--;
    }
    return m != NULL && m->path[0] == '/' ? m : NULL;
}

/* The address of the table; 0: the file has none. */
static uint64_t table_of(const struct target *t, uint64_t begin)
{
    Elf64_Ehdr file;
    Elf64_Phdr parts[HEADS_MAX];
    uint64_t bias = 0, table = 0;
    bool has_bias = false;

    if (!target_read(t, begin, &file, sizeof file) || file.e_phentsize != sizeof *parts ||
        file.e_phnum > HEADS_MAX ||
        !target_read(t, begin + file.e_phoff, parts, file.e_phnum * sizeof *parts))
        return 0;
    for (unsigned i = 0; i < file.e_phnum; i++) {
        if (parts[i].p_type == PT_LOAD && !has_bias) {
            bias = begin + parts[i].p_offset - parts[i].p_vaddr;
            has_bias = true;
        } else if (parts[i].p_type == PT_GNU_EH_FRAME) {
            table = parts[i].p_vaddr;
        }
    }
    return table != 0 ? table + bias : 0;
}

uint64_t target_function_of(const struct target *t, uint64_t address)
{
    const struct target_map *m = beginning_of(t, address);
    uint64_t table = m != NULL ? table_of(t, m->begin) : 0, low = 0, high;
    struct header head;
    struct entry entry = {0};

    if (table == 0 || !target_read(t, table, &head, sizeof head) || head.version != VERSION ||
        head.pointer_encoding != POINTER || head.count_encoding != COUNT ||
        head.table_encoding != TABLE)
        return 0;
    for (high = head.count; low < high;) { /* the first one behind the address */
        uint64_t middle = (low + high) / 2;
        if (!target_read(t, table + sizeof head + middle * sizeof entry, &entry, sizeof entry))
            return 0;
        if (table + (uint64_t)entry.function <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 ||
        !target_read(t, table + sizeof head + (low - 1) * sizeof entry, &entry, sizeof entry))
        return 0;
    return table + (uint64_t)entry.function;
}
