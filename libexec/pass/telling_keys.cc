#include "core/parse.h"
#include "read_file.h"

namespace atmost::pass {
namespace {

void read_output(TableReader& table, Atom& to) {
  if (std::string words; table.text("output", words)) {
    to.output = words == "on-failure" ? OutputTo::on_failure
                : words == "tail"     ? OutputTo::tail
                                      : OutputTo::show;
    if (to.output == OutputTo::show && words != "show")
      table.fault("output", "is none of \"show\", \"on-failure\" and \"tail\"");
  }
  if (std::string size; table.text("output_max", size)) {
    const Result<std::int64_t> read = parse_output_size(size);
    if (read.ok()) to.output_max = read.value();
    if (!read.ok()) table.fault("output_max", std::string(read.error().message.view()));
  }
}

void read_occasions(TableReader& table, Atom& to) {
  std::vector<std::string> words;
  if (!table.texts("notify_on", false, words)) return;
  to.notify_on = 0;
  for (const std::string& word : words) {
    std::uint8_t bit = 0;
    for (const OccasionName& one : kOccasionNames) {
      if (one.name == word) bit = one.value;
    }
    to.notify_on |= bit;
    if (bit == 0)
      table.fault("notify_on",
                  "holds \"" + word +
                      "\", which is none of failure, killed, too-fast, recovered, lost "
                      "and every");
  }
}

}  // namespace

void read_telling(TableReader& table, Atom& to) {
  read_output(table, to);
  if (table.text("notify", to.notify)) {
    if (const Status good = check_notify(to.notify); !good.ok())
      table.fault("notify", std::string(good.error().message.view()));
  }
  read_occasions(table, to);
  if (table.text("ping", to.ping)) {
    Text<2047> room;
    if (const Status good = parse_ping(to.ping, room); !good.ok())
      table.fault("ping", std::string(good.error().message.view()));
  }
  table.boolean("ping_output", to.ping_output);
  table.count("alert_after", UINT32_MAX, to.alert_after);
  if (table.has("ping_output") && to.ping_output && to.output == OutputTo::show)
    table.fault("ping_output", "sends kept output only: set output to \"on-failure\" or \"tail\"");
}

}  // namespace atmost::pass
