/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "calibrate.h"
#include "command/print/machine.h"

/* How a quantity is called in the table and in the file. */
static const struct {
    const char *symbol, *text, *key;
} names[QUANTITIES] = {
    [FAILED_WAIT] = {"", "futex wait that fails (EAGAIN)", "failed_wait"},
    [SLEEP_SWITCH] = {"", "one thread goes to sleep, another starts", "sleep_switch"},
    [LOOK_ALONE] = {"t_look", "one look, after its pauses, alone", "look_alone"},
    [LOOK_PARALLEL] = {"", "one look, while all CPUs spin", "look_parallel"},
    [LOOK_DISTURBED] = {"", "one look, while one CPU uses the lock", "look_disturbed"},
    [WAKE_ELSEWHERE] = {"", "a sleeper on another CPU is woken and runs", "wake_elsewhere"},
};

/* --- A quantity: a row of the table, or a member ---------------------------------------------- */

struct row {
    const char *key, *symbol, *text;
    struct spread spread;
    int digits;
    const char *unit;
};

static void add_spread(const struct printer *p, const char *key, struct spread s)
{
    print_member(p, key,
                 json_pack("{s:o s:[o,o]}", "median", print_real_json(s.median), "ci95",
                           print_real_json(s.low), print_real_json(s.high)));
}

static void print_row(const struct printer *p, struct row row)
{
    struct spread s = row.spread;

    if (row.key != NULL)
        add_spread(p, row.key, s);
    if (isnan(s.median))
        print_words(p, "%-7s %-44s %9s\n", row.symbol, row.text, "-");
    else
        print_words(p, "%-7s %-44s %9.*f [%.*f, %.*f]%s%s\n", row.symbol, row.text, row.digits,
                    s.median, row.digits, s.low, row.digits, s.high, row.unit[0] != '\0' ? " " : "",
                    row.unit);
}

static void print_quantity(const struct printer *p, const struct calibration *c, enum quantity q)
{
    print_row(p, (struct row){names[q].key, names[q].symbol, names[q].text, c->ns[q],
                              c->ns[q].median < 100 ? 1 : 0, "ns"});
}

/* --- What follows ----------------------------------------------------------------------------- */

static void print_advice(const struct printer *p, const struct calibration *c)
{
    if (!c->spins) {
        print_words(p, "\nDo not spin here: %s (Remark 3.1).\n",
                    c->cpus == 1
                        ? "there is one CPU, and a spinning thread keeps the holder from it"
                        : "P-hat is close to one, so a spinning thread keeps the others from "
                          "working");
        return;
    }
    print_words(p, "\nSpin for at most %.0f ns, which is %.0f pauses, and then sleep.\n",
                c->budget.median, c->budget_looks * c->pauses);
    print_words(p, "What is built in, %u look%s of %u pauses, is %s that budget.\n",
                c->built_in_looks, print_plural(c->built_in_looks), c->pauses, c->built_in_is);
}

static void print_budget(const struct printer *p, const struct calibration *c)
{
    struct printer budget = print_object(p, "budget"), built_in = print_object(p, "built_in");
    char text[64];

    print_member(&budget, "spin", json_boolean(c->spins));
    print_member(&budget, "factor", json_real(CALIBRATE_FACTOR));
    print_member(&budget, "looks", json_real(c->budget_looks));
    print_member(&budget, "pauses", json_real(c->budget_looks * c->pauses));
    snprintf(text, sizeof text, "0.9 * E * t_fail: %.0f pauses", c->budget_looks * c->pauses);
    print_row(&budget, (struct row){"ns", "t_mono", text, c->budget, 0, "ns"});
    print_member(&built_in, "looks", json_integer(c->built_in_looks));
    print_member(&built_in, "pauses", json_integer(c->pauses));
    print_member(&built_in, "is", json_string(c->built_in_is));
    snprintf(text, sizeof text, "built in: %u pauses", c->built_in_looks * c->pauses);
    print_row(&built_in, (struct row){"ns", "", text, c->built_in, 0, "ns"});
}

/* --- All of it -------------------------------------------------------------------------------- */

static json_t *rounds_json(const struct calibration *c)
{
    json_t *rounds = json_array();

    for (unsigned i = 0; i < c->n; i++) {
        json_t *round = json_object();
        for (int q = 0; q < QUANTITIES; q++)
            json_object_set_new(round, names[q].key, print_real_json(c->rounds[i].ns[q]));
        json_array_append_new(rounds, round);
    }
    return rounds;
}

static void print_head(const struct printer *p, const struct calibration *c)
{
    print_words(p, "%s%s, %s\nCPUs %s, P = %u; %u rounds in %.1f s\n\n", c->machine.cpu,
                c->machine.virtual_ ? " (virtual)" : "", c->machine.kernel, c->cpu_list, c->cpus,
                c->n, c->seconds);
    print_words(p, "%-7s %-44s %9s [95 %% interval]\n", "", "", "median");
    print_machine(p, &c->machine);
    print_member(p, "cpu_list", json_string(c->cpu_list));
    print_member(p, "p", json_integer(c->cpus));
    print_member(p, "n_rounds", json_integer(c->n));
    print_member(p, "seconds", json_real(c->seconds));
    if (p->json != NULL)
        print_member(p, "rounds", rounds_json(c));
}

void calibrate_print(const struct printer *p, const struct calibration *c)
{
    struct printer ns;

    print_head(p, c);
    ns = print_object(p, "ns");
    print_quantity(&ns, c, FAILED_WAIT);
    print_quantity(&ns, c, SLEEP_SWITCH);
    print_row(&ns, (struct row){"t_fail", "t_fail", "the larger of these two", c->t_fail, 0, "ns"});
    print_quantity(&ns, c, LOOK_ALONE);
    print_quantity(&ns, c, LOOK_PARALLEL);
    print_row(p, (struct row){"efficiency", "E", "t_mono / t_para: the former over the latter",
                              c->efficiency, 2, ""});
    print_row(p, (struct row){"p_hat", "P-hat", "P * E", c->parallelism, 2, ""});
    print_budget(p, c);
    print_words(p, "\nBeside it:\n");
    print_quantity(&ns, c, LOOK_DISTURBED);
    print_quantity(&ns, c, WAKE_ELSEWHERE);
    print_advice(p, c);
}
