/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "module.h"

/*
 * AWAIT: Franke, Russell, Kirkwood, section 5: a descriptor with any number of waits, which becomes
 * readable when one is woken.  A wait is:
 *
 *   queued    in its bucket; in `all`
 *   ready     was woken; in `all` and in `ready`, until it is read or removed
 *   gone      freed
 *
 *   queued -> ready   by a wake, in ready(), under the bucket's lock
 *   queued -> gone    by AWAIT_REMOVE, close
 *   ready -> gone     by read, AWAIT_REMOVE, close; the latter passes the wake on
 *
 * KX1  `ready` has a wait if and only if its waiter's outcome is FWK_WOKEN, from where its `bucket`
 *      is NULL.
 * Locks: the mutex is for add, remove, read and close, and is taken first; `lock` is for `ready`
 * only, and taken last, under a bucket's.
 */
struct await {
    struct mutex mutex;
    struct xarray all; /* by id */
    spinlock_t lock;
    struct list_head ready;
    wait_queue_head_t readers;
    struct fasync_struct *fasync;
    struct fwk_user *user;
};

struct entry {
    struct fwk_waiter w;
    struct list_head link;
    struct await *await;
    u64 cookie;
    u32 id;
};

static void ready(struct fwk_waiter *w)
{
    struct entry *e = container_of(w, struct entry, w);
    struct await *a = e->await;

    spin_lock(&a->lock);
    list_add_tail(&e->link, &a->ready);
    spin_unlock(&a->lock);
    wake_up_interruptible_poll(&a->readers, EPOLLIN | EPOLLRDNORM);
    kill_fasync(&a->fasync, SIGIO, POLL_IN);
}

/* It is in no queue. */
static void entry_free(struct entry *e)
{
    struct await *a = e->await;

    xa_erase(&a->all, e->id);
    fwk_hold_release(&e->w.key.hold);
    fwk_user_uncharge(a->user);
    kfree(e);
}

/* True: it was woken, and is not ready any more. */
static bool entry_stop(struct entry *e)
{
    struct await *a = e->await;

    if (fwk_unqueue(&e->w))
        return false;
    spin_lock(&a->lock);
    list_del(&e->link);
    spin_unlock(&a->lock);
    return true;
}

static long queue(struct entry *e, const struct fw_kernel_await_add *call)
{
    fwk_word word = fwk_word_at(call->word);
    long error;

    if (fwk_waiter_init(&e->w, call->lower) != 0)
        return -EINVAL;
    e->w.task = NULL;
    e->w.notify = ready;
    error = fwk_key_make(&e->w.key, call->word, call->flags, FWK_WAIT, false);
    if (error != 0)
        return error;
    while ((error = fwk_wait(&fwk_table, &e->w, word, call->expected)) == -EFAULT)
        if ((error = fwk_fault_in(word, false)) != 0)
            break;
    if (error != 0)
        fwk_hold_release(&e->w.key.hold);
    return error;
}

/* Under the mutex. */
static long add(struct await *a, const struct fw_kernel_await_add *call)
{
    struct entry *e;
    long error;
    u32 id;

    if ((call->flags & ~FWK_KEY_FLAGS) != 0)
        return -EINVAL;
    error = fwk_user_charge(a->user);
    if (error != 0)
        return error;
    error = -ENOMEM;
    e = kzalloc(sizeof *e, GFP_KERNEL_ACCOUNT);
    if (e == NULL)
        goto uncharge;
    e->await = a;
    e->cookie = call->cookie;
    error = xa_alloc(&a->all, &e->id, e, xa_limit_31b, GFP_KERNEL_ACCOUNT);
    if (error != 0)
        goto free;
    id = e->id;
    error = queue(e, call);
    if (error == 0)
        return id; /* by now it may be ready; only this mutex lets it go */
    xa_erase(&a->all, id);
free:
    kfree(e);
uncharge:
    fwk_user_uncharge(a->user);
    return error;
}

static long remove(struct await *a, const struct fw_kernel_await_remove *call)
{
    struct entry *e;
    bool was_woken;

    if (call->flags != 0 || call->padding != 0)
        return -EINVAL;
    e = xa_load(&a->all, call->id);
    if (e == NULL)
        return -ENOENT;
    was_woken = entry_stop(e);
    entry_free(e);
    return was_woken;
}

