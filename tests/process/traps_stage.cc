#include "traps_stage.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

namespace witness {

Stage::~Stage() {
  for (int gate : gates_) {
    if (gate >= 0) close(gate);
  }
}

Argv Stage::run(const Argv& options) const {
  Argv argv{under_test("atmost"), "run"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {lock_, "--"});
  return argv;
}

Stage::Tag Stage::start(const Argv& before) {
  const auto tag = static_cast<Tag>(pids_.size());
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  Argv argv = before;
  argv.insert(argv.end(), {helper("witness"), log_.path(), "tag=" + std::to_string(tag), "gate"});
  Streams streams;
  streams.in = gate[0];
  pids_.push_back(world_.start(argv, streams));
  gates_.push_back(gate[1]);
  close(gate[0]);
  return tag;
}

Stage::Tag Stage::hold(const Argv& before) {
  const Tag tag = start(before);
  EXPECT_TRUE(comes_inside(tag)) << "never admitted: " << (before.empty() ? "witness" : before[0]);
  return tag;
}

Stage::Tag Stage::queue(const Argv& before) {
  const Tag tag = start(before);
  EXPECT_TRUE(eventually(kBound, [&] {
    const auto ticket = probe_.first_locked(last_ticket_ + 1, 0);
    if (ticket) last_ticket_ = *ticket;
    return ticket.has_value();
  })) << "never queued";
  return tag;
}

void Stage::read_log() {
  log_.read_new([&](const Record& record) {
    if (record.kind == '+') {
      order_.push_back(record.tag);
      inside_[record.tag] = record;
    } else {
      inside_.erase(record.tag);
    }
  });
}

bool Stage::inside(Tag tag) {
  read_log();
  return inside_.count(tag) != 0;
}

unsigned Stage::slot_of(Tag tag) {
  read_log();
  const auto found = inside_.find(tag);
  return found == inside_.end() ? 0 : found->second.slot;
}

void Stage::let_go(Tag tag) {
  close(gates_.at(tag));
  gates_.at(tag) = -1;
}

std::string Stage::end_of(Tag tag) {
  const std::optional<int> status = world_.wait(pids_.at(tag), kBound);
  return status ? words(*status) : std::string{};
}

std::vector<Stage::Tag> Stage::order() {
  read_log();
  return order_;
}

Answer Stage::ask(const Argv& argv, Bound bound) {
  const std::string out = directory_.file("out");
  const std::string err = directory_.file("err");
  const auto open_new = [](const std::string& path) {
    return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  };
  Streams streams{-1, open_new(out), open_new(err)};
  const std::int64_t begin = now_ns();
  const int status = world_.run(argv, streams, bound);
  const std::int64_t took = now_ns() - begin;
  close(streams.out);
  close(streams.err);
  return {words(status), read_file(out), read_file(err), took};
}

Answer Stage::try_run(const Argv& options) {
  Argv argv = run(options);
  argv.push_back("/bin/true");
  return ask(argv);
}

}  // namespace witness
