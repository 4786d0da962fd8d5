#include <sys/inotify.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "world/kernel_kit.h"

namespace world {
namespace {

TEST(Descriptors, TheLowestFreeNumberIsTaken) {
  run_processes({[](Process&) {
    EXPECT_EQ(open_file("/w/a"), 3);
    EXPECT_EQ(open_file("/w/b"), 4);
    EXPECT_EQ(calls().control(3, F_DUPFD_CLOEXEC, 200), 200);
    EXPECT_EQ(calls().close(3), 0);
    EXPECT_EQ(open_file("/w/c"), 3);
    EXPECT_EQ(calls().close(7), -1);
    EXPECT_EQ(errno, EBADF);
  }});
}

TEST(Descriptors, OpenSaysWhyItFails) {
  run_processes({[](Process&) {
    EXPECT_EQ(calls().openat(AT_FDCWD, "/w/a", O_RDONLY, 0), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(open_file("/w/a", O_EXCL), 3);
    EXPECT_EQ(open_file("/w/a", O_EXCL), -1);
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(calls().openat(AT_FDCWD, "/w/a", O_RDONLY | O_DIRECTORY, 0), -1);
    EXPECT_EQ(errno, ENOTDIR);
    EXPECT_EQ(open_file("/none/a"), -1);
    EXPECT_EQ(errno, ENOENT);
  }});
}

TEST(Descriptors, ADuplicateSharesTheOffset) {
  run_processes({[](Process&) {
    const int one = open_file("/w/a");
    const int other = calls().control(one, F_DUPFD, 10);
    EXPECT_EQ(calls().seek(one, 5, SEEK_SET), 5);
    EXPECT_EQ(calls().seek(other, 0, SEEK_CUR), 5);
    EXPECT_EQ(calls().control(other, F_GETFD, 0), 0);
    EXPECT_EQ(calls().control(other, F_SETFD, FD_CLOEXEC), 0);
    EXPECT_EQ(calls().control(other, F_GETFD, 0), FD_CLOEXEC);
  }});
}

TEST(Files, BytesBetweenPagesAndBehindTheEnd) {
  run_processes({[](Process&) {
    const int fd = open_file("/w/a");
    char bytes[16] = {};
    EXPECT_EQ(calls().pwrite(fd, "hello", 5, 4094), 5);
    EXPECT_EQ(calls().pread(fd, bytes, sizeof bytes, 4093), 6);
    EXPECT_EQ(std::memcmp(bytes, "\0hello", 6), 0);
    EXPECT_EQ(calls().pread(fd, bytes, sizeof bytes, 5000), 0);
    struct stat status;
    EXPECT_EQ(calls().fstat(fd, &status), 0);
    EXPECT_EQ(status.st_size, 4099);
  }});
}

TEST(Files, AFullDiskShortensAWriteAndThenRefusesIt) {
  run_processes({[](Process&) {
                  const int fd = open_file("/w/a");  // call 1
                  EXPECT_EQ(calls().pwrite(fd, "hello", 5, 0), 2);
                  EXPECT_EQ(calls().pwrite(fd, "x", 1, 0), -1);
                  EXPECT_EQ(errno, ENOSPC);
                }},
                {{Event::Kind::no_space, 0, 2, 0}, {Event::Kind::no_space, 0, 3, 0}});
}

TEST(Locks, ADescriptionsLastReferenceIsItsMapping) {
  run_processes({[](Process&) {
                   const int fd = open_file("/w/a");
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLK, F_WRLCK, 7), 0);
                   void* at = calls().mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
                   calls().close(fd);
                   sleep_ms(10);
                   calls().munmap(at, 4096);
                   sleep_ms(10);
                 },
                 [](Process&) {
                   const int fd = open_file("/w/a");
                   sleep_ms(5);
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLK, F_WRLCK, 7), -1);
                   EXPECT_EQ(errno, EAGAIN);
                   sleep_ms(10);
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLK, F_WRLCK, 7), 0);
                 }});
}

TEST(Locks, AnyCloseDropsThoseOfAProcess) {
  run_processes({[](Process&) {
                   const int fd = open_file("/w/a");
                   const int other = open_file("/w/a");
                   EXPECT_EQ(set_lock(fd, F_SETLK, F_WRLCK, 7), 0);
                   sleep_ms(10);
                   calls().close(other);
                   sleep_ms(10);
                 },
                 [](Process&) {
                   const int fd = open_file("/w/a");
                   sleep_ms(5);
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLK, F_RDLCK, 7), -1);
                   sleep_ms(10);
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLK, F_RDLCK, 7), 0);
                 }});
}

// The masks of all events that can be read now.
std::vector<std::uint32_t> read_masks(int fd) {
  std::vector<std::uint32_t> masks;
  alignas(struct inotify_event) char buffer[1024];
  const ssize_t size = calls().read(fd, buffer, sizeof buffer);
  for (ssize_t at = 0; at < size;) {
    struct inotify_event event;
    std::memcpy(&event, buffer + at, sizeof event);
    masks.push_back(event.mask);
    at += static_cast<ssize_t>(sizeof event + event.len);
  }
  return masks;
}

TEST(Inotify, EqualEventsAreOneAndTheRemovalIsTold) {
  run_processes({[](Process&) {
    const int fd = open_file("/w/a");
    const int notify = calls().inotify_init(IN_NONBLOCK | IN_CLOEXEC);
    const int watch = calls().inotify_add_watch(notify, "/w/a", IN_MODIFY | IN_CLOSE_WRITE);
    EXPECT_EQ(calls().inotify_add_watch(notify, "/w/a", IN_MODIFY | IN_CLOSE_WRITE), watch);
    calls().pwrite(fd, "x", 1, 0);
    calls().pwrite(fd, "y", 1, 0);
    calls().close(fd);
    EXPECT_EQ(read_masks(notify), (std::vector<std::uint32_t>{IN_MODIFY, IN_CLOSE_WRITE}));
    EXPECT_EQ(calls().inotify_rm_watch(notify, watch), 0);
    EXPECT_EQ(read_masks(notify), (std::vector<std::uint32_t>{IN_IGNORED}));
    EXPECT_EQ(calls().inotify_rm_watch(notify, watch), -1);
    char byte;
    EXPECT_EQ(calls().read(notify, &byte, 1), -1);
    EXPECT_EQ(errno, EAGAIN);
  }});
}

TEST(Inotify, AnEventCanBeLost) {
  run_processes({[](Process&) {
                  const int fd = open_file("/w/a");                      // call 1
                  const int notify = calls().inotify_init(IN_NONBLOCK);  // 2
                  calls().inotify_add_watch(notify, "/w/a", IN_MODIFY);  // 3
                  calls().pwrite(fd, "x", 1, 0);                         // 4
                  EXPECT_TRUE(read_masks(notify).empty());
                }},
                {{Event::Kind::lose_event, 0, 4, 0}});
}

TEST(Inotify, AFolderTellsNames) {
  run_processes({[](Process&) {
    const int notify = calls().inotify_init(IN_NONBLOCK);
    calls().inotify_add_watch(notify, "/w", IN_CREATE | IN_DELETE | IN_ONLYDIR);
    open_file("/w/a");
    calls().unlink("/w/a");
    EXPECT_EQ(read_masks(notify), (std::vector<std::uint32_t>{IN_CREATE, IN_DELETE}));
  }});
}

}  // namespace
}  // namespace world
