#pragma once
// MoveFunction: std::function for things that can only be moved, such as a Reply that must be
// answered exactly once. (std::move_only_function is C++23.) Calling an empty one is a broken
// promise.

#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace braid {

template <typename Signature>
class MoveFunction;

template <typename R, typename... Args>
class MoveFunction<R(Args...)> {
 public:
  MoveFunction() = default;
  MoveFunction(std::nullptr_t) {}

  template <typename F>
  requires(!std::is_same_v<std::decay_t<F>, MoveFunction> &&
           std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  MoveFunction(F&& function)  // NOLINT(google-explicit-constructor): reads like std::function
      : held_(std::make_unique<Held<std::decay_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const { return held_ != nullptr; }

  R operator()(Args... args) {
    BRAID_CHECK(held_ != nullptr);
    return held_->call(std::forward<Args>(args)...);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual R call(Args... args) = 0;
  };

  template <typename F>
  struct Held final : Base {
    template <typename G>
    explicit Held(G&& given) : function(std::forward<G>(given)) {}
    R call(Args... args) override { return function(std::forward<Args>(args)...); }
    F function;
  };

  std::unique_ptr<Base> held_;
};

/// A piece of work for another thread.
using Task = MoveFunction<void()>;

}  // namespace braid
