# SPDX-License-Identifier: MIT
"""Faults in the generic atomics: the lock, the sequence, the operations, the child of a fork."""
from .kinds import Family, Fault

LOCK_H = "atomic/word_lock.h"
LOCK = "atomic/word_lock.c"
STRIPE = "atomic/stripe.h"
OBJECT = "atomic/object.c"
COPY = "atomic/copy.h"
FORK = "atomic/fork.c"

BEGIN = "    uint64_t before = fw_stripe_begin_(s);\n"
COPY_IN = "    fw_copy_in_(object, value, n);\n"
END = "    fw_stripe_end_(s, before);\n"

LOCKING = [
    Fault("word-torn", "takes the lock by a load and a store", "atomic-lock", LOCK,
          "        if (fw_cas32_acquire(&l->word, &now, now | FW_WORD_LOCK_HELD_))"
          " /* n -> HELD|n */\n            return;\n",
          "    {\n        fw_store32_relaxed(&l->word, now | FW_WORD_LOCK_HELD_);\n"
          "        return;\n    }\n"),
    Fault("word-unregistered", "sleeps and is not registered", "atomic-lock", LOCK,
          "    now = fw_add32_acquire(&l->word, FW_WORD_LOCK_SLEEPER_) + FW_WORD_LOCK_SLEEPER_;",
          "    now = fw_load32_relaxed(&l->word);"),
    Fault("word-still-registered", "takes the lock and stays registered", "atomic-lock", LOCK,
          "        now -= FW_WORD_LOCK_SLEEPER_;\n", "        now -= 0;\n"),
    Fault("word-sleeps-anyway", "sleeps with whatever is in the word", "atomic-lock", LOCK,
          "fw_futex_wait(&l->word, expected,",
          "fw_futex_wait(&l->word, fw_load32_relaxed(&l->word) + 0 * expected,"),
    Fault("word-no-look", "a release does not look whether somebody sleeps", "atomic-lock", LOCK_H,
          "    if (__builtin_expect(was != FW_WORD_LOCK_HELD_, 0))\n        fw_word_unlock_slow_",
          "    if (false)\n        fw_word_unlock_slow_"),
    Fault("word-no-wake", "names an heir and does not wake it", "atomic-lock", LOCK,
          "    int woken = fw_futex_wake(&l->word, 1, FW_FUTEX_PRIVATE);\n",
          "    int woken = (int)(l->word & 0) + 1;\n"),
    Fault("word-keeps-waking", "the heir takes the lock and is still said to come",
          "atomic-lock-three", LOCK, "    return is_heir ? now & ~FW_WORD_LOCK_WAKING_ : now;\n",
          "    return is_heir ? now : now;\n"),
    Fault("word-leaves-waking", "the wake has found nobody, and there is an heir all the same",
          "atomic-lock", LOCK, "    if (wake_one(l) == 0)\n        take_back_waking(l);\n",
          "    if (wake_one(l) < 0)\n        take_back_waking(l);\n"),
    Fault("word-heir-sleeps", "the heir sleeps for good, and releases wait for it",
          "atomic-lock-three", LOCK, "FW_WORD_LOCK_NAP_NS_ /* I3 */",
          "FW_WORD_LOCK_SLEEP_NS_ /* I3 */"),
    Fault("word-takes-back-quietly", "takes WAKING back, and does not look who relied on it",
          "atomic-lock-three", LOCK, "    if (!fw_word_lock_is_held_(now) && has_sleepers(now))\n",
          "    if (!fw_word_lock_is_held_(now) && has_sleepers(now) && now == 0)\n"),
]

SEQUENCE = [
    Fault("sequence-even", "writes, and the sequence is not odd", "atomic-load", STRIPE,
          "    fw_store64_relaxed(&s->sequence, before + 1);\n", "    (void)before;\n"),
    Fault("sequence-late", "writes, then makes the sequence odd", "atomic-load", STRIPE,
          BEGIN + COPY_IN + END, COPY_IN + BEGIN + END),
    Fault("sequence-early", "makes the sequence even, then writes", "atomic-load", STRIPE,
          BEGIN + COPY_IN + END, BEGIN + END + COPY_IN),
    Fault("sequence-back", "the sequence goes back to what it was", "atomic-load", STRIPE,
          "    fw_store64_release(&s->sequence, before + 2);\n",
          "    fw_store64_release(&s->sequence, before);\n"),
    Fault("sequence-odd-for-good", "a write leaves the sequence odd", "atomic-load", STRIPE,
          "    fw_store64_release(&s->sequence, before + 2);\n",
          "    fw_store64_release(&s->sequence, before + 3);\n"),
    Fault("sequence-plain-release", "gives the lock back by a load and a store", "atomic-buffers",
          LOCK_H, "    uint32_t was = fw_add32_release(&l->word, FW_WORD_LOCK_HELD_);",
          "    uint32_t was = fw_load32_relaxed(&l->word);\n\n"
          "    fw_store32_release(&l->word, was - FW_WORD_LOCK_HELD_);"),
    Fault("object-looks-after", "looks at the object after the write", "atomic-free", STRIPE,
          BEGIN + COPY_IN + END,
          BEGIN + COPY_IN + END +
          "    if (!fw_copy_is_equal_(object, value, n))\n        s->lock.word = 0;\n"),
]

