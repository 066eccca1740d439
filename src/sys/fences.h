/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_FENCES_H
#define FW_SYS_FENCES_H

/*
 * How many fences in a row (sys/release.h) it takes on a kernel of this release ("6.1.0-40-amd64").
 *
 * Until "rseq: Protect event mask against membarrier IPI" the kernel, on a thread's way back from
 * an interruption, reads what has happened to it and clears that in two steps.  A fence that comes
 * in between is forgotten, and a sequence that it should have made start anew goes on to its store,
 * some nanoseconds later.  The next fence finds the store done, or the thread still on its way:
 * only if that one, too, comes between two neighbouring instructions, at least a microsecond later,
 * is it forgotten as well.  See doc/design/kernel.md.
 *
 * The fix is in Linux 6.18 and in 6.1.157.  Others that may have it are not known to.
 */
enum { FW_FENCES_MOST_ = 2 };

static inline unsigned fw_fences_needed_(const char *release)
{
    unsigned part[3] = {0, 0, 0};

    for (unsigned i = 0; i < 3; i++) {
        while (*release >= '0' && *release <= '9')
            part[i] = part[i] * 10 + (unsigned)(*release++ - '0');
        if (*release != '.')
            break;
        release++;
    }
    if (part[0] != 6)
        return part[0] > 6 ? 1 : FW_FENCES_MOST_; /* F:fences-trusts-unnamed */
    /* F:fences-trusts-kernel */
    return part[1] >= 18 || (part[1] == 1 && part[2] >= 157) ? 1 : FW_FENCES_MOST_;
}

#endif
