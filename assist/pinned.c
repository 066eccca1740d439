/* SPDX-License-Identifier: MIT */
#include "assist/pinned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assist/page.h"
#include "assist/place.h"

const struct fw_assist_page *fw_assist_map(const char *path, size_t length)
{
    struct bpf_map_info info = {.id = 0};
    uint32_t size = sizeof info;
    int fd = bpf_obj_get(path);
    struct fw_assist_page *page = MAP_FAILED;

    if (fd < 0)
        return NULL;
    errno = ESTALE;
    if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0 && info.type == BPF_MAP_TYPE_ARRAY &&
        info.value_size >= length)
        page = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        return NULL;
    if (page->magic == FW_ASSIST_MAGIC)
        return page;
    munmap(page, length);
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
    struct fw_assist_path path = fw_assist_path(fs, "page");

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
