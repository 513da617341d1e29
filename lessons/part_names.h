// What the parts of a run are called: "tile 8", "tiles 8–9", "stream 3".
#pragma once

#include <cstdint>
#include <string>

#include "core/trace/trace.h"
#include "lessons/language.h"

namespace fdlab {

/// True where every stream folds at most one tile, so that people may speak of tiles and forget streams.
bool streams_are_tiles(const DecodePlan& plan);

/// Streams [begin, end), called tiles where a stream is one tile.
Bilingual streams_name(const DecodePlan& plan, std::int64_t begin, std::int64_t end);

/// A node of the merge tree, by the streams under it.
Bilingual node_name(const Trace& trace, std::int64_t node);

/// A token as people can see it: "ily" or “ily”, with ↵ for a line end and ␣ for a lone blank. A leading blank, which only
/// says that a word starts, is left out.
std::string token_text(const std::string& token, Language language);

}  // namespace fdlab
