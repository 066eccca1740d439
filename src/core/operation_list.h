/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_OPERATION_LIST_H
#define FW_CORE_OPERATION_LIST_H

#include <stddef.h>

#include <furwock/bits/await.h>

/* Operations that are in no bucket's queue, first come, first served.  Its owner has the lock. */
struct fw_operation_list_ {
    fw_await *first, *last;
};

static inline void fw_operation_list_append_(struct fw_operation_list_ *list, fw_await *op)
{
    op->next_ = NULL;
    op->prev_ = list->last;
    if (list->last != NULL)
        list->last->next_ = op;
    else
        list->first = op;
    list->last = op;
}

static inline void fw_operation_list_remove_(struct fw_operation_list_ *list, fw_await *op)
{
    if (op->prev_ != NULL)
        op->prev_->next_ = op->next_;
    else
        list->first = op->next_;
    if (op->next_ != NULL)
        op->next_->prev_ = op->prev_;
    else
        list->last = op->prev_;
}

#endif
