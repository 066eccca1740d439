/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>

#include "bench/classics/drepper.h"
#include "bench/classics/futex.h"
#include "bench/classics/gustedt.h"
#include "bench/classics/gustedt_text.h"
#include "bench/classics/musl.h"
#include "bench/classics/random.h"
#include "bench/classics/smpl.h"
#include "bench/classics/spin_yield.h"
#include "bench/classics/sysv.h"
#include "bench/classics/ulock.h"
#include "bench/classics/ulock_fair.h"
#include "bench/classics/usema.h"

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/kernel_lock.h"

/*
 * The papers' own locks (classics/).
 *
 * ADAPTER_FAIR is for those in which no sleeper is ever overtaken.  The spinning forms of the fair
 * locks do not claim it: who still spins is not in the queue.  ADAPTER_FREEABLE is for those whose
 * unlock ends with the word, except for a wake by address (futex's unlock_fair may look once more).
 */

/*
 * Between threads the classics use private futex calls, as all locks do that they are compared
 * with; the forms called -pshared use there, too, what works between processes, as in 2002.
 */
#define SCOPE(shared) ((shared) ? CLASSIC_SHARED : CLASSIC_PRIVATE)

/* As ADAPTER_INIT; the expression sees `scope`. */
#define CLASSIC_INIT(stem, type, expression)         \
    static int stem##_init_(void *lock, bool shared) \
    {                                                \
        type *l = ADAPTER_CAST_(type, lock);         \
        uint32_t scope = SCOPE(shared);              \
        (void)scope;                                 \
        return expression;                           \
    }

enum {
    BLOCKING = ADAPTER_SHARED | ADAPTER_BLOCKS,
    SPINNING = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_SPINS
};

/* --- sysv ------------------------------------------------------------------------------------- */

static int sysv_init(classic_sysv *l)
{
    int error = classic_sysv_init(l);
    if (error != 0)
        fprintf(stderr, "sysv: %s\n", classic_sysv_explain(error));
    return error;
}

ADAPTER_INIT(sysv, classic_sysv, sysv_init(l))
ADAPTER_DESTROY(sysv, classic_sysv, classic_sysv_destroy(l))

static void sysv_lock(classic_sysv *l)
{
    classic_sysv_lock(l);
    KERNEL_LOCK_TAKEN(l);
}

static void sysv_unlock(classic_sysv *l)
{
    classic_sysv handle = *l; /* read before the release, as semop reads its arguments */

    KERNEL_LOCK_GIVEN(l);
    classic_sysv_unlock(&handle);
}

static int sysv_trylock(classic_sysv *l)
{
    int error = classic_sysv_trylock(l);
    if (error == 0)
        KERNEL_LOCK_TAKEN(l);
    return error;
}

ADAPTER_CALLS(sysv, classic_sysv, sysv_lock(l), sysv_unlock(l))
ADAPTER_TRYLOCK(sysv, classic_sysv, sysv_trylock(l))

/* --- usema ------------------------------------------------------------------------------------ */

CLASSIC_INIT(usema, classic_usema, (*l = (classic_usema){1, 0, scope}, 0))
ADAPTER_CALLS(usema, classic_usema, classic_usema_down(l), classic_usema_up(l))
ADAPTER_TRYLOCK(usema, classic_usema, classic_usema_trydown(l))

/* --- futex: one word, two ups, with and without spinning -------------------------------------- */

#define FUTEX_ADAPTER(stem, down, up)                                                    \
    CLASSIC_INIT(stem, classic_futex, (*l = (classic_futex){FUTEX_AVAILABLE, scope}, 0)) \
    ADAPTER_CALLS(stem, classic_futex, down, up)                                         \
    ADAPTER_TRYLOCK(stem, classic_futex, classic_futex_trydown(l))                       \
    ADAPTER_UNLOCK_FAIR(stem, classic_futex, classic_futex_up_fair(l))

FUTEX_ADAPTER(futex, classic_futex_down(l), classic_futex_up(l))
FUTEX_ADAPTER(futex_fair, classic_futex_down(l), classic_futex_up_fair(l))
FUTEX_ADAPTER(futex_spin3, classic_futex_down_spin(l, SPIN_PAPER_NS), classic_futex_up(l))
FUTEX_ADAPTER(futex_fair_spin3, classic_futex_down_spin(l, SPIN_PAPER_NS), classic_futex_up_fair(l))

/* --- ulock ------------------------------------------------------------------------------------ */

