#include "http.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

namespace atmost::etcd {
namespace {

constexpr std::uint64_t kMostBytes = 64u << 20;
constexpr std::size_t kLongestLine = 16384;

bool is_name(std::string_view text, std::string_view name) {
  return text.size() == name.size() && strncasecmp(text.data(), name.data(), name.size()) == 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The whole text as a number.
bool number(std::string_view text, int base, std::uint64_t& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

bool HttpReader::take_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (is_name(name, "content-length")) {
    const bool again = has_length_;
    const std::uint64_t before = left_;
    has_length_ = number(value, 10, left_);
    return has_length_ && (!again || before == left_);
  }
  if (is_name(name, "transfer-encoding")) {
    chunked_ = is_name(value, "chunked");
    return chunked_;
  }
  if (is_name(name, "connection")) closes_ = closes_ || is_name(value, "close");
  if (is_name(name, "date")) date_ = value;
  return true;
}

bool HttpReader::begin_body() {
  if (status_ < 200) {  // 1xx: the answer is still to come
    state_ = State::status_line;
    return status_ != 101;
  }
  if (chunked_ && has_length_) return false;  // chunks and a length contradict each other
  if (status_ == 204 || status_ == 304) {
    done_ = true;
  } else if (chunked_) {
    state_ = State::chunk_size;
  } else if (has_length_) {
    state_ = State::counted;
    done_ = left_ == 0;
  } else {
    state_ = State::to_end;
    closes_ = true;
  }
  return !has_length_ || left_ <= kMostBytes;
}

bool HttpReader::take_line(std::string_view line) {
  switch (state_) {
    case State::status_line: {
      std::uint64_t status = 0;
      const bool good = line.size() >= 12 && line.starts_with("HTTP/1.") && line[8] == ' ' &&
                        (line.size() == 12 || line[12] == ' ') &&
                        number(line.substr(9, 3), 10, status);
      status_ = static_cast<long>(status);
      closes_ = good && line[7] == '0';
      state_ = State::headers;
      return good && status >= 100;
    }
    case State::headers:
      return line.empty() ? begin_body() : take_header(line);
    case State::chunk_size: {
      const std::string_view size = trimmed(line.substr(0, line.find(';')));
      if (!number(size, 16, left_) || left_ > kMostBytes) return false;
      state_ = left_ == 0 ? State::trailers : State::chunk;
      return true;
    }
    case State::chunk_end:
      state_ = State::chunk_size;
      return line.empty();
    case State::trailers:
      done_ = line.empty();
      return true;
    default:
      return false;
  }
}

bool HttpReader::feed(std::string_view bytes, std::string& body, std::string* behind) {
  while (!bytes.empty()) {
    if (done_) {
      if (behind != nullptr) behind->append(bytes);
      return behind != nullptr;  // else no question was asked
    }
    begun_ = true;
    if (state_ == State::counted || state_ == State::chunk || state_ == State::to_end) {
      const std::size_t room =
          state_ == State::to_end ? bytes.size() : std::min<std::uint64_t>(left_, bytes.size());
      // Flows have no end: the caller limits what it keeps of them.
      body.append(bytes.substr(0, room));
      if (body.size() > kMostBytes) return false;
      bytes.remove_prefix(room);
      left_ -= state_ == State::to_end ? 0 : room;
      if (state_ == State::counted) done_ = left_ == 0;
      if (state_ == State::chunk && left_ == 0) state_ = State::chunk_end;
      continue;
    }
    const std::size_t newline = bytes.find('\n');
    line_.append(bytes.substr(0, newline));
    if (line_.size() > kLongestLine) return false;
    if (newline == std::string_view::npos) return true;
    bytes.remove_prefix(newline + 1);
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    if (!take_line(line_)) return false;
    line_.clear();
  }
  return true;
}

}  // namespace atmost::etcd
