// User names, straight from the password file.
#include <cstdint>

#include "core/host.h"
#include "os/fd.h"
#include "os/file.h"

namespace atmost {
namespace {

// Reads the file line by line through one small buffer; lines longer than it are skipped.
class Lines {
 public:
  bool open(const char* path) { return os::open_to_read(path, file_) == 0; }

  bool next(std::string_view& line) {
    for (;;) {
      const std::string_view rest{buffer_ + begin_, end_ - begin_};
      const std::size_t newline = rest.find('\n');
      if (newline != std::string_view::npos) {
        line = {rest.data(), newline};
        begin_ += newline + 1;
        return true;
      }
      if (!refill()) {
        line = {buffer_, end_};
        end_ = 0;
        return !line.empty();  // the last line may lack its newline
      }
    }
  }

 private:
  // Moves the rest to the front and reads behind it; a full buffer without a newline is dropped.
  bool refill() {
    if (begin_ == 0 && end_ == sizeof buffer_) begin_ = end_;
    for (std::size_t i = begin_; i < end_; ++i) buffer_[i - begin_] = buffer_[i];
    end_ -= begin_;
    begin_ = 0;
    std::size_t got = 0;
    if (os::read_at(file_.get(), buffer_ + end_, sizeof buffer_ - end_, offset_, got) != 0 ||
        got == 0)
      return false;
    offset_ += static_cast<std::int64_t>(got);
    end_ += got;
    return true;
  }

  os::Fd file_;
  char buffer_[1024];
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;
};

// The field before the next colon, taken off the front.
std::string_view field(std::string_view& line) {
  const std::size_t colon = line.find(':');
  const std::string_view first{line.data(), colon == std::string_view::npos ? line.size() : colon};
  line.remove_prefix(colon == std::string_view::npos ? line.size() : colon + 1);
  return first;
}

// passwd(5): name:password:number:…
bool names(std::string_view line, std::string_view number, Text<32>& name) {
  const std::string_view first = field(line);
  field(line);
  if (first.empty() || field(line) != number) return false;
  name = Text<32>(first);
  return true;
}

}  // namespace

Text<32> user_name(std::uint32_t user) {
  // A listing asks for the same few users again and again.
  static std::uint32_t known_user = 0;
  static Text<32> known_name;
  if (!known_name.empty() && known_user == user) return known_name;
  Text<32> number;
  number.append_unsigned(user);
  Text<32> name = number;
  Lines lines;
  std::string_view line;
  if (lines.open("/etc/passwd")) {
    while (lines.next(line) && !names(line, number, name)) {
    }
  }
  known_user = user;
  known_name = name;
  return name;
}

}  // namespace atmost
