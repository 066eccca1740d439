/* SPDX-License-Identifier: MIT */
/* Contract: vdso.h.  The layout is that of any shared library: elf(5). */
#include "sys/vdso.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct image {
    uintptr_t bias; /* from an address in the file to that in memory */
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* one of them is there */
};

static const void *in_memory(const struct image *v, ElfW(Addr) address)
{
    return (const void *)(v->bias + (uintptr_t)address);
}

/* False: that is no library. */
static bool find_segments(struct image *v, uintptr_t base)
{
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(base + head->e_phoff);
    bool is_loaded = false;

    for (unsigned i = 0; i < head->e_phnum; i++) {
        const ElfW(Phdr) *s = &segments[i];

        if (s->p_type == PT_LOAD && !is_loaded) {
            v->bias = base + s->p_offset - s->p_vaddr;
            is_loaded = true;
        } else if (s->p_type == PT_DYNAMIC) {
            v->dynamic = (const ElfW(Dyn) *)(base + s->p_offset);
        }
    }
    return is_loaded && v->dynamic != NULL;
}

/* False: it names nothing. */
static bool find_tables(struct image *v)
{
    for (const ElfW(Dyn) *d = v->dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            v->symbols = in_memory(v, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB)
            v->names = in_memory(v, d->d_un.d_ptr);
        else if (d->d_tag == DT_HASH)
            v->hash = in_memory(v, d->d_un.d_ptr);
        else if (d->d_tag == DT_GNU_HASH)
            v->gnu_hash = in_memory(v, d->d_un.d_ptr);
    }
    return v->symbols != NULL && v->names != NULL && (v->hash != NULL || v->gnu_hash != NULL);
}

/*
 * The table of symbols does not say how long it is; the tables that are searched by hash do.  The
 * old one has an entry for each symbol; in GNU's, the last chain ends with the last symbol.
 */
static uint32_t count_symbols(const struct image *v)
{
    const uint32_t *gnu = v->gnu_hash;
    const uint32_t *buckets, *chains;
    uint32_t last = 0;

    if (v->hash != NULL)
        return v->hash[1];
    buckets = gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    chains = buckets + gnu[0];
    for (uint32_t i = 0; i < gnu[0]; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < gnu[1])
        return 0;
    while ((chains[last - gnu[1]] & 1) == 0)
        last++;
    return last + 1;
}

void *fw_vdso_(const char *name)
{
    uintptr_t base = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
    struct image v = {.bias = 0};
    uint32_t n;

    if (base == 0 || !find_segments(&v, base) || !find_tables(&v))
        return NULL;
    n = count_symbols(&v);
    for (uint32_t i = 0; i < n; i++) {
        const ElfW(Sym) *s = &v.symbols[i];

        if (s->st_shndx != SHN_UNDEF && strcmp(v.names + s->st_name, name) == 0)
            return (void *)(uintptr_t)in_memory(&v, s->st_value);
    }
    return NULL;
}
