/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>

#include "fake.h"
#include "sys/fork.h"
#include "sys/futex_pi.h"
#include "sys/robust.h"
#include "sys/schedule.h"

/* The part of the fake kernel that knows of priorities, and the kernel id of the one thread. */

__thread uint32_t fw_inheriting_;

__thread struct fw_robust_thread_ fw_robust_thread_ = {.life = FW_LIFE_NONE_};

static const uint64_t life[] = {1, [FW_LIFE_EPOCH_] = 1};
const uint64_t *fw_life_now_ = life;

void fw_robust_register_(void)
{
    fw_robust_thread_.life = life[0];
    fw_robust_thread_.id = FAKE_SELF;
}

int fw_urgency_(void)
{
    fake.urgency_asked++;
    return fake.urgency;
}

int fw_urgency_known_(void)
{
    return fake.urgency_known < 0 ? fake.urgency : fake.urgency_known;
}

int fw_futex_lock_pi_(uint32_t *word, unsigned flags, const fw_deadline *deadline)
{
    struct fake_call *call = fake_note(FAKE_LOCK_PI, word);

    call->flags = flags;
    call->has_deadline = deadline != NULL;
    return call->result = fake.on_lock_pi != NULL ? fake.on_lock_pi(word) : -ENOSYS;
}

int fw_futex_unlock_pi_(uint32_t *word, unsigned flags)
{
    struct fake_call *call = fake_note(FAKE_UNLOCK_PI, word);

    call->flags = flags;
    return call->result = fake.on_unlock_pi != NULL ? fake.on_unlock_pi(word) : -ENOSYS;
}
