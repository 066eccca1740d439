/* SPDX-License-Identifier: MIT */
/* What is found goes into the file of check_file.h.  Contract: check.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

#include "check.h"
#include "counting/place.h"
#include "sys/count_file.h"
#include "sys/thread.h"

enum { PROBES = 32 };

struct chain {
    uint64_t site; /* where it begins; 0: at the first frame */
    uint64_t frames[FW_CHECK_FRAMES];
    unsigned depth;
};

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *arg)
{
    struct chain *c = arg;
    uint64_t address = _Unwind_GetIP(context);

    if (address == 0 || c->depth == FW_CHECK_FRAMES)
        return _URC_END_OF_STACK;
    if (c->depth != 0 || address == c->site)
        c->frames[c->depth++] = address;
    return _URC_NO_REASON;
}

/* What the lock is like; 0: it is not known where it was made. */
static struct fw_check_lock_ lock_of(const void *object, uint32_t mark)
{
    return (struct fw_check_lock_){(uintptr_t)object, fw_check_node_of_(mark)->made_at};
}

void fw_check_call_here_(struct fw_check_call_ *call, const void *object, const void *site)
{
    struct chain c = {.site = (uintptr_t)site};

    *call = (struct fw_check_call_){.lock = {.object = (uintptr_t)object}};
    call->thread = (uint32_t)fw_id_number_(fw_self_());
    if (site == NULL)
        return;
    _Unwind_Backtrace(see_frame, &c);
    if (c.depth == 0)
        c.frames[c.depth++] = c.site;
    call->depth = c.depth;
    memcpy(call->frames, c.frames, sizeof c.frames);
}

void fw_check_call_holds_(struct fw_check_call_ *call, const struct fw_check_held_ *h)
{
    call->held = lock_of(h->object, h->mark);
    call->held_site = (uintptr_t)h->site;
    call->flags |= fw_check_reads_(h->mark) ? FW_CHECK_HELD_READS : 0u;
}

/* --- The file --------------------------------------------------------------------------------- */

struct fw_check_ *fw_check_file_(void)
{
    static struct fw_stat_file_ *known; /* to have room for all of it */
    static uint32_t is_refused;
    struct fw_stat_file_ *f = fw_stat_file_here_();

    if (f == NULL || fw_load32_relaxed(&is_refused) != 0)
        return NULL;
    if (f == (void *)(uintptr_t)fw_load64_acquire((fw_word_ *)&known))
        return &f->check;
    if (fw_count_file_reserve_(f, sizeof *f) != 0) {
        fw_store32_relaxed(&is_refused, 1);
        return NULL;
    }
    fw_store32_release(&f->check.is_checked, 1);
    fw_store64_release((fw_word_ *)&known, (uintptr_t)f);
    return &f->check;
}

static struct fw_check_finding_ *entry_of(struct fw_check_ *file, uint64_t key, bool *is_new)
{
    *is_new = false;
    for (unsigned i = 0; i < PROBES; i++) {
        struct fw_check_finding_ *e = &file->findings[(key + i) % FW_CHECK_FINDINGS];
        uint64_t there = fw_load64_acquire(&e->key);

        if (there == 0 && fw_cas64_acq_rel(&e->key, &there, key)) /* free -> key */
            *is_new = true;
        if (*is_new || there == key)
            return e;
    }
    fw_add32_release(&file->unseen, 1);
    return NULL;
}

static void cover(const struct fw_check_finding_ *f)
{
    for (uint32_t i = 0; i < f->calls; i++) {
        fw_stat_cover_(f->call[i].held_site, f->call[i].lock.made_at);
        for (uint32_t k = 0; k < f->call[i].depth; k++)
            fw_stat_cover_(f->call[i].frames[k], f->call[i].held.made_at);
    }
}

void fw_check_report_(const struct fw_check_finding_ *finding)
{
    int saved_errno = errno;
    struct fw_check_ *file = fw_check_file_();
    bool is_new = false;
    struct fw_check_finding_ *e = file != NULL ? entry_of(file, finding->key, &is_new) : NULL;

    if (is_new) {
        e->kind = finding->kind;
        e->ns = finding->ns;
        e->calls = finding->calls;
        memcpy(e->call, finding->call, sizeof e->call);
        cover(e);
        fw_store32_release(&e->is_ready, 1);
    }
    if (e != NULL)
        fw_add64_release(&e->times, 1);
    errno = saved_errno;
}

/* --- One call --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 29;
}

/* One for each pair of calls; of variables, one for each of them. */
static uint64_t key_of(const struct fw_check_finding_ *f)
{
    const struct fw_check_call_ *c = &f->call[0];
    uint64_t object = fw_check_is_variable_((const void *)(uintptr_t)c->lock.object)
                          ? c->lock.object
                          : c->lock.made_at;

    return mix(mix(mix(object + f->kind) + c->frames[0]) + c->held_site) | 1;
}

static void report(struct fw_check_finding_ f, const void *object, const void *site, uint32_t owner,
                   const struct fw_check_held_ *held)
{
    struct fw_check_thread_ *t = fw_check_me_;
    uint32_t was_busy = t != NULL ? t->is_busy : 0;

    if (t != NULL)
        t->is_busy = 1;
    fw_check_call_here_(&f.call[0], object, site);
    f.call[0].owner = owner;
    if (held != NULL) {
        fw_check_call_holds_(&f.call[0], held);
        if (held->object == object)
            f.call[0].lock.made_at = f.call[0].held.made_at;
    }
    f.key = key_of(&f);
    fw_check_report_(&f);
    if (t != NULL)
        t->is_busy = was_busy;
}

void fw_check_report_one_(enum fw_check_kind_ kind, const void *object, const void *site,
                          uint32_t owner, const struct fw_check_held_ *held)
{
    report((struct fw_check_finding_){.kind = kind, .calls = 1}, object, site, owner, held);
}

void fw_check_report_timed_(enum fw_check_kind_ kind, const void *object, const void *site,
                            const struct fw_check_held_ *held, uint64_t ns)
{
    int saved_errno = errno;

    report((struct fw_check_finding_){.kind = kind, .calls = 1, .ns = ns}, object, site, 0, held);
    errno = saved_errno;
}
