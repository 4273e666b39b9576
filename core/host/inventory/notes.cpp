// Collects facts and counters, and finds out what changed.
#include "host/inventory/notes.hpp"

#include <charconv>

namespace everylink::inventory {
namespace {

// Every text once.
class Texts {
 public:
  explicit Texts(std::vector<std::string>& all) : all_(all) { static_cast<void>(number_of("")); }
  std::uint32_t number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(text);
    return found->second;
  }

 private:
  std::vector<std::string>& all_;
  std::map<std::string, std::uint32_t> numbers_;
};

bool is_name(const std::string& text) { return !text.empty() && HostReading::is_plain(text); }

}  // namespace

void Notes::fact(const std::string& part, const std::string& name, const Answer& value) {
  if (value && is_name(*value) && is_name(part) && is_name(name)) facts[{part, name}] = *value;
}

void Notes::counter(const std::string& part, const std::string& name, const Answer& value) {
  const auto count = value ? count_in(*value) : std::nullopt;
  if (count && is_name(part) && is_name(name)) counters[{part, name}] = *count;
}

void Notes::list(const std::string& part, const std::string& name, const std::vector<std::string>& values,
                 const std::string& separator) {
  std::vector<std::string> texts;
  for (const auto& value : values)
    if (!texts.empty() && texts.back().size() + separator.size() + value.size() <= HostReading::longest_text)
      texts.back() += separator + value;
    else
      texts.push_back(value);
  for (std::size_t i = 0; i < texts.size(); ++i)
    fact(part, i == 0 ? name : name + "/" + std::to_string(i), texts[i]);
}

std::optional<std::uint64_t> count_in(const std::string& text) {
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || rest != end) return {};
  return count;
}

HostReading changes(const Notes& before, const Notes& now) {
  HostReading reading;
  Texts texts(reading.texts);
  const auto note = [&](const Notes::Key& key, const std::string& value) {
    for (const auto& text : {key.first, key.second, value}) reading.facts.push_back(texts.number_of(text));
  };
  for (const auto& [key, value] : now.facts)
    if (const auto old = before.facts.find(key); old == before.facts.end() || old->second != value)
      note(key, value);
  for (const auto& [key, value] : before.facts)
    if (!now.facts.contains(key)) note(key, "");
  for (const auto& [key, value] : now.counters) {
    const auto old = before.counters.find(key);
    if (old != before.counters.end() && old->second == value) continue;
    reading.counters.push_back(texts.number_of(key.first));
    reading.counters.push_back(texts.number_of(key.second));
    reading.counter_values.push_back(value);
  }
  return reading;
}

}  // namespace everylink::inventory
