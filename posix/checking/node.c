/* SPDX-License-Identifier: MIT */
/*
 * Contract: node.h.  A table with open addressing, in .bss.
 *
 * key          meaning                  left by
 * -----------  -----------------------  ----------------------------------------
 * 0            free                     any thread: CAS to a key
 * an instance  that lock                fw_check_forget_: GONE
 * another, or  for good                 -
 * GONE
 */
#include "node.h"

#include <link.h>
#include <stddef.h>

#include "check.h"

enum { PROBES = 64 };

struct fw_check_node_ fw_check_nodes_[FW_CHECK_NODES];

/* The index of the key; 0: there is none, or no room. */
static uint32_t find(uint64_t key, bool makes, bool *is_new)
{
    uint64_t start = fw_check_node_hash_(key);

    *is_new = false;
    for (unsigned i = 0; i < PROBES; i++) {
        uint32_t at = fw_check_node_index_(start + i);
        uint64_t there = fw_load64_acquire(&fw_check_nodes_[at].key);

        if (there == 0 && !makes)
            return 0;
        if (there == 0 && fw_cas64_acq_rel(&fw_check_nodes_[at].key, &there, key)) /* free -> key */
            *is_new = true;
        if (*is_new || there == key)
            return at;
    }
    return 0;
}

static uint32_t make(uint64_t key, uint64_t made_at)
{
    bool is_new;
    uint32_t at = find(key, true, &is_new);
    struct fw_check_node_ *n = &fw_check_nodes_[at];
    struct fw_check_ *file;

    if (at == 0) {
        file = fw_check_file_();
        if (file != NULL)
            fw_add64_release(&file->lost_nodes, 1);
        return 0;
    }
    if (is_new)
        fw_store64_release(&n->made_at, made_at);
    return at;
}

/* --- Is it a variable? ------------------------------------------------------------------------ */

struct search {
    uintptr_t address;
    bool is_found;
};

static int see_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum && !s->is_found; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        s->is_found =
            part->p_type == PT_LOAD && s->address >= begin && s->address - begin < part->p_memsz;
    }
    return s->is_found;
}

bool fw_check_is_variable_(const void *object)
{
    struct search s = {.address = (uintptr_t)object};

    dl_iterate_phdr(see_module, &s);
    return s.is_found;
}

/* --- The nodes -------------------------------------------------------------------------------- */

static uint64_t class_key(const void *site)
{
    return (uintptr_t)site | FW_CHECK_CLASS_;
}

uint32_t fw_check_node_init_(const void *object, const void *site)
{
    if (fw_check_is_variable_(object))
        return make((uintptr_t)object, (uintptr_t)site);
    return make(class_key(site), (uintptr_t)site);
}

uint32_t fw_check_instance_(const void *object, const struct fw_check_node_ *of)
{
    return make((uintptr_t)object | FW_CHECK_INSTANCE_, of->made_at);
}

static void forget(uint64_t key)
{
    bool is_new;
    uint32_t at = find(key, false, &is_new);

    if (at != 0)
        fw_store64_release(&fw_check_nodes_[at].key, FW_CHECK_GONE_); /* key -> gone */
}

void fw_check_forget_(const void *object)
{
    forget((uintptr_t)object | FW_CHECK_INSTANCE_);
    forget((uintptr_t)object);
}

uint32_t fw_check_node_(const void *object, uint32_t known, const void *site, bool exact)
{
    if (known >= FW_CHECK_NODES)
        known = 0;
    if (known == 0 &&
        !fw_check_is_variable_(object)) { /* a lock that was here before is not this one */
        forget((uintptr_t)object | FW_CHECK_INSTANCE_);
        known = make(class_key(site), (uintptr_t)site);
    } else if (known == 0) {
        known = make((uintptr_t)object, (uintptr_t)site);
    }
    if (exact && known != 0 && fw_load32_relaxed(&fw_check_nodes_[known].is_split) != 0) {
        uint32_t own = fw_check_instance_(object, &fw_check_nodes_[known]);

        return own != 0 ? own : known;
    }
    return known;
}

/* --- By address ------------------------------------------------------------------------------- */

/*
 * Pages in which there is a lock that is no variable: the address of such a lock may be that of
 * another one tomorrow, and the lock cannot tell.
 */
enum { PAGE_BITS = 12, PAGES = 1 << 16, LOCK_ALIGNMENT = 4, LARGE_BLOCK = 1 << 16 };
static uint64_t pages[PAGES / 64];
uint32_t fw_check_has_blocks_;

static uint32_t page_of(uintptr_t address)
{
    return (uint32_t)(fw_check_node_hash_(address >> PAGE_BITS) % PAGES);
}

uint32_t fw_check_node_seen_slow_(const void *object)
{
    bool is_new;

    return find((uintptr_t)object, false, &is_new);
}

uint32_t fw_check_node_by_address_(const void *object, const void *site)
{
    uint32_t at = fw_check_node_seen_(object), page = page_of((uintptr_t)object);

    if (at != 0)
        return at;
    if (!fw_check_is_variable_(object)) {
        fw_or64_relaxed(&pages[page / 64], UINT64_C(1) << page % 64);
        fw_store32_relaxed(&fw_check_has_blocks_, 1);
    }
    return make((uintptr_t)object, (uintptr_t)site);
}

static bool has_locks(uintptr_t begin, uintptr_t end)
{
    for (uintptr_t at = begin >> PAGE_BITS; at <= (end - 1) >> PAGE_BITS; at++) {
        uint32_t page = page_of(at << PAGE_BITS);

        if ((fw_load64_relaxed(&pages[page / 64]) >> page % 64 & 1) != 0)
            return true;
    }
    return false;
}

static void forget_large(uintptr_t begin, uintptr_t end)
{
    for (uint32_t i = 1; i < FW_CHECK_NODES; i++) {
        uint64_t key = fw_load64_relaxed(&fw_check_nodes_[i].key);

        if (key >= begin && key < end)
            fw_store64_release(&fw_check_nodes_[i].key, FW_CHECK_GONE_); /* key -> gone */
    }
}

void fw_check_forget_block_(const void *block, size_t size)
{
    uintptr_t begin = (uintptr_t)block, end = begin + size;

    if (size == 0 || (size < LARGE_BLOCK && !has_locks(begin, end)))
        return;
    if (size >= LARGE_BLOCK)
        forget_large(begin, end);
    for (uintptr_t at = begin; at < end && size < LARGE_BLOCK; at += LOCK_ALIGNMENT)
        forget(at);
}
