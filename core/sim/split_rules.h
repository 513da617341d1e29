// Into how many splits? The public rules, re-derived from their published behaviour as functions of three counts, beside
// ours. `heads` is what the grid has without splits: sequences × KV heads × row tiles (under GQA the query heads of a group
// share one read of K and V, so KV heads count).
//
// Efficiency is the textbook's: blocks / (waves × slots). Slots are SMs for the FA3 and FA4 rules, twice the SMs for those
// that let two blocks share an SM. It is not time: the lesson "Splitting the KV cache" says how far they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/choose_splits.h"

namespace fdlab {

/// One sentence saying what is wrong with the question, or nothing.
std::optional<std::string> find_fault(const SplitQuestion& question);

struct SplitRuleAnswer {
  const char* name;  ///< "ours", "FlashAttention-2", …
  std::int64_t splits;
  std::int64_t slots;  ///< what the rule counts as one wave
  const char* why;
};

/// As the fastest kernel's planner (core/plan/choose_splits.h): SMs over heads, rounded down, and at least 8 KV blocks a split; at
/// most 8 splits, of at least 4 KV blocks, where K and V have few bytes and the splits merge in a cluster; with more heads than
/// SMs one, unless the last wave would be so thin that cutting finer pays.
std::int64_t our_splits(const SplitQuestion& question);
/// Two slots an SM; fewest eligible splits within 85 % of the best efficiency; 1 where 80 % of the slots are full.
std::int64_t flash_attention_2_splits(const SplitQuestion& question);
/// One slot an SM, no eligibility; 1 for up to 4 KV blocks or where 80 % of the SMs are full. (Its further rule, to split
/// prefill whose KV head exceeds L2, has no part in decoding.)
std::int64_t flash_attention_3_splits(const SplitQuestion& question);
/// SMs over heads, rounded down; 1 for up to 4 KV blocks.
std::int64_t flash_attention_4_splits(const SplitQuestion& question);
/// Two slots an SM; the shortest chunk of KV blocks (found by bisection) with which all chunks fit one wave.
std::int64_t flashinfer_splits(const SplitQuestion& question);

std::vector<SplitRuleAnswer> all_split_rules(const SplitQuestion& question);

/// One candidate split count.
struct SplitCandidate {
  std::int64_t splits, blocks, waves;
  double efficiency;              ///< blocks / (waves × SMs)
  std::int64_t blocks_per_split;  ///< KV blocks of the longest split
  bool eligible;                  ///< shorter splits than with one fewer; otherwise the last split is empty
  std::int64_t longest_sm;        ///< KV blocks that the SM with most of them reads
};

SplitCandidate split_candidate(const SplitQuestion& question, std::int64_t splits);

inline constexpr std::int64_t kMostSplits = 128;  ///< the public rules look no further

/// 1 to min(kMostSplits, KV blocks).
std::vector<SplitCandidate> split_candidates(const SplitQuestion& question);

}  // namespace fdlab
