/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_WAITQUEUE_H
#define FW_CORE_WAITQUEUE_H

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
 *  - Who waits for an object stands in the order of urgency, among equals in that of arrival: as
 *    the kernel has its sleepers (POSIX asks for it where threads are real-time ones).
 *  - After fork(3) the child's rooms are empty: the other threads do not exist there.
 */

/* A place in line; it lies on the waiter's stack, as the first member of what the lock needs. */
struct fw_place_ {
    struct fw_place_ *next;
    struct fw_place_ *prev;
    const void *object; /* what is waited for */
    int urgency;        /* of the waiter: 0, or as fw_urgency_ has it */
};

/* More urgent than any thread is: who upgrades goes before all others. */
#define FW_ROOM_BEFORE_ALL_ 1000

struct fw_room_ {
    struct fw_place_ *first; /* of the waiters for all objects of this room */
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

/* The most urgent that waits for the object, of several the longest waiting; the next after p. */
static inline struct fw_place_ *fw_room_first_(const struct fw_room_ *room, const void *object)
{
    return fw_room_find_(room->first, object);
}

static inline struct fw_place_ *fw_room_next_(const struct fw_place_ *p)
{
    return fw_room_find_(p->next, p->object);
}

/*
 * Stands in line, behind all that wait for the object and are as urgent: an ordinary thread at the
 * end.
 */
static inline void fw_room_insert_(struct fw_room_ *room, struct fw_place_ *p, const void *object,
                                   int urgency)
{
    struct fw_place_ *next = NULL;

    p->object = object;
    p->urgency = urgency;
    if (urgency > 0) { /* F:cond-room-unsorted */
        next = fw_room_first_(room, object);
        while (next != NULL && next->urgency >= urgency) /* F:cond-equals-reversed */
            next = fw_room_next_(next);
    }
    p->next = next;
    p->prev = next != NULL ? next->prev : room->last;
    fw_room_restore_(room, p);
}

/* Its urgency has changed: it comes behind those who have the new one. */
static inline void fw_room_reorder_(struct fw_room_ *room, struct fw_place_ *p, int urgency)
{
    fw_room_remove_(room, p);
    fw_room_insert_(room, p, p->object, urgency);
}

#endif
