#include "world/world.h"

#include "world/callers.h"
#include "world/kernel.h"
#include "world/watcher.h"

namespace world {
namespace {

void split(const std::string& stopped, Result& to) {
  const std::size_t colon = stopped.find(": ");
  to.breaks = stopped.substr(0, colon);
  to.text = colon == std::string::npos ? "" : stopped.substr(colon + 2);
}

}  // namespace

Result run(const Script& given, const RunOptions& options) {
  install_table();
  static const std::unique_ptr<Backend> fibers = make_fibers();
  std::unique_ptr<Backend> processes;
  if (options.real_processes) processes = make_real_processes();
  // Real processes share only what is made here.
  const auto script = std::make_unique<Script>(given);
  const auto watcher = std::make_unique<Watcher>(options.marks);
  const auto callers = std::make_unique<Callers>(*script, *watcher);
  const auto world =
      std::make_unique<Kernel>(*script, processes ? *processes : *fibers, *watcher, options.trace);
  watcher->watch(*world);
  world->make_file("/w", 0755, true);
  for (std::size_t i = 0; i < script->callers.size(); ++i) world->add_process(*callers);
  const std::size_t children = Callers::any_forks(*script) ? script->callers.size() : 0;
  for (std::size_t i = 0; i < children; ++i) world->add_child(*callers);
  const std::string failed = world->run();
  Result result;
  split(world->stopped(), result);
  if (!failed.empty()) {
    result.breaks = "world";
    result.text = failed;
  }
  result.counts = watcher->counts();
  result.counts.calls = world->calls();
  result.counts.switches = world->switches();
  result.counts.simulated_ns = world->now_ns() - kBegin;
  result.events = world->schedule().happened();
  result.marks = watcher->marks();
  result.trace = world->traced();
  return result;
}

}  // namespace world