CLASSIC_INIT(ulock, classic_ulock, (l->queue.scope = scope, 0))
ADAPTER_CALLS(ulock, classic_ulock, classic_ulock_lock(l), classic_ulock_unlock(l))
ADAPTER_TRYLOCK(ulock, classic_ulock, classic_ulock_trylock(l))

CLASSIC_INIT(ulock_spin3, classic_ulock, (l->queue.scope = scope, 0))
ADAPTER_CALLS(ulock_spin3, classic_ulock, classic_ulock_lock_spin(l, SPIN_PAPER_NS),
              classic_ulock_unlock(l))

#define ULOCK_FAIR_INIT(l) (*(l) = (classic_ulock_fair){ULOCK_FAIR_FREE, {0, scope}}, 0)

CLASSIC_INIT(ulock_fair, classic_ulock_fair, ULOCK_FAIR_INIT(l))
ADAPTER_CALLS(ulock_fair, classic_ulock_fair, classic_ulock_fair_lock(l),
              classic_ulock_fair_unlock(l))
ADAPTER_TRYLOCK(ulock_fair, classic_ulock_fair, classic_ulock_fair_trylock(l))

CLASSIC_INIT(ulock_fair_spin3, classic_ulock_fair, ULOCK_FAIR_INIT(l))
ADAPTER_CALLS(ulock_fair_spin3, classic_ulock_fair, classic_ulock_fair_lock_spin(l, SPIN_PAPER_NS),
              classic_ulock_fair_unlock(l))

/* --- random: wake all ----------------------------------------------------------------------- */

CLASSIC_INIT(random, classic_random, (l->scope = scope, 0))
ADAPTER_CALLS(random, classic_random, classic_random_lock(l), classic_random_unlock(l))
ADAPTER_TRYLOCK(random, classic_random, classic_random_trylock(l))

/* --- other papers ----------------------------------------------------------------------------- */

CLASSIC_INIT(smpl, classic_smpl, (l->scope = scope, 0))
ADAPTER_CALLS(smpl, classic_smpl, classic_smpl_lock(l), classic_smpl_unlock(l))
ADAPTER_TRYLOCK(smpl, classic_smpl, classic_smpl_trylock(l))

CLASSIC_INIT(gustedt, classic_gustedt, (l->scope = scope, 0))
ADAPTER_CALLS(gustedt, classic_gustedt, classic_gustedt_lock(l, GUSTEDT_SPINS),
              classic_gustedt_unlock(l))
ADAPTER_TRYLOCK(gustedt, classic_gustedt, classic_gustedt_trylock(l))

#define GUSTEDT_TEXT_INIT(l) \
    (*(l) = (classic_gustedt_text){0, scope, classic_gustedt_text_spins()}, 0)

CLASSIC_INIT(gustedt_text, classic_gustedt_text, GUSTEDT_TEXT_INIT(l))
ADAPTER_CALLS(gustedt_text, classic_gustedt_text, classic_gustedt_text_lock(l),
              classic_gustedt_text_unlock(l))
ADAPTER_TRYLOCK(gustedt_text, classic_gustedt_text, classic_gustedt_text_trylock(l))

CLASSIC_INIT(musl, classic_musl, (l->scope = scope, 0))
ADAPTER_CALLS(musl, classic_musl, classic_musl_lock(l), classic_musl_unlock(l))
ADAPTER_TRYLOCK(musl, classic_musl, classic_musl_trylock(l))

CLASSIC_INIT(drepper, classic_drepper, (l->scope = scope, 0))
ADAPTER_CALLS(drepper, classic_drepper, classic_drepper_lock(l), classic_drepper_unlock(l))
ADAPTER_TRYLOCK(drepper, classic_drepper, classic_drepper_trylock(l))

ADAPTER_ZERO_IS_FREE(spin_yield)
ADAPTER_CALLS(spin_yield, classic_spin_yield, classic_spin_yield_lock(l),
              classic_spin_yield_unlock(l))
ADAPTER_TRYLOCK(spin_yield, classic_spin_yield, classic_spin_yield_trylock(l))

/* --- The list: the order in which tables show them -------------------------------------------- */

const struct adapter adapter_sysv = {
    .name = "sysv",
    .about = "System V semaphore, a system call each way (Franke et al. 2002, section 4.1)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FAIR | ADAPTER_FREEABLE,
    ADAPTER_TYPE(sysv, classic_sysv),
    .destroy = sysv_destroy_,
    .trylock = sysv_trylock_,
};

const struct adapter adapter_usema = {
    .name = "usema",
    .about = "user semaphore: counting in the word (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING,
    ADAPTER_TYPE(usema, classic_usema),
    .trylock = usema_trylock_,
};

