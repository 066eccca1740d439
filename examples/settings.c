/* SPDX-License-Identifier: MIT */
/*
 * Settings in shared memory: many processes read them all the time, one changes them now and then.
 * A read-write lock whose readers may be killed (their lock is released) and whose writers may be
 * killed (what they had begun is undone): a reader never sees half a setting.
 *
 *     $ cc -o settings settings.c $(pkg-config --cflags --libs furwock)
 *     $ ./settings /settings-demo set colour green
 *     $ ./settings /settings-demo set shape round
 *     $ ./settings /settings-demo set colour blue
 *     $ ./settings /settings-demo get colour
 *     blue
 *     $ ./settings /settings-demo get
 *     colour=blue
 *     shape=round
 *     $ rm /dev/shm/settings-demo
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc.h>

enum { SETTINGS = 64 };

struct setting {
    char name[24], value[40];
};

static fw_ipc_rwlock *lock;
static fw_ipc_journal *journal;
static struct setting *settings;

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "settings: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

/* The first process makes it; those that come later find it, whoever was killed in between. */
static void open_settings(const char *name)
{
    const unsigned create = FW_REGION_CREATE;
    fw_region *region;
    void *object;

    must(fw_region_open(name, 1 << 18, create | 0600, &region), name);
    must(fw_region_rwlock_with_journal(region, "lock", 256, create, &lock, &journal), "lock");
    must(fw_region_object(region, "settings", FW_REGION_DATA, SETTINGS * sizeof *settings, create,
                          &object),
         "settings");
    settings = object;
}

static struct setting *find(const char *name)
{
    struct setting *s = settings;

    while (s < settings + SETTINGS && s->name[0] != '\0' && strcmp(s->name, name) != 0)
        s++;
    return s < settings + SETTINGS ? s : NULL;
}

static int set(const char *name, const char *value)
{
    struct setting *s;

    if (strlen(name) >= sizeof s->name || strlen(value) >= sizeof s->value || name[0] == '\0')
        return EINVAL;
    must(fw_ipc_rwlock_wrlock(lock), "lock");
    s = find(name);
    if (s != NULL) {
        must(fw_ipc_journal_record(journal, s, sizeof *s), "journal");
        strcpy(s->value, value);
        strcpy(s->name, name);
    }
    must(fw_ipc_rwlock_wrunlock(lock), "unlock");
    return s != NULL ? 0 : ENOSPC;
}

static int get(const char *name)
{
    struct setting copy = {0};
    const struct setting *s;

    must(fw_ipc_rwlock_rdlock(lock), "lock");
    s = find(name);
    if (s != NULL)
        copy = *s; /* printing may block: not under the lock */
    must(fw_ipc_rwlock_rdunlock(lock), "unlock");
    if (copy.name[0] == '\0')
        return ENOENT;
    puts(copy.value);
    return 0;
}

static int get_all(void)
{
    struct setting copy[SETTINGS];

    must(fw_ipc_rwlock_rdlock(lock), "lock");
    memcpy(copy, settings, sizeof copy);
    must(fw_ipc_rwlock_rdunlock(lock), "unlock");
    for (int i = 0; i < SETTINGS && copy[i].name[0] != '\0'; i++)
        printf("%s=%s\n", copy[i].name, copy[i].value);
    return 0;
}

int main(int argc, char **argv)
{
    int is_set = argc == 5 && strcmp(argv[2], "set") == 0;

    if (!is_set && (argc < 3 || argc > 4 || strcmp(argv[2], "get") != 0)) {
        fprintf(stderr, "usage: settings /NAME set KEY VALUE | get [KEY]\n");
        return 2;
    }
    open_settings(argv[1]);
    if (is_set)
        must(set(argv[3], argv[4]), argv[3]);
    else
        must(argc == 4 ? get(argv[3]) : get_all(), argc == 4 ? argv[3] : "settings");
    return EXIT_SUCCESS;
}
