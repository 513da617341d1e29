// The fast executor: one pass over K and V on all threads, in float vectors, every row of K and V read once for all
// query rows that share it. Streams are folded by whole threads and merged in plan order, so that the result has the
// same bits on any number of threads.
#pragma once

#include <optional>
#include <string>

#include "cpu/executor.h"
#include "cpu/isa.h"

namespace fdlab {

/// Why the fast executor cannot run this, in one sentence, or nothing. Standard and online keep what it does not keep;
/// k and v must be of at most 32 bits, with neighbouring components.
std::optional<std::string> fault_for_fast(const DecodeProblem& problem, Method method);

struct FastRun {
  DecodeOutput output;
  int threads = 0;  ///< that folded at least one stream
};

/// The plan's kv_len is replaced by that of each sequence. Problem and plan must be without fault.
FastRun decode_fast(const DecodeProblem& problem, Method method, const DecodePlan& plan, const Isa& isa);

/// A plan that depends on the shape alone: enough streams for many threads, none shorter than is worth a merge.
DecodePlan automatic_plan(const DecodeProblem& problem);

}  // namespace fdlab
