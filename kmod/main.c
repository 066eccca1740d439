/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/vmalloc.h>

#include "module.h"

/* The device, its calls, and what each user may have.  Design: doc/design/kernel-service.md. */

static uint max_objects = 16384;
module_param(max_objects, uint, 0644);
MODULE_PARM_DESC(max_objects, "of each user: asynchronous waits and semaphores above zero");

static ushort mode = 0660;
module_param(mode, ushort, 0444);
MODULE_PARM_DESC(mode, "permissions of /dev/furwock when it is made");

struct fwk_table fwk_table;

static LIST_HEAD(users);
static DEFINE_MUTEX(users_lock);

struct fwk_user *fwk_user_hold(struct fwk_user *user)
{
    refcount_inc(&user->refs);
    return user;
}

void fwk_user_release(struct fwk_user *user)
{
    if (refcount_dec_and_mutex_lock(&user->refs, &users_lock)) {
        list_del(&user->link);
        mutex_unlock(&users_lock);
        kfree(user);
    }
}

int fwk_user_charge(struct fwk_user *user)
{
    if ((uint)atomic_inc_return(&user->objects) <= READ_ONCE(max_objects))
        return 0;
    atomic_dec(&user->objects);
    return -ENOSPC;
}

void fwk_user_uncharge(struct fwk_user *user)
{
    atomic_dec(&user->objects);
}

/* The one of the caller, under the lock of all; NULL: no memory. */
static struct fwk_user *user_open(kuid_t uid)
{
    struct fwk_user *user;

    list_for_each_entry(user, &users, link)
    {
        if (uid_eq(user->uid, uid)) {
            user->opens++;
            return fwk_user_hold(user);
        }
    }
    user = kzalloc(sizeof *user, GFP_KERNEL_ACCOUNT);
    if (user != NULL) {
        user->uid = uid;
        refcount_set(&user->refs, 1);
        user->opens = 1;
        mutex_init(&user->lock);
        INIT_LIST_HEAD(&user->sems);
        list_add(&user->link, &users);
    }
    return user;
}

static int device_open(struct inode *inode, struct file *file)
{
    mutex_lock(&users_lock);
    file->private_data = user_open(current_euid());
    mutex_unlock(&users_lock);
    return file->private_data != NULL ? 0 : -ENOMEM;
}

static int device_release(struct inode *inode, struct file *file)
{
    struct fwk_user *user = file->private_data;
    bool is_last;

    mutex_lock(&users_lock);
    is_last = --user->opens == 0;
    mutex_unlock(&users_lock);
    if (is_last)
        fwk_user_forget_sems(user);
    fwk_user_release(user);
    return 0;
}

int fwk_take(void *to, size_t size, const void __user *from)
{
    u32 its_size;

    if (get_user(its_size, (const u32 __user *)from) != 0)
        return -EFAULT;
    if (its_size < size)
        return -EINVAL;
    if (its_size > PAGE_SIZE)
        return -E2BIG;
    return copy_struct_from_user(to, size, from, its_size);
}

#define NUMBER(call) (1ull << _IOC_NR(call))

static long say_version(struct fw_kernel_version __user *to)
{
    struct fw_kernel_version version = {
        .size = sizeof version,
        .interface = FW_KERNEL_INTERFACE,
        .max_objects = READ_ONCE(max_objects),
        .calls = (NUMBER(FW_KERNEL_AWAIT_REMOVE) << 1) - 1,
    };
    struct fw_kernel_version asked;
    int error = fwk_take(&asked, sizeof asked, to);

    if (error == 0 && asked.flags != 0)
        error = -EINVAL;
    if (error == 0 && copy_to_user(to, &version, sizeof version) != 0)
        error = -EFAULT;
    return error;
}

/* The calls by the structure that they take. */
static long call_wait(unsigned int number, const void __user *from)
{
    struct fw_kernel_wait call;
    int error = fwk_take(&call, sizeof call, from);

    if (error != 0)
        return error;
    switch (number) {
    case FW_KERNEL_WAIT:
        return fwk_do_wait(&call);
    case FW_KERNEL_DOWN:
        return fwk_do_down(&call);
    case FW_KERNEL_SEM_DOWN:
        return fwk_do_sem_down(&call);
    default:
        return fwk_do_lock(&call);
    }
}

static long call_wake(unsigned int number, const void __user *from, struct fwk_user *user)
{
    struct fw_kernel_wake call;
    int error = fwk_take(&call, sizeof call, from);

    if (error != 0)
        return error;
    switch (number) {
    case FW_KERNEL_WAKE:
        return fwk_do_wake(&call);
    case FW_KERNEL_UP:
        return fwk_do_up(&call);
    case FW_KERNEL_SEM_UP:
        return fwk_do_sem_up(user, &call);
    default:
        return fwk_do_unlock(&call);
    }
}

static long call_requeue(unsigned int number, const void __user *from)
{
    struct fw_kernel_requeue call;
    int error = fwk_take(&call, sizeof call, from);

    return error != 0 ? error : fwk_do_requeue(&call, number == FW_KERNEL_CMP_REQUEUE);
}

static long call_await_open(const void __user *from, struct fwk_user *user)
{
    struct fw_kernel_await call;
    int error = fwk_take(&call, sizeof call, from);

    return error != 0 ? error : fwk_do_await_open(user, &call);
}

static long device_ioctl(struct file *file, unsigned int number, unsigned long address)
{
    void __user *at = (void __user *)address;

    switch (number) {
    case FW_KERNEL_VERSION:
        return say_version(at);
    case FW_KERNEL_WAIT:
    case FW_KERNEL_DOWN:
    case FW_KERNEL_SEM_DOWN:
    case FW_KERNEL_LOCK:
        return call_wait(number, at);
    case FW_KERNEL_WAKE:
    case FW_KERNEL_UP:
    case FW_KERNEL_SEM_UP:
    case FW_KERNEL_UNLOCK:
        return call_wake(number, at, file->private_data);
    case FW_KERNEL_REQUEUE:
    case FW_KERNEL_CMP_REQUEUE:
        return call_requeue(number, at);
    case FW_KERNEL_AWAIT_OPEN:
        return call_await_open(at, file->private_data);
    default:
        return -ENOTTY;
    }
}

static const struct file_operations device_operations = {
    .owner = THIS_MODULE, /* a descriptor keeps the module, and so does a call under way */
    .open = device_open,
    .release = device_release,
    .unlocked_ioctl = device_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
    .llseek = noop_llseek,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "furwock",
    .fops = &device_operations,
};

static int __init fwk_begin(void)
{
    size_t n = roundup_pow_of_two(256u * num_possible_cpus()); /* as Linux's futex */
    int error;

    if ((mode & ~0666) != 0)
        return -EINVAL;
    fwk_table.buckets = kvcalloc(n, sizeof *fwk_table.buckets, GFP_KERNEL);
    if (fwk_table.buckets == NULL)
        return -ENOMEM;
    fwk_table.mask = n - 1;
    for (size_t i = 0; i < n; i++)
        fwk_bucket_init(&fwk_table.buckets[i]);
    device.mode = mode;
    error = misc_register(&device);
    if (error != 0)
        kvfree(fwk_table.buckets);
    return error;
}

/* Nothing is open, so nobody waits and no semaphore is left. */
static void __exit fwk_end(void)
{
    misc_deregister(&device);
    kvfree(fwk_table.buckets);
}

module_init(fwk_begin);
module_exit(fwk_end);

MODULE_DESCRIPTION("Kernel services of the papers on fast user-level locks");
MODULE_LICENSE("Dual MIT/GPL");
