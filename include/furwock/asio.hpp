// SPDX-License-Identifier: MIT
#ifndef FURWOCK_ASIO_HPP
#define FURWOCK_ASIO_HPP

/*
 * furwock's waits as asynchronous operations of Asio (not Boost's), for any completion token.
 * C++20.
 *
 *     async_lock(executor, mutex, token)            void(error_code, held<mutex_guard>)
 *     async_lock(executor, mutex, identity, token)  the same, for an owner that is known
 *     async_lock(executor, shared_mutex, token)     void(error_code, held<exclusive_guard>)
 *     async_lock_shared(executor, ..., token)       void(error_code, held<shared_guard>)
 *     async_acquire(executor, semaphore, token)     void(error_code)
 *     async_wait(executor, x, token)                void(error_code); x is an event or a latch
 *
 * Rules, beside those of furwock/coro.hpp
 *  - They are in namespace fw::with_asio.  The executor is where the handler runs if it has
 *    none of its own.  No handler is called in the call that begins the operation, nor in an
 *    unlock: it is posted.
 *  - The lock is held from the error_code on that says success until `held` is unlocked or
 *    destroyed, by any thread.  Without an identity each has an owner of its own.
 *  - It can be cancelled by a cancellation slot, for any type but none.  Then it ends
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

#include <asio/associated_allocator.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/error.hpp>
#include <asio/execution.hpp>
#include <asio/execution_context.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/version.hpp>

#include <furwock/coro.hpp>

#define FW_ASIO_ ::asio
#define FW_ASIO_SPACE_ with_asio
#define FW_ASIO_ERROR_ std::error_code
#define FW_ASIO_CATEGORY_ std::generic_category
#define FW_ASIO_SLOTS_ (ASIO_VERSION >= 101900)
#if FW_ASIO_SLOTS_
#include <asio/associated_cancellation_slot.hpp>
#include <asio/cancellation_type.hpp>
#endif
#include <furwock/bits/coro/asio_held.hpp>

#include <furwock/bits/coro/asio.hpp>
#undef FW_ASIO_
#undef FW_ASIO_SPACE_
#undef FW_ASIO_ERROR_
#undef FW_ASIO_CATEGORY_
#undef FW_ASIO_SLOTS_

#endif
