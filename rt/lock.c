/* SPDX-License-Identifier: MIT */
/*
 * Lock and unlock: what is the same for all protocols.
 */
#include "rt/quick.h"

#include <errno.h>

static const char *name_of(const struct fw_rt_task *t, uint32_t d)
{
    return t->state->lock[d].name;
}

static const char *protocol_of(const struct fw_rt_task *t, uint32_t d)
{
    const char *name = fw_rt_protocol_name((fw_rt_protocol)t->state->lock[d].protocol);

    return name != NULL ? name : "?";
}

static int not_opened(const struct fw_rt_task *t, unsigned lock)
{
    return fw_rt_fail_(EINVAL, "the task \"%.31s\" has not opened lock %u", t->record->name, lock);
}

static bool has_opened(const struct fw_rt_task *t, unsigned lock)
{
    return lock < FW_RT_LOCKS && (t->record->opened & fw_rt_bit(lock)) != 0;
}

/* May the lock be asked for, with those that the task has? */
static int may_nest(const struct fw_rt_task *t, uint32_t d)
{
    const struct fw_rt_lock_record *l = &t->state->lock[d];
    unsigned i;

    for (i = 0; i < t->depth; i++)
        if ((uint32_t)t->held_order[i] == d)
            return fw_rt_fail_(EDEADLK, "the task \"%.31s\" has \"%.31s\" already", t->record->name,
                               name_of(t, d));
    for (i = 0; i < t->depth; i++) {
        uint32_t outer = (uint32_t)t->held_order[i];
        if (fw_rt_is_boosting(l->kind) || t->state->lock[outer].protocol != l->protocol)
            return fw_rt_fail_(EPERM, "no nesting of \"%.31s\" (%.31s) in \"%.31s\" (%.31s)",
                               name_of(t, d), protocol_of(t, d), name_of(t, outer),
                               protocol_of(t, outer));
    }
    return 0;
}

static int lock_by_kind(struct fw_rt_task *t, uint32_t d, bool try)
{
    if (t->page != NULL)
        return fw_rt_scx_lock_(t, d, try);
    switch (t->state->lock[d].kind) {
    case FW_RT_KIND_PIP:
        return fw_rt_pip_lock_(t, d, try);
    case FW_RT_KIND_IPCP:
    case FW_RT_KIND_PCP:
        return fw_rt_ceiling_lock_(t, d, try);
    default:
        return fw_rt_boost_lock_(t, d, try);
    }
}

/* Somebody waits for the lock, or for the end of the section, or did. */
__attribute__((noinline)) static int end_boosted_slow_(struct fw_rt_task *t, uint32_t d,
                                                       bool is_free)
{
    fw_rt_boost_end_slow_(t, d, is_free);
    fw_rt_good_();
    return 0;
}

static inline int unlock_boosted(struct fw_rt_task *t, uint32_t d)
{
    bool is_free = fw_rt_free_quickly_(t, &t->state->lock[d]);

    if (__builtin_expect(!is_free || fw_rt_leave_boosted_(t->record, 0), 0))
        return end_boosted_slow_(t, d, is_free);
    fw_rt_good_();
    return 0;
}

static int unlock_by_kind(struct fw_rt_task *t, uint32_t d)
{
    if (t->page != NULL)
        return fw_rt_scx_unlock_(t, d);
    switch (t->state->lock[d].kind) {
    case FW_RT_KIND_PIP:
        return fw_rt_pip_unlock_(t, d);
    case FW_RT_KIND_IPCP:
    case FW_RT_KIND_PCP:
        return fw_rt_ceiling_unlock_(t, d);
    default:
        return unlock_boosted(t, d);
    }
}

static void tell(const struct fw_rt_task *t, uint32_t kind, uint32_t d)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, d, FW_RT_NONE, 0);
}

