// Writes and reads the files of tests.
#ifndef TESTS_TESTING_TEMPORARY_FILE_H_
#define TESTS_TESTING_TEMPORARY_FILE_H_

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace ns {

// Returns a path in a folder of this test program; its last part is
// "<test>_<name>".
inline std::string TemporaryPath(const std::string& name) {
  std::string test =
      testing::UnitTest::GetInstance()->current_test_info()->name();
  // A test on each engine is called "Works/onednn".
  std::replace(test.begin(), test.end(), '/', '_');
  return testing::TempDir() + test + "_" + name;
}

inline void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string ReadFile(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace ns

#endif  // TESTS_TESTING_TEMPORARY_FILE_H_
