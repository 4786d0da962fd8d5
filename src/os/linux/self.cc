#include "../self.h"

#include "../file.h"

namespace atmost::os {

std::uint64_t boot_hash() {
  Fd file;
  if (open_to_read("/proc/sys/kernel/random/boot_id", file) != 0) return 0;
  char id[37];  // with its newline, which is its end
  std::size_t size = 0;
  if (read_at(file.get(), id, sizeof id, 0, size) != 0 || size < 32) return 0;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the id is random already
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<unsigned char>(id[i])) * 0x100000001b3;
  return hash == 0 ? 1 : hash;
}

}  // namespace atmost::os
