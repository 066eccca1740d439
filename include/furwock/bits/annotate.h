/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATE_H
#define FURWOCK_BITS_ANNOTATE_H

/*
 * What a program that is built for a race detector tells it about locks; internal.
 *
 * The library is not instrumented, and detectors know only POSIX's calls, so they would miss every
 * order that a lock makes and report races that are none.  In such a program each call that takes
 * or leaves a lock is wrapped (bits/annotated/) by an inline function that says so; the call itself
 * is the same, and so is the library.  Everywhere else this header defines nothing.
 *
 *   -fsanitize=thread     is seen by itself; lock-order reports come with it
 *   -DFURWOCK_VALGRIND    helgrind and drd: needs valgrind's headers; run with --suppressions=
 *                         SHAREDIR/furwock/valgrind.supp, since they look into the library, too
 *   -DFURWOCK_NO_ANNOTATIONS   nothing is said (furwock itself was built with the sanitizer)
 */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FW_FOR_TSAN_
#endif
#elif defined(__SANITIZE_THREAD__)
#define FW_FOR_TSAN_
#endif

#if defined(FURWOCK_NO_ANNOTATIONS)
#undef FW_FOR_TSAN_
#elif defined(FW_FOR_TSAN_) || defined(FURWOCK_VALGRIND)
#define FW_ANNOTATED_
#endif

#ifdef FW_ANNOTATED_

#include <errno.h>

#include <furwock/thread_safety.h>

/* Modes of a lock.  (An upgradable reader is a reader to a detector.) */
#define FW_NOTE_WRITE_ 0
#define FW_NOTE_READ_ 1

#ifdef FW_FOR_TSAN_

#include <sanitizer/tsan_interface.h>

#define FW_NOTE_FLAGS_(mode) ((mode) == FW_NOTE_READ_ ? __tsan_mutex_read_lock : 0u)

/* Without the diversion all that the thread does in between is ignored, also in wakers. */
#define FW_DETECT_PRE_(lock, flags) \
    (__tsan_mutex_pre_lock((void *)(lock), flags), __tsan_mutex_pre_divert((void *)(lock), 0))
#define FW_DETECT_POST_(lock, flags) \
    (__tsan_mutex_post_divert((void *)(lock), 0), __tsan_mutex_post_lock((void *)(lock), flags, 0))
#define FW_DETECT_FAILED_(is_taken) ((is_taken) ? 0u : (unsigned)__tsan_mutex_try_lock_failed)

#define FW_DETECT_LOCKING_(lock, mode) FW_DETECT_PRE_(lock, FW_NOTE_FLAGS_(mode))
#define FW_DETECT_LOCKED_(lock, mode, is_taken)                                              \
    FW_DETECT_POST_(lock, FW_NOTE_FLAGS_(mode) | ((is_taken) ? 0u : __tsan_mutex_try_lock) | \
                              FW_DETECT_FAILED_(is_taken))
/* A thread that only tries cannot be in a deadlock: no lock order. */
#define FW_DETECT_TRYING_(lock, mode) \
    FW_DETECT_PRE_(lock, FW_NOTE_FLAGS_(mode) | __tsan_mutex_try_lock)
#define FW_DETECT_TRIED_(lock, mode, is_taken) \
    FW_DETECT_POST_(lock,                      \
                    FW_NOTE_FLAGS_(mode) | __tsan_mutex_try_lock | FW_DETECT_FAILED_(is_taken))
#define FW_DETECT_UNLOCKING_(lock, mode) \
    (void)__tsan_mutex_pre_unlock((void *)(lock), FW_NOTE_FLAGS_(mode))
#define FW_DETECT_UNLOCKED_(lock, mode) \
    __tsan_mutex_post_unlock((void *)(lock), FW_NOTE_FLAGS_(mode))
#define FW_DETECT_RELEASE_(object) __tsan_release((void *)(object))
#define FW_DETECT_ACQUIRE_(object) __tsan_acquire((void *)(object))

#define FW_NOTE_WORDS_(lock) ((void)(lock))

