// SPDX-License-Identifier: MIT
#ifndef FURWOCK_HPP
#define FURWOCK_HPP

/*
 * furwock for C++17 and later: the locks of furwock.h as classes in namespace fw, which are named
 * and behave as those of the standard library, so that std::lock_guard, std::unique_lock,
 * std::scoped_lock, std::shared_lock and std::lock work on them.
 *
 *     fw::mutex                   Lockable, TimedLockable             furwock/mutex.hpp
 *     fw::shared_mutex            SharedTimedLockable, upgradable     furwock/rwlock.hpp
 *     fw::brlock                  SharedTimedLockable                 furwock/brlock.hpp
 *     fw::recursive_mutex         Lockable, TimedLockable             furwock/recursive_mutex.hpp
 *     fw::waiting<Lock, Policy>   a lock that waits by a policy       furwock/wait.hpp
 *     fw::upgrade_lock            guards of the upgradable mode       furwock/upgrade.hpp
 *     fw::condition_variable      as std::condition_variable          furwock/cond.hpp
 *     fw::condition_variable_any  the same with any lock, stop_token  furwock/cond_any.hpp
 *     fw::counting_semaphore      as C++20's, so is binary_semaphore  furwock/sem.hpp
 *     fw::event                   manual and automatic                furwock/event.hpp
 *     fw::latch, fw::barrier      as C++20's                          latch.hpp, barrier.hpp
 *     fw::call_once, once_flag    as std::call_once                   furwock/once.hpp
 *     fw::wait_any                for one of several objects          furwock/any.hpp
 *     fw::note                    ends waits that are made with it    furwock/note.hpp
 *
 * Rules
 *  - The headers are thin: a class holds the C object and nothing else (a barrier its completion
 *    too), each call is one of C.  What the C headers promise holds, above all what stops a program
 *    and when memory may be freed.
 *  - Constructors are constexpr, except those of barrier and brlock, so that objects of static
 *    storage need no code at program start.
 *  - Only calls that have to report an error throw: std::system_error, where a header says so.
 *  - Times are those of <chrono>.  A point on steady_clock or system_clock is a deadline on
 *    CLOCK_MONOTONIC or CLOCK_REALTIME; other clocks are converted, and looked at again.  The far
 *    ends (time_point::max(), hours::max()) mean what they say.
 *  - Calls that wait take an fw::wait_policy as their last argument.
 *  - native_handle() is the C object, for calls of C.
 *
 * Example: a queue that is closed at the end
 *
 *     class queue {
 *       public:
 *         void put(int item)
 *         {
 *             std::lock_guard lock(mutex_);
 *             items_.push_back(item);
 *             changed_.notify_one();
 *         }
 *
 *         void close()
 *         {
 *             std::lock_guard lock(mutex_);
 *             closed_ = true;
 *             changed_.notify_all();
 *         }
 *
 *         std::optional<int> get()
 *         {
 *             std::unique_lock lock(mutex_);
 *             changed_.wait(lock, [this] { return closed_ || !items_.empty(); });
 *             if (items_.empty())
 *                 return std::nullopt;
 *             int item = items_.front();
 *             items_.pop_front();
 *             return item;
 *         }
 *
 *       private:
 *         fw::mutex mutex_;
 *         fw::condition_variable changed_;
 *         std::deque<int> items_;
 *         bool closed_ = false;
 *     };
 */
#include <furwock/any.hpp>
#include <furwock/barrier.hpp>
#include <furwock/brlock.hpp>
#include <furwock/cond.hpp>
#include <furwock/cond_any.hpp>
#include <furwock/event.hpp>
#include <furwock/guards.hpp>
#include <furwock/latch.hpp>
#include <furwock/mutex.hpp>
#include <furwock/note.hpp>
#include <furwock/once.hpp>
#include <furwock/recursive_mutex.hpp>
#include <furwock/rwlock.hpp>
#include <furwock/sem.hpp>
#include <furwock/upgrade.hpp>
#include <furwock/wait.hpp>

#endif
