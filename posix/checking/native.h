/* SPDX-License-Identifier: MIT */
#ifndef FW_CHECKING_NATIVE_H
#define FW_CHECKING_NATIVE_H

#include <errno.h>
#include <stdbool.h>

#include <furwock/await.h>

#include "check.h"
#include "counting/native.h"
#include "export.h"
#include "stat.h"

/*
 * furwock's own locks, of a program that uses its shared library: each call that takes or leaves
 * one, on its way there.  doc/guide/check.md says which calls come here of a program that was not
 * compiled with -DFURWOCK_CALLED.
 *
 * A lock has no room for the number of its node: it is found by its address.  Nothing is looked at
 * where the library itself is the caller, and while a thread acts as a task (fw_task_switch).
 */

/*
 * The code of furwock's shared library, and of this one: where that library's last act is a call
 * of its own (a jump), it returns to here.  All are known once a call has come here.
 */
enum { FW_CHECK_CODES = 2 };
extern struct fw_check_code_ {
    uint64_t begin, size;
} fw_check_code_[FW_CHECK_CODES];
extern uint32_t fw_check_code_count_;
void fw_check_find_code_(void);

extern __thread fw_task fw_check_acts_as_ __attribute__((tls_model("initial-exec")));

/* Is the call, which will return to that place, one to look at? */
static inline bool fw_check_native_looks_(const void *site)
{
    bool is_outside = fw_check_acts_as_ == 0;

    if (__builtin_expect(fw_load32_acquire(&fw_check_code_count_) != FW_CHECK_CODES, 0))
        fw_check_find_code_();
    for (unsigned i = 0; i < FW_CHECK_CODES; i++)
        is_outside &= (uintptr_t)site - fw_load64_relaxed(&fw_check_code_[i].begin) >=
                      fw_load64_relaxed(&fw_check_code_[i].size);
    return is_outside;
}

/* As fw_check_before_, of a call that cannot fail.  True: the lock counts as held already. */
static inline bool fw_check_native_enter_(const struct fw_check_target_ *target, const void *site)
{
    if (fw_check_enter_(target->object, fw_check_node_seen_(target->object) << 1 | target->reads,
                        site))
        return true;
    fw_check_before_(target, FW_CHECK_WAITS, site);
    return false;
}

/* A lock is about to be initialised. */
void fw_check_native_made_(const void *lock, const void *site);

/* The calling thread, which holds it, has downgraded it. */
void fw_check_now_reads_(const void *lock);

/* The owner, as fw_check_release_ wants it; `owner` is the thread id that the lock says. */
uint32_t fw_check_native_owner_(bool is_mine, int owner);

/*
 * Calls of the usual forms.  `params` and `args` are in parentheses and begin with the lock, which
 * is called l; `target` is the function that makes its fw_check_target_, of (l, reads).
 */
#define FW_CHECKED_LOOKS fw_check_native_looks_ /* which of them count; a file may have another */
#define FW_CHECKED_(name) FW_EXPORT_NATIVE(checked_##name, name)

/* Waits as long as it takes, and cannot fail. */
#define FW_CHECKED_LOCK(name, type, target, reads)     \
    static void checked_##name(type *l)                \
    {                                                  \
        const void *site = FW_SITE_;                   \
        struct fw_check_target_ t = target(l, reads);  \
        bool looks = FW_CHECKED_LOOKS(site);           \
                                                       \
        if (looks)                                     \
            looks = !fw_check_native_enter_(&t, site); \
        FW_NATIVE_(name)(l);                           \
        if (looks)                                     \
            fw_check_got_(&t, site);                   \
    }                                                  \
    FW_CHECKED_(name)

/* Returns an error; `ask` is FW_CHECK_WAITS or FW_CHECK_TRIES. */
#define FW_CHECKED_ASK(name, target, reads, ask, params, args)          \
    static int checked_##name params                                    \
    {                                                                   \
        const void *site = FW_SITE_;                                    \
        struct fw_check_target_ t = target(l, reads);                   \
        bool looks = FW_CHECKED_LOOKS(site);                            \
        int error;                                                      \
                                                                        \
        if (looks)                                                      \
            fw_check_before_(&t, ask, site);                            \
        error = FW_NATIVE_(name) args;                                  \
        if (looks && (error == 0 || (error == EOWNERDEAD && !(reads)))) \
            fw_check_got_(&t, site);                                    \
        return error;                                                   \
    }                                                                   \
    FW_CHECKED_(name)

#define FW_CHECKED_WAIT(name, type, target, reads) \
    FW_CHECKED_ASK(name, target, reads, FW_CHECK_WAITS, (type * l), (l))

#define FW_CHECKED_TRY(name, type, target, reads) \
    FW_CHECKED_ASK(name, target, reads, FW_CHECK_TRIES, (type * l), (l))

#define FW_CHECKED_TIMED(name, type, target, reads)                                              \
    FW_CHECKED_ASK(name, target, reads, FW_CHECK_TRIES, (type * l, const fw_deadline *deadline), \
                   (l, deadline))

#define FW_CHECKED_POLICY(name, type, target, reads)                                        \
    FW_CHECKED_ASK(name, target, reads, deadline == NULL ? FW_CHECK_WAITS : FW_CHECK_TRIES, \
                   (type * l, const fw_wait_policy *policy, const fw_deadline *deadline),   \
                   (l, policy, deadline))

/* `owner` is a function of (l); the result is void, or int. */
#define FW_CHECKED_UNLOCK(name, type, owner)        \
    static void checked_##name(type *l)             \
    {                                               \
        fw_check_native_leave_(l, owner, FW_SITE_); \
        FW_NATIVE_(name)(l);                        \
    }                                               \
    FW_CHECKED_(name)

#define FW_CHECKED_UNLOCK_INT(name, type, owner)    \
    static int checked_##name(type *l)              \
    {                                               \
        fw_check_native_leave_(l, owner, FW_SITE_); \
        return FW_NATIVE_(name)(l);                 \
    }                                               \
    FW_CHECKED_(name)

#define fw_check_native_leave_(l, owner, site)             \
    do {                                                   \
        if (!fw_check_leave_(l) && FW_CHECKED_LOOKS(site)) \
            fw_check_release_(l, owner(l), site);          \
    } while (0)

#endif
