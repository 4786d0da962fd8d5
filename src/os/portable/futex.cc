#include "../futex.h"

#include <cerrno>

namespace atmost::os {

bool Bells::open(int, std::int64_t, Heirs) { return false; }
void Bells::close() {}
int Bells::wait(std::int64_t, std::uint32_t, std::int64_t) const { return ENOSYS; }
std::uint32_t Bells::ring(std::int64_t) const { return 0; }
bool Bells::sleeps(std::int64_t) const { return true; }

std::uint32_t thread_id() { return 0; }
std::uint32_t register_words(int, std::int64_t, const std::uint32_t*, std::uint32_t) { return 0; }
void forget_words() {}

}  // namespace atmost::os
