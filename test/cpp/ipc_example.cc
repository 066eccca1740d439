// SPDX-License-Identifier: MIT
#include <furwock/ipc.hpp>

#include <csignal>
#include <cstdio>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "furwock_ipc_example.hpp"

/* The example of ipc.hpp: workers take what a process puts, and some are killed with the lock. */
int main()
{
    enum { JOBS = 1000, WORKERS = 3 };
    const std::string name = "/furwock-cpp-jobs-" + std::to_string(getpid());
    auto region = fw::ipc::region::create(name, 1 << 16);
    fw::ipc::region::remove(name);
    jobs &stack = open_jobs(region);
    auto &done = region.construct<fw::ipc::semaphore>("done", 0u);
    pid_t worker[WORKERS];

    for (pid_t &w : worker) {
        w = fork();
        if (w == 0)
            for (;;) {
                if (stack.get() == JOBS / 2) {
                    const auto held = stack.lock.lock();
                    raise(SIGKILL);
                }
                done.release();
            }
    }
    for (int i = 0; i <= JOBS; i++)
        while (!stack.put(i))
            usleep(100);
    for (int i = 0; i < JOBS; i++) /* all but one */
        done.acquire();
    for (pid_t w : worker) {
        kill(w, SIGKILL);
        waitpid(w, nullptr, 0);
    }
    std::printf("%u left\n", stack.count);
    return stack.count == 0 ? 0 : 1;
}
