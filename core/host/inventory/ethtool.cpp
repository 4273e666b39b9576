// ioctl SIOCETHTOOL, which needs no privilege for these questions.
#include "host/inventory/ethtool.hpp"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/descriptor.hpp"

namespace everylink::inventory {
namespace {

class Question {
 public:
  explicit Question(const std::string& interface)
      : name_(interface), socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  bool ask(void* structure) const {
    ifreq request{};
    if (!socket_.is_open() || name_.size() >= sizeof request.ifr_name) return false;
    std::memcpy(request.ifr_name, name_.data(), name_.size());
    request.ifr_data = static_cast<char*>(structure);
    return ::ioctl(socket_.fd(), SIOCETHTOOL, &request) == 0;
  }

 private:
  std::string name_;
  Descriptor socket_;
};

template <std::size_t size>
std::string text_in(const char (&field)[size]) {
  return {field, ::strnlen(field, size)};
}

// A structure with an array of unknown length behind it, in memory that is aligned for its numbers.
template <class Head>
class WithArray {
 public:
  WithArray(std::uint32_t command, std::size_t bytes) : words_((sizeof(Head) + bytes) / 8 + 1) {
    head()->cmd = command;
  }
  Head* head() { return reinterpret_cast<Head*>(words_.data()); }
  const unsigned char* array() const {
    return reinterpret_cast<const unsigned char*>(words_.data()) + sizeof(Head);
  }

 private:
  std::vector<std::uint64_t> words_;
};

std::uint32_t count_of_statistics(const Question& question) {
  constexpr std::uint32_t most = 1 << 15;
  WithArray<ethtool_sset_info> info(ETHTOOL_GSSET_INFO, sizeof(std::uint32_t));
  info.head()->sset_mask = std::uint64_t{1} << ETH_SS_STATS;
  if (!question.ask(info.head()) || info.head()->sset_mask == 0) return 0;
  std::uint32_t count = 0;
  std::memcpy(&count, info.array(), sizeof count);
  return std::min(count, most);
}

}  // namespace

std::optional<EthtoolDriver> ethtool_driver(const std::string& interface) {
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (!Question(interface).ask(&info)) return {};
  return EthtoolDriver{text_in(info.driver), text_in(info.version), text_in(info.fw_version)};
}

// The kernel fills as many as the driver has, whatever room there is: a driver that gains some between two of
// these questions must find it.
std::vector<std::pair<std::string, std::uint64_t>> ethtool_statistics(const std::string& interface) {
  constexpr std::uint32_t room = 4096;
  const Question question(interface);
  const auto count = count_of_statistics(question);
  if (count == 0) return {};
  WithArray<ethtool_gstrings> names(ETHTOOL_GSTRINGS, std::size_t{count + room} * ETH_GSTRING_LEN);
  names.head()->string_set = ETH_SS_STATS;
  WithArray<ethtool_stats> values(ETHTOOL_GSTATS, std::size_t{count + room} * sizeof(std::uint64_t));
  if (!question.ask(names.head()) || !question.ask(values.head())) return {};
  std::vector<std::pair<std::string, std::uint64_t>> statistics;
  for (std::size_t i = 0; i < std::min({count, names.head()->len, values.head()->n_stats}); ++i) {
    const auto* name = reinterpret_cast<const char*>(names.array() + i * ETH_GSTRING_LEN);
    std::uint64_t value = 0;
    std::memcpy(&value, values.array() + i * sizeof value, sizeof value);
    statistics.emplace_back(std::string(name, ::strnlen(name, ETH_GSTRING_LEN)), value);
  }
  return statistics;
}

}  // namespace everylink::inventory
