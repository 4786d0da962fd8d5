// One thing wrong with a reply that is otherwise right: some member of its JSON, or some element.
#ifndef ATMOST_TESTS_ETCD_FAULT_DAMAGE_H
#define ATMOST_TESTS_ETCD_FAULT_DAMAGE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace etcd_kit {

enum class Damage : std::uint8_t {
  missing,
  null,
  other_type,
  huge,      // a number of more digits than 64 bits have; a megabyte of text
  most,      // the largest that 63 bits hold
  negative,  // -1
  twice,     // the name a second time, with another value; an element a second time
  deep,      // 50,000 arrays in each other
};
inline constexpr unsigned kDamages = 8;
const char* name_of(Damage damage);

// The number of members and elements at every depth; 0 if it is not JSON.
std::size_t places(const std::string& text);
// REQUIRES: place < places(text).
std::string damaged(const std::string& text, std::size_t place, Damage damage);

}  // namespace etcd_kit

#endif