OPERATIONS = [
    Fault("load-looks-once", "does not look at the sequence again", "atomic-load", OBJECT,
          "    return fw_load64_relaxed(sequence) == before; /* O3 */\n", "    return true;\n"),
    Fault("load-looks-early", "looks at the sequence twice, then copies", "atomic-load", OBJECT,
          "    fw_copy_out_(out, object, n);\n    fw_fence_acquire();\n"
          "    return fw_load64_relaxed(sequence) == before; /* O3 */\n",
          "    if (fw_load64_relaxed(sequence) != before)\n        return false;\n"
          "    fw_copy_out_(out, object, n);\n    return true;\n"),
    Fault("load-odd", "reads while a write is under way", "atomic-load", OBJECT,
          "    if ((before & 1) != 0)\n        return false;\n    fw_copy_out_",
          "    fw_copy_out_"),
    Fault("load-unlocked", "is in a writer's way for long, and reads without the lock",
          "atomic-load", OBJECT,
          "    fw_guard_lock_(&guard);\n    fw_copy_out_(out, object, n);\n"
          "    fw_watch_acquire_(object, order);\n    fw_guard_unlock_(&guard);\n",
          "    fw_copy_out_(out, object, n);\n    fw_watch_acquire_(object, order);\n"),
    Fault("swap-in-two", "exchanges in two sections", "atomic-swap-long", OBJECT,
          "    fw_guard_swap_(&guard, object, value, out, n);\n",
          "    uint64_t old[4];\n\n    fw_copy_out_(old, object, n);\n"
          "    fw_guard_unlock_(&guard);\n    fw_guard_lock_(&guard);\n"
          "    fw_guard_write_(&guard, object, value, n);\n    memcpy(out, old, n);\n"),
    Fault("swap-loses-value", "the result overwrites the value first", "atomic-swap", COPY,
          "    fw_object_set_(object, i, fw_bytes_get_(value, i));\n"
          "    fw_bytes_set_(out, i, old);\n",
          "    fw_bytes_set_(out, i, old);\n"
          "    fw_object_set_(object, i, fw_bytes_get_(value, i));\n"),
    Fault("cas-unlocked", "relies on what was there before it had the lock", "atomic-cas-long",
          OBJECT,
          "(before & 1) != 0 || fw_load64_relaxed(fw_guard_sequence_(guard)) != before, 0))",
          "before == 1, 0))"),
    Fault("cas-torn", "fails, and hands out what it saw, whatever that was", "atomic-stale-three",
          OBJECT, "!copy_unlocked(guard, object, now, n) ||",
          "(!copy_unlocked(guard, object, now, n) && now[0] + 1 == 0) ||"),
]

FORKING = [
    Fault("fork-keeps-word", "a child has stripes that are held by nobody", "atomic-fork", FORK,
          "            fw_store32_relaxed(&s->lock.word, word);\n",
          "            fw_store32_relaxed(&s->lock.word, fw_load32_relaxed(&s->lock.word));\n"),
    Fault("fork-keeps-odd", "a child has sequences that are odd", "atomic-fork", FORK,
          "            fw_store64_relaxed(&s->sequence, sequence + 1);\n",
          "            fw_store64_relaxed(&s->sequence, sequence);\n"),
    Fault("fork-leaves-twice", "leaves although a fork has erased its registration",
          "atomic-fork-waiting", LOCK, "    if (has_sleepers(now)) /* else a fork",
          "    if (true) /* else a fork"),
    Fault("fork-frees-twice", "gives back what a fork has given back", "atomic-fork-signal", LOCK,
          "        fw_add32_relaxed(&l->word, FW_WORD_LOCK_HELD_);\n        return;\n",
          "        return;\n"),
]

FAMILY = Family("atomic", ["fork.c", "object.c", "copy.c", "word_lock.c"],
                ["atomic/copy.h", "atomic/fork.h", "atomic/object.h", "atomic/object_short.h",
                 "atomic/private/guard.h", "atomic/spin.h", "atomic/stripe.h",
                 "atomic/word_lock.h"],
                {"object.c": ["fw_object_store_", "fw_object_exchange_",
                              "fw_object_compare_exchange_"]},
                LOCKING + SEQUENCE + OPERATIONS + FORKING, "atomic")
