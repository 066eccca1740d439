/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <string.h>

/*
 * Sixteen bytes by the compiler's own instruction, where it has one when asked (-mcx16).  The older
 * builtins are used: for the newer ones gcc calls the library.
 */
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16

__extension__ typedef unsigned __int128 pair_t;

bool word_pair_is_inline(void)
{
    return true;
}

bool word_pair(enum call call, void *object, void *out, const void *value)
{
    pair_t *o = object, was, next, seen;
    bool done;

    memcpy(&was, out, sizeof was);
    memcpy(&next, value, sizeof next);
    if (call == CALL_LOAD) {
        was = __sync_val_compare_and_swap(o, 0, 0);
        done = true;
    } else if (call == CALL_COMPARE_EXCHANGE) {
        seen = __sync_val_compare_and_swap(o, was, next);
        done = seen == was;
        was = seen;
    } else {
        while ((seen = __sync_val_compare_and_swap(o, was, next)) != was)
            was = seen;
        done = true;
    }
    memcpy(out, &was, sizeof was);
    return done;
}

#else

bool word_pair_is_inline(void)
{
    return false;
}

bool word_pair(enum call call, void *object, void *out, const void *value)
{
    (void)call;
    (void)object;
    (void)out;
    (void)value;
    return false;
}

#endif
