/* SPDX-License-Identifier: MIT */
/* From the rounds to the budget: section 3.2 of the paper, round by round. */
#include <math.h>
#include <stdlib.h>

#include "atomic/inspect.h"
#include "calibrate.h"
#include "command/command.h"
#include "measure/stats.h"

/*
 * The built-in number of looks is above the budget, or far below it, where the intervals leave no
 * doubt.  Far below: it uses less than half.
 */
#define FAR_BELOW 0.5

/* One number of each round, and 1 to compare it with. */
struct series {
    double *x, *ones;
};

static struct spread spread_of(const struct calibration *c, struct series s,
                               double (*value)(const struct calibration *, const struct round *))
{
    for (unsigned i = 0; i < c->n; i++) {
        s.x[i] = value(c, &c->rounds[i]);
        s.ones[i] = 1;
    }
    if (isnan(s.x[0]))
        return (struct spread){NAN, NAN, NAN};
    struct stats_ratio r = stats_median_ratio(s.x, s.ones, c->n);
    return (struct spread){r.ratio, r.low, r.high};
}

static double t_fail(const struct calibration *c, const struct round *r)
{
    (void)c;
    return fmax(r->ns[FAILED_WAIT], r->ns[SLEEP_SWITCH]);
}

static double efficiency(const struct calibration *c, const struct round *r)
{
    if (c->cpus == 1)
        return 1;
    return r->ns[LOOK_ALONE] / r->ns[LOOK_PARALLEL];
}

static double parallelism(const struct calibration *c, const struct round *r)
{
    return c->cpus * efficiency(c, r);
}

static double budget(const struct calibration *c, const struct round *r)
{
    return CALIBRATE_FACTOR * efficiency(c, r) * t_fail(c, r);
}

static double built_in(const struct calibration *c, const struct round *r)
{
    (void)c;
    return FW_WORD_LOCK_LOOKS_ * r->ns[LOOK_ALONE];
}

#define QUANTITY(name, q)                                                  \
    static double name(const struct calibration *c, const struct round *r) \
    {                                                                      \
        (void)c;                                                           \
        return r->ns[q];                                                   \
    }

QUANTITY(failed_wait, FAILED_WAIT)
QUANTITY(sleep_switch, SLEEP_SWITCH)
QUANTITY(look_alone, LOOK_ALONE)
QUANTITY(look_parallel, LOOK_PARALLEL)
QUANTITY(look_disturbed, LOOK_DISTURBED)
QUANTITY(wake_elsewhere, WAKE_ELSEWHERE)

static double (*const quantities[QUANTITIES])(const struct calibration *, const struct round *) = {
    [FAILED_WAIT] = failed_wait,       [SLEEP_SWITCH] = sleep_switch,
    [LOOK_ALONE] = look_alone,         [LOOK_PARALLEL] = look_parallel,
    [LOOK_DISTURBED] = look_disturbed, [WAKE_ELSEWHERE] = wake_elsewhere,
};

static void decide(struct calibration *c)
{
    c->spins = c->parallelism.median >= CALIBRATE_PARALLELISM_LEAST;
    if (!c->spins)
        c->budget = (struct spread){0, 0, 0};
    c->budget_looks = c->budget.median / c->ns[LOOK_ALONE].median;
    c->pauses = FW_WORD_LOCK_PAUSES_;
    c->built_in_looks = FW_WORD_LOCK_LOOKS_;
    if (c->built_in.low > c->budget.high)
        c->built_in_is = "above";
    else
        c->built_in_is = c->built_in.high < FAR_BELOW * c->budget.low ? "far below" : "within";
}

void calibrate_conclude(struct calibration *c)
{
    struct series s = {malloc(c->n * sizeof *s.x), malloc(c->n * sizeof *s.ones)};

    if (s.x == NULL || s.ones == NULL)
        command_die(COMMAND_FAILED, "no memory");
    for (int q = 0; q < QUANTITIES; q++)
        c->ns[q] = spread_of(c, s, quantities[q]);
    c->t_fail = spread_of(c, s, t_fail);
    c->efficiency = spread_of(c, s, efficiency);
    c->parallelism = spread_of(c, s, parallelism);
    c->budget = spread_of(c, s, budget);
    c->built_in = spread_of(c, s, built_in);
    free(s.x);
    free(s.ones);
    decide(c);
}
