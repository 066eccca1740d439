/* SPDX-License-Identifier: MIT */
/*
 * Calls, by their instructions: contract in target.h.
 *
 * A lock's slow path is often a function without a name that was reached by a jump, so the function
 * that a frame lies in says little.  The call before the return address names what the caller
 * asked for: its destination, or the slot of the global offset table behind a stub of the procedure
 * linkage table.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

/* --- x86-64 ----------------------------------------------------------------------------------- */

static int32_t displacement(const uint8_t *bytes)
{
    int32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t slot_at(const struct target *t, uint64_t address)
{
    uint64_t value;

    return target_read(t, address, &value, sizeof value) ? value : 0;
}

/* If there is a stub that jumps through a slot, where it leads; else the address itself. */
static uint64_t x86_behind_stub(const struct target *t, uint64_t address)
{
    uint8_t code[16] = {0};
    unsigned at = 0;

    if (!target_read(t, address, code, sizeof code))
        return address;
    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0) /* endbr64 */
        at += 4;
    if (code[at] == 0xf2) /* bnd */
        at++;
    if (code[at] != 0xff || code[at + 1] != 0x25) /* jmp *d(%rip) */
        return address;
    return slot_at(t, address + at + 6 + (uint64_t)displacement(code + at + 2));
}

enum { X86_LONGEST = 7 }; /* bytes of a call */

/* The bytes before the address; the last one is code[X86_LONGEST - 1]. */
static bool x86_code_before(const struct target *t, uint64_t address, uint8_t code[X86_LONGEST])
{
    return address >= X86_LONGEST && target_read(t, address - X86_LONGEST, code, X86_LONGEST);
}

static uint64_t x86_leads_to(const struct target *t, uint64_t address)
{
    uint8_t code[X86_LONGEST];

    if (!x86_code_before(t, address, code))
        return 0;
    if (code[1] == 0xff && code[2] == 0x15) /* call *d(%rip) */
        return slot_at(t, address + (uint64_t)displacement(code + 3));
    if (code[2] == 0xe8) /* call d */
        return x86_behind_stub(t, address + (uint64_t)displacement(code + 3));
    return 0;
}

/* ff /2 with the address in a register or in memory, of each length. */
static bool x86_is_indirect(const uint8_t *end)
{
    uint8_t two = end[-1], three = end[-2], four = end[-3], six = end[-5], seven = end[-6];

    return (end[-2] == 0xff && (two & 0xf8) == 0xd0) || (end[-2] == 0xff && (two & 0xf8) == 0x10) ||
           (end[-3] == 0xff && ((three & 0xf8) == 0x50 || three == 0x14)) ||
           (end[-4] == 0xff && four == 0x54) || (end[-6] == 0xff && (six & 0xf8) == 0x90) ||
           (end[-7] == 0xff && seven == 0x94);
}

static bool x86_returns_to(const struct target *t, uint64_t address)
{
    uint8_t code[X86_LONGEST];

    return x86_code_before(t, address, code) &&
           (code[2] == 0xe8 || (code[1] == 0xff && code[2] == 0x15) ||
            x86_is_indirect(code + X86_LONGEST));
}

/* --- AArch64 ---------------------------------------------------------------------------------- */

enum { A64_INSTRUCTION = 4 }; /* bytes */

#define A64_BTI_C 0xd503245fu

/* The value of a field as a signed number. */
static int64_t a64_signed(uint32_t field, unsigned bits)
{
    return (int64_t)((uint64_t)field << (64 - bits)) >> (64 - bits);
}

/* adrp x16, page; ldr x17, [x16, offset]; ...; br x17 */
static uint64_t a64_behind_stub(const struct target *t, uint64_t address)
{
    uint32_t code[3] = {0};
    uint64_t page;
    unsigned at;

    if (!target_read(t, address, code, sizeof code))
        return address;
    at = code[0] == A64_BTI_C ? 1 : 0;
    if ((code[at] & 0x9f00001fu) != 0x90000010u || (code[at + 1] & 0xffc003ffu) != 0xf9400211u)
        return address;
    page = (address + at * A64_INSTRUCTION) & ~UINT64_C(0xfff);
    page += (uint64_t)a64_signed((code[at] >> 5 & 0x7ffff) << 2 | (code[at] >> 29 & 3), 21) << 12;
    return slot_at(t, page + (uint64_t)(code[at + 1] >> 10 & 0xfff) * 8);
}

static uint64_t a64_leads_to(const struct target *t, uint64_t address)
{
    uint64_t at = address - A64_INSTRUCTION;
    uint32_t code;

    if (!target_read(t, at, &code, sizeof code) || (code & 0xfc000000u) != 0x94000000u) /* bl */
        return 0;
    return a64_behind_stub(t, at + (uint64_t)a64_signed(code & 0x3ffffff, 26) * A64_INSTRUCTION);
}

static bool a64_returns_to(const struct target *t, uint64_t address)
{
    uint32_t code;

    return address % A64_INSTRUCTION == 0 &&
           target_read(t, address - A64_INSTRUCTION, &code, sizeof code) &&
           ((code & 0xfc000000u) == 0x94000000u || (code & 0xfffffc1fu) == 0xd63f0000u); /* blr */
}

/* --- Either ----------------------------------------------------------------------------------- */

static bool is_code(const struct target *t, uint64_t address)
{
    const struct target_map *m = target_map_at(t, address);

    return m != NULL && m->is_code;
}

uint64_t call_leads_to(const struct target *t, uint64_t returns_to)
{
    if (!is_code(t, returns_to - 1))
        return 0;
    if (t->machine == EM_X86_64)
        return x86_leads_to(t, returns_to);
    return t->machine == EM_AARCH64 ? a64_leads_to(t, returns_to) : 0;
}

bool call_returns_to(const struct target *t, uint64_t address)
{
    if (!is_code(t, address - 1))
        return false;
    if (t->machine == EM_X86_64)
        return x86_returns_to(t, address);
    return t->machine == EM_AARCH64 && a64_returns_to(t, address);
}

/* --- What is known about a return address ----------------------------------------------------- */

static struct target_site *find_site(const struct target *t, uint64_t address)
{
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % t->site_room;

    while (t->sites[i].address != 0 && t->sites[i].address != address)
        i = (i + 1) % t->site_room;
    return &t->sites[i];
}

static void grow(struct target *t)
{
    struct target old = *t;

    t->site_room = old.site_room * 2 + 64;
    t->sites = calloc(t->site_room, sizeof *t->sites);
    if (t->sites == NULL)
        abort();
    for (size_t i = 0; i < old.site_room; i++)
        if (old.sites[i].address != 0)
            *find_site(t, old.sites[i].address) = old.sites[i];
    free(old.sites);
}

static char *name_of(const struct target *t, uint64_t function)
{
    struct location l = {0};

    if (function != 0)
        l = locations_call(t->locations, function + 1);
    return l.symbol != NULL && l.behind == 0 ? strdup(l.symbol) : NULL;
}

const struct target_site *target_site_of(struct target *t, uint64_t returns_to)
{
    struct target_site *site;

    if (t->site_count * 2 >= t->site_room)
        grow(t);
    site = find_site(t, returns_to);
    if (site->address == 0) {
        site->address = returns_to;
        site->location = locations_call(t->locations, returns_to);
        site->called = name_of(t, call_leads_to(t, returns_to));
        t->site_count++;
    }
    return site;
}
