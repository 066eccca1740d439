// SPDX-License-Identifier: MIT
// A process exits, with global locks that its threads have: its destructors neither stop it nor
// wait forever.  The same in the child of a fork, where these threads do not exist.
#include <furwock.hpp>

#include <atomic>
#include <cstdlib>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

static constexpr unsigned hang_seconds = 300;
static constexpr int good = 42;

enum class what { read, write, wait_to_write, barrier };
static std::atomic<bool> inside;

static void sit_inside(fw::brlock &table, fw::barrier<> &meeting, what w)
{
    switch (w) {
    case what::read:
        table.lock_shared();
        break;
    case what::write:
        table.lock();
        break;
    case what::wait_to_write:
        table.lock_shared();
        std::thread([&] { table.lock(); }).detach();
        while (table.try_lock_shared()) {
            table.unlock_shared();
            usleep(100);
        }
        break;
    case what::barrier:
        std::thread([&] { meeting.arrive_and_wait(); }).detach();
        while (__atomic_load_n(&meeting.native_handle()->state_, __ATOMIC_RELAXED) >> 22 == 0)
            usleep(100); // internal: nobody is inside yet
        break;
    }
    inside = true;
    for (;;)
        pause();
}

[[noreturn]] static void exit_with_locks(what w, bool as_child)
{
    static fw::brlock table;
    static fw::barrier<> meeting(2);

    std::thread([&] { sit_inside(table, meeting, w); }).detach();
    while (!inside)
        usleep(100);
    if (as_child) {
        int status = 0;
        pid_t child = fork();

        if (child == 0) {
            alarm(hang_seconds);
            exit(good);
        }
        CHECK(waitpid(child, &status, 0) == child);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    exit(good);
}

static void exits(what w, bool as_child)
{
    int status = 0;
    pid_t process = fork();

    if (process == 0) {
        alarm(hang_seconds);
        exit_with_locks(w, as_child);
    }
    CHECK(waitpid(process, &status, 0) == process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == good);
}

int main()
{
    static constexpr what all[] = {what::read, what::write, what::wait_to_write, what::barrier};

    for (what w : all) {
        exits(w, false);
        exits(w, true);
    }
    return 0;
}
