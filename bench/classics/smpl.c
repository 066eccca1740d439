/* SPDX-License-Identifier: MIT */
#include "smpl.h"

/* Origin, states and what was adapted: smpl.h. */

void classic_smpl_lock(classic_smpl *l)
{
    for (;;) {
        uint32_t previous = sc_exchange(&l->word, SMPL_HELD); /* any -> HELD */
        if (previous == SMPL_FREE)
            break;
        word_sleep(&l->word, previous, l->scope);
    }
}

void classic_smpl_unlock(classic_smpl *l)
{
    uint32_t scope = l->scope;
    sc_store(&l->word, SMPL_FREE); /* HELD -> FREE */
    word_wake_one(&l->word, scope);
}
