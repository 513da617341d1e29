#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/io/npy.h"
#include "core/io/npy_header.h"
#include "core/problem/encode.h"
#include "tests/temporary_folder.h"

using namespace fdlab;

namespace {

/// A .npy file put together by hand.
std::string npy_bytes(std::string dictionary, const std::string& data, int major = 1,
                      std::size_t header_length = 0) {
  dictionary.resize(std::max(dictionary.size() + 1, header_length), ' ');
  dictionary.back() = '\n';
  std::string file("\x93NUMPY", 6);
  file += {static_cast<char>(major), '\0'};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(dictionary.size() >> 8 * i & 0xff);
  return file + dictionary + data;
}

std::string dictionary(const std::string& descr, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string load(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.num_elements(); ++i) values.push_back(tensor.element(i));
  return values;
}

Result<Tensor> read_bytes(const std::string& bytes, std::optional<DType> raw_as = std::nullopt) {
  const TemporaryFolder folder;
  save(folder / "t.npy", bytes);
  return read_npy(folder / "t.npy", raw_as);
}

using Values = std::vector<double>;
using Shape = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("all versions, long headers and keys in any order are read") {
  const std::string six = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const int version : {1, 2, 3})
    for (const std::size_t header : {0, 1000, 1001, 70000}) {
      if (version == 1 && header > 65535) continue;
      CAPTURE(version);
      CAPTURE(header);
      const auto tensor = read_bytes(npy_bytes(dictionary("<f4", "(2, 3)"), six, version, header));
      REQUIRE(tensor);
      CHECK(tensor->shape == Shape{2, 3});
      CHECK(values_of(*tensor) == Values{1, 2, 3, 4, 5, 6});
      CHECK(reinterpret_cast<std::uintptr_t>(tensor->data.get()) % 4 == 0);
    }
  const auto other_order =
      read_bytes(npy_bytes("{\"shape\":(3,2),'fortran_order':False,'descr':'<f4'}", six));
  REQUIRE(other_order);
  CHECK(other_order->shape == Shape{3, 2});
}

TEST_CASE("ranks from a scalar up, and empty tensors") {
  const auto scalar = read_bytes(npy_bytes(dictionary("<f8", "()"), bytes_of<double>({2.5})));
  REQUIRE(scalar);
  CHECK(scalar->rank() == 0);
  CHECK(values_of(*scalar) == Values{2.5});
  const auto one = read_bytes(npy_bytes(dictionary("<f8", "(3,)"), bytes_of<double>({1, 2, 3})));
  REQUIRE(one);
  CHECK(one->shape == Shape{3});
  const auto none = read_bytes(npy_bytes(dictionary("<f4", "(4, 0, 8)"), ""));
  REQUIRE(none);
  CHECK(none->num_elements() == 0);
}

TEST_CASE("C52: Fortran order is turned into C order") {
  const auto matrix =
      read_bytes(npy_bytes(dictionary("<f4", "(2, 3)", "True"), bytes_of<float>({1, 4, 2, 5, 3, 6})));
  REQUIRE(matrix);
  CHECK(values_of(*matrix) == Values{1, 2, 3, 4, 5, 6});

  // Element (i, j, k) of a (2, 3, 4) tensor lies at i + 2 j + 6 k and holds 100 i + 10 j + k.
  std::string data;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) data += bytes_of<double>({100.0 * i + 10.0 * j + k});
  const auto cube = read_bytes(npy_bytes(dictionary("<f8", "(2, 3, 4)", "True"), data));
  REQUIRE(cube);
  CHECK(cube->element((1 * 3 + 2) * 4 + 3) == 123);
  CHECK(cube->element((0 * 3 + 1) * 4 + 2) == 12);
}