#else /* helgrind's requests; drd understands the same, where not otherwise said */

/* Both headers have these, for the same requests. */
#include <valgrind/drd.h>
#undef ANNOTATE_HAPPENS_BEFORE
#undef ANNOTATE_HAPPENS_AFTER
#undef ANNOTATE_NEW_MEMORY
#undef ANNOTATE_RWLOCK_CREATE
#undef ANNOTATE_RWLOCK_DESTROY
#undef ANNOTATE_RWLOCK_ACQUIRED
#undef ANNOTATE_RWLOCK_RELEASED
#include <valgrind/helgrind.h>

/* The lock's own words are not data. */
static inline void fw_note_words_(const void *lock, unsigned long size)
{
    VALGRIND_HG_DISABLE_CHECKING(lock, size);
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, lock, size, 0, 0, 0);
}

static inline void fw_note_locked_(const void *lock, int mode)
{
    ANNOTATE_RWLOCK_ACQUIRED(lock, mode == FW_NOTE_WRITE_);
}

static inline void fw_note_unlocking_(const void *lock)
{
    ANNOTATE_RWLOCK_RELEASED(lock, 0); /* in whatever mode */
}

static inline void fw_note_release_(const void *object)
{
    ANNOTATE_HAPPENS_BEFORE(object);
}

static inline void fw_note_acquire_(const void *object)
{
    ANNOTATE_HAPPENS_AFTER(object);
}

#define FW_NOTE_WORDS_(lock) fw_note_words_(lock, sizeof *(lock))
#define FW_DETECT_LOCKING_(lock, mode) ((void)(lock), (void)(mode))
#define FW_DETECT_TRYING_(lock, mode) ((void)(lock), (void)(mode))
#define FW_DETECT_LOCKED_(lock, mode, is_taken) ((is_taken) ? fw_note_locked_(lock, mode) : (void)0)
#define FW_DETECT_TRIED_(lock, mode, is_taken) FW_DETECT_LOCKED_(lock, mode, is_taken)
#define FW_DETECT_UNLOCKING_(lock, mode) ((void)(mode), fw_note_unlocking_(lock))
#define FW_DETECT_UNLOCKED_(lock, mode) ((void)(mode))
#define FW_DETECT_RELEASE_(object) fw_note_release_(object)
#define FW_DETECT_ACQUIRE_(object) fw_note_acquire_(object)

#endif

/* What was before a release of the object is before what follows an acquire of it. */
#define FW_NOTE_RELEASE_(object) (FW_NOTE_WORDS_(object), FW_DETECT_RELEASE_(object))
#define FW_NOTE_ACQUIRE_(object) (FW_NOTE_WORDS_(object), FW_DETECT_ACQUIRE_(object))

/*
 * The task that the calling thread acts as, or 0 (fw_task_switch).  What a task holds another
 * thread may release, and to a detector a lock belongs to a thread.  So whoever takes or leaves a
 * lock for a task has it, to a detector, for that moment only: the order is the same.
 */
#ifdef __cplusplus
extern "C" {
#endif
extern __thread unsigned fw_note_task_;
__attribute__((weak, visibility("default"))) __thread unsigned fw_note_task_;
#ifdef __cplusplus
}
#endif

#define FW_NOTE_PASSES_(lock, mode)                                        \
    (FW_DETECT_TRYING_(lock, mode), (void)FW_DETECT_TRIED_(lock, mode, 1), \
     FW_DETECT_UNLOCKING_(lock, mode), (void)FW_DETECT_UNLOCKED_(lock, mode))

#define FW_NOTE_LOCKING_(lock, mode) \
    (FW_NOTE_WORDS_(lock), fw_note_task_ != 0 ? (void)0 : FW_DETECT_LOCKING_(lock, mode))
#define FW_NOTE_TRYING_(lock, mode) \
    (FW_NOTE_WORDS_(lock), fw_note_task_ != 0 ? (void)0 : FW_DETECT_TRYING_(lock, mode))
