// Admission and refusal beside many holders.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "bench.h"
#include "crowd.h"

namespace bench {
namespace {

// Of each kind: ours, the plain scan, the floor.
constexpr std::size_t kAsked = 3;

struct Question {
  std::string name;
  Argv argv;
  int answer;  // exit code
  int rounds;
  Samples samples;
  std::int64_t calls = -1;
};

// Enough rounds for a steady median, but few enough that plain scans do not take minutes.
int rounds_for(const Options& options, int held, bool plain) {
  const int few = options.quick ? 5 : 15;
  if (!plain) return few * 10;
  return held >= 10'000 ? few : held >= 1000 ? few * 4 : few * 10;
}

std::vector<Question> questions(const Options& options, const std::string& lock, int held) {
  const std::string command = witness::helper("bench_true");
  const std::string room = std::to_string(held + 1);
  const std::string full = std::to_string(held);
  const Argv run{options.program("atmost"), "run", "-q", "-n"};
  const auto with = [](Argv argv, const Argv& more) {
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  };
  const std::string plain = witness::helper("plain_scan");
  const std::string floor = witness::helper("bench_crowd_floor");
  const int few = rounds_for(options, held, true);
  const int many = rounds_for(options, held, false);
  return {{"admission", with(run, {room, lock, "--", command}), 0, many, {}},
          {"admission, plain scan", {plain, lock, room, command}, 0, few, {}},
          {"admission, floor", {floor, "admit", lock, room, command}, 0, many, {}},
          {"refusal", with(run, {full, lock, "--", command}), 75, many, {}},
          {"refusal, plain scan", {plain, lock, full, command}, 1, few, {}},
          {"refusal, floor", {floor, "refuse", lock, std::to_string(held / 2)}, 75, many, {}}};
}

void ask(const Options& options, std::vector<Question>& all) {
  int most = 0;
  for (const Question& question : all) most = std::max(most, question.rounds);
  for (int round = -1; round < most; ++round) {
    for (Question& question : all) {
      const int stride = most / question.rounds;
      if (round >= 0 && round % stride != 0) continue;
      int status = 0;
      const std::int64_t ns = time_run(question.argv, &status);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != question.answer) {
        throw std::runtime_error(question.name + ": expected exit " +
                                 std::to_string(question.answer) + ", got " +
                                 witness::words(status));
      }
      if (round >= 0) question.samples.add(ns);
    }
  }
  for (Question& question : all) question.calls = count_calls(options, question.argv);
}

std::string calls_text(std::int64_t calls) { return calls < 0 ? "?" : grouped(calls); }

double ratio_of(const Question& slower, const Question& faster) {
  return static_cast<double>(slower.samples.median()) /
         static_cast<double>(faster.samples.median());
}

void add_rows(Table& table, int held, const std::vector<Question>& all) {
  for (std::size_t i = 0; i < all.size(); i += kAsked) {
    const Question& ours = all[i];
    const Question& plain = all[i + 1];
    const Question& floor = all[i + 2];
    table.rows.push_back({ours.name + ", " + grouped(held) + " held", micros(ours.samples.median()),
                          micros(plain.samples.median()), ratio(ratio_of(plain, ours)),
                          micros(floor.samples.median()), ratio(ratio_of(plain, floor)),
                          calls_text(ours.calls), calls_text(plain.calls)});
  }
}

double target_of(bool admission, int held) {
  if (held < 10'000) return 12;
  return admission ? 300 : 400;
}

// Against the targets.
void judge_times(Book& book, const std::string& who, const std::vector<Question>& all, int held,
                 bool refusals) {
  for (std::size_t i = 0; i < all.size(); i += kAsked) {
    const bool admission = i == 0;
    if (held < 1000 || (!admission && !refusals)) continue;
    const double faster = ratio_of(all[i + 1], all[i]);
    const double target = target_of(admission, held);
    book.goals.push_back({all[i].name + ", " + grouped(held) + " held by " + who +
                              ": times faster than the plain scan",
                          "≥ " + ratio(target), ratio(faster), faster >= target});
  }
}

// The smallest crowd's system calls against the largest's.
void judge_calls(Book& book, const std::string& who, const std::vector<Question>& small,
                 const std::vector<Question>& large, int held, bool refusals) {
  for (std::size_t i = 0; i < large.size(); i += kAsked) {
    if (small[i].calls < 0 || (i != 0 && !refusals)) continue;
    book.goals.push_back({large[i].name + ", " + grouped(held) + " held by " + who +
                              ": system calls, from the smallest crowd to this",
                          "do not grow", grouped(small[i].calls) + " → " + grouped(large[i].calls),
                          large[i].calls <= small[i].calls + 2});
  }
}

void measure_crowd(const Options& options, Book& book, HeldBy held_by, int most) {
  const bool own = held_by == HeldBy::supervisors;
  const std::string who = own ? "supervisors" : "foreign POSIX holders";
  const std::string lock = options.lock(own ? "supervised" : "foreign");
  Table table{
      "Beside many holders: " + who,
      own ? "every slot held by an atmost run of its own, with a command: two processes each"
          : "every slot held by a process with a POSIX lock that knows nothing of atmost",
      {"", "atmost µs", "plain scan µs", "ratio", "floor µs", "ratio", "atmost calls",
       "plain scan calls"},
      {}};
  Crowd crowd(options, held_by, lock, most + 1);
  std::vector<Question> smallest;
  std::vector<Question> all;
  int reached = 0;
  for (int held : {10, 100, 1000, 10'000}) {
    if (held > most) break;
    tell("  " + grouped(held) + " held by " + who + "\n");
    crowd.grow(held);
    all = questions(options, lock, held);
    ask(options, all);
    add_rows(table, held, all);
    judge_times(book, who, all, held, own);
    if (smallest.empty()) smallest = all;
    reached = held;
  }
  book.tables.push_back(table);
  judge_calls(book, who, smallest, all, reached, own);
}

// Two processes for every slot, and room for all others.
int affordable(int wanted) {
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  const long pids = std::atol(witness::read_file("/proc/sys/kernel/pid_max").c_str());
  long most = pids / 2 - 1000;
  if (limit.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<long>(limit.rlim_cur) / 2 - 500);
  tell("  pid_max " + std::to_string(pids) + ", processes allowed " +
       (limit.rlim_cur == RLIM_INFINITY ? "without limit" : std::to_string(limit.rlim_cur)) + "\n");
  while (wanted > most) wanted /= 10;
  return wanted;
}

}  // namespace

void measure_scale(const Options& options, Book& book) {
  const int most = affordable(options.quick ? 1000 : 10'000);
  measure_crowd(options, book, HeldBy::supervisors, most);
  measure_crowd(options, book, HeldBy::strangers, most);
}

}  // namespace bench
