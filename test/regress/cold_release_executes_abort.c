/* SPDX-License-Identifier: MIT */
/*
 * Where the compiler put a release into its section for unlikely code (a cold function and
 * link-time optimisation, or a profile), the abort handler of the restartable sequence, which was
 * emitted into the same section, came right after the sequence: each release ran into it and died
 * of SIGILL.
 */
#include <stdio.h>

#include "sys/release.h"

/* A function that is never likely: everything that is compiled into it is unlikely as well. */
__attribute__((cold, noinline)) static bool release_rarely(uint64_t *state)
{
    return fw_release_plain_(state, 5u << 8 | 1u);
}

int main(void)
{
    int released = 0;

    for (int i = 0; i < 1000; i++) {
        uint64_t state = 5u << 8 | 1u;
        if (release_rarely(&state))
            released++;
        if (fw_release_fence_() != 0)
            return 77;
    }
    printf("%d of 1000 released plainly\n", released);
    return 0;
}
