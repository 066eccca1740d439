/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdint.h>
#include <string.h>

#include "subject.h"

const char *const call_names[N_CALLS] = {"load", "store", "exchange", "compare_exchange"};

static int order_of_failure(int order)
{
    if (order == __ATOMIC_RELEASE)
        return __ATOMIC_RELAXED;
    return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : order;
}

bool subject_do(enum call call, size_t n, void *object, void *out, const void *value, int order)
{
    if (call == CALL_LOAD)
        subject->load(n, object, out, order);
    else if (call == CALL_STORE)
        subject->store(n, object, value, order);
    else if (call == CALL_EXCHANGE)
        subject->exchange(n, object, value, out, order);
    else
        return subject->compare_exchange(n, object, out, value, order, order_of_failure(order));
    return true;
}

#define INLINE_FORM(bits)                                                                   \
    static bool inline_##bits(enum call call, uint##bits##_t *object, void *out,            \
                              const void *value)                                            \
    {                                                                                       \
        uint##bits##_t was, next;                                                           \
        bool done = true;                                                                   \
                                                                                            \
        memcpy(&was, out, sizeof was);                                                      \
        memcpy(&next, value, sizeof next);                                                  \
        if (call == CALL_LOAD)                                                              \
            was = __atomic_load_n(object, __ATOMIC_ACQUIRE);                                \
        else if (call == CALL_STORE)                                                        \
            __atomic_store_n(object, next, __ATOMIC_RELEASE);                               \
        else if (call == CALL_EXCHANGE)                                                     \
            was = __atomic_exchange_n(object, next, __ATOMIC_ACQ_REL);                      \
        else                                                                                \
            done = __atomic_compare_exchange_n(object, &was, next, false, __ATOMIC_ACQ_REL, \
                                               __ATOMIC_ACQUIRE);                           \
        memcpy(out, &was, sizeof was);                                                      \
        return done;                                                                        \
    }

INLINE_FORM(8)
INLINE_FORM(16)
INLINE_FORM(32)
INLINE_FORM(64)

static bool call_16(enum call call, void *object, void *out, const void *value)
{
    libatomics_u128 was, next;
    bool done = true;

    memcpy(&was, out, sizeof was);
    memcpy(&next, value, sizeof next);
    if (call == CALL_LOAD)
        was = subject->load_16(object, __ATOMIC_ACQUIRE);
    else if (call == CALL_STORE)
        subject->store_16(object, next, __ATOMIC_RELEASE);
    else if (call == CALL_EXCHANGE)
        was = subject->exchange_16(object, next, __ATOMIC_ACQ_REL);
    else
        done = subject->compare_exchange_16(object, &was, next, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    memcpy(out, &was, sizeof was);
    return done;
}

bool word_has_form(const void *object, size_t n)
{
    if (n == 0 || n > 16 || (n & (n - 1)) != 0 || (uintptr_t)object % n != 0)
        return false;
    return n == 16 ? subject->load_16 != NULL : subject->is_lock_free(n, object);
}

bool word_do(enum call call, size_t n, void *object, void *out, const void *value)
{
    switch (n) {
    case 1:
        return inline_8(call, object, out, value);
    case 2:
        return inline_16(call, object, out, value);
    case 4:
        return inline_32(call, object, out, value);
    case 8:
        return inline_64(call, object, out, value);
    default:
        /* Half of the calls by the instruction, where there is one that all agree with. */
        if (word_pair_is_inline() && subject->is_lock_free(16, object) && (uintptr_t)value % 2)
            return word_pair(call, object, out, value);
        return call_16(call, object, out, value);
    }
}
