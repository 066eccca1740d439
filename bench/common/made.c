/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "measure/workers.h"

static double load_at_start = -1;

/* Before anything is measured, which would be seen in it. */
__attribute__((constructor)) static void read_load(void)
{
    if (getloadavg(&load_at_start, 1) != 1)
        load_at_start = -1;
}

/* The first line of a file, or null. */
static json_t *line_of(const char *path)
{
    char line[64] = "";
    FILE *f = fopen(path, "re");

    if (f == NULL)
        return json_null();
    if (fgets(line, sizeof line, f) == NULL)
        line[0] = '\0';
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0' ? json_string(line) : json_null();
}

/* What was built: made.cmake writes it, into the directory beside this program's. */
static json_t *built(void)
{
    static const char beside[] = "../common/made.json";
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof beside);
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;

    if (slash == NULL)
        return json_object();
    strcpy(slash + 1, beside);
    json_t *found = json_load_file(path, 0, NULL);
    return found != NULL ? found : json_object();
}

/* The words of the command line, the program without its directory. */
static json_t *command_line(void)
{
    json_t *words = json_array();
    FILE *f = fopen("/proc/self/cmdline", "re");
    char *word = NULL;
    size_t size = 0;

    while (f != NULL && getdelim(&word, &size, '\0', f) > 0) {
        char *slash = json_array_size(words) == 0 ? strrchr(word, '/') : NULL;
        json_array_append_new(words, json_string(slash != NULL ? slash + 1 : word));
    }
    free(word);
    if (f != NULL)
        fclose(f);
    return words;
}

json_t *bench_made_json(void)
{
    json_t *made = built();
    json_t *smt = line_of("/sys/devices/system/cpu/smt/active");

    json_object_set_new(made, "governor",
                        line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    json_object_set_new(made, "smt",
                        json_is_string(smt) ? json_boolean(json_string_value(smt)[0] == '1')
                                            : json_null());
    json_decref(smt);
    json_object_set_new(made, "load", load_at_start >= 0 ? json_real(load_at_start) : json_null());
    json_object_set_new(made, "pinned", json_boolean(workers_pinned()));
    json_object_set_new(made, "command", command_line());
    return made;
}
