#include "core/io/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "core/io/printable.h"

namespace fdlab {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLargestHeader = 1 << 20;

/// Reads the dictionary from left to right. The first thing that is not as expected is kept as a sentence.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : rest_(text) {}

  Result<NpyHeader> read() {
    expect('{');
    while (ok() && !take('}')) {
      read_entry();
      if (!take(',') && peek() != '}') refuse("',' or '}'");
    }
    skip_space();
    if (ok() && !rest_.empty()) refuse("nothing after '}'");
    if (ok() && !has_descr_) missing("descr");
    if (ok() && !has_order_) missing("fortran_order");
    if (ok() && !has_shape_) missing("shape");
    if (fault_) return *fault_;
    return header_;
  }

 private:
  bool ok() const { return !fault_; }
  void fail(std::string sentence) {
    if (ok()) fault_ = Fault{std::move(sentence)};
  }
  void refuse(std::string_view expected) {
    skip_space();
    const std::string found = rest_.empty() ? "its end" : fmt::format("'{}'", printable(rest_, 24));
    fail(fmt::format("expected {} in the header, found {}", expected, found));
  }
  void missing(const char* key) { fail(fmt::format("expected the key '{}' in the header, found none", key)); }

  void skip_space() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  char peek() {
    skip_space();
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(char c) {
    if (ok() && !take(c)) refuse(fmt::format("'{}'", c));
  }

  std::string read_string(std::string_view what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return refuse(what), "";
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return refuse(what), "";
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool read_bool() {
    if (take(std::string_view("True"))) return true;
    if (!take(std::string_view("False"))) refuse("True or False for fortran_order");
    return false;
  }
  std::int64_t read_extent() {
    skip_space();
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
    if (error != std::errc() || extent < 0) return refuse("an extent from 0 to 2^63 - 1"), 0;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return extent;
  }
  /// "()", "(3,)", "(4, 346, 8)"; a lone "(3)" is a number to Python, not a shape.
  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    bool comma = true;
    while (ok() && !take(')')) {
      if (!comma) return refuse("',' or ')' in the shape"), shape;
      shape.push_back(read_extent());
      comma = take(',');
    }
    if (ok() && shape.size() == 1 && !comma)
      fail(fmt::format("expected a tuple such as ({},) for the shape, found ({})", shape[0], shape[0]));
    return shape;
  }

  void read_entry() {
    const std::string key = read_string("a quoted key");
    expect(':');
    if (!ok()) return;
    if (key == "descr" && !has_descr_) {
      has_descr_ = true;
      header_.descr = read_string("a quoted number type");
    } else if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      header_.fortran_order = read_bool();
    } else if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      header_.shape = read_shape();
    } else {
      fail(fmt::format("expected the keys descr, fortran_order and shape once each, found '{}'",
                       printable(key, 24)));
    }
  }

  std::string_view rest_;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
  std::optional<Fault> fault_;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file, const std::string& name) {
  const auto refuse = [&](const std::string& sentence) {
    return Fault{fmt::format("{}: {}", printable(name), sentence)};
  };
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic))
    return refuse(fmt::format("expected a .npy file, found '{}' at its start", printable(text.substr(0, 6))));

  // Magic, two bytes of version, then the header's length: two bytes in version 1, four in versions 2 and 3.
  if (text.size() < 8) return refuse("expected a version after the .npy magic, found the end of the file");
  const int major = static_cast<unsigned char>(text[6]), minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3 || minor != 0)
    return refuse(fmt::format("expected .npy version 1.0, 2.0 or 3.0, found {}.{}", major, minor));
  const std::size_t length_bytes = major == 1 ? 2 : 4, before = 8 + length_bytes;
  if (text.size() < before) return refuse("expected the header's length, found the end of the file");
  const std::size_t length = little_endian(text.substr(8, length_bytes));
  if (length > kLargestHeader)
    return refuse(fmt::format("expected a header of at most {} bytes, found {}", kLargestHeader, length));
  if (length > text.size() - before)
    return refuse(fmt::format("expected a header of {} bytes, found {} up to the end of the file", length,
                              text.size() - before));

  Result<NpyHeader> header = DictionaryReader(text.substr(before, length)).read();
  if (!header) return refuse(header.fault().sentence);
  header->data_offset = before + length;
  return header;
}

}  // namespace fdlab
