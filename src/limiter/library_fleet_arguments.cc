// From a request of the C library to the arguments of `atmost run`.
#include "atmost/atmost.h"
#include "core/place.h"
#include "core/schemes.h"
#include "library_answer.h"
#include "library_fleet.h"

namespace atmost::limiter {
namespace {

// Of the library alone.
bool is_handed_on(std::string_view word) { return !word.starts_with("--may-be-killed="); }

Status place(std::string_view lock, const Settings& settings, Arena& texts, Request& to) {
  // A path is the lock of a file where the store is a directory: `atmost run` knows which.
  if (scheme_of(settings).directory) {
    if (Status kept = keep_name(lock, texts, to.locks[0]); !kept.ok()) return kept;
  } else if (Status placed = place_fleet_lock(lock, settings.store, "fleet", texts, to.locks[0]);
             !placed.ok()) {
    return placed;
  }
  for (unsigned i = 0; i < settings.also_count; ++i) {
    LockSpec& also = to.locks[to.lock_count++];
    if (Status kept = keep_name(settings.also[i].lock, texts, also); !kept.ok()) return kept;
  }
  return {};
}

}  // namespace

int fill_arguments(const LibraryRequest& from, std::string_view program, Arena& texts,
                   Request& request, Words& to) {
  if (from.is_atom && from.lock().find(':') != std::string_view::npos)
    return answer_misuse("operator: its colon would end it in the store of a fleet");
  PathText lock(from.lock());
  if (from.is_atom) lock.push(':').append(from.operand());
  if (lock.truncated()) return answer_misuse("the atom is longer than can be handed on");
  if (const Status placed = place(lock, from.settings, texts, request); !placed.ok())
    return answer_error(placed.error());
  to.clear();
  for (std::size_t i = from.first_option(); i < from.words.count(); ++i) {
    if (is_handed_on(from.words.at(i))) to.add(from.words.at(i));
  }
  if (request.id.empty() && !program.empty()) to.add("id", program);
  to.add("--");
  to.add(lock);
  if (!to.complete()) return answer_misuse("the options are longer than can be handed on");
  return ATMOST_ADMITTED;
}

}  // namespace atmost::limiter
