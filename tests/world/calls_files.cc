// Files: open(2), pread(2), pwrite(2), stat(2) and their like.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "world/tables.h"

namespace world {
namespace {

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}
std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

int openat(int, const char* path, int flags, mode_t mode) {
  Call call("openat", CallKind::writes);
  const bool closes_on_exec = (flags & O_CLOEXEC) != 0;
  Process& process = call.process();
  Description made;
  made.flags = flags;
  ProcFile below_proc = proc_file(process, path);
  made.text = std::move(below_proc.text);
  made.names = std::move(below_proc.names);
  if (made.text || made.names)
    return kernel->open_description(process, std::move(made), closes_on_exec);
  int file = kernel->find(path);
  if (file == 0) {
    if ((flags & O_CREAT) == 0 || kernel->find(folder_of(path)) == 0) return Call::fail(ENOENT);
    if (process.full_disk) return Call::fail(ENOSPC);
    file = kernel->make_file(path, mode & 0777, false);
    kernel->trace(process, "makes %s", path);
    kernel->raise(process, kernel->find(folder_of(path)), IN_CREATE, last_name(path));
  } else if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
    return Call::fail(EEXIST);
  } else if ((flags & O_DIRECTORY) != 0 && !kernel->inode(file).directory) {
    return Call::fail(ENOTDIR);
  } else if (kernel->inode(file).directory && (flags & O_ACCMODE) != O_RDONLY) {
    return Call::fail(EISDIR);
  }
  made.inode = file;
  return kernel->open_description(process, std::move(made), closes_on_exec);
}

int close(int fd) {
  Call call("close", CallKind::closes);
  if (kernel->description_of(call.process(), fd) == nullptr) return -1;
  kernel->close(call.process(), fd);
  return 0;
}

// The file behind a descriptor; null with errno.
Inode* file_of(const Process& process, int fd) {
  Description* const of = kernel->description_of(process, fd);
  if (of == nullptr) return nullptr;
  if (of->inode != 0) return &kernel->inode(of->inode);
  errno = EINVAL;
  return nullptr;
}

bool is_readable(const Description& of) { return (of.flags & O_ACCMODE) != O_WRONLY; }

ssize_t read_at(const Description& of, void* to, std::size_t size, off_t at) {
  if (!of.text) return static_cast<ssize_t>(Kernel::read(kernel->inode(of.inode), to, size, at));
  const auto from = std::min(static_cast<std::size_t>(at), of.text->size());
  return static_cast<ssize_t>(of.text->copy(static_cast<char*>(to), size, from));
}

ssize_t pread(int fd, void* to, std::size_t size, off_t at) {
  Call call("pread");
  const Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  if (of->inode == 0 && !of->text) return Call::fail(ESPIPE);
  if (!is_readable(*of)) return Call::fail(EBADF);
  return read_at(*of, to, size, at);
}

ssize_t write_at(Process& process, int fd, const void* from, std::size_t size, off_t at) {
  Description* const of = kernel->description_of(process, fd);
  if (of == nullptr) return -1;
  if ((of->flags & O_ACCMODE) == O_RDONLY) return Call::fail(EBADF);
  if (process.full_disk) {
    if (size < 2) return Call::fail(ENOSPC);
    size /= 2;  // a short write; the rest finds no space
  }
  // Linux heeds it in pwrite(2), too.
  if ((of->flags & O_APPEND) != 0) at = kernel->inode(of->inode).size;
  Kernel::write(kernel->inode(of->inode), from, size, at);
  kernel->raise(process, of->inode, IN_MODIFY);
  return static_cast<ssize_t>(size);
}

ssize_t pwrite(int fd, const void* from, std::size_t size, off_t at) {
  Call call("pwrite", CallKind::writes);
  return write_at(call.process(), fd, from, size, at);
}

ssize_t write(int fd, const void* from, std::size_t size) {
  Call call("write", CallKind::writes);
  Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  if (of->inode == 0) kernel->fail("the world has no write to what is no file");
  const bool appends = (of->flags & O_APPEND) != 0;
  const ssize_t done = write_at(call.process(), fd, from, size, of->offset);
  if (done > 0) of->offset = appends ? kernel->inode(of->inode).size : of->offset + done;
  return done;
}

ssize_t read(int fd, void* to, std::size_t size) {
  Call call("read");
  Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  if (of->inotify) return read_events(*of->inotify, to, size);
  if (of->signals != 0) return read_signals(call.process(), *of, to, size);
  if (of->inode == 0 && !of->text) kernel->fail("the world has no read of what is no file");
  if (!is_readable(*of)) return Call::fail(EBADF);
  const ssize_t done = read_at(*of, to, size, of->offset);
  of->offset += done;
  return done;
}

off_t seek(int fd, off_t at, int whence) {
  Call call("lseek");
  Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  if (whence == SEEK_CUR) at += of->offset;
  if (whence == SEEK_END) at += kernel->inode(of->inode).size;
  if (at < 0) return Call::fail(EINVAL);
  return of->offset = at;
}

int describe(const Inode& file, struct stat* to) {
  *to = {};
  to->st_dev = 77;
  to->st_ino = static_cast<ino_t>(file.number);
  to->st_mode = (file.directory ? S_IFDIR : S_IFREG) | file.mode;
  to->st_nlink = static_cast<nlink_t>(file.links);
  to->st_uid = file.user;
  to->st_gid = file.user;
  to->st_size = file.size;
  return 0;
}

