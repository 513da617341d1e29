// Lesson 1 and its scene, loaded once per head.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "lessons/lesson.h"
#include "lessons/scene.h"

namespace fdlab {

inline const char* const kLessonsFolder = FDLAB_SOURCE_DIR "/lessons";
inline const char* const kFirstLessonFolder = FDLAB_SOURCE_DIR "/lessons/01-one-real-decode";

inline const Lesson& first_lesson() {
  static const Result<Lesson> lesson = load_lesson(kFirstLessonFolder);
  REQUIRE(bool(lesson));
  return *lesson;
}

inline const SceneSpec& first_spec() { return std::get<SceneSpec>(first_lesson().scene); }

inline const TracedScene& first_scene(std::int64_t head = 6) {
  static std::map<std::int64_t, Result<TracedScene>> scenes;
  auto at = scenes.find(head);
  if (at == scenes.end()) {
    SceneSpec spec = first_spec();
    spec.q_head = head;
    at = scenes.emplace(head, trace_scene(spec, std::string(kLessonsFolder) + "/data")).first;
  }
  REQUIRE(bool(at->second));
  return *at->second;
}

}  // namespace fdlab
