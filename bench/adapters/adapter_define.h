/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_ADAPTER_DEFINE_H
#define FW_ADAPTERS_ADAPTER_DEFINE_H

#include <errno.h>

#include "bench/adapters/adapter.h"

/*
 * An adapter in ten lines.  The statements see the lock as `l`, a pointer to TYPE, and are pasted
 * into the loop, so that the compiler sees there what it would see in a user's program.  The same
 * text serves C11 and C++20.
 *
 *     ADAPTER_CALLS(example, struct example, example_acquire(l), example_release(l))
 *     ADAPTER_TRYLOCK(example, struct example, example_try(l) ? 0 : EBUSY)
 *     ADAPTER_TIMEDLOCK(example, struct example, example_until(l, at) ? 0 : ETIMEDOUT)
 *
 *     const struct adapter adapter_example = {
 *         .name = "example",
 *         .about = "an example",
 *         .family = FAMILY_RIVAL,
 *         .flags = ADAPTER_BLOCKS,
 *         ADAPTER_TYPE(example, struct example),
 *         .trylock = example_trylock_,
 *         .timedlock = example_timedlock_,
 *     };
 *
 * STEM_init_ is needed as well: ADAPTER_ZERO_IS_FREE, or ADAPTER_INIT with an expression that
 * yields 0 or an errno value and may look at `shared`.  C++ wants the members in the order of
 * struct adapter: there they are written out, without ADAPTER_TYPE.
 *
 * The build reads the lines `const struct adapter adapter_NAME = {` and `.name = "..."` of the
 * source to make the list: each has to stand on a line of its own, spelt out.
 */
#ifdef __cplusplus
#define ADAPTER_CAST_(type, p) static_cast<type *>(p)
#else
#define ADAPTER_CAST_(type, p) (p)
#endif

/* The pieces: a function of one statement, and two of one expression. */
#define ADAPTER_DO(function, type, statement) \
    static void function(void *lock)          \
    {                                         \
        type *l = ADAPTER_CAST_(type, lock);  \
        statement;                            \
    }

#define ADAPTER_ANSWER(answer, function, type, expression) \
    static answer function(void *lock)                     \
    {                                                      \
        type *l = ADAPTER_CAST_(type, lock);               \
        return expression;                                 \
    }

#define ADAPTER_UNTIL(function, type, expression)              \
    static int function(void *lock, const struct timespec *at) \
    {                                                          \
        type *l = ADAPTER_CAST_(type, lock);                   \
        return expression;                                     \
    }

/* A function that does the statements n times. */
#define ADAPTER_REPEAT(function, type, statements) \
    static void function(void *lock, uint64_t n)   \
    {                                              \
        type *l = ADAPTER_CAST_(type, lock);       \
        for (; n != 0; n--) {                      \
            statements;                            \
        }                                          \
    }

#define ADAPTER_CALLS(stem, type, lock_statement, unlock_statement) \
    ADAPTER_LOCKS(stem, type, lock_statement, unlock_statement)     \
    ADAPTER_LOOP(stem, type, lock_statement, unlock_statement)

/* The two halves of ADAPTER_CALLS, for a lock whose loop is another than its two calls. */
#define ADAPTER_LOCKS(stem, type, lock_statement, unlock_statement) \
    ADAPTER_DO(stem##_lock_, type, lock_statement)                  \
    ADAPTER_DO(stem##_unlock_, type, unlock_statement)

#define ADAPTER_LOOP(stem, type, lock_statement, unlock_statement) \
    ADAPTER_REPEAT(stem##_loop_, type, lock_statement; unlock_statement)

#define ADAPTER_ZERO_IS_FREE(stem)                   \
    static int stem##_init_(void *lock, bool shared) \
    {                                                \
        (void)lock;                                  \
        (void)shared;                                \
        return 0;                                    \
    }

#define ADAPTER_INIT(stem, type, expression)         \
    static int stem##_init_(void *lock, bool shared) \
    {                                                \
        type *l = ADAPTER_CAST_(type, lock);         \
        (void)shared;                                \
        return expression;                           \
    }

#define ADAPTER_DESTROY(stem, type, statement) ADAPTER_DO(stem##_destroy_, type, statement)
#define ADAPTER_TRYLOCK(stem, type, expression) \
    ADAPTER_ANSWER(int, stem##_trylock_, type, expression)
#define ADAPTER_TIMEDLOCK(stem, type, expression) ADAPTER_UNTIL(stem##_timedlock_, type, expression)
#define ADAPTER_UNLOCK_FAIR(stem, type, statement) ADAPTER_DO(stem##_unlock_fair_, type, statement)

/* The members that all adapters have; destroy, trylock, timedlock, unlock_fair are set beside. */
#define ADAPTER_TYPE(stem, type)                                                        \
    ADAPTER_OBJECT(type, stem##_init_), .lock = stem##_lock_, .unlock = stem##_unlock_, \
                                        .loop = stem##_loop_

/* The same of a lock that has only its calls for itself: what makes and tries it is `object`'s. */
#define ADAPTER_VARIANT(stem, type, object)                                               \
    ADAPTER_OBJECT(type, object##_init_), .lock = stem##_lock_, .unlock = stem##_unlock_, \
                                          .loop = stem##_loop_, .trylock = object##_trylock_

/* Of these, what the adapters of all families have. */
#define ADAPTER_OBJECT(type, init_) \
    .size = sizeof(type), .align = ADAPTER_ALIGNOF_(type), .init = (init_)

#ifdef __cplusplus
#define ADAPTER_ALIGNOF_(type) alignof(type)
#else
#define ADAPTER_ALIGNOF_(type) _Alignof(type)
#endif

#endif
