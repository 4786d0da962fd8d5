#include "trace.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "reader/output.h"
#include "reader/record.h"

namespace atmost::simulate {
namespace {

constexpr int kFields = 18;
// A century of seconds: two such moments fit into 64 bits of nanoseconds, and no log is longer.
constexpr double kLongest = 3e9;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A decimal number at the beginning of `text`, which is cut off there.
bool take_number(std::string_view& text, double& to) {
  std::size_t at = 0;
  const bool negative = at < text.size() && text[at] == '-';
  if (negative) ++at;
  std::size_t digits = 0;
  double value = 0, unit = 1;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits)
    value = value * 10 + (text[at] - '0');
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
      unit /= 10;
      value += (text[at] - '0') * unit;
    }
  }
  if (digits == 0 || digits > 15 || (at < text.size() && !is_blank(text[at]))) return false;
  text.remove_prefix(at);
  to = negative ? -value : value;
  return true;
}

std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds * 1e3)) * 1'000'000;
}

Job::Status status_of(double field) {
  if (field == 0) return Job::Status::failed;
  if (field == 5) return Job::Status::cancelled;
  return field >= 2 && field <= 4 ? Job::Status::partial : Job::Status::completed;
}

}  // namespace

Swf read_swf(std::string_view line, Job& to) {
  double fields[kFields];
  int count = 0;
  while (true) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty() || count == kFields) break;
    if (count == 0 && line.front() == ';') return Swf::comment;
    if (!take_number(line, fields[count])) return Swf::wrong;
    ++count;
  }
  if (count == 0) return Swf::comment;
  if (count < kFields) return Swf::wrong;
  const double start = fields[1] + (fields[2] > 0 ? fields[2] : 0);
  if (!(start >= 0) || start > kLongest || fields[3] > kLongest) return Swf::wrong;
  to.start_ns = nanoseconds(start);
  to.ran_ns = fields[3] < 0 ? -1 : nanoseconds(fields[3]);
  to.status = status_of(fields[10]);
  to.user = static_cast<std::int64_t>(fields[11]);
  to.program = static_cast<std::int64_t>(fields[13]);
  return Swf::job;
}

namespace {

using history::Failure;

// Lines of a file, compressed or not.
class Lines {
 public:
  explicit Lines(const std::string& path)
      : path_(path == "-" ? "standard input" : path),
        file_(path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rbe")) {
    if (!file_) throw Failure(Code::io, path + ": " + std::strerror(errno));
    gzbuffer(file_.get(), 1 << 17);
  }

  // False at the end. The view is valid until the next call.
  bool next(std::string_view& line) {
    text_.clear();
    char piece[1 << 14];
    while (gzgets(file_.get(), piece, sizeof piece) != nullptr) {
      text_ += piece;  // text after a NUL byte in a line is left out: logs have no such byte
      if (text_.size() > kLongestLine)
        throw Failure(Code::io, path_ + ": is not a log: it has a line without an end");
      if (!text_.empty() && text_.back() == '\n') {
        text_.pop_back();
        line = text_;
        return true;
      }
    }
    int code = Z_OK;
    const char* why = gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END)
      throw Failure(Code::io, path_ + ": " + (code == Z_ERRNO ? std::strerror(errno) : why));
    line = text_;
    return !text_.empty();
  }

 private:
  static constexpr std::size_t kLongestLine = 1 << 20;
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Trace read(bool quiet) {
    Lines lines(path_);
    std::string_view line;
    for (std::size_t number = 1; lines.next(line); ++number) {
      if (!take(line) && ++wrong_ == 1) first_wrong_ = number;
    }
    if (trace_.runs.empty()) {
      throw Failure(Code::usage, path_ +
                                     ": no run in it: neither a history of atmost nor a log in the "
                                     "Standard Workload Format");
    }
    if (wrong_ > 0 && !quiet) {
      history::complain(path_ + ":" + std::to_string(first_wrong_) +
                        ": neither a job (18 numbers) nor an event of ours; " +
                        std::to_string(wrong_) + (wrong_ == 1 ? " line was" : " lines were") +
                        " skipped");
    }
    trace_.atoms = atoms_.size();
    std::stable_sort(trace_.runs.begin(), trace_.runs.end(), [](const Run& one, const Run& other) {
      return one.start_ns < other.start_ns;
    });
    return std::move(trace_);
  }

 private:
  bool take(std::string_view line) {
    return line.find_first_not_of(" \t") != std::string_view::npos && line.front() == '{'
               ? take_event(line)
               : take_job(line);
  }

  bool take_event(std::string_view line) {
    history::Record record;
    if (history::read_line(line, record) == history::Reading::foreign) return false;
    if (record.kind != Event::Kind::ended || !record.flag("started", true) ||
        record.ns("ran_s") < 0)
      return true;
    add(std::string(record.text("path").empty() ? record.text("lock") : record.text("path")),
        {0, record.ns("at") - record.ns("ran_s"), record.ns("ran_s"), record.number("uid"),
         !record.text("stopped").empty() || !record.text("signal").empty()});
    return true;
  }

  bool take_job(std::string_view line) {
    Job job;
    const Swf kind = read_swf(line, job);
    const bool left_out = job.status == Job::Status::failed || job.status == Job::Status::partial;
    if (kind == Swf::job && job.ran_ns >= 0 && !left_out) {
      add(std::to_string(job.user) + " " + std::to_string(job.program),
          {0, job.start_ns, job.ran_ns, job.user, job.status == Job::Status::cancelled});
    }
    return kind != Swf::wrong;
  }

  void add(const std::string& atom, Run run) {
    run.atom = atoms_.emplace(atom, static_cast<std::uint32_t>(atoms_.size())).first->second;
    trace_.runs.push_back(run);
  }

  std::string path_;
  Trace trace_;
  std::map<std::string, std::uint32_t> atoms_;
  std::size_t wrong_ = 0, first_wrong_ = 0;
};

// The trace of the runs that are wanted; their atoms are numbered anew.
template <class Wanted>
Trace only(const Trace& trace, Wanted wanted) {
  Trace part;
  std::vector<std::int64_t> names(trace.atoms, -1);
  for (std::size_t i = 0; i < trace.runs.size(); ++i) {
    if (!wanted(i)) continue;
    Run run = trace.runs[i];
    if (names[run.atom] < 0) names[run.atom] = static_cast<std::int64_t>(part.atoms++);
    run.atom = static_cast<std::uint32_t>(names[run.atom]);
    part.runs.push_back(run);
  }
  return part;
}

}  // namespace

Trace read_trace(const std::string& path, bool quiet) { return Reader(path).read(quiet); }

Trace with_runs(const Trace& trace, std::size_t at_least) {
  std::vector<std::size_t> counts(trace.atoms, 0);
  for (const Run& run : trace.runs) ++counts[run.atom];
  return only(trace, [&](std::size_t i) { return counts[trace.runs[i].atom] >= at_least; });
}

std::vector<Trace> halves(const Trace& trace, Split split) {
  if (split == Split::none) return {};
  std::map<std::int64_t, bool> users;
  for (const Run& run : trace.runs) users.emplace(run.user, users.size() % 2 != 0);
  const auto second = [&](std::size_t i) {
    if (split == Split::time) return i >= trace.runs.size() / 2;
    return users.size() > 1 ? users.at(trace.runs[i].user) : trace.runs[i].atom % 2 != 0;
  };
  return {only(trace, [&](std::size_t i) { return !second(i); }), only(trace, second)};
}

}  // namespace atmost::simulate