static long await_ioctl(struct file *file, unsigned int number, unsigned long address)
{
    struct await *a = file->private_data;
    struct fw_kernel_await_remove removed;
    struct fw_kernel_await_add added;
    long result;

    if (number == FW_KERNEL_AWAIT_ADD)
        result = fwk_take(&added, sizeof added, (const void __user *)address);
    else if (number == FW_KERNEL_AWAIT_REMOVE)
        result = fwk_take(&removed, sizeof removed, (const void __user *)address);
    else
        return -ENOTTY;
    if (result != 0)
        return result;
    if (mutex_lock_interruptible(&a->mutex) != 0)
        return -ERESTARTSYS;
    result = number == FW_KERNEL_AWAIT_ADD ? add(a, &added) : remove(a, &removed);
    mutex_unlock(&a->mutex);
    return result;
}

static bool is_ready(struct await *a)
{
    bool is;

    spin_lock(&a->lock);
    is = !list_empty(&a->ready);
    spin_unlock(&a->lock);
    return is;
}

/* As many as there are, and there is space for; under the mutex. */
static ssize_t read_ready(struct await *a, char __user *to, size_t size)
{
    ssize_t n = 0;

    while (size - (size_t)n >= sizeof(struct fw_kernel_event) && is_ready(a)) {
        struct entry *e = list_first_entry(&a->ready, struct entry, link); /* others only add */
        struct fw_kernel_event event = {.cookie = e->cookie, .id = e->id};

        if (copy_to_user(to + n, &event, sizeof event) != 0)
            return n > 0 ? n : -EFAULT;
        n += (ssize_t)sizeof event;
        (void)entry_stop(e);
        entry_free(e);
    }
    return n;
}

static ssize_t await_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
    struct await *a = file->private_data;
    ssize_t n;

    if (size < sizeof(struct fw_kernel_event))
        return -EINVAL;
    for (;;) {
        if (mutex_lock_interruptible(&a->mutex) != 0)
            return -ERESTARTSYS;
        n = read_ready(a, to, size);
        mutex_unlock(&a->mutex);
        if (n != 0)
            return n;
        if ((file->f_flags & O_NONBLOCK) != 0)
            return -EAGAIN;
        if (wait_event_interruptible(a->readers, is_ready(a)) != 0)
            return -ERESTARTSYS;
    }
}

static __poll_t await_poll(struct file *file, poll_table *table)
{
    struct await *a = file->private_data;

    poll_wait(file, &a->readers, table);
    return is_ready(a) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int await_fasync(int fd, struct file *file, int is_on)
{
    struct await *a = file->private_data;

    return fasync_helper(fd, file, is_on, &a->fasync);
}

/* Whoever was woken here and never told wakes another. */
static int await_release(struct inode *inode, struct file *file)
{
    struct await *a = file->private_data;
    unsigned long id;
    struct entry *e;

    xa_for_each(&a->all, id, e)
    {
        if (entry_stop(e))
            fwk_wake(&fwk_table, &e->w.key, 1);
        entry_free(e);
        cond_resched();
    }
    xa_destroy(&a->all);
    fwk_user_release(a->user);
    kfree(a);
    return 0;
}

static const struct file_operations await_operations = {
    .owner = THIS_MODULE,
    .unlocked_ioctl = await_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
    .read = await_read,
    .poll = await_poll,
    .fasync = await_fasync,
    .release = await_release,
    .llseek = noop_llseek,
};

long fwk_do_await_open(struct fwk_user *user, const struct fw_kernel_await *call)
{
    struct await *a;
    int fd;

    if ((call->flags & ~FW_KERNEL_NONBLOCK) != 0)
        return -EINVAL;
    a = kzalloc(sizeof *a, GFP_KERNEL_ACCOUNT);
    if (a == NULL)
        return -ENOMEM;
    mutex_init(&a->mutex);
    xa_init_flags(&a->all, XA_FLAGS_ALLOC);
    spin_lock_init(&a->lock);
    INIT_LIST_HEAD(&a->ready);
    init_waitqueue_head(&a->readers);
    a->user = fwk_user_hold(user);
    fd = anon_inode_getfd("[furwock-await]", &await_operations, a,
                          O_RDWR | O_CLOEXEC |
                              ((call->flags & FW_KERNEL_NONBLOCK) != 0 ? O_NONBLOCK : 0));
    if (fd < 0) {
        fwk_user_release(user);
        kfree(a);
    }
    return fd;
}
