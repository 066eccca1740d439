# SPDX-License-Identifier: MIT
"""Faults in the generic atomics: the lock, the sequence, the operations, the child of a fork."""
from edits import after, argument, at, call, condition, drop, instead, operand, swap, value, word

from .kinds import Family, Fault

LOCK_H = "atomic/word_lock.h"
LOCK = "atomic/word_lock.c"
STRIPE = "atomic/stripe.h"
OBJECT = "atomic/object.c"
COPY = "atomic/copy.h"
FORK = "atomic/fork.c"


LOCKING = [
    Fault("word-torn", "takes the lock by a load and a store", "atomic-lock", LOCK,
          instead("{ fw_store32_relaxed(&l->word, now | FW_WORD_LOCK_HELD_); return; }")),
    Fault("word-unregistered", "sleeps and is not registered", "atomic-lock", LOCK,
          value("fw_load32_relaxed(&l->word)")),
    Fault("word-still-registered", "takes the lock and stays registered", "atomic-lock", LOCK,
          value("0")),
    Fault("word-sleeps-anyway", "sleeps with whatever is in the word", "atomic-lock", LOCK,
          argument(2, "fw_load32_relaxed(&l->word) + 0 * $")),
    Fault("word-no-look", "a release does not look whether somebody sleeps", "atomic-lock", LOCK_H,
          condition("false")),
    Fault("word-no-wake", "names a receiver and does not wake it", "atomic-lock", LOCK,
          value("(int)(l->word & 0) + 1")),
    Fault("word-keeps-waking", "the receiver takes the lock and is still said to come",
          "atomic-lock-three", LOCK, operand(2, "now")),
    Fault("word-leaves-waking", "the wake has found nobody, and there is a receiver all the same",
          "atomic-lock", LOCK, condition(word(5, "<"))),
    Fault("word-successor-sleeps", "the receiver sleeps for good, and releases wait for it",
          "atomic-lock-three", LOCK, argument(3, operand(2, "(uint64_t)FW_RECHECK_ATOMIC_NS"))),
    Fault("word-takes-back-quietly", "takes WAKING back, and does not look who relied on it",
          "atomic-lock-three", LOCK, condition("$ && now == 0")),
]

SEQUENCE = [
    Fault("sequence-even", "writes, and the sequence is not odd", "atomic-load", STRIPE,
          call(1, "(void)before")),
    Fault("sequence-late", "writes, then makes the sequence odd", "atomic-load", STRIPE, swap()),
    Fault("sequence-early", "makes the sequence even, then writes", "atomic-load", STRIPE, swap()),
    Fault("sequence-back", "the sequence goes back to what it was", "atomic-load", STRIPE,
          argument(2, "before")),
    Fault("sequence-odd-for-good", "a write leaves the sequence odd", "atomic-load", STRIPE,
          at("sequence-back", argument(2, operand(2, "3")))),
    Fault("sequence-plain-release", "gives the lock back by a load and a store", "atomic-buffers",
          LOCK_H,
          instead("uint32_t was = fw_load32_relaxed(&l->word); fw_store32_release(&l->word, was - "
              "FW_WORD_LOCK_HELD_);")),
    Fault("object-looks-after", "looks at the object after the write", "atomic-free", STRIPE,
          after("if (!fw_copy_is_equal_(object, value, n)) s->lock.word = 0;")),
]

OPERATIONS = [
    Fault("load-looks-once", "does not look at the sequence again", "atomic-load", OBJECT,
          value("true")),
    Fault("load-looks-early", "looks at the sequence twice, then copies", "atomic-load", OBJECT,
          instead("$1 if (fw_load64_relaxed(sequence) != before) $1 $2 return true;", 4)),
    Fault("load-odd", "reads while a write is under way", "atomic-load", OBJECT, drop()),
    Fault("load-unlocked", "is in a writer's way for long, and reads without the lock",
          "atomic-load", OBJECT, instead("$2 $3", 4)),
    Fault("swap-in-two", "exchanges in two sections", "atomic-swap-long", OBJECT,
          instead("$1 $2 $3 uint64_t old[4]; fw_copy_out_(old, object, n); "
              "fw_guard_unlock_(&guard); $1 fw_guard_write_(&guard, object, value, n); "
              "memcpy(out, old, n);", 4)),
    Fault("swap-loses-value", "the result overwrites the value first", "atomic-swap", COPY, swap()),
    Fault("cas-unlocked", "relies on what was there before it had the lock", "atomic-cas-long",
          OBJECT, argument(1, "before == 1")),
    Fault("cas-torn", "fails, and hands out what it saw, whatever that was", "atomic-stale-three",
          OBJECT, condition(operand(2, "($ && now[0] + 1 == 0)"))),
]

FORKING = [
    Fault("fork-keeps-word", "a child has stripes that are held by nobody", "atomic-fork", FORK,
          argument(2, "fw_load32_relaxed(&s->lock.word)")),
    Fault("fork-keeps-odd", "a child has sequences that are odd", "atomic-fork", FORK,
          argument(2, "sequence")),
    Fault("fork-leaves-twice", "leaves although a fork has erased its registration",
          "atomic-fork-waiting", LOCK, condition("true")),
    Fault("fork-frees-twice", "gives back what a fork has given back", "atomic-fork-signal", LOCK,
          drop()),
]

FAMILY = Family("atomic", ["fork.c", "object.c", "copy.c", "word_lock.c"],
                ["atomic/copy.h", "atomic/fork.h", "atomic/object.h", "atomic/object_short.h",
                 "atomic/private/guard.h", "atomic/spin.h", "atomic/stripe.h",
                 "atomic/word_lock.h"],
                {"object.c": ["fw_object_store_", "fw_object_exchange_",
                              "fw_object_compare_exchange_"]},
                LOCKING + SEQUENCE + OPERATIONS + FORKING, "atomic")
