/* SPDX-License-Identifier: MIT */
#ifndef FW_ASSIST_PLACE_H
#define FW_ASSIST_PLACE_H

#include "assist/loader.h"

/*
 * Where the pins are: a file system of their own, in a directory that only root can change.  What
 * is pinned while it is built is seen by nobody until it is complete.
 */
struct fw_assist_place {
    const char *name;                /* of the mount, below that directory */
    bool (*is_pin)(const char *pin); /* does a pin of ours have this name? */
    const char *main_pin;            /* while it is there, something is */
    int parent;                      /* the directory above the mount; locked */
};

/*
 * Opens and locks the place, of which all except `parent` is given; makes it first where `make`.
 * FW_ASSIST_NOTHING_TO_DO: there is none, and nothing is open.
 */
fw_assist_result fw_assist_place_open(struct fw_assist_place *place, bool make, char *text,
                                      size_t size);

/* Unlocks it.  Takes its directories away where nothing is in them. */
void fw_assist_place_close(struct fw_assist_place *place);

/*
 * *fs: what is mounted there, or -1 where nothing is.  FW_ASSIST_IN_THE_WAY: something that is not
 * ours.
 */
fw_assist_result fw_assist_place_mounted(const struct fw_assist_place *place, int *fs, char *text,
                                         size_t size);

/* A new file system, mounted nowhere; and puts it in its place. */
fw_assist_result fw_assist_place_new(int *fs, char *text, size_t size);
fw_assist_result fw_assist_place_put(const struct fw_assist_place *place, int fs, char *text,
                                     size_t size);

/*
 * Unlinks all pins, since other mount namespaces may have a copy of the mount; then unmounts it.
 */
fw_assist_result fw_assist_place_clear(const struct fw_assist_place *place, int fs, char *text,
                                       size_t size);

/* The path of a pin in a file system that is open. */
struct fw_assist_path {
    char text[64];
};
struct fw_assist_path fw_assist_path(int fs, const char *pin);

#endif
