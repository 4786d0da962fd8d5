#include "findings.h"

#include <cstring>

#include "os/child.h"

namespace atmost::local {
namespace {

// With four fields and their ends well below the reader's room.
constexpr std::size_t kLongestField = 6000;

}  // namespace

void send(const Finding& finding) {
  Text<4 * kLongestField + 8> record;
  record.push(static_cast<char>(finding.level));
  for (const std::string_view field : {finding.check, finding.what, finding.why, finding.advice}) {
    const std::size_t size = field.size() < kLongestField ? field.size() : kLongestField;
    for (std::size_t i = 0; i < size && field[i] != '\0'; ++i) record.push(field[i]);
    record.push('\0');
  }
  (void)os::report(record.view().data(),
                   record.size());  // nobody listens any more: we still clean up
}

bool FindingReader::next(Finding& to) {
  if (taken_ > 0) {  // the views of the last one are given up now
    filled_ -= taken_;
    std::memmove(bytes_, bytes_ + taken_, filled_);
    taken_ = 0;
  }
  std::string_view fields[kFields];
  std::size_t at = 1;
  for (std::string_view& field : fields) {
    const std::size_t start = at;
    while (at < filled_ && bytes_[at] != '\0') ++at;
    if (at >= filled_) return false;
    field = {bytes_ + start, at - start};
    ++at;
  }
  to = {static_cast<Level>(bytes_[0]), fields[0], fields[1], fields[2], fields[3]};
  taken_ = at;
  return true;
}

}  // namespace atmost::local
