// A small tree of files that describe a host, and what is read from it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "host/inventory/files.hpp"
#include "host/inventory/notes.hpp"

namespace everylink {

class TreeOfHost {
 public:
  TreeOfHost() {
    std::string path = (std::filesystem::temp_directory_path() / "everylink-inventory-XXXXXX").string();
    root_ = ::mkdtemp(path.data());
  }
  ~TreeOfHost() { std::filesystem::remove_all(root_); }
  TreeOfHost(const TreeOfHost&) = delete;
  TreeOfHost& operator=(const TreeOfHost&) = delete;

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::filesystem::create_symlink(target, root_ / path);
  }
  void hang(const std::string& path) const {  // nobody writes to it, so opening it blocks
    std::filesystem::create_directories((root_ / path).parent_path());
    ASSERT_EQ(::mkfifo((root_ / path).c_str(), 0600), 0);
  }
  std::string root() const { return root_.string(); }
  std::string name() const { return root_.filename().string(); }

  inventory::Notes read(void (*part)(const inventory::Files&, inventory::Notes&)) const {
    std::set<std::string> hung;
    inventory::Reading reading(
        root(), [part](const inventory::Files& files, inventory::Notes& notes) { part(files, notes); }, hung);
    return reading.finish().value();
  }

 private:
  std::filesystem::path root_;
};

inline std::string fact(const inventory::Notes& notes, const std::string& part, const std::string& name) {
  const auto found = notes.facts.find({part, name});
  return found == notes.facts.end() ? "not known" : found->second;
}

}  // namespace everylink
