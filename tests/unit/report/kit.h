// Lines of a log for the tests of stats and report, and the ledger that they make.
#ifndef ATMOST_TESTS_UNIT_REPORT_KIT_H
#define ATMOST_TESTS_UNIT_REPORT_KIT_H

#include <string>
#include <vector>

#include "json/json.h"
#include "ledger.h"
#include "reader/record.h"

namespace atmost::report {

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kBegin = 1'795'000'000 * kSecond;

// Takes lines as they are written; moments are seconds after kBegin.
class Script {
 public:
  Script& admitted(double at, std::int64_t token, int slot = 1, double waited = 0) {
    return line("admitted", at,
                slot_and_token(slot, token) + ",\"waited_s\":" + json::decimal(waited, 6));
  }
  Script& ended(double at, std::int64_t token, double ran, const std::string& how = "\"exit\":0",
                int slot = 1) {
    return line("ended", at,
                slot_and_token(slot, token) + ",\"ran_s\":" + json::decimal(ran, 6) + "," + how);
  }
  Script& too_soon(double at, double retry_in) {
    return line(
        "denied", at,
        "\"why\":\"too_soon\",\"waited_s\":0.000000,\"retry_in_s\":" + json::decimal(retry_in, 6));
  }
  Script& busy(double at, const std::string& why = "no_slot", double waited = 0) {
    return line(
        "denied", at,
        "\"why\":\"" + why + "\",\"retry_in_s\":null,\"waited_s\":" + json::decimal(waited, 6));
  }
  Script& expired(double at, std::int64_t holder, double limit) {
    return line("expired", at,
                holder_of(holder) + ",\"expire_after_s\":" + json::decimal(limit, 6));
  }
  Script& stopping(double at, std::int64_t holder, const std::string& why) {
    return line("stopping", at, holder_of(holder) + ",\"why\":\"" + why + "\"");
  }
  Script& signalled(double at, std::int64_t holder, bool worked) {
    return line(
        "signalled", at,
        holder_of(holder) + ",\"signal\":\"INT\",\"worked\":" + (worked ? "true" : "false"));
  }
  Script& line(const std::string& event, double at, const std::string& more) {
    return raw("{\"v\":1,\"event\":\"" + event +
               "\",\"at\":" + json::seconds(kBegin + std::int64_t(at * 1e9)) +
               ",\"host\":\"alder\",\"lock\":\"" + lock + "\",\"path\":\"/locks/" + lock +
               ".lock\",\"max\":" + std::to_string(max) + "," + more + "}");
  }
  Script& raw(const std::string& text) {
    history::Record record;
    if (history::read_line(text, record) != history::Reading::foreign) ledger.take(record);
    return *this;
  }
  const LockStory& story() {
    ledger.close();
    return ledger.locks().at(0);
  }

  std::string lock = "backup";
  int max = 1;
  RunLedger ledger;

 private:
  static std::string slot_and_token(int slot, std::int64_t token) {
    return "\"slot\":" + std::to_string(slot) + ",\"token\":" + std::to_string(token);
  }
  static std::string holder_of(std::int64_t token) {
    return "\"holder_pid\":7,\"holder_token\":" + std::to_string(token);
  }
};

}  // namespace atmost::report

#endif
