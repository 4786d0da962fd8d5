// One caller, watched from outside until it has ended.
#ifndef ATMOST_TESTS_ETCD_FAULT_CALLER_H
#define ATMOST_TESTS_ETCD_FAULT_CALLER_H

#include <functional>
#include <initializer_list>
#include <string>

#include "stage.h"

namespace etcd_kit {

// The time that any step here may take, in seconds.
inline constexpr double kPatience = 30;

// Its outcome; `wrong`: an outcome that no fault may cause.
struct Told {
  bool ran = false;
  bool cut = false;  // the command ended without an order
  std::string wrong;
  int code = -1;
};

// The watch over a caller's command: `stay`: seconds until it gets the order to end. `meanwhile`:
// done now and then.
struct Care {
  double stay = 0;
  std::function<void()> meanwhile = {};
  std::initializer_list<const char*> locks = {"lock"};
};

// Until it has ended. Its command runs once, and only while etcd holds its key under a lease that
// is alive.
Told follow(Stage& stage, Process& caller, const std::string& prefix, const Care& care = {});

// For a message.
std::string exit_code(const Told& told, const Process& caller);
bool is_one_of(int code, std::initializer_list<int> codes);
// Etcd did not answer, or refused the permission.
bool no_answer(const Told& told, const Plan& plan);
// A caller that ran its command ends as that did (3), any other has its reason: `refusal`, or that
// there was no answer. The fault, or "".
std::string judge(const Told& told, const Process& caller, const Plan& plan, int refusal);

}  // namespace etcd_kit

#endif
