// Descriptors and the open file descriptions behind them: open(2), dup(2), close(2).
#include <fcntl.h>
#include <sys/inotify.h>

#include <cerrno>

#include "world/kernel.h"

namespace world {

int Kernel::lowest_free(const Process& process, int from) {
  for (auto each = process.descriptors.lower_bound(from);
       each != process.descriptors.end() && each->first == from; ++each)
    ++from;
  return from;
}

int Kernel::open_description(Process& process, Description made, bool closes_on_exec) {
  const int number = next_description_++;
  made.references = 1;
  descriptions_.emplace(number, std::move(made));
  const int fd = lowest_free(process, kFirstDescriptor);
  process.descriptors[fd] = {number, closes_on_exec};
  return fd;
}

Description* Kernel::description_of(const Process& process, int fd) {
  const auto found = process.descriptors.find(fd);
  if (found == process.descriptors.end()) {
    errno = EBADF;
    return nullptr;
  }
  return &descriptions_.at(found->second.description);
}

// filp_close(): the process's own locks go with any close of the file.
void Kernel::close(Process& process, int fd) {
  const int number = process.descriptors.at(fd).description;
  process.descriptors.erase(fd);
  const int file = description(number).inode;
  if (file != 0) drop_locks(process, file, {false, process.pid});
  drop_reference(process, number);
}

// __fput(): with the last reference the event is raised, then the locks of the description go.
// Others may run between.
void Kernel::drop_reference(Process& process, int number) {
  if (--description(number).references > 0) return;
  const int file = description(number).inode;
  if (file != 0 && !inode(file).directory) {
    const bool wrote = (description(number).flags & O_ACCMODE) != O_RDONLY;
    process.closing = number;
    raise(process, file, wrote ? IN_CLOSE_WRITE : IN_CLOSE_NOWRITE);
    pause(process);
    drop_locks(process, file, {true, number});
    process.closing = 0;
  }
  descriptions_.erase(number);
  if (file != 0) forget_unused(process, file);
}

}  // namespace world
