/* SPDX-License-Identifier: MIT */
#include "bpf/running/pinned.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/lib/object.h"
#include "bpf/lib/pins.h"
#include "sys/running_page.h"

const struct fw_assist_page *fw_assist_map(const char *path, size_t length)
{
    const struct fw_assist_page *page = fw_bpf_map_array(path, length);

    if (page == NULL || page->magic == FW_ASSIST_MAGIC)
        return page;
    munmap((void *)page, length);
    errno = ESTALE;
    return NULL;
}

/* Without one of its links nobody keeps the page. */
bool fw_assist_has_links(int fs, bool all_join)
{
    return faccessat(fs, "switch", F_OK, 0) == 0 && faccessat(fs, "exit", F_OK, 0) == 0 &&
           (all_join ||
            (faccessat(fs, "join", F_OK, 0) == 0 && faccessat(fs, "exec", F_OK, 0) == 0));
}

bool fw_assist_is_pin(const char *name)
{
    static const char *const pins[] = {"page", "switch", "exit", "exec", "join", "stop"};

    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++)
        if (strcmp(name, pins[i]) == 0)
            return true;
    return false;
}

fw_assist_state fw_assist_state_of(int fs, uint32_t *version)
{
    struct fw_bpf_pin_path path = fw_bpf_pin_path(fs, "page");

    if (faccessat(fs, "page", F_OK, 0) < 0)
        return FW_ASSIST_DEAD;

    const struct fw_assist_page *page = fw_assist_map(path.text, FW_ASSIST_HEAD);
    if (page == NULL)
        return FW_ASSIST_FOREIGN;
    *version = page->version;
    fw_assist_state state =
        page->stopped == 0 && fw_assist_has_links(fs, page->registration == FW_ASSIST_ALL)
            ? FW_ASSIST_LIVE
            : FW_ASSIST_DEAD;
    munmap((void *)page, FW_ASSIST_HEAD);
    return state;
}
