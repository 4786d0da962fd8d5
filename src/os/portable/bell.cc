#include "../bell.h"

#include <cerrno>

namespace atmost::os {

bool Bells::open(int, std::int64_t, Heirs) { return false; }
void Bells::close() {}
int Bells::wait(std::int64_t, std::uint32_t, std::int64_t) const { return ENOSYS; }
std::uint32_t Bells::ring(std::int64_t) const { return 0; }
bool Bells::sleeps(std::int64_t) const { return true; }

}  // namespace atmost::os
