/* SPDX-License-Identifier: MIT */
#include <furwock/note.h>

#include <stdbool.h>
#include <stdlib.h>

bool next_item(fw_note *stop);

#include "note_example.h"

/* An item that is there, and a request to stop. */
int main(void)
{
    fw_note stop;

    if (fw_note_init(&stop, NULL, NULL) != 0)
        return EXIT_FAILURE;
    fw_sem_post(&items);
    if (!next_item(&stop))
        return EXIT_FAILURE;
    fw_note_notify(&stop);
    return next_item(&stop) ? EXIT_FAILURE : EXIT_SUCCESS;
}
