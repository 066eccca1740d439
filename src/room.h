/* SPDX-License-Identifier: MIT */
#ifndef FW_ROOM_H
#define FW_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Waiting rooms: where the threads that wait for an object stand in a line that user space can see.
 *
 * A lock that needs to know exactly who waits (a condition variable, a read-write lock) keeps no
 * line in its own memory: each waiting thread makes a place on its stack and stands in the room to
 * which the object's address leads.  Rooms are static memory, so a waiter can leave the line
 * without touching an object that may be gone by then.  The idea of a table of queues outside of
 * the locks is that of WebKit's ParkingLot (Pizlo, "Locking in WebKit", 2016).
 *
 * Rules
 *  - Places are read and changed only between fw_room_enter_ and fw_room_leave_, except where a
 *    lock keeps an atomic word beside its place.
 *  - A place that is in line means that its object is alive: whoever waits for an object keeps it.
 *    So between enter and leave one may touch an object for which one has found a place.
 *  - Inside a room nobody waits for anything else; futex wakes and requeues are allowed.
 *  - After fork(3) the child's rooms are empty: the other threads do not exist there.
 */

/* A place in line; it lies on the waiter's stack, as the first member of what the lock needs. */
struct fw_place_ {
    struct fw_place_ *next;
    struct fw_place_ *prev;
    const void *object; /* what is waited for */
};

struct fw_room_ {
    struct fw_place_ *first; /* of the waiters for all objects of this room, oldest first */
    struct fw_place_ *last;
    uint32_t
        pulse; /* a word to sleep on that is never freed; whoever wakes there changes it first */
};

/*
 * Enters the room of an object: until fw_room_leave_ nobody else is inside.  One room at a time, no
 * entering twice, and not in a signal handler.
 */
struct fw_room_ *fw_room_enter_(const void *object);
void fw_room_leave_(struct fw_room_ *room);

/* All further calls: inside the room only. */

/* Stands at the end of the line; at its head (for an upgrade, which goes before all others). */
static inline void fw_room_append_(struct fw_room_ *room, struct fw_place_ *p, const void *object)
{
    p->object = object;
    p->next = NULL;
    p->prev = room->last;
    if (room->last != NULL)
        room->last->next = p;
    else
        room->first = p;
    room->last = p;
}

static inline void fw_room_prepend_(struct fw_room_ *room, struct fw_place_ *p, const void *object)
{
    p->object = object;
    p->prev = NULL;
    p->next = room->first;
    if (room->first != NULL)
        room->first->prev = p;
    else
        room->last = p;
    room->first = p;
}

static inline void fw_room_remove_(struct fw_room_ *room, struct fw_place_ *p)
{
    if (p->prev != NULL)
        p->prev->next = p->next;
    else
        room->first = p->next;
    if (p->next != NULL)
        p->next->prev = p->prev;
    else
        room->last = p->prev;
}

/* Undoes a removal, if nothing else was done in between. */
static inline void fw_room_restore_(struct fw_room_ *room, struct fw_place_ *p)
{
    if (p->prev != NULL)
        p->prev->next = p;
    else
        room->first = p;
    if (p->next != NULL)
        p->next->prev = p;
    else
        room->last = p;
}

/* The first of p and those behind it that waits for the object, or NULL. */
static inline struct fw_place_ *fw_room_find_(struct fw_place_ *p, const void *object)
{
    while (p != NULL && p->object != object)
        p = p->next;
    return p;
}

/* The longest waiting for the object; the next longest after p. */
static inline struct fw_place_ *fw_room_first_(const struct fw_room_ *room, const void *object)
{
    return fw_room_find_(room->first, object);
}

static inline struct fw_place_ *fw_room_next_(const struct fw_place_ *p)
{
    return fw_room_find_(p->next, p->object);
}

#endif
