#include "core/sim/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace fdlab {
namespace {

constexpr std::array kHeights{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr int kLabelColumns = 14;
constexpr int kFewestMoments = 12;

/// A share of 0 to 1 as one character; anything above 0 is seen.
const char* height(double share) {
  if (share <= 0) return kHeights[0];
  const auto level = static_cast<std::size_t>(std::lround(share * 8));
  return kHeights[std::clamp<std::size_t>(level, 1, 8)];
}

/// SMs in the order in which they got their first block; those without one come last.
std::vector<std::size_t> order_of_first_block(const Schedule& s) {
  std::vector<std::size_t> order;
  std::vector<bool> seen(static_cast<std::size_t>(s.sms), false);
  const auto add = [&](std::size_t sm) {
    if (!seen[sm]) order.push_back(sm);
    seen[sm] = true;
  };
  for (const ScheduledBlock& b : s.split.blocks) add(static_cast<std::size_t>(b.sm));
  for (std::size_t sm = 0; sm < seen.size(); ++sm) add(sm);
  return order;
}

/// Time that each SM has work in each of `columns` equal intervals, as a share of the interval.
std::vector<std::vector<double>> busy_shares(const Schedule& s, int columns) {
  std::vector<std::vector<double>> share(static_cast<std::size_t>(s.sms),
                                         std::vector<double>(static_cast<std::size_t>(columns), 0));
  const double interval_us = s.split_kernel_us() / columns;
  for (const ScheduledBlock& b : s.split.blocks) {
    const int first = static_cast<int>(b.start_us / interval_us);
    const int last = std::min(columns - 1, static_cast<int>(b.end_us / interval_us));
    for (int c = first; c <= last; ++c) {
      const double overlap =
          std::min(b.end_us, (c + 1) * interval_us) - std::max(b.start_us, c * interval_us);
      double& cell = share[static_cast<std::size_t>(b.sm)][static_cast<std::size_t>(c)];
      cell = std::min(1.0, cell + std::max(0.0, overlap) / interval_us);
    }
  }
  return share;
}

std::string bandwidth_line(const Schedule& s, int columns) {
  std::vector<double> gb(static_cast<std::size_t>(columns), 0);
  const double interval_us = s.split_kernel_us() / columns;
  for (std::size_t i = 0; i < s.split.steps.size(); ++i) {
    const double from = s.split.steps[i].start_us;
    const double until = i + 1 < s.split.steps.size() ? s.split.steps[i + 1].start_us : s.split_kernel_us();
    for (int c = static_cast<int>(from / interval_us); c < columns && c * interval_us < until; ++c)
      gb[static_cast<std::size_t>(c)] +=
          s.split.steps[i].gb_s * (std::min(until, (c + 1) * interval_us) - std::max(from, c * interval_us)) /
          interval_us;
  }
  std::string line;
  for (const double value : gb) line += height(value / s.ceiling_gb_s);
  return line;
}

}  // namespace

std::vector<std::string> sm_board(const Schedule& s, double time_us, int columns) {
  std::vector<int> blocks(static_cast<std::size_t>(s.sms), 0), head(static_cast<std::size_t>(s.sms), 0);
  int widest = 1;
  for (const ScheduledBlock& b : s.split.blocks) {
    if (time_us < b.start_us || time_us >= b.end_us) continue;
    const auto sm = static_cast<std::size_t>(b.sm);
    if (blocks[sm]++ == 0) head[sm] = b.head;
  }
  std::vector<std::string> cells;
  for (std::size_t sm = 0; sm < blocks.size(); ++sm) {
    cells.push_back(blocks[sm] == 0   ? ""
                    : blocks[sm] == 1 ? fmt::format("{}", head[sm])
                                      : fmt::format("{}.{}", head[sm], blocks[sm]));
    widest = std::max(widest, static_cast<int>(cells.back().size()));
  }
  const int per_line = std::max(1, std::min(22, columns / (widest + 1)));
  std::vector<std::string> lines;
  for (std::size_t sm = 0; sm < cells.size(); ++sm) {
    if (sm % static_cast<std::size_t>(per_line) == 0) lines.emplace_back();
    // The dot is two bytes wide and one column, so the padding is written by hand.
    lines.back() += cells[sm].empty() ? std::string(static_cast<std::size_t>(widest), ' ') + "·"
                                      : fmt::format(" {:>{}}", cells[sm], widest);
  }
  return lines;
}

std::vector<std::string> sm_lanes(const Schedule& s, int columns, int lines) {
  std::vector<std::string> text;
  const int width = std::max(kFewestMoments, columns - kLabelColumns);
  if (s.split_kernel_us() <= 0) return text;
  const auto share = busy_shares(s, width);
  const auto order = order_of_first_block(s);
  const auto per_line = static_cast<std::size_t>((s.sms + std::max(1, lines) - 1) / std::max(1, lines));
  for (std::size_t first = 0; first < order.size(); first += per_line) {
    const std::size_t last = std::min(first + per_line, order.size());
    std::string line =
        per_line == 1
            ? fmt::format("{:<{}}", fmt::format("SM {}", order[first]), kLabelColumns)
            : fmt::format("{:<{}}", fmt::format("SM {} +{}", order[first], last - first - 1), kLabelColumns);
    for (std::size_t c = 0; c < static_cast<std::size_t>(width); ++c) {
      double busy = 0;
      for (std::size_t i = first; i < last; ++i) busy += share[order[i]][c];
      line += height(busy / static_cast<double>(last - first));
    }
    text.push_back(line);
  }
  text.push_back(fmt::format("{:<{}}{}", "bandwidth", kLabelColumns, bandwidth_line(s, width)));
  text.push_back(
      fmt::format("{:<{}}{:<{}}{:>8.1f} us", "", kLabelColumns, "0", width - 11, s.split_kernel_us()));
  return text;
}

}  // namespace fdlab