/* A sentence for what the protocols return. */
static int explain(const struct fw_rt_task *t, uint32_t d, int error)
{
    const char *task = t->record->name, *lock = name_of(t, d);

    switch (error) {
    case 0:
        fw_rt_good_();
        return 0;
    case EOWNERDEAD:
        return fw_rt_fail_(error, "who had \"%.31s\" before has died in its section", lock);
    case EBUSY:
        return fw_rt_fail_(error, "the task \"%.31s\" would wait for \"%.31s\"", task, lock);
    case EDEADLK:
        return fw_rt_fail_(
            error, "the task \"%.31s\" and the owner of \"%.31s\" wait for each other", task, lock);
    default: /* EXDEV: fw_rt_check_cpu_ has said it */
        return error;
    }
}

/* Writes down a lock that was taken the quick way. */
static void write_down(struct fw_rt_task *t)
{
    uint64_t held = fw_rt_locks_of(t->record) & (t->quick | t->boosts);

    if (t->depth == 0 && held != 0)
        t->held_order[t->depth++] = __builtin_ctzll(held);
}

/* If one is left that quick.h can leave: it does not know of depth. */
static void strike_out(struct fw_rt_task *t)
{
    if (t->depth == 1 && ((t->quick | t->boosts) & fw_rt_bit((uint32_t)t->held_order[0])))
        t->depth = 0;
}

__attribute__((noinline)) static int lock_slow_(struct fw_rt_task *t, unsigned lock, bool try)
{
    int error;

    if (!has_opened(t, lock))
        return not_opened(t, lock);
    write_down(t);
    error = may_nest(t, lock);
    if (error == 0) {
        tell(t, FW_RT_EVENT_REQUEST, lock);
        error = explain(t, lock, lock_by_kind(t, lock, try));
    }
    if (error == 0 || error == EOWNERDEAD) {
        t->held_order[t->depth++] = (int)lock;
        tell(t, FW_RT_EVENT_ACQUIRE, lock);
    }
    strike_out(t);
    return error;
}

/* It takes more than a look at one word. */
__attribute__((noinline)) static int look_closer_slow_(struct fw_rt_task *t, unsigned lock,
                                                       bool try)
{
    int error = 0;

    if (!fw_rt_take_quickly_(t, lock))
        error = fw_rt_ceiling_lock_(t, lock, try);
    return explain(t, lock, error);
}

/* The lock is another one's. */
__attribute__((noinline)) static int queue_slow_(struct fw_rt_task *t, unsigned lock, bool try)
{
    return explain(t, lock, fw_rt_boost_lock_slow_(t, lock, try));
}

/* MPCP and FMLP+, which ask the kernel. */
__attribute__((noinline)) static int lock_asking(struct fw_rt_task *t, unsigned lock, bool try)
{
    return explain(t, lock, fw_rt_boost_lock_(t, lock, try));
}

static inline bool is_boosted(const struct fw_rt_task *t, unsigned lock)
{
    return lock < FW_RT_LOCKS && (t->boosts & fw_rt_bit(lock)) != 0;
}

static inline int lock_boosted(struct fw_rt_task *t, unsigned lock, bool try)
{
    struct fw_rt_lock_record *l = &t->state->lock[lock];

    if (l->protocol != FW_RT_MPCP_DU && l->protocol != FW_RT_FMLP_DU)
        return lock_asking(t, lock, try);
    if (!fw_rt_boost_quickly_(t, l, lock))
        return queue_slow_(t, lock, try);
    fw_rt_good_();
    return 0;
}

static inline bool is_inheriting(const struct fw_rt_task *t, unsigned lock)
{
    return lock < FW_RT_LOCKS && (t->inherits & fw_rt_bit(lock)) != 0;
}

/* Somebody may have died with the lock, which the task has. */
__attribute__((noinline)) static int take_mark_slow_(struct fw_rt_task *t, unsigned lock)
{
    bool is_told = fw_rt_is_told_(t->state, &t->state->lock[lock]);

    return explain(t, lock, is_told ? EOWNERDEAD : 0);
}

