/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FWK_COMPAT_H
#define FWK_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>

/*
 * What kernels from 6.1 on name differently.  Kbuild looks into their headers for what they have,
 * and says so by these macros; nothing else in the module has an #if.
 */
static inline void fwk_sleeper_init(struct hrtimer_sleeper *s, clockid_t clock)
{
#ifdef FWK_HAS_SETUP_SLEEPER /* 6.13 */
    hrtimer_setup_sleeper_on_stack(s, clock, HRTIMER_MODE_ABS);
#else
    hrtimer_init_sleeper_on_stack(s, clock, HRTIMER_MODE_ABS);
#endif
}

#endif
