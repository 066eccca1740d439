// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BOOST_ASIO_HPP
#define FURWOCK_BOOST_ASIO_HPP

/*
 * furwock's waits as asynchronous operations of Boost.Asio, for any completion token.  C++20.
 *
 *     async_lock(executor, mutex, token)            void(error_code, held<mutex_guard>)
 *     async_lock(executor, mutex, identity, token)  the same, for an owner that is known
 *     async_lock(executor, shared_mutex, token)     void(error_code, held<exclusive_guard>)
 *     async_lock_shared(executor, ..., token)       void(error_code, held<shared_guard>)
 *     async_acquire(executor, semaphore, token)     void(error_code)
 *     async_wait(executor, x, token)                void(error_code); x is an event or a latch
 *
 * Rules, beside those of furwock/coro.hpp
 *  - They are in namespace fw::with_boost_asio.  The executor is where the handler runs if it has
 *    none of its own.  No handler is called in the call that begins the operation, nor in an
 *    unlock: it is posted.
 *  - The lock is held from the error_code on that says success until `held` is unlocked or
 *    destroyed, by any thread.  Without an identity each has an owner of its own.
 *  - From Boost 1.77 on it can be cancelled by a cancellation slot.  Then it ends
 *    either with operation_aborted, and holds nothing and never did, or with success.
 *  - What waits when its execution context is destroyed is given up; it holds nothing.
 *  - The object waited for must outlive the operation.
 */
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/version.hpp>

#include <furwock/coro.hpp>

#define FW_ASIO_ ::boost::asio
#define FW_ASIO_SPACE_ with_boost_asio
#define FW_ASIO_ERROR_ boost::system::error_code
#define FW_ASIO_CATEGORY_ boost::system::generic_category
#define FW_ASIO_SLOTS_ (BOOST_ASIO_VERSION >= 101900)
#if FW_ASIO_SLOTS_
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#endif
#include <furwock/bits/coro/asio_held.hpp>

#include <furwock/bits/coro/asio.hpp>
#undef FW_ASIO_
#undef FW_ASIO_SPACE_
#undef FW_ASIO_ERROR_
#undef FW_ASIO_CATEGORY_
#undef FW_ASIO_SLOTS_

#endif
