/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "calibrate.h"

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

static void row(FILE *out, const char *symbol, const char *text, struct spread s, int digits,
                const char *unit)
{
    if (isnan(s.median))
        fprintf(out, "%-7s %-44s %9s\n", symbol, text, "-");
    else
        fprintf(out, "%-7s %-44s %9.*f [%.*f, %.*f]%s%s\n", symbol, text, digits, s.median, digits,
                s.low, digits, s.high, unit[0] != '\0' ? " " : "", unit);
}

static void quantity(FILE *out, const struct calibration *c, enum quantity q)
{
    row(out, names[q].symbol, names[q].text, c->ns[q], c->ns[q].median < 100 ? 1 : 0, "ns");
}

static void print_advice(const struct calibration *c, FILE *out)
{
    if (!c->spins) {
        fprintf(out, "\nDo not spin here: %s (Remark 3.1).\n",
                c->cpus == 1 ? "there is one CPU, and who spins keeps the holder from it"
                             : "P-hat is close to one, so who spins keeps the others from working");
        return;
    }
    fprintf(out, "\nSpin for at most %.0f ns, which is %.0f pauses, and then sleep.\n",
            c->budget.median, c->budget_looks * c->pauses);
    fprintf(out, "What is built in, %u look%s of %u pauses, is %s that budget.\n",
            c->built_in_looks, c->built_in_looks == 1 ? "" : "s", c->pauses, c->built_in_is);
}

void calibrate_print(const struct calibration *c, FILE *out)
{
    char built_in[64], budget[64];

    fprintf(out, "%s%s, %s\nCPUs %s, P = %u; %u rounds in %.1f s\n\n", c->machine.cpu,
            c->machine.virtual_ ? " (virtual)" : "", c->machine.kernel, c->cpu_list, c->cpus, c->n,
            c->seconds);
    fprintf(out, "%-7s %-44s %9s [95 %% interval]\n", "", "", "median");
    quantity(out, c, FAILED_WAIT);
    quantity(out, c, SLEEP_SWITCH);
    row(out, "t_fail", "the larger of these two", c->t_fail, 0, "ns");
    quantity(out, c, LOOK_ALONE);
    quantity(out, c, LOOK_PARALLEL);
    row(out, "E", "t_mono / t_para: the former over the latter", c->efficiency, 2, "");
    row(out, "P-hat", "P * E", c->parallelism, 2, "");
    snprintf(budget, sizeof budget, "0.9 * E * t_fail: %.0f pauses", c->budget_looks * c->pauses);
    row(out, "t_mono", budget, c->budget, 0, "ns");
    snprintf(built_in, sizeof built_in, "built in: %u pauses", c->built_in_looks * c->pauses);
    row(out, "", built_in, c->built_in, 0, "ns");
    fputs("\nBeside it:\n", out);
    quantity(out, c, LOOK_DISTURBED);
    quantity(out, c, WAKE_ELSEWHERE);
    print_advice(c, out);
}

static json_t *real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *spread_json(struct spread s)
{
    return json_pack("{s:o s:[o,o]}", "median", real_or_null(s.median), "ci95", real_or_null(s.low),
                     real_or_null(s.high));
}

static json_t *machine_json(const struct machine *m)
{
    return json_pack("{s:s s:i s:s s:s s:s s:b s:s}", "cpu", m->cpu, "cpus", (int)m->cpus, "kernel",
                     m->kernel, "libc", m->libc, "compiler", m->compiler, "virtual", m->virtual_,
                     "date", m->date);
}

static json_t *rounds_json(const struct calibration *c)
{
    json_t *rounds = json_array();

    for (unsigned i = 0; i < c->n; i++) {
        json_t *round = json_object();
        for (int q = 0; q < QUANTITIES; q++)
            json_object_set_new(round, names[q].key, real_or_null(c->rounds[i].ns[q]));
        json_array_append_new(rounds, round);
    }
    return rounds;
}

static json_t *budget_json(const struct calibration *c)
{
    return json_pack("{s:b s:f s:o s:f s:f}", "spin", c->spins, "factor", CALIBRATE_FACTOR, "ns",
                     spread_json(c->budget), "looks", c->budget_looks, "pauses",
                     c->budget_looks * c->pauses);
}

static json_t *built_in_json(const struct calibration *c)
{
    return json_pack("{s:i s:i s:o s:s}", "looks", (int)c->built_in_looks, "pauses", (int)c->pauses,
                     "ns", spread_json(c->built_in), "is", c->built_in_is);
}

json_t *calibrate_json(const struct calibration *c)
{
    json_t *ns = json_object();

    for (int q = 0; q < QUANTITIES; q++)
        json_object_set_new(ns, names[q].key, spread_json(c->ns[q]));
    json_object_set_new(ns, "t_fail", spread_json(c->t_fail));
    return json_pack("{s:s s:o s:s s:i s:i s:f s:o s:o s:o s:o s:o s:o}", "format",
                     "furwock-calibrate-1", "machine", machine_json(&c->machine), "cpu_list",
                     c->cpu_list, "p", (int)c->cpus, "n_rounds", (int)c->n, "seconds", c->seconds,
                     "ns", ns, "efficiency", spread_json(c->efficiency), "p_hat",
                     spread_json(c->parallelism), "budget", budget_json(c), "built_in",
                     built_in_json(c), "rounds", rounds_json(c));
}