int describe_path(const Process& process, const char* path, struct stat* to) {
  int file = proc_inode(process, path);
  if (file == 0) file = kernel->find(path);
  return file == 0 ? Call::fail(ENOENT) : describe(kernel->inode(file), to);
}

int describe_descriptor(int fd, struct stat* to) {
  Call call("fstat");
  const Inode* const file = file_of(call.process(), fd);
  return file == nullptr ? -1 : describe(*file, to);
}

int describe_name(const char* path, struct stat* to) {
  Call call("stat");
  return describe_path(call.process(), path, to);
}

int status(int dir, const char* path, struct stat* to) {
  if (*path == '\0') return describe_descriptor(dir, to);
  Call call("statx");
  return describe_path(call.process(), path, to);
}

// The names in a folder.
std::vector<std::string> names_in(const Description& of) {
  if (of.names) return *of.names;
  std::vector<std::string> result;
  for (const auto& [path, file] : kernel->names()) {
    if (file != of.inode && kernel->find(folder_of(path)) == of.inode)
      result.emplace_back(last_name(path));
  }
  return result;
}

ssize_t getdents(int fd, void* to, std::size_t size) {
  Call call("getdents");
  Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  const std::vector<std::string> names = names_in(*of);
  char* at = static_cast<char*>(to);
  char* const end = at + size;
  for (; of->offset < static_cast<off_t>(names.size()); ++of->offset) {
    const std::string& name = names[static_cast<std::size_t>(of->offset)];
    // struct linux_dirent64: two numbers of eight bytes, one of two, one of one, the name.
    constexpr std::size_t kNameAt = 19;
    const std::size_t length = (kNameAt + name.size() + 8) / 8 * 8;
    if (static_cast<std::size_t>(end - at) < length) break;
    std::memset(at, 0, length);
    const auto short_length = static_cast<unsigned short>(length);
    std::memcpy(at + 16, &short_length, sizeof short_length);
    std::memcpy(at + kNameAt, name.data(), name.size());
    at += length;
  }
  return at - static_cast<char*>(to);
}

int fchmod(int fd, mode_t mode) {
  Call call("fchmod", CallKind::closes);
  Inode* const file = file_of(call.process(), fd);
  if (file == nullptr) return -1;
  file->mode = mode;
  kernel->raise(call.process(), file->number, IN_ATTRIB);
  return 0;
}

int fdatasync(int fd) {
  Call call("fdatasync");
  return file_of(call.process(), fd) == nullptr ? -1 : 0;
}

int futimens(int fd, const struct timespec*) {
  Call call("futimens");
  return file_of(call.process(), fd) == nullptr ? -1 : 0;
}

int fallocate(int fd, int, off_t, off_t) {
  Call call("fallocate", CallKind::writes);
  if (file_of(call.process(), fd) == nullptr) return -1;
  return call.process().full_disk ? Call::fail(ENOSPC) : 0;
}

int mkdir(const char* path, mode_t mode) {
  Call call("mkdir", CallKind::writes);
  if (kernel->find(path) != 0) return Call::fail(EEXIST);
  if (kernel->find(folder_of(path)) == 0) return Call::fail(ENOENT);
  if (call.process().full_disk) return Call::fail(ENOSPC);
  kernel->make_file(path, mode & 0777, true);
  return 0;
}

int unlink(const char* path) {
  Call call("unlink", CallKind::closes);
  const int file = kernel->find(path);
  if (file == 0) return Call::fail(ENOENT);
  kernel->names().erase(path);
  --kernel->inode(file).links;
  kernel->raise(call.process(), file, IN_ATTRIB);
  kernel->forget_unused(call.process(), file);
  kernel->raise(call.process(), kernel->find(folder_of(path)), IN_DELETE, last_name(path));
  return 0;
}

long filesystem_magic(int fd) {
  Call call("fstatfs");
  return file_of(call.process(), fd) == nullptr ? -1 : EXT4_SUPER_MAGIC;
}

ssize_t readlink(const char* path, char* to, std::size_t size) {
  Call call("readlink");
  const std::string text = proc_link(call.process(), path);
  if (text.empty()) return Call::fail(kernel->find(path) == 0 ? ENOENT : EINVAL);
  size = std::min(size, text.size());
  std::memcpy(to, text.data(), size);
  return static_cast<ssize_t>(size);
}

}  // namespace

void install_files(atmost::os::Calls& calls) {
  calls.openat = openat;
  calls.close = close;
  calls.pread = pread;
  calls.pwrite = pwrite;
  calls.read = read;
  calls.write = write;
  calls.seek = seek;
  calls.fstat = describe_descriptor;
  calls.stat = describe_name;
  calls.lstat = describe_name;  // there are no symbolic links
  calls.status = status;
  calls.getdents = getdents;
  calls.fchmod = fchmod;
  calls.fdatasync = fdatasync;
  calls.futimens = futimens;
  calls.fallocate = fallocate;
  calls.mkdir = mkdir;
  calls.unlink = unlink;
  calls.filesystem_magic = filesystem_magic;
  calls.readlink = readlink;
}

}  // namespace world