TEST_CASE("C51: bf16 is read from void data with a note, from integers only when told") {
  const std::string one_two_three("\x80\x3f\x00\x40\x40\x40", 6);
  for (const char* descr : {"|V2", "<V2"}) {
    const auto tensor = read_bytes(npy_bytes(dictionary(descr, "(3,)"), one_two_three));
    REQUIRE(tensor);
    CHECK(tensor->type == DType::bf16);
    CHECK(values_of(*tensor) == Values{1, 2, 3});
    CHECK(tensor->note.find("bf16") != std::string::npos);
  }
  const std::string integers = npy_bytes(dictionary("<u2", "(3,)"), one_two_three);
  CHECK_FALSE(read_bytes(integers));
  CHECK_FALSE(read_bytes(integers, DType::e4m3));
  const auto told = read_bytes(integers, DType::bf16);
  REQUIRE(told);
  CHECK(values_of(*told) == Values{1, 2, 3});
}

TEST_CASE("fp8 e4m3 is read from single bytes only when told") {
  const std::string file = npy_bytes(dictionary("|u1", "(4,)"), "\x38\x7e\xb8\x01");
  CHECK_FALSE(read_bytes(file));
  const auto tensor = read_bytes(file, DType::e4m3);
  REQUIRE(tensor);
  CHECK(values_of(*tensor) == Values{1, 448, -1, std::ldexp(1.0, -9)});
}

