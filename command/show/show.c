/* SPDX-License-Identifier: MIT */
#include "show.h"

#include <argp.h>

#include "command/command.h"

static const struct argp command_line = {
    .options = command_target_options,
    .parser = command_parse_target,
    .args_doc = "REGION",
    .doc =
        "Show who holds and who waits for what in a region of shared memory.\v"
        "REGION is /name, as for shm_open, or a file with another / in its path.  It may be in "
        "use; read permission is enough, and nothing is changed.  Shown are the named objects: "
        "free or held, by which process and thread, alive, stopped or dead; the number of the "
        "acquisition; which threads wait, and for how long; and the participants: the threads that "
        "use the region.  How long a lock has been held is known in regions created with "
        "FW_REGION_STAMP.\n\n"
        "Values that contradict each other were read at different moments: run it again.",
};

static int run(int argc, char **argv)
{
    struct command_target o = {.kind = "region"};
    struct show s = {0};

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    if (o.name == NULL)
        command_die(COMMAND_USAGE, "a region is missing; furwock regions lists them");
    if (region_look(o.name, &s.region, &s.trouble) != 0 || !s.region.is_whole)
        command_die(COMMAND_FAILED, "%s: %s", o.name, s.trouble);
    show_read(&s);
    if (region_trouble(&s.region) != NULL)
        command_die(COMMAND_FAILED, "%s: %s", o.name, region_trouble(&s.region));
    show_print(&s, o.as_json);
    show_free(&s);
    return EXIT_SUCCESS;
}

const struct command command_show = {
    .name = "show",
    .about = "who holds and who waits for what in a region",
    .run = run,
};
