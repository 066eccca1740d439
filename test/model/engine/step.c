/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "../posted.h"
#include "step.h"

bool step_check_state(const struct model_choice *list, unsigned n)
{
    unsigned asleep = (unsigned)model_shared.asleep - posted_count();
    void (*done)(void) = NULL;

    for (unsigned i = 0; i < n; i++)
        if (!perform_is_whim(list[i]))
            return false;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_threads[i].status == THREAD_STOPPED)
            model_fail("deadlock", "thread %llu waits for a bucket that is not left any more", i,
                       0);
    if (asleep != 0 && !model_program->leaves_asleep)
        model_fail("lost wake-up", "%llu thread(s) sleep, and nothing is left that would wake them",
                   asleep, 0);
    if ((n == 0 && asleep == 0) || (asleep != 0 && model_program->leaves_asleep))
        done = model_program->hooks->finished;
    if (done != NULL)
        done();
    return n == 0;
}

/* Does the thread do it, rather than the machine? */
static bool is_of_thread(struct model_choice choice)
{
    return choice.what != CHOICE_FLUSH && choice.what != CHOICE_KILL &&
           choice.what != CHOICE_MARK && choice.what != CHOICE_TURN &&
           choice.what != CHOICE_COMES && choice.what != CHOICE_GOES;
}

/* Would this choice preempt a thread that could go on? */
static bool preempts(struct model_choice choice, const struct model_choice *list, unsigned n)
{
    if (choice.what == CHOICE_GOES)
        return true;
    if (!is_of_thread(choice) || model_shared.last == 0 || choice.thread == model_shared.last - 1)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (list[i].thread == model_shared.last - 1 && is_of_thread(list[i]) &&
            !perform_is_whim(list[i]))
            return true;
    return false;
}

bool step(struct model_choice choice, const struct model_choice *list, unsigned n,
          uint32_t preemptions)
{
    if (preemptions != STEP_UNBOUNDED) {
        bool is_one = preempts(choice, list, n);
        if (model_shared.preemptions + is_one > preemptions)
            return false;
        model_shared.preemptions += is_one;
        if (is_of_thread(choice))
            model_shared.last = choice.thread + 1u;
    }
    perform(choice);
    return true;
}
