#include "caller.h"

#include <utility>

#include "fleet/job.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

using What = Stage::What;

class Following {
 public:
  Following(Stage& stage, Process& caller, const std::string& prefix, const Care& care)
      : stage_(stage), caller_(caller), prefix_(prefix), care_(care) {}

  Told to_its_end() {
    const double end = seconds_now() + kPatience;
    while (told_.code == -1 && seconds_now() < end) {
      hear(stage_.next(caller_, seconds_now() + 0.02));
      if (running_) look_after();
      if (care_.meanwhile) care_.meanwhile();
    }
    if (told_.code == -1) told_.wrong = "it did not end";
    Stage::kill_all(caller_);
    return told_;
  }

 private:
  void hear(const Stage::Event& event) {
    // Had it been released, the command would have ended before that, and we would have seen it.
    if (unseen_ && event.what == What::time) told_.wrong = "its command outlived the lease";
    if (event.what == What::ended) told_.code = caller_.code;
    if (event.label != "c") return;
    if (event.what == What::began) {
      if (std::exchange(told_.ran, true)) told_.wrong = "its command ran twice";
      running_ = true;
      token_ = event.token;
      leave_ = seconds_now() + care_.stay;
      for (const char* lock : care_.locks) {
        if (!stage_.truly_held(prefix_, token_, lock))
          told_.wrong = "its command ran without the lock";
      }
    }
    if (event.what == What::gone) {
      told_.cut = true;
      running_ = unseen_ = false;
    }
  }

  void look_after() {
    if (seconds_now() >= leave_) {
      stage_.let_go("c");
      running_ = unseen_ = false;
    } else if (seconds_now() >= look_) {
      unseen_ = !stage_.truly_held(prefix_, token_);
      look_ = seconds_now() + 0.05;
    }
  }

  Stage& stage_;
  Process& caller_;
  const std::string& prefix_;
  const Care& care_;
  Told told_;
  std::uint64_t token_ = 0;
  bool running_ = false;
  bool unseen_ = false;  // at the last look
  double leave_ = 0;
  double look_ = 0;
};

}  // namespace

Told follow(Stage& stage, Process& caller, const std::string& prefix, const Care& care) {
  return Following(stage, caller, prefix, care).to_its_end();
}

std::string exit_code(const Told& told, const Process& caller) {
  return std::string(told.ran ? "ran, " : "did not run, ") + "exit code " +
         std::to_string(told.code) + ": " + caller.said.substr(0, 300);
}

bool is_one_of(int code, std::initializer_list<int> codes) {
  for (int each : codes) {
    if (each == code) return true;
  }
  return false;
}

bool no_answer(const Told& told, const Plan& plan) {
  return told.code == 69 || (told.code == 77 && plan.fault == Fault::status_401);
}

std::string judge(const Told& told, const Process& caller, const Plan& plan, int refusal) {
  if (!told.wrong.empty()) return told.wrong;
  const bool right =
      told.ran ? told.code == 3 && !told.cut : told.code == refusal || no_answer(told, plan);
  return right ? "" : exit_code(told, caller);
}

}  // namespace etcd_kit
