// A variable of the environment, for as long as this lives.
#ifndef ATMOST_TESTS_FLEET_VARIABLE_H
#define ATMOST_TESTS_FLEET_VARIABLE_H

#include <stdlib.h>

#include <string>

namespace fleet_kit {

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* const name_;
};

}  // namespace fleet_kit

#endif
