// The product's writable data that belongs to one process: what world.ld puts side by side, and
// the thread-local variables.
#ifndef ATMOST_TESTS_WORLD_PROCESS_DATA_H
#define ATMOST_TESTS_WORLD_PROCESS_DATA_H

#include <vector>

namespace world {

class ProcessData {
 public:
  // As it was before the first process ran. REQUIRES: the first call is made before that.
  static const ProcessData& of_a_start();
  static ProcessData present();
  // From the memory where the product has it, and back.
  void take();
  void put() const;

 private:
  std::vector<char> bytes_;
};

}  // namespace world

#endif
