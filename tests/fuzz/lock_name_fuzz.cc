// Any name gives a safe file name, which leads back to the name.
#include <cstdlib>
#include <string_view>

#include "core/parse.h"

namespace {

void check(const atmost::Result<atmost::Text<255>>& file, std::string_view whole) {
  if (!file.ok()) return;
  const std::string_view name = file.value().view();
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+@=,-%";
  if (name.size() > 255 || !name.ends_with(".lock") || name.size() == 5 || name[0] == '.')
    std::abort();
  if (name.find_first_not_of(kAllowed) != std::string_view::npos) std::abort();
  const bool cut = name.find("%+") != std::string_view::npos;
  if (!cut && atmost::readable_name(name, "mars").view() != whole) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check(atmost::canonical_name(text), text);
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    check(atmost::canonical_atom({text.data(), colon}, {text.data() + colon + 1, size - colon - 1},
                                 "mars"),
          text);
  }
  const atmost::Result<atmost::LockForm> form = atmost::classify_lock(text);
  if (form.ok() && (text.empty() || text.back() == '/')) std::abort();
  static_cast<void>(atmost::readable_name(text, "mars"));
  return 0;
}