const struct adapter adapter_futex = {
    .name = "futex",
    .about = "the futex paper's lock, greedy (Franke et al. 2002, section 3.1)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(futex, classic_futex),
    .trylock = futex_trylock_,
    .unlock_fair = futex_unlock_fair_,
};

const struct adapter adapter_futex_fair = {
    .name = "futex-fair",
    .about = "the futex paper's lock, passed on (futex_up_fair, section 3.1.4)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FAIR,
    ADAPTER_TYPE(futex_fair, classic_futex),
    .trylock = futex_fair_trylock_,
    .unlock_fair = futex_fair_unlock_fair_,
};

const struct adapter adapter_ulock = {
    .name = "ulock",
    .about = "ulock, convoy avoiding (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING,
    ADAPTER_TYPE(ulock, classic_ulock),
    .trylock = ulock_trylock_,
};

const struct adapter adapter_ulock_fair = {
    .name = "ulock-fair",
    .about = "ulock, granted to the longest waiter (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FAIR,
    ADAPTER_TYPE(ulock_fair, classic_ulock_fair),
    .trylock = ulock_fair_trylock_,
};

const struct adapter adapter_futex_spin3 = {
    .name = "futex-spin3",
    .about = "futex, spinning 3 us before it blocks: futex(spin,3)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(futex_spin3, classic_futex),
    .trylock = futex_spin3_trylock_,
    .unlock_fair = futex_spin3_unlock_fair_,
};

const struct adapter adapter_futex_fair_spin3 = {
    .name = "futex-fair-spin3",
    .about = "futex-fair, spinning 3 us before it blocks: futex_fair(spin,3)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING,
    ADAPTER_TYPE(futex_fair_spin3, classic_futex),
    .trylock = futex_fair_spin3_trylock_,
    .unlock_fair = futex_fair_spin3_unlock_fair_,
};

const struct adapter adapter_ulock_spin3 = {
    .name = "ulock-spin3",
    .about = "ulock, spinning 3 us before it blocks: ulocks(spin,3)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING,
    ADAPTER_TYPE(ulock_spin3, classic_ulock),
    .trylock = ulock_trylock_,
};

const struct adapter adapter_ulock_fair_spin3 = {
    .name = "ulock-fair-spin3",
    .about = "ulock-fair, spinning 3 us before it blocks: ulocks_fair(spin,3)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING,
    ADAPTER_TYPE(ulock_fair_spin3, classic_ulock_fair),
    .trylock = ulock_fair_trylock_,
};

const struct adapter adapter_futex_random = {
    .name = "futex-random",
    .about = "freed, all woken, who comes first: random fairness (Franke et al. 2002, section 2)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(random, classic_random),
    .trylock = random_trylock_,
};

const struct adapter adapter_smpl = {
    .name = "smpl",
    .about = "the simplest futex lock (Gustedt 2016, section 2.3)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(smpl, classic_smpl),
    .trylock = smpl_trylock_,
};

const struct adapter adapter_gustedt = {
    .name = "gustedt",
    .about = "lock bit and contenders in one word (Gustedt 2016, Listing 1)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(gustedt, classic_gustedt),
    .trylock = gustedt_trylock_,
};

const struct adapter adapter_gustedt_text = {
    .name = "gustedt-text",
    .about = "the same as the text has it: spins first, E calibrated (Gustedt 2016, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(gustedt_text, classic_gustedt_text),
    .trylock = gustedt_text_trylock_,
};

const struct adapter adapter_musl = {
    .name = "musl",
    .about = "polls only while nobody sleeps: musl's strategy (Gustedt 2016, section 4.4)",
    .family = FAMILY_CLASSIC,
    .flags = SPINNING,
    ADAPTER_TYPE(musl, classic_musl),
    .trylock = musl_trylock_,
};

const struct adapter adapter_drepper = {
    .name = "drepper",
    .about = "three-state mutex (Drepper, Futexes Are Tricky, mutex2)",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FREEABLE,
    ADAPTER_TYPE(drepper, classic_drepper),
    .trylock = drepper_trylock_,
};

const struct adapter adapter_spin_yield = {
    .name = "spin-yield",
    .about = "try 1000 times, then yield (Franke et al. 2002, section 4.2)",
    .family = FAMILY_CLASSIC,
    .flags = ADAPTER_SHARED | ADAPTER_SPINS | ADAPTER_FREEABLE,
    ADAPTER_TYPE(spin_yield, classic_spin_yield),
    .trylock = spin_yield_trylock_,
};
