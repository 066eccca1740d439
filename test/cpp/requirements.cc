// SPDX-License-Identifier: MIT
#include <furwock.hpp>
#include <furwock/ipc.hpp>

#include <shared_mutex>

/*
 * The named requirements of the standard (thread.req.lockable, thread.sharedmutex.requirements), as
 * far as the compiler can see them.  That this file compiles is the test.
 */
namespace {

using std::declval;
using duration = std::chrono::milliseconds;
using point = std::chrono::steady_clock::time_point;

template <class T, class R> constexpr bool is = std::is_same_v<T, R>;

/* has<Expression, L>: the expression, a template over types, is valid for L. */
template <template <class> class, class, class = void> constexpr bool has = false;
template <template <class> class E, class L> constexpr bool has<E, L, std::void_t<E<L>>> = true;

template <class L> using lock = decltype(declval<L &>().lock());
template <class L> using unlock = decltype(declval<L &>().unlock());
template <class L> using try_lock = decltype(declval<L &>().try_lock());
template <class L> using for_ = decltype(declval<L &>().try_lock_for(declval<duration>()));
template <class L> using until = decltype(declval<L &>().try_lock_until(declval<point>()));
template <class L> using sh_lock = decltype(declval<L &>().lock_shared());
template <class L> using sh_unlock = decltype(declval<L &>().unlock_shared());
template <class L> using sh_try = decltype(declval<L &>().try_lock_shared());
template <class L> using sh_for = decltype(declval<L &>().try_lock_shared_for(declval<duration>()));
template <class L>
using sh_until = decltype(declval<L &>().try_lock_shared_until(declval<point>()));

template <class L> constexpr bool is_lockable()
{
    return is<lock<L>, void> && is<unlock<L>, void> && is<try_lock<L>, bool>;
}

template <class L> constexpr bool is_timed_lockable()
{
    return is_lockable<L>() && is<for_<L>, bool> && is<until<L>, bool>;
}

template <class L> constexpr bool is_shared_timed_lockable()
{
    return is_timed_lockable<L>() && is<sh_lock<L>, void> && is<sh_unlock<L>, void> &&
           is<sh_try<L>, bool> && is<sh_for<L>, bool> && is<sh_until<L>, bool>;
}

/* Mutex types: can be made without arguments and destroyed, and neither copied nor moved. */
template <class T> constexpr bool stays_where_it_is()
{
    return std::is_destructible_v<T> && !std::is_copy_constructible_v<T> &&
           !std::is_move_constructible_v<T> && !std::is_copy_assignable_v<T> &&
           !std::is_move_assignable_v<T>;
}

template <class... T> constexpr bool all_stay()
{
    return (stays_where_it_is<T>() && ...);
}

static_assert(is_timed_lockable<fw::mutex>());
static_assert(!has<sh_lock, fw::mutex>);
static_assert(is_shared_timed_lockable<fw::shared_mutex>());
static_assert(is_shared_timed_lockable<fw::brlock>());
static_assert(all_stay<fw::mutex, fw::shared_mutex, fw::brlock, fw::condition_variable, fw::event,
                       fw::latch, fw::barrier<>, fw::binary_semaphore, fw::once_flag>());

static_assert(std::is_nothrow_default_constructible_v<fw::mutex>);
static_assert(std::is_nothrow_default_constructible_v<fw::shared_mutex>);
static_assert(std::is_default_constructible_v<fw::brlock>);
static_assert(!std::is_convertible_v<int, fw::latch> && !std::is_convertible_v<int, fw::barrier<>>);
static_assert(!std::is_convertible_v<int, fw::binary_semaphore>);
static_assert(!std::is_convertible_v<fw::preference, fw::shared_mutex>);

/* A class is its C object. */
static_assert(sizeof(fw::mutex) == sizeof(fw_mutex) && sizeof(fw::latch) == sizeof(fw_latch));
static_assert(sizeof(fw::shared_mutex) == sizeof(fw_rwlock) &&
              sizeof(fw::event) == sizeof(fw_event));
static_assert(sizeof(fw::condition_variable) == sizeof(fw_cond));
static_assert(sizeof(fw::counting_semaphore<>) == sizeof(fw_sem));
static_assert(sizeof(fw::once_flag) == sizeof(fw_once) && sizeof(fw::brlock) == sizeof(fw_brlock));

static_assert(fw::counting_semaphore<5>::max() == 5 && fw::binary_semaphore::max() == 1);
static_assert(fw::latch::max() > 1000000 && fw::barrier<>::max() > 1000000);
static_assert(std::is_move_constructible_v<fw::barrier<>::arrival_token>);
static_assert(!std::is_copy_constructible_v<fw::barrier<>::arrival_token>);

/* Objects of static storage need no code at the start. */
#if __cplusplus >= 202002L
#define CONSTANT constinit
#else
#define CONSTANT
#endif
CONSTANT fw::mutex a_mutex;
CONSTANT fw::shared_mutex a_shared_mutex(fw::preference::writers);
CONSTANT fw::condition_variable a_condition_variable;
CONSTANT fw::counting_semaphore<7> a_semaphore(3);
CONSTANT fw::latch a_latch(2);
CONSTANT fw::event an_event(fw::event_kind::automatic);
CONSTANT fw::once_flag a_flag;

} // namespace

int main()
{
    std::scoped_lock both(a_mutex, a_shared_mutex);
    fw::call_once(a_flag, [] { a_latch.count_down(2); });
    a_condition_variable.notify_all();
    an_event.set();
    a_semaphore.release();
    an_event.wait();
    a_latch.wait();
    return a_semaphore.try_acquire() && !an_event.is_set() ? 0 : 1;
}