static inline int lock_inheriting(struct fw_rt_task *t, unsigned lock, bool try)
{
    if (!fw_rt_inherit_quickly_(t, lock))
        return lock_slow_(t, lock, try);
    t->held_order[t->depth++] = (int)lock;
    if (__builtin_expect(fw_load32_relaxed(&t->state->lock[lock].died) != 0, 0))
        return take_mark_slow_(t, lock);
    fw_rt_good_();
    return 0;
}

__attribute__((always_inline)) static inline int lock_as(struct fw_rt_task *t, unsigned lock,
                                                         bool try)
{
    if (__builtin_expect(t->depth != 0 || fw_load64_relaxed(&t->record->held) != 0, 0))
        return lock_slow_(t, lock, try);
    if (is_boosted(t, lock))
        return lock_boosted(t, lock, try);
    if (__builtin_expect(!fw_rt_is_quick_(t, lock), 0))
        return is_inheriting(t, lock) ? lock_inheriting(t, lock, try) : lock_slow_(t, lock, try);
    if (__builtin_expect(!fw_rt_take_again_(t, lock), 0))
        return look_closer_slow_(t, lock, try);
    fw_rt_good_();
    return 0;
}

int fw_rt_trylock(fw_rt_task *task, unsigned lock)
{
    return lock_as(task, lock, true);
}

int fw_rt_lock(fw_rt_task *task, unsigned lock)
{
    return lock_as(task, lock, false);
}

/* Why there is nothing to unlock. */
static int fail_to_lock(const struct fw_rt_task *t, unsigned lock)
{
    unsigned i;

    for (i = 0; i < t->depth; i++)
        if (t->held_order[i] == (int)lock)
            return fw_rt_fail_(EPERM, "\"%.31s\" is left before \"%.31s\", which lies in it",
                               name_of(t, lock), name_of(t, (uint32_t)t->held_order[t->depth - 1]));
    return fw_rt_fail_(EPERM, "the task \"%.31s\" does not have \"%.31s\"", t->record->name,
                       name_of(t, lock));
}

__attribute__((noinline)) static int unlock_slow_(struct fw_rt_task *t, unsigned lock)
{
    int error;

    if (!has_opened(t, lock))
        return not_opened(t, lock);
    write_down(t);
    if (t->depth != 0 && t->held_order[t->depth - 1] == (int)lock) {
        t->depth--;
        tell(t, FW_RT_EVENT_UNLOCK, lock);
        error = explain(t, lock, unlock_by_kind(t, lock));
    } else {
        error = fail_to_lock(t, lock);
    }
    strike_out(t);
    return error;
}

__attribute__((noinline)) static int leave_slow_(struct fw_rt_task *t)
{
    fw_rt_proxy_leave_slow_(t);
    fw_rt_good_();
    return 0;
}

static inline int unlock_inheriting(struct fw_rt_task *t, unsigned lock)
{
    if (t->depth != 1 || !fw_rt_leave_inheriting_(t, lock))
        return unlock_slow_(t, lock);
    t->depth = 0;
    fw_rt_good_();
    return 0;
}

int fw_rt_unlock(fw_rt_task *task, unsigned lock)
{
    struct fw_rt_task_record *own = task->record;

    if (__builtin_expect(lock >= FW_RT_LOCKS || fw_load64_relaxed(&own->held) != fw_rt_bit(lock),
                         0))
        return unlock_slow_(task, lock);
    if (is_boosted(task, lock))
        return unlock_boosted(task, lock);
    if (!fw_rt_is_quick_(task, lock))
        return is_inheriting(task, lock) ? unlock_inheriting(task, lock) : unlock_slow_(task, lock);
    if (__builtin_expect(fw_rt_leave_(own, 0), 0))
        return leave_slow_(task);
    fw_rt_good_();
    return 0;
}
