// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_HPP
#define FURWOCK_IPC_HPP

/*
 * furwock/ipc.h as C++17 classes, in namespace fw::ipc: locks in memory that processes share, none
 * of which is lost when a process is killed.
 *
 *     region                    shared memory with named objects       furwock/ipc/region.hpp
 *     mutex, synchronized<T>    the guard says if an owner died        furwock/ipc/mutex.hpp
 *     shared_mutex              exclusive, shared, upgradable          furwock/ipc/rwlock.hpp
 *     lockable                  either, under the standard's guards    furwock/ipc/mutex.hpp
 *     condition_variable        on the guard of a mutex                furwock/ipc/cond.hpp
 *     semaphore, permits        units; borrowed ones that come back    ipc/sem.hpp, ipc/permits.hpp
 *     barrier                   breaks or goes on after a death        furwock/ipc/barrier.hpp
 *     event, latch              as fw::event, fw::latch                ipc/event.hpp, ipc/latch.hpp
 *     call_once, once_flag      by the first that lives to do it       furwock/ipc/once.hpp
 *     journal, journaled<Lock>  undoes what a dead owner began         furwock/ipc/journal.hpp
 *
 * The classes are the C objects; what the C headers promise holds.  Errors are exceptions of type
 * std::system_error, with the errno that the C header explains; what a death leads to is a result.
 *
 * Example: a stack of jobs that any process may be killed in
 *
 *     struct jobs {
 *         fw::ipc::mutex lock;
 *         fw::ipc::condition_variable changed;
 *         unsigned count = 0;
 *         int job[64] = {};
 *
 *         // Each step changes one word, so that the stack is whole at any moment.
 *         static void repair(const fw::ipc::death &by)
 *         {
 *             std::printf("process %d died here\n", static_cast<int>(by.process));
 *         }
 *
 *         bool put(int j)
 *         {
 *             auto held = lock.lock().repair(repair);
 *             if (count == 64)
 *                 return false;
 *             job[count] = j;
 *             changed.notify_one();
 *             count++;
 *             return true;
 *         }
 *
 *         int get()
 *         {
 *             auto held = lock.lock().repair(repair);
 *             changed.wait(held, [this] { return count != 0; }, repair);
 *             count--;
 *             return job[count];
 *         }
 *     };
 *
 *     jobs &open_jobs(fw::ipc::region &region)
 *     {
 *         return region.find_or_construct<jobs>("jobs");
 *     }
 */
#include <furwock/ipc/barrier.hpp>
#include <furwock/ipc/cond.hpp>
#include <furwock/ipc/event.hpp>
#include <furwock/ipc/journal.hpp>
#include <furwock/ipc/latch.hpp>
#include <furwock/ipc/mutex.hpp>
#include <furwock/ipc/once.hpp>
#include <furwock/ipc/permits.hpp>
#include <furwock/ipc/region.hpp>
#include <furwock/ipc/rwlock.hpp>
#include <furwock/ipc/sem.hpp>

#endif
