// Names and the bytes of files.
#include <algorithm>
#include <cstring>

#include "world/kernel.h"

namespace world {
namespace {

constexpr std::size_t kPage = 4096;

struct Piece {
  std::int64_t page;
  std::size_t at;    // in the page
  std::size_t size;  // as much as lies in the page
};

Piece piece_of(std::int64_t at, std::size_t size) {
  const auto in_page = static_cast<std::size_t>(at) % kPage;
  return {at / static_cast<std::int64_t>(kPage), in_page, std::min(size, kPage - in_page)};
}

}  // namespace

int Kernel::find(std::string_view path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? 0 : found->second;
}

int Kernel::make_file(std::string_view path, mode_t mode, bool directory) {
  auto made = std::make_unique<Inode>();
  made->number = static_cast<int>(inodes_.size());
  made->mode = mode;
  made->directory = directory;
  made->user = directory ? 0 : kUser;
  names_.insert_or_assign(std::string(path), made->number);
  inodes_.push_back(std::move(made));
  return inodes_.back()->number;
}

void Kernel::write(Inode& inode, const void* from, std::size_t size, std::int64_t at) {
  const char* bytes = static_cast<const char*>(from);
  for (std::size_t done = 0; done < size;) {
    const Piece piece = piece_of(at + static_cast<std::int64_t>(done), size - done);
    std::string& page = inode.pages[piece.page];
    if (page.empty()) page.assign(kPage, '\0');
    std::memcpy(page.data() + piece.at, bytes + done, piece.size);
    done += piece.size;
  }
  inode.size = std::max(inode.size, at + static_cast<std::int64_t>(size));
}

std::size_t Kernel::read(const Inode& inode, void* to, std::size_t size, std::int64_t at) {
  if (at >= inode.size) return 0;
  size = std::min(size, static_cast<std::size_t>(inode.size - at));
  char* bytes = static_cast<char*>(to);
  for (std::size_t done = 0; done < size;) {
    const Piece piece = piece_of(at + static_cast<std::int64_t>(done), size - done);
    const auto page = inode.pages.find(piece.page);
    if (page == inode.pages.end()) {
      std::memset(bytes + done, 0, piece.size);
    } else {
      std::memcpy(bytes + done, page->second.data() + piece.at, piece.size);
    }
    done += piece.size;
  }
  return size;
}

}  // namespace world
