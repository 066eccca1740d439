/* SPDX-License-Identifier: MIT */
#include "ulock_shared.h"

/* Origin, states and the argument against lost wakes: ulock_shared.h.  `word` is as just seen. */

void classic_ulock_shared_rdlock_slow_(classic_ulock_shared *l, uint32_t word)
{
    while (!sc_cas(&l->word, &word, word + ULOCK_SHARED_READER)) /* r -> r+1, with or without W */
        continue;
    if (ulock_shared_is_written(word))
        classic_ksem_down(&l->readers);
}

void classic_ulock_shared_rdunlock_slow_(classic_ulock_shared *l, uint32_t word)
{
    for (;;) {
        uint32_t left = word - ULOCK_SHARED_READER;
        bool pass = ulock_shared_readers(left) == 0 && ulock_shared_has_writers(left);
        if (pass)
            left += ULOCK_SHARED_WRITTEN - ULOCK_SHARED_WRITER;
        if (!sc_cas(&l->word, &word, left)) /* r, w -> r-1, w;  r=1, w -> W, w-1 */
            continue;
        if (pass)
            classic_ksem_up(&l->writers);
        return;
    }
}

void classic_ulock_shared_wrlock_slow_(classic_ulock_shared *l, uint32_t word)
{
    for (;;) {
        bool free = word == 0;
        uint32_t next = free ? ULOCK_SHARED_WRITTEN : word + ULOCK_SHARED_WRITER;
        if (!sc_cas(&l->word, &word, next)) /* 0 -> W;  w -> w+1 */
            continue;
        if (!free)
            classic_ksem_down(&l->writers);
        return;
    }
}

void classic_ulock_shared_wrunlock_slow_(classic_ulock_shared *l, uint32_t word)
{
    for (;;) {
        uint32_t readers = ulock_shared_readers(word);
        bool pass = readers == 0 && ulock_shared_has_writers(word);
        uint32_t next = pass ? word - ULOCK_SHARED_WRITER : word - ULOCK_SHARED_WRITTEN;
        if (!sc_cas(&l->word, &word, next)) /* W, w, r -> w, r;  W, w -> W, w-1;  W -> 0 */
            continue;
        if (pass)
            classic_ksem_up(&l->writers);
        else if (readers > 0)
            classic_ksem_up_many(&l->readers, readers);
        return;
    }
}
