// The PMI-1 text protocol: a request line, an answer line.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/units.hpp"
#include "bootstrap/launcher.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

constexpr Seconds answer_limit = 60, barrier_limit = 240;  // a barrier waits for the slowest to start
constexpr std::size_t longest_reply = 1 << 16, most_pieces = 4096;

using Answer = std::map<std::string, std::string>;

class Pmi final : public Launcher {
 public:
  Pmi() : server_(descriptor()), rank_(number_in("PMI_RANK")), size_(number_in("PMI_SIZE")) {
    if (rank_ >= size_)
      throw MachineError(fmt::format("PMI_RANK={} is out of range: PMI_SIZE={}", rank_, size_));
    ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", answer_limit);
    const auto maxes = ask("cmd=get_maxes", "maxes", answer_limit);
    const auto longest = parse_integer(value_in(maxes, "vallen_max"), "vallen_max of the PMI server");
    piece_ = static_cast<std::size_t>(std::clamp<std::int64_t>(longest, 16, 4096)) / 2 * 2 - 4;
    space_ = value_in(ask("cmd=get_my_kvsname", "my_kvsname", answer_limit), "kvsname");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Blob tell_all(View from_rank_0) override {
    if (rank_ == 0) put(hex(from_rank_0));
    ask("cmd=barrier_in", "barrier_out", barrier_limit);
    return bytes(get());
  }

  void leave(int, bool) override {
    try {
      ask("cmd=finalize", "finalize_ack", answer_limit);
    } catch (const MachineError&) {  // everything has been measured and recorded
    }
  }

 private:
  static int descriptor() {
    must_be_set({"PMI_FD", "PMI_RANK", "PMI_SIZE"}, "--bootstrap pmi",
                "mpiexec of MPICH, or srun --mpi=pmi2,");
    const int fd = number_in("PMI_FD");
    if (::fcntl(fd, F_GETFD) < 0)
      throw UsageError(
          fmt::format("PMI_FD={} is not an open descriptor; mpiexec of MPICH and srun --mpi=pmi2 pass one to "
                      "the processes that "
                      "they start",
                      fd));
    return fd;
  }

  static std::string hex(View bytes) {
    std::string text(2 * bytes.size() + 1, '0');
    sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                   bytes.size());
    text.pop_back();
    return text;
  }

  static Blob bytes(const std::string& hex) {
    if (hex.empty()) return {};
    Blob bytes((hex.size() + 1) / 2);  // not empty for one digit: the library accepts no null pointer
    std::size_t length = 0;
    if (sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), hex.data(), hex.size(),
                       nullptr, &length, nullptr) != 0 ||
        length != bytes.size())
      throw MachineError("the PMI server returned something other than what rank 0 sent");
    return bytes;
  }

  // In pieces as long as the server accepts; the first character of each tells whether another follows.
  void put(const std::string& text) {
    for (std::size_t at = 0, i = 0; at < text.size(); at += piece_, ++i)
      ask(fmt::format("cmd=put kvsname={} key=everylink-{} value={}{}", space_, i,
                      at + piece_ < text.size() ? '+' : '.', text.substr(at, piece_)),
          "put_result", answer_limit);
  }

  std::string get() {
    std::string text;
    for (std::size_t i = 0; i < most_pieces; ++i) {
      const auto piece = value_in(
          ask(fmt::format("cmd=get kvsname={} key=everylink-{}", space_, i), "get_result", answer_limit),
          "value");
      text += piece.substr(1);
      if (piece[0] != '+') return text;
    }
    throw MachineError("the PMI server returned more than rank 0 sent");
  }

  Answer ask(const std::string& line, const std::string& expected, Seconds limit) {
    const Seconds until = steady_now() + limit;
    send(line + "\n");
    auto answer = parse(receive(until));
    if (answer["cmd"] != expected || (answer.contains("rc") && answer["rc"] != "0"))
      throw MachineError(fmt::format("the PMI server refused '{}'", line.substr(0, line.find(' '))));
    return answer;
  }

  static std::string value_in(const Answer& answer, const std::string& name) {
    const auto found = answer.find(name);
    if (found == answer.end() || found->second.empty())
      throw MachineError(fmt::format("the PMI server's answer lacks {}", name));
    return found->second;
  }

  static Answer parse(const std::string& line) {
    Answer answer;
    for (const auto& word : split(line, ' '))
      if (const auto equals = word.find('='); equals != std::string::npos)
        answer[word.substr(0, equals)] = word.substr(equals + 1);
    return answer;
  }

  void send(const std::string& line) {
    for (std::size_t at = 0; at < line.size();) {
      const ssize_t n = ::write(server_.fd(), line.data() + at, line.size() - at);
      if (n <= 0) throw MachineError("the PMI server has closed the connection");
      at += static_cast<std::size_t>(n);
    }
  }

  std::string receive(Seconds until) {
    for (;;) {
      if (const auto end = said_.find('\n'); end != std::string::npos) {
        const std::string line = said_.substr(0, end);
        said_.erase(0, end + 1);
        return line;
      }
      if (said_.size() > longest_reply || !ready(server_, POLLIN, until))
        throw MachineError("the PMI server does not answer; have all ranks been started?");
      char part[4096];
      const ssize_t n = ::read(server_.fd(), part, sizeof part);
      if (n <= 0) throw MachineError("the PMI server has closed the connection");
      said_.append(part, static_cast<std::size_t>(n));
    }
  }

  Socket server_;
  int rank_, size_;
  std::size_t piece_ = 0;
  std::string space_, said_;
};

}  // namespace

std::unique_ptr<Launcher> join_by_pmi() { return std::make_unique<Pmi>(); }

}  // namespace everylink