#define FW_NOTE_LOCKED_(lock, mode, is_taken)                           \
    (fw_note_task_ == 0 ? (void)FW_DETECT_LOCKED_(lock, mode, is_taken) \
     : (is_taken)       ? FW_NOTE_PASSES_(lock, mode)                   \
                        : (void)0)

#define FW_NOTE_TRIED_(lock, mode, is_taken)                           \
    (fw_note_task_ == 0 ? (void)FW_DETECT_TRIED_(lock, mode, is_taken) \
     : (is_taken)       ? FW_NOTE_PASSES_(lock, mode)                  \
                        : (void)0)

/*
 * It is released.  Said before the call that does it, whole: in there the code of others may run,
 * predicates and wakers, and a detector must not take it for a part of the lock.
 */
#define FW_NOTE_UNLOCK_(lock, mode)    \
    (fw_note_task_ != 0                \
         ? FW_NOTE_PASSES_(lock, mode) \
         : (FW_DETECT_UNLOCKING_(lock, mode), (void)FW_DETECT_UNLOCKED_(lock, mode)))

/* What has been locked: also what a dead holder left. */
#define FW_NOTE_TAKEN_(error) ((error) == 0 || (error) == EOWNERDEAD)

/*
 * Declares the wrapper of a call that clang's thread safety analysis knows, with the attributes of
 * the call.  The lock is called l.
 */
#define FW_NOTED_ANALYSED_(type, name, params, attributes) \
    static inline type name##_noted_ params attributes FW_NO_THREAD_SAFETY_ANALYSIS;

/*
 * Wrappers, called NAME_noted_, of calls of the usual forms.  `params` and `args` are in
 * parentheses and begin with the lock, which is called l.
 */
#define FW_NOTED_LOCK_(name, mode, params)  \
    static inline void name##_noted_ params \
    {                                       \
        FW_NOTE_LOCKING_(l, mode);          \
        name(l);                            \
        FW_NOTE_LOCKED_(l, mode, 1);        \
    }

#define FW_NOTED_LOCK_INT_(name, mode, params, args)      \
    static inline int name##_noted_ params                \
    {                                                     \
        int error_;                                       \
        FW_NOTE_LOCKING_(l, mode);                        \
        error_ = name args;                               \
        FW_NOTE_LOCKED_(l, mode, FW_NOTE_TAKEN_(error_)); \
        return error_;                                    \
    }

#define FW_NOTED_TRYLOCK_(name, mode, params)            \
    static inline int name##_noted_ params               \
    {                                                    \
        int error_;                                      \
        FW_NOTE_TRYING_(l, mode);                        \
        error_ = name(l);                                \
        FW_NOTE_TRIED_(l, mode, FW_NOTE_TAKEN_(error_)); \
        return error_;                                   \
    }

#define FW_NOTED_UNLOCK_(name, mode, params) \
    static inline void name##_noted_ params  \
    {                                        \
        FW_NOTE_UNLOCK_(l, mode);            \
        name(l);                             \
    }

#define FW_NOTED_UNLOCK_INT_(name, mode, params) \
    static inline int name##_noted_ params       \
    {                                            \
        FW_NOTE_UNLOCK_(l, mode);                \
        return name(l);                          \
    }

#define FW_NOTED_RELEASE_(name, params, args) \
    static inline void name##_noted_ params   \
    {                                         \
        FW_NOTE_RELEASE_(l);                  \
        name args;                            \
    }

#define FW_NOTED_RELEASE_INT_(name, params, args) \
    static inline int name##_noted_ params        \
    {                                             \
        FW_NOTE_RELEASE_(l);                      \
        return name args;                         \
    }

#define FW_NOTED_ACQUIRE_(name, params, args) \
    static inline void name##_noted_ params   \
    {                                         \
        name args;                            \
        FW_NOTE_ACQUIRE_(l);                  \
    }

#define FW_NOTED_ACQUIRE_INT_(name, params, args) \
    static inline int name##_noted_ params        \
    {                                             \
        int error_ = name args;                   \
        if (FW_NOTE_TAKEN_(error_))               \
            FW_NOTE_ACQUIRE_(l);                  \
        return error_;                            \
    }

#endif

#endif
