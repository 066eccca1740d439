/* SPDX-License-Identifier: MIT */
#include "namespace.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processes.h"

static void demand(bool is_so, const char *what)
{
    char why[120];

    if (is_so)
        return;
    snprintf(why, sizeof why, "%s: %s", what, strerror(errno));
    skip(why);
}

void namespace_enter(void)
{
    if (geteuid() != 0)
        skip("the assist is started by root");
    demand(unshare(CLONE_NEWNS) == 0, "unshare");
    demand(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount");
    demand(mount("tmpfs", "/run", "tmpfs", 0, "mode=0755") == 0, "a tmpfs on /run");
    /* Mount namespaces that are made in this one see what is mounted in /run later. */
    demand(mount(NULL, "/run", NULL, MS_SHARED, NULL) == 0, "mount");
}

int namespace_open_page(void)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.pathname = (uintptr_t)FW_ASSIST_PIN;
    return (int)syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof attr);
}

const struct fw_assist_page *namespace_map_page(void)
{
    int fd = namespace_open_page();
    void *page;

    if (fd < 0)
        return NULL;
    page = mmap(NULL, sizeof(struct fw_assist_page), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return page == MAP_FAILED ? NULL : page;
}