TEST_CASE(
    "C54: what is no tensor is refused in one sentence that names the file, what was expected and found") {
  const std::string eight(8, '\0');
  struct Row {
    const char* what;
    std::string bytes;
    const char* part_of_sentence;
  };
  const Row rows[] = {
      {"empty file", "", "expected a .npy file, found ''"},
      {"magic cut short", "\x93NUM", "expected a .npy file"},
      {"another magic", "PK\x03\x04 zip file", "found 'PK\\x03\\x04 z'"},
      {"no version", "\x93NUMPY\x01", "version"},
      {"version 4", npy_bytes(dictionary("<f4", "(2,)"), eight, 4), "found 4.0"},
      {"no length", std::string("\x93NUMPY\x01\x00\x10", 9), "length"},
      {"header cut short", npy_bytes(dictionary("<f4", "(2,)"), eight).substr(0, 40), "up to the end"},
      {"header of 4 GiB", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "4294967295"},
      {"no dictionary", npy_bytes("[1, 2]", eight), "expected '{'"},
      {"empty dictionary", npy_bytes("{}", eight), "'descr'"},
      {"missing key", npy_bytes("{'descr': '<f4', 'shape': (2,)}", eight), "'fortran_order'"},
      {"missing shape", npy_bytes("{'descr': '<f4', 'fortran_order': False}", eight), "'shape'"},
      {"extra key", npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", eight),
       "found 'x'"},
      {"key twice",
       npy_bytes("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", eight),
       "once each"},
      {"unclosed", npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", eight), "'}'"},
      {"something behind", npy_bytes(dictionary("<f4", "(2,)") + " import os", eight), "import os"},
      {"number for a shape", npy_bytes(dictionary("<f4", "(3)"), eight), "(3,)"},
      {"negative extent", npy_bytes(dictionary("<f4", "(-1,)"), eight), "'-1,)"},
      {"fractional extent", npy_bytes(dictionary("<f4", "(2, 3.5)"), eight), "'.5)"},
      {"extent beyond 63 bits", npy_bytes(dictionary("<f4", "(9223372036854775808,)"), eight), "2^63"},
      {"product beyond 63 bits", npy_bytes(dictionary("<f4", "(4294967296, 4294967296)"), eight), "2^63"},
      {"product beyond 63 bits beside a zero",
       npy_bytes(dictionary("<f4", "(0, 4294967296, 4294967296)"), ""), "2^63"},
      {"lowercase bool", npy_bytes(dictionary("<f4", "(2,)", "true"), eight), "True or False"},
      {"big-endian", npy_bytes(dictionary(">f4", "(2,)"), eight), "found '>f4'"},
      {"four-byte void", npy_bytes(dictionary("<V4", "(2,)"), eight), "found '<V4'"},
      {"complex", npy_bytes(dictionary("<c8", "(1,)"), eight), "found '<c8'"},
      {"objects", npy_bytes(dictionary("|O", "(1,)"), eight), "found '|O'"},
      {"structure", npy_bytes("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", eight),
       "a quoted number type"},
      {"data cut short", npy_bytes(dictionary("<f4", "(2,)"), eight.substr(1)), "expected 8 bytes"},
      {"trailing byte", npy_bytes(dictionary("<f4", "(2,)"), eight + "x"), "found 9"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const TemporaryFolder folder;
    const std::string path = folder / "bad.npy";
    save(path, row.bytes);
    const auto tensor = read_npy(path);
    REQUIRE_FALSE(tensor);
    const std::string& sentence = tensor.fault().sentence;
    CAPTURE(sentence);
    CHECK(sentence.starts_with(path + ": expected "));
    CHECK(sentence.find(row.part_of_sentence) != std::string::npos);
    CHECK(sentence.find(", found ") != std::string::npos);
    CHECK(sentence.find('\n') == std::string::npos);
  }
}

TEST_CASE("a file cut at any byte, or with any header byte changed, is read or refused but never a crash") {
  const std::string whole = npy_bytes(dictionary("<f4", "(2, 3)"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_FALSE(read_bytes(whole.substr(0, length)));
  int still_read = 0;
  for (std::size_t at = 0; at < whole.size() - 24; ++at)
    for (const char put : {'\0', '\xff', '\'', '(', ',', '9', '-', '}'}) {
      std::string changed = whole;
      changed[at] = put;
      still_read += read_bytes(changed) ? 1 : 0;
    }
  CHECK(still_read > 0);
}

TEST_CASE("what is no readable file is refused") {
  const TemporaryFolder folder;
  const auto sentence_of = [](const std::string& path) { return read_npy(path).fault().sentence; };
  CHECK(
      sentence_of(folder / "absent.npy").find("absent.npy: expected a readable file, found: No such file") !=
      std::string::npos);
  CHECK(sentence_of(folder / "").find("a directory") != std::string::npos);
  CHECK(sentence_of("/dev/zero").find("no regular file") != std::string::npos);
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(sentence_of(folder / "pipe").find("no regular file") != std::string::npos);
  CHECK(sentence_of(folder / "a\nb").find("a\\x0ab: expected") != std::string::npos);
}

TEST_CASE("C59: names that are not ASCII, with spaces, and long ones") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "张量");
  std::string deep = folder / "张量";
  while (deep.size() < 300) {
    deep += "/a folder with spaces in its name";
    std::filesystem::create_directory(deep);
  }
  for (const std::string& path : {folder / "张量/键 值.npy", deep + "/k.npy"}) {
    CAPTURE(path);
    auto staged = stage_npy(path, make_tensor("", {2}, DType::f32, std::vector<float>{1, 2}));
    REQUIRE(staged);
    REQUIRE_FALSE(staged->commit());
    const auto tensor = read_npy(path);
    REQUIRE(tensor);
    CHECK(values_of(*tensor) == Values{1, 2});
  }
}

TEST_CASE("what is written is read back, in every type and shape, and begins at a multiple of 64 bytes") {
  const TemporaryFolder folder;
  const std::vector<float> values{0, -0.0f, 1, -2.5f, 0.125f, 240};
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::e4m3})
    for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 2, 1, 3}}) {
      CAPTURE(name_of(type));
      const std::string path = folder / "t.npy";
      auto staged = stage_npy(path, make_tensor("", shape, type, values));
      REQUIRE(staged);
      CHECK_FALSE(staged->commit());
      const auto back = read_npy(path, DType::e4m3);
      REQUIRE(back);
      CHECK(back->type == type);
      CHECK(back->shape == shape);
      CHECK(values_of(*back) == Values(values.begin(), values.end()));
      CHECK(std::signbit(back->element(1)));
      CHECK((load(path).size() - values.size() * size_in_bytes(type)) % 64 == 0);
    }
}

