#include "core/sim/reads.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fdlab {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

Reads::Reads(Readers readers, std::int64_t blocks)
    : readers_(std::move(readers)),
      seat_of_team_(
          static_cast<std::size_t>((blocks / (readers_.team * readers_.splits) + 1) * readers_.splits), -1),
      team_at_(readers_.factor.size(), -1),
      reading_(readers_.factor.size() / static_cast<std::size_t>(readers_.slots), 0),
      was_reading_(reading_) {}

/// Teams are numbered head group by head group, split by split.
std::int32_t Reads::team_of(std::int32_t block) const {
  const std::int64_t head = block / readers_.splits, split = block % readers_.splits;
  return static_cast<std::int32_t>(head / readers_.team * readers_.splits + split);
}

void Reads::begin(std::int32_t block, std::int32_t sm, std::int32_t slot, std::int64_t bytes, double tick) {
  std::int32_t& seat = seat_of_team_[static_cast<std::size_t>(team_of(block))];
  if (seat < 0) seat = take_seat();
  Team& team = teams_[static_cast<std::size_t>(seat)];
  advance(team, tick);
  const std::int32_t place = sm * readers_.slots + slot;
  member(seat, team.joined++) = {block, place, team.read + static_cast<double>(bytes)};
  demand_ += team.pace;
  team_at_[static_cast<std::size_t>(place)] = seat;
  count_on(static_cast<std::size_t>(sm), 1);
  unsettle(seat);
}

std::int32_t Reads::take_seat() {
  if (free_seats_.empty()) {
    free_seats_.push_back(static_cast<std::int32_t>(teams_.size()));
    teams_.emplace_back();
    members_.resize(members_.size() + static_cast<std::size_t>(readers_.team));
  }
  const std::int32_t seat = free_seats_.back();
  free_seats_.pop_back();
  Team& team = teams_[static_cast<std::size_t>(seat)];
  team = {.is_unsettled = team.is_unsettled};
  return seat;
}

double Reads::next_end() {
  while (!ends_.empty()) {
    const End& end = ends_.top();
    const Team& team = teams_[static_cast<std::size_t>(end.seat)];
    if (team.size() > 0 && team.end == end.tick && member(end.seat, team.left).block == end.block)
      return end.tick;
    ends_.pop();  // foreseen at another pace
  }
  return kNever;
}

std::int32_t Reads::take(double tick) {
  const std::int32_t seat = ends_.top().seat;
  ends_.pop();
  Team& team = teams_[static_cast<std::size_t>(seat)];
  advance(team, tick);
  const Member m = member(seat, team.left++);
  team_at_[static_cast<std::size_t>(m.place)] = -1;
  count_on(sm_of(m), -1);
  demand_ = num_reading_ == 0 ? 0 : demand_ - team.pace;
  if (team.size() > 0) {
    foresee_end(seat);
    unsettle(seat);
  } else {
    seat_of_team_[static_cast<std::size_t>(team_of(m.block))] = -1;
    free_seats_.push_back(seat);
  }
  return m.block;
}

void Reads::settle(double tick) {
  for (const std::int32_t sm : changed_sms_) unsettle_neighbours(static_cast<std::size_t>(sm));
  changed_sms_.clear();
  for (const std::int32_t seat : unsettled_) {
    Team& team = teams_[static_cast<std::size_t>(seat)];
    team.is_unsettled = false;
    if (team.size() == 0) continue;
    advance(team, tick);
    const double pace = readers_.bytes_in_flight / round_of(seat);
    if (pace == team.pace) continue;
    demand_ += team.size() * (pace - team.pace);
    team.pace = pace;
    foresee_end(seat);
  }
  unsettled_.clear();
}

/// The blocks of an SM compute one after another: one more or less changes the round of all.
void Reads::unsettle_neighbours(std::size_t sm) {
  if (reading_[sm] == was_reading_[sm]) return;
  was_reading_[sm] = reading_[sm];
  const std::size_t first = sm * static_cast<std::size_t>(readers_.slots);
  for (std::size_t place = first; place < first + static_cast<std::size_t>(readers_.slots); ++place)
    if (team_at_[place] >= 0) unsettle(team_at_[place]);
}

void Reads::unsettle(std::int32_t seat) {
  Team& team = teams_[static_cast<std::size_t>(seat)];
  if (!team.is_unsettled) unsettled_.push_back(seat);
  team.is_unsettled = true;
}

void Reads::count_on(std::size_t sm, int change) {
  num_reading_ += change;
  if (change > 0 ? reading_[sm] == 0 : reading_[sm] == 1) busy_sms_ += change;
  reading_[sm] += change;
  if (readers_.compute > 0) changed_sms_.push_back(static_cast<std::int32_t>(sm));
}

/// Waits as its members do on average, and computes as the one with the fewest neighbours.
double Reads::round_of(std::int32_t seat) const {
  const Team& team = teams_[static_cast<std::size_t>(seat)];
  const auto& second = readers_.on_second_half;
  double sum = 0;
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  bool is_on_first = false, is_on_second = false;
  for (std::int32_t i = team.left; i < team.joined; ++i) {
    const Member& m = member(seat, i);
    const std::size_t sm = sm_of(m);
    sum += readers_.factor[static_cast<std::size_t>(m.place)];
    least = std::min(least, reading_[sm]);
    if (!second.empty()) (second[sm] ? is_on_second : is_on_first) = true;
  }
  const double wait = sum / team.size() - (is_on_first && is_on_second ? readers_.crossing : 0);
  return wait + least * readers_.compute;
}

void Reads::advance(Team& team, double tick) const {
  team.read += team.pace * (tick - team.since);
  team.since = tick;
}

void Reads::foresee_end(std::int32_t seat) {
  Team& team = teams_[static_cast<std::size_t>(seat)];
  const Member& first = member(seat, team.left);
  team.end = team.pace > 0 ? team.since + std::max(0.0, first.last_byte - team.read) / team.pace : kNever;
  ends_.push({team.end, first.block, seat});
}

}  // namespace fdlab
