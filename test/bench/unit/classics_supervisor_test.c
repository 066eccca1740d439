/* SPDX-License-Identifier: MIT */
#include "bench/classics/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/child.h"
#include "test/support/unit.h"

/* The supervisor, with operations of its own: shared memory segments, handles shown by shmctl. */

static int make_segment(int size)
{
    int id = shmget(IPC_PRIVATE, (size_t)size, IPC_CREAT | 0600);
    return id >= 0 ? id : -errno;
}

static void remove_segment(int id)
{
    shmctl(id, IPC_RMID, NULL);
}

static const struct supervisor_ops ops = {"fw-shm-supervisor", make_segment, remove_segment};

static bool is_gone(void *id)
{
    struct shmid_ds status;
    return shmctl(*(int *)id, IPC_STAT, &status) != 0;
}

static int able(void **state)
{
    (void)state;
    int id = make_segment(1);
    if (id == -ENOSYS)
        return 1;
    remove_segment(id);
    return 0;
}

TEST(makes_and_removes)
{
    struct supervisor k;
    assert_int_equal(supervisor_start(&k, &ops), 0);

    int first = supervisor_make(&k, 1);
    int second = supervisor_make(&k, 4096);
    assert_true(first >= 0 && second >= 0);
    assert_false(is_gone(&first));
    assert_int_equal(supervisor_remove(&k, first), 0);
    assert_true(is_gone(&first));
    assert_false(is_gone(&second));
    assert_int_equal(supervisor_remove(&k, first), -ENOENT);
    assert_int_equal(supervisor_make(&k, 0), -EINVAL); /* make's own error */

    supervisor_stop(&k);
    assert_true(await_condition(is_gone, &second));
}

TEST(is_nobodys_child)
{
    struct supervisor k;
    assert_int_equal(supervisor_start(&k, &ops), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    supervisor_stop(&k);
}

struct family {
    struct supervisor supervisor;
    int id;
    pid_t child;
    int childs_error, childs_id; /* what the child was answered while it had a parent; and then */
    bool has_error, is_orphan, has_id;
};

static bool is_set(void *flag)
{
    return __atomic_load_n((bool *)flag, __ATOMIC_SEQ_CST);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_SEQ_CST);
}

static void outlive_parent(struct family *f)
{
    f->child = getpid();
    f->childs_error = supervisor_make(&f->supervisor, 1); /* not its supervisor */
    set(&f->has_error);
    if (!await_condition(is_set, &f->is_orphan))
        _exit(1);
    f->supervisor.client = getpid(); /* in its parent's name: it has the socket */
    f->childs_id = supervisor_make(&f->supervisor, 1);
    set(&f->has_id);
    for (;;)
        pause();
}

static void have_a_child(void *arg)
{
    struct family *f = arg;
    if (supervisor_start(&f->supervisor, &ops) != 0)
        _exit(1);
    f->id = supervisor_make(&f->supervisor, 1);
    /* The child is to outlive this process, so not by start. */
    if (fork() == 0)
        outlive_parent(f);
    for (;;)
        pause();
}

TEST(outlives_all_but_the_last)
{
    struct family *f = share(sizeof *f);

    pid_t client = start(have_a_child, f);
    assert_true(await_condition(is_set, &f->has_error));
    assert_int_equal(f->childs_error, -EPERM);
    assert_false(is_gone(&f->id));

    kill_and_wait(client);
    set(&f->is_orphan);
    assert_true(await_condition(is_set, &f->has_id)); /* the child still has the socket */
    assert_true(f->childs_id >= 0);
    assert_false(is_gone(&f->id));

    kill(f->child, SIGKILL);
    assert_true(await_condition(is_gone, &f->id));
}

int main(void)
{
    if (able(NULL) != 0) {
        print_message("skipped: this kernel has no System V shared memory\n");
        return 77;
    }
    return unit_run(NULL, NULL);
}