TEST_CASE("an output appears when it is committed, and never half") {
  const TemporaryFolder folder;
  const Tensor tensor = make_tensor("", {2}, DType::f32, std::vector<float>{1, 2});
  {
    auto staged = stage_npy(folder / "o.npy", tensor);
    REQUIRE(staged);
    CHECK_FALSE(std::filesystem::exists(folder / "o.npy"));
  }
  CHECK(std::filesystem::is_empty(folder / ""));  // not committed: nothing stays

  save(folder / "o.npy", "an older file");
  std::filesystem::create_symlink(folder / "o.npy", folder / "link.npy");
  auto staged = stage_npy(folder / "link.npy", tensor);
  REQUIRE(staged);
  CHECK(load(folder / "o.npy") == "an older file");
  CHECK_FALSE(staged->commit());
  CHECK(std::filesystem::is_symlink(folder / "link.npy"));
  CHECK(read_npy(folder / "o.npy"));

  CHECK(stage_npy(folder / "absent/o.npy", tensor).fault().sentence.find("No such file") !=
        std::string::npos);
  CHECK(stage_npy(folder / "", tensor).fault().sentence.find("a directory") != std::string::npos);
  CHECK(stage_npy("/dev/null", tensor).fault().sentence.find("no regular file") != std::string::npos);
}

TEST_CASE("rounding to narrow types undoes every exact decoding") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (const float x = float_from_f16(half); !std::isnan(x)) REQUIRE(f16_from_float(x) == half);
    if (const float x = float_from_bf16(half); !std::isnan(x)) REQUIRE(bf16_from_float(x) == half);
  }
  for (int bits = 0; bits < 256; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    if (const float x = float_from_e4m3(byte); !std::isnan(x)) REQUIRE(e4m3_from_float(x) == byte);
  }
}

TEST_CASE("rounding is to nearest, ties to even, overflow to infinity, NaN to NaN") {
  CHECK(float_from_f16(f16_from_float(2049)) == 2048);    // a tie: 2048 is even
  CHECK(float_from_f16(f16_from_float(2051)) == 2052);    // a tie: 2052 is even
  CHECK(float_from_f16(f16_from_float(65519)) == 65504);  // nearest is the largest finite
  CHECK(std::isinf(float_from_f16(f16_from_float(65520))));
  CHECK(float_from_f16(f16_from_float(std::ldexp(1.0f, -25))) == 0);
  CHECK(float_from_f16(f16_from_float(std::ldexp(1.5f, -25))) == std::ldexp(1.0f, -24));
  CHECK(float_from_bf16(bf16_from_float(257)) == 256);
  CHECK(float_from_bf16(bf16_from_float(1.00390625f * 1.00001f)) == 1.0078125f);
  CHECK(std::isinf(float_from_bf16(bf16_from_float(std::numeric_limits<float>::max()))));
  CHECK(std::isnan(float_from_bf16(bf16_from_float(std::nanf("")))));
  CHECK(std::isnan(float_from_f16(f16_from_float(std::nanf("")))));
  CHECK(std::isnan(float_from_e4m3(e4m3_from_float(1e6f))));
  CHECK(std::signbit(float_from_f16(f16_from_float(-std::numeric_limits<float>::infinity()))));
}

TEST_CASE("one unit in the last place") {
  CHECK(ulp_of(DType::bf16, 0.2) == std::ldexp(1.0, -10));
  CHECK(ulp_of(DType::f32, 1) == std::ldexp(1.0, -23));
  CHECK(ulp_of(DType::f32, 0) == std::ldexp(1.0, -149));
  CHECK(ulp_of(DType::f16, -1e-9) == std::ldexp(1.0, -24));
}
