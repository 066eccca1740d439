/* SPDX-License-Identifier: MIT */
#include "machine.h"

static const struct print_field fields[] = {
    {PRINT_FIELD("cpu", NULL, PRINT_ARRAY, machine, cpu)},
    {PRINT_FIELD("cpus", NULL, PRINT_UNSIGNED, machine, cpus)},
    {PRINT_FIELD("kernel", NULL, PRINT_ARRAY, machine, kernel)},
    {PRINT_FIELD("libc", NULL, PRINT_ARRAY, machine, libc)},
    {PRINT_FIELD("compiler", NULL, PRINT_ARRAY, machine, compiler)},
    {PRINT_FIELD("virtual", NULL, PRINT_BOOL, machine, virtual_)},
    {PRINT_FIELD("date", NULL, PRINT_ARRAY, machine, date)},
};
static const struct print_record record = PRINT_RECORD(fields, NULL);

void print_machine(const struct printer *p, const struct machine *m)
{
    struct printer machine = print_object(p, "machine");

    if (machine.json != NULL)
        print_record(&machine, &record, m, NULL);
}
