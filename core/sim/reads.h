// Which blocks read, how fast each may, and whose last byte comes next.
//
// All wait for the same memory, so they speed up and slow down together. Time is counted in ticks, one every L
// (core/sim/memory_model.h). A block that keeps w bytes in flight reads w / r bytes a tick, where its round r is
//
//   f                  of a block that reads ahead while it computes
//   f + n · a / L0     of one that does not: what it asked for comes, then the n blocks of its SM compute, one after another
//
// with f near 1 and a the time to compute w bytes. Blocks that read the same bytes are a team: what one has fetched the others
// find in L2, so all keep up with the fastest. Where a team stands on both halves of L2, each byte is first asked for by a
// block that is near it, which spares a round the way across.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace fdlab {

/// What all blocks of a grid have in common as readers.
struct Readers {
  double bytes_in_flight = 0;        ///< w
  double compute = 0;                ///< a / L0; 0 where blocks read ahead
  double crossing = 0;               ///< what a round of a team on both halves is shorter, over L0
  std::int64_t team = 1;             ///< blocks that read the same bytes
  std::int64_t splits = 1;           ///< blocks of a head, side by side in launch order
  std::int32_t slots = 1;            ///< of an SM
  std::vector<double> factor;        ///< f, slot by slot on SM after SM
  std::vector<bool> on_second_half;  ///< per SM; empty: there is one half
};

class Reads {
 public:
  Reads(Readers readers, std::int64_t blocks);

  bool is_empty() const { return num_reading_ == 0; }
  int busy_sms() const { return busy_sms_; }
  int count() const { return num_reading_; }
  double demand() const { return demand_; }  ///< bytes that all read in a tick

  void begin(std::int32_t block, std::int32_t sm, std::int32_t slot, std::int64_t bytes, double tick);
  double next_end();               ///< the tick at which the next block has its last byte
  std::int32_t take(double tick);  ///< that block: it reads no longer
  void settle(double tick);        ///< after all that began or ended at this tick: the teams' new paces

 private:
  /// Blocks that joined one after another and leave in that order: they read equally many bytes.
  struct Team {
    double read = 0;   ///< bytes each member may have read since the first joined,
    double since = 0;  ///< by this tick
    double pace = 0;   ///< bytes a tick
    double end = 0;    ///< tick at which the member that joined first leaves
    std::int32_t joined = 0, left = 0;
    bool is_unsettled = false;

    std::int32_t size() const { return joined - left; }
  };
  struct Member {
    std::int32_t block = 0, place = 0;  ///< place: SM · slots + slot
    double last_byte = 0;               ///< the team's `read` at which it is through
  };
  struct End {
    double tick;
    std::int32_t block;
    std::int32_t seat;

    /// Earliest first; at one tick by block.
    friend bool operator>(const End& a, const End& b) {
      return a.tick != b.tick ? a.tick > b.tick : a.block > b.block;
    }
  };

  std::int32_t team_of(std::int32_t block) const;
  std::int32_t take_seat();
  void advance(Team& team, double tick) const;
  void unsettle(std::int32_t seat);
  void unsettle_neighbours(std::size_t sm);
  void count_on(std::size_t sm, int change);
  double round_of(std::int32_t seat) const;
  void foresee_end(std::int32_t seat);
  Member& member(std::int32_t seat, std::int32_t i) {
    return members_[static_cast<std::size_t>(seat * readers_.team + i)];
  }
  const Member& member(std::int32_t seat, std::int32_t i) const {
    return members_[static_cast<std::size_t>(seat * readers_.team + i)];
  }
  std::size_t sm_of(const Member& m) const { return static_cast<std::size_t>(m.place / readers_.slots); }

  const Readers readers_;
  std::vector<std::int32_t> seat_of_team_;  // its index in teams_; −1 while none of it reads
  std::vector<Team> teams_;                 // as many as ever read at a time
  std::vector<Member> members_;             // readers_.team of each
  std::vector<std::int32_t> free_seats_, unsettled_, changed_sms_;
  std::vector<std::int32_t> team_at_;                // per place: its reader's seat, or −1
  std::vector<std::int32_t> reading_, was_reading_;  // per SM: now, and when last settled
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  int num_reading_ = 0, busy_sms_ = 0;
  double demand_ = 0;
};

}  // namespace fdlab
