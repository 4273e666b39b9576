// One end of a connection for control traffic.
#include "bootstrap/channel.hpp"

#include <cstring>
#include <span>

#include "base/pack.hpp"

namespace everylink {
namespace {

constexpr std::size_t longest_frame = std::size_t{256} << 20;  // a longer one is not ours
constexpr std::size_t shortest_frame = sizeof(Channel::Kind) + CipherState::tag_bytes;

}  // namespace

void Channel::send(Kind kind, std::initializer_list<View> parts) {
  if (!open()) return;
  std::size_t bytes = sizeof kind + CipherState::tag_bytes;
  for (const View part : parts) bytes += part.size();
  if (bytes > longest_frame) return close();
  const auto length = static_cast<std::uint32_t>(bytes);
  append(outbox_, bytes_of(length));
  const std::size_t from = outbox_.size();
  append(outbox_, bytes_of(kind));
  for (const View part : parts) append(outbox_, part);
  outbox_.resize(from + bytes);
  seals_.out.encrypt(std::span(outbox_).subspan(from), bytes_of(length));
  flush();
  if (outbox_.size() - sent_ > longest_frame)
    close();  // the peer has been stopped for long: it must connect again
}

void Channel::flush() {
  while (open() && has_to_send()) {
    const auto [bytes, state] = connection_->send(View(outbox_).subspan(sent_));
    sent_ += bytes;
    if (state != ByteStream::State::open) {
      // What the peer sent before may still wait in the kernel. next() reads it and then sees an end that
      // looks like one in good order, because the error is reported only once.
      broken_ |= state == ByteStream::State::broken;
      break;
    }
    if (bytes == 0) return;
  }
  outbox_.clear();
  sent_ = 0;
}

std::optional<Channel::Frame> Channel::next() {
  for (;;) {
    if (auto frame = cut()) return frame;
    if (!open()) return {};
    if (begin_ > 0) {
      inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
    std::byte bytes[65536];
    const auto [count, state] = connection_->receive(bytes);
    inbox_.insert(inbox_.end(), bytes, bytes + count);
    if (count > 0) continue;
    if (state == ByteStream::State::open) return {};
    ended_ = !broken_ && state == ByteStream::State::ended;
    connection_.reset();
    return {};
  }
}

std::optional<Channel::Frame> Channel::cut() {
  std::uint32_t length = 0;
  const auto rest = std::span(inbox_).subspan(begin_);
  if (rest.size() < sizeof length) return {};
  std::memcpy(&length, rest.data(), sizeof length);
  if (length > longest_frame || length < shortest_frame) return refuse_rest(), std::nullopt;
  if (rest.size() < sizeof length + length) return {};
  const auto sealed = rest.subspan(sizeof length, length);
  Frame frame{};
  if (seals_.in.decrypt(sealed, bytes_of(length))) std::memcpy(&frame.kind, sealed.data(), sizeof frame.kind);
  begin_ += sizeof length + length;
  if (frame.kind == Kind::none || frame.kind > Kind::answer) return refuse_rest(), std::nullopt;
  frame.body.assign(sealed.begin() + sizeof frame.kind, sealed.end() - CipherState::tag_bytes);
  return frame;
}

void Channel::refuse_rest() {
  inbox_.clear();
  begin_ = 0;
  close();
}

void Channel::close_if_dark() {
  if (open() && connection_->is_dark()) close();
}

void Channel::close() {
  if (open()) connection_->reset();
  connection_.reset();
}

Blob Submission::packed() const {
  Packer out;
  out.add(round).add(rank).add(to_rank_0).add(static_cast<std::uint64_t>(offers.size()));
  for (const auto& [peer, bytes] : offers) out.add(peer).add(bytes);
  return out.take();
}

Submission Submission::head_of(View bytes) {
  Unpacker in(bytes);
  Submission submission;
  submission.round = in.get<std::uint64_t>();
  submission.rank = in.get<int>();
  return submission;
}

Submission Submission::unpacked(View bytes) {
  Submission submission = head_of(bytes);
  Unpacker in(bytes.subspan(sizeof submission.round + sizeof submission.rank));
  submission.to_rank_0 = in.list<std::byte>();
  for (auto left = in.count(); left > 0; --left) {
    const int peer = in.get<int>();
    submission.offers.push_back({peer, in.list<std::byte>()});
  }
  return submission;
}

Blob Answer::Common::packed() const {
  Packer out;
  out.add(round).add(decision).add(gone).add(static_cast<int>(relays.size()));
  for (const auto& relay : relays) out.add(relay.rank).add(relay.addresses);
  return out.take();
}

Answer::Common Answer::Common::unpacked(View bytes, int size) {
  Unpacker in(bytes);
  Common common;
  common.round = in.get<std::uint64_t>();
  common.decision = in.list<std::byte>();
  common.gone = in.list<int>();
  for (std::size_t i = 0; i < common.gone.size(); ++i)
    Unpacker::must(common.gone[i] >= 0 && common.gone[i] < size &&
                   (i == 0 || common.gone[i - 1] < common.gone[i]));
  const int relays = in.get<int>();
  for (int i = 0; i < relays; ++i) {
    const int rank = in.get<int>();
    common.relays.push_back({rank, in.list<Address>()});
    Unpacker::must(rank >= 0 && rank < size);
    for (const auto& address : common.relays.back().addresses) Unpacker::must(address.is_whole());
  }
  return common;
}

Blob Answer::packed(const std::vector<For>& all) {
  Packer out;
  out.add(static_cast<std::uint64_t>(all.size()));
  for (const auto& one : all) {
    out.add(one.rank).add(static_cast<std::uint64_t>(one.from_peers.size()));
    for (const auto& bytes : one.from_peers) out.add(bytes);
  }
  return out.take();
}

std::pair<Blob, std::vector<Answer::For>> Answer::split(View bytes, int size) {
  Unpacker in(bytes);
  std::pair<Blob, std::vector<For>> parts;
  parts.first = in.list<std::byte>();
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const int rank = in.get<int>();
    Unpacker::must(rank >= 0 && rank < size);
    auto& from_peers = parts.second.emplace_back(For{.rank = rank}).from_peers;
    for (auto left = in.count(); left > 0; --left) from_peers.push_back(in.list<std::byte>());
  }
  return parts;
}

}  // namespace everylink
