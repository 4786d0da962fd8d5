#include "message.h"

#include "os/helper_process.h"

namespace atmost::doctor {
namespace {

constexpr std::size_t kLongestField = 6000;
constexpr std::size_t kFields = 4;

}  // namespace

void send(const Message& message) {
  const Finding& finding = message.finding;
  std::string bytes = {static_cast<char>(message.kind),
                       static_cast<char>('0' + static_cast<int>(finding.level))};
  for (std::string_view field : {finding.check, finding.what, finding.why, finding.advice}) {
    field = field.substr(0, kLongestField);
    bytes.append(field.substr(0, field.find('\0'))).push_back('\0');
  }
  (void)os::report(bytes.data(), bytes.size());  // if the parent is gone: we still clean up
}

bool MessageReader::next(Message& to) {
  bytes_.erase(0, taken_);
  taken_ = 0;
  std::string_view fields[kFields];
  std::size_t at = 2;
  for (std::string_view& field : fields) {
    const std::size_t end = bytes_.find('\0', at);
    if (end == std::string::npos) return false;
    field = std::string_view(bytes_).substr(at, end - at);
    at = end + 1;
  }
  to.kind = static_cast<Message::Kind>(bytes_[0]);
  to.finding = {static_cast<Level>(bytes_[1] - '0'), fields[0], fields[1], fields[2], fields[3]};
  taken_ = at;
  return true;
}

}  // namespace atmost::doctor
