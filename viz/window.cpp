#include "viz/window.h"

#include <GL/gl.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "lessons/resources.h"
#include "viz/draw.h"
#include "viz/fonts.h"
#include "viz/frame.h"
#include "viz/utf8.h"

namespace fdlab {
namespace {

double cpu_ms() { return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC; }

// The reference is 1600×900; rounded to 5 %, never below 100 %, at most 200 %.
float first_scale(Vec2 size) {
  const float fit = std::min(size.x / 1600, size.y / 900);
  return std::clamp(std::round(fit * 20) / 20, 1.0f, 2.0f);
}

constexpr double kGpuSpeed = 16;  // slices are short: a run takes some ten seconds
constexpr double kLongAgo = 1e9;
constexpr double kFastestMotion = 2;  // speed of play above which a step only shows how it ends

constexpr float kLargestScale = 4;  // beyond, the texture of the fonts outgrows what cards take

void set_style() {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;
  ImGui::GetStyle().WindowRounding = 0;
}

// Clears a rectangle; GL counts rows from below.
void clear(Rect r, Color color, float window_height) {
  if (r.is_empty()) return;
  const auto channel = [&](int shift) { return static_cast<float>(color >> shift & 0xFF) / 255; };
  const auto whole = [](float v) { return static_cast<GLint>(v); };
  glScissor(whole(r.x0), whole(window_height - r.y1), whole(r.width()), whole(r.height()));
  glClearColor(channel(0), channel(8), channel(16), 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

// The nearest step before or behind `step` at which one of the launches turns.
std::optional<std::int64_t> next_turn(const GpuScene& gpu, std::int64_t step, int direction) {
  std::optional<std::int64_t> nearest;
  for (const GpuGrid* grid : {&gpu.a, &gpu.b})
    for (const TurningPoint& point : grid->turning_points) {
      const std::int64_t at = gpu.clock.step_at(point.call_us);
      const bool is_beyond = direction > 0 ? at > step : at < step;
      if (is_beyond && (!nearest || std::abs(at - step) < std::abs(*nearest - step))) nearest = at;
    }
  return nearest;
}

std::optional<std::int64_t> next_landmark(const Trace& trace, Landmark landmark, std::int64_t step,
                                          int direction) {
  constexpr Event events[] = {Event::max_rises, Event::rescales, Event::merges};
  const std::int64_t found =
      trace.next_event(events[static_cast<std::size_t>(landmark)], step, direction < 0);
  return found > 0 ? std::optional(found) : std::nullopt;
}

// "01-one-real-decode" → "one-real-decode".
std::string name_of_lesson(const std::string& folder) { return folder.substr(folder.find('-') + 1); }

void add_extent_of(const TracedScene& traced, Extent& extent) {
  extent.last_step = traced.trace.steps().num_steps();
  extent.num_heads = traced.problem().q_heads;
  extent.find = [&trace = traced.trace](Landmark landmark, std::int64_t step, int direction) {
    return landmark == Landmark::turn ? std::nullopt : next_landmark(trace, landmark, step, direction);
  };
}

void add_extent_of(const GpuScene& gpu, Extent& extent) {
  extent.last_step = gpu.clock.last_step;
  extent.splits = gpu.b.schedule.num_splits;
  extent.find = [&gpu](Landmark landmark, std::int64_t step, int direction) {
    return landmark == Landmark::turn ? next_turn(gpu, step, direction) : std::nullopt;
  };
}

// A text field has the keyboard: only these still mean a command.
bool passes_text_field(CommandId id) {
  using enum CommandId;
  return id == close || id == quit || id == focus_next || id == focus_back;
}

}  // namespace

Result<std::unique_ptr<Window>> Window::open(Platform& platform, const WindowOptions& options) {
  std::unique_ptr<Window> window(new Window(platform));
  const auto lessons = find_lessons_folder();
  if (!lessons) return lessons.fault();
  const auto fonts = find_resource("fonts", "viz/fonts");
  if (!fonts) return fonts.fault();
  window->lessons_folder_ = *lessons;
  window->fonts_folder_ = *fonts;

  for (const std::filesystem::path& folder : find_lessons(*lessons))
    window->lessons_.push_back(name_of_lesson(folder.filename().string()));
  if (const auto own = find_resource("formulas", "viz/formulas")) window->formulas_.add_folder(*own);
  if (auto fault = window->open_lesson(options.lesson.empty() ? "1" : options.lesson, options)) return *fault;

  AppState& state = window->state_;
  state.language = options.language;
  state.theme = options.theme;
  state.reduced_motion = options.reduced_motion;
  window->first_scale_ = options.ui_scale ? 1.0f : first_scale(platform.size());
  if (options.ui_scale) state.scale_percent = *options.ui_scale;

  set_style();
  window->ui_.formulas = &window->formulas_;
  window->ui_.dump = &window->dump_;
  window->ui_.internals.missing = &window->missing_;
  if (auto fault = window->go_to_place(options)) return *fault;
  return window;
}

// A step without a stop opens at the stop whose step came last.
std::optional<Fault> Window::go_to_place(const WindowOptions& options) {
  const Extent lesson = extent();
  const auto stops = static_cast<std::int64_t>(lesson.stop_steps.size());
  if (options.stop && *options.stop > stops)
    return Fault{fmt::format("expected a stop from 1 to {}, found {}", stops, *options.stop)};
  std::int64_t stop = options.stop.value_or(1) - 1;
  if (options.step && !options.stop && !scene_->is_gpu())
    for (std::int64_t i = 0; i < stops; ++i)
      if (lesson.stop_steps[static_cast<std::size_t>(i)] <= *options.step) stop = i;
  give({CommandId::go_stop, stop});
  if (auto fault = follow_state()) return fault;
  if (!options.step) return std::nullopt;
  if (const std::int64_t last = extent().last_step; *options.step > last)
    return Fault{fmt::format("expected a step from 0 to {}, found {}", last, *options.step)};
  give({CommandId::go_step, *options.step});
  return std::nullopt;
}

std::optional<Fault> Window::open_lesson(const std::string& name, const WindowOptions& options) {
  auto lesson = load_lesson_named(lessons_folder_, name);
  if (!lesson) return lesson.fault();
  if (options.scene) lesson->scene = *options.scene;
  auto made = make_scene(*lesson, lessons_folder_, options.head);
  if (!made) return made.fault();
  scene_.emplace(Scene{std::move(*lesson), std::move(*made), 0, {}, false});
  formulas_.add_folder(scene_->lesson.folder / "formulas");
  state_.lesson = scene_->lesson.name;
  scene_->has_next_lesson = !lessons_.empty() && lessons_.back() != scene_->lesson.name;
  state_.speed = scene_->is_gpu() ? kGpuSpeed : 1;
  if (const TracedScene* traced = scene_->made.traced()) state_.head = traced->spec.q_head;
  load_lesson_text();
  return std::nullopt;
}

void Window::load_lesson_text() {
  known_.clear();
  fonts_are_stale_ = true;
  const Lesson& lesson = scene_->lesson;
  text_ = all_phrases();
  titles_.clear();
  for (const Language language : kLanguages) {
    text_ += lesson.title[language];
    for (const Stop& stop : lesson.stops) {
      titles_ += stop.title[language];
      text_ += stop.prose[language];
      if (!stop.gate) continue;
      const Gate& gate = *stop.gate;
      for (const Bilingual* part : {&gate.ask, &gate.right, &gate.right_name, &gate.other})
        text_ += (*part)[language];
      for (const WrongRule& rule : gate.rules) text_ += rule.name[language] + rule.reply[language];
    }
    titles_ += phrase(language, Phrase::help_title);
  }
  if (const TracedScene* traced = scene_->made.traced())
    for (const std::string& token : traced->data.tokens) text_ += token;
}

std::optional<Fault> Window::follow_state() {
  if (state_.lesson != scene_->lesson.name) {
    if (auto fault = open_lesson(state_.lesson, {})) return fault;
    give({CommandId::go_stop, 0});
  }
  scene_->stop = static_cast<std::size_t>(state_.stop);
  return scene_->is_gpu() ? follow_controls() : follow_head();
}

std::optional<Fault> Window::follow_head() {
  if (scene_->traced().spec.q_head == state_.head) return std::nullopt;
  SceneSpec spec = scene_->traced().spec;
  spec.q_head = state_.head;
  auto traced = trace_scene(spec, scene_->traced().data);
  if (!traced) return traced.fault();
  scene_->made = LessonScene(std::move(*traced));
  return std::nullopt;
}

// A new scene may end earlier than the one before.
std::optional<Fault> Window::follow_controls() {
  if (scene_->gpu().spec != state_.gpu) {
    scene_->own_gpu.reset();
    if (scene_->gpu().spec != state_.gpu) {
      auto gpu = make_gpu_scene(state_.gpu, scene_->made.gpu()->recordings);
      if (!gpu) return gpu.fault();
      scene_->own_gpu.emplace(std::move(*gpu));
    }
  }
  state_.step = std::min(state_.step, scene_->gpu().clock.last_step);
  return std::nullopt;
}

// True if the last frame drew characters that were never asked for before.
bool Window::learn_missing() {
  bool has_new = false;
  for (const char32_t c : missing_) {
    if (!known_.insert(c).second) continue;
    append_character(text_, c);
    append_character(titles_, c);
    has_new = true;
  }
  missing_.clear();
  return has_new;
}

std::optional<Fault> Window::fit_fonts() {
  const float scale = std::min(first_scale_ * static_cast<float>(state_.scale_percent) / 100, kLargestScale);
  const float F = std::round(kFontPixels * scale);
  const bool has_new = learn_missing();
  if (has_fonts_ && F == ui_.F && !has_new && !fonts_are_stale_) return std::nullopt;
  fonts_are_stale_ = false;
  if (has_fonts_) ImGui_ImplOpenGL3_DestroyFontsTexture();
  formulas_.forget_textures();
  if (auto fault = bake_fonts(ui_, fonts_folder_, {text_, titles_}, F)) return fault;
  if (has_fonts_) ImGui_ImplOpenGL3_CreateFontsTexture();
  has_fonts_ = true;
  return std::nullopt;
}

Extent Window::extent() const {
  Extent extent;
  extent.lessons = lessons_;
  for (const Stop& stop : scene_->lesson.stops) {
    const ExpressionScope scope = scene_->made.scope(stop, 0);
    const auto step = step_of(stop.step, scope);
    extent.stop_steps.push_back(step ? *step : 0);
    const auto reveal = stop.gate ? step_of(stop.gate->reveal, scope) : Result<std::int64_t>(0);
    extent.reveal_steps.push_back(reveal ? *reveal : 0);
    if (scene_->is_gpu()) extent.stop_gpus.push_back(stop.gpu);
  }
  if (scene_->is_gpu()) add_extent_of(scene_->gpu(), extent);
  else add_extent_of(scene_->traced(), extent);
  const Zones zones = zones_of(ui_, state_);
  extent.inspector_is_tab = zones.inspector_is_tab;
  extent.panels_are_overlays = zones.panels_are_overlays;
  return extent;
}

void Window::give(Command command) {
  const std::int64_t step = state_.step;
  const bool is_walk = command.id == CommandId::step_next || command.id == CommandId::step_back;
  switch (command.id) {
    case CommandId::focus_next: ui_.move_focus(1); break;
    case CommandId::focus_back: ui_.move_focus(-1); break;
    case CommandId::focus_press: ui_.internals.presses_focus = !ui_.focus.empty(); break;
    case CommandId::go_step:
      if (command.argument < 0) {  // the key: type the number
        enter_text_field(ui_, "transport.step");
        break;
      }
      [[fallthrough]];
    default: state_ = apply(std::move(state_), std::move(command), extent());
  }
  if (is_walk) start_motion(step, false);
  else if (state_.step != step) ui_.step_age_s = kLongAgo;
  if (command.id == CommandId::close) ui_.focus.clear();
  ui_.request_redraw();
}

void Window::take_keys() {
  for (KeyPress key : platform_.take_keys()) {
    auto command = ui_.command_of_arrow(key);
    if (!command) command = command_of(key);
    if (!command) continue;
    if (ImGui::GetIO().WantTextInput) {
      if (!passes_text_field(command->id)) continue;
      ImGui::ClearActiveID();
    }
    const bool is_tab = command->id == CommandId::focus_next && key.key == GLFW_KEY_TAB;
    if (is_tab && extent().inspector_is_tab) command->id = CommandId::panel_switch;
    if (command->id == CommandId::go_step) command->argument = -1;
    give(std::move(*command));
  }
}

void Window::play_on() {
  const double now = platform_.time_s();
  ui_.dt_s = last_time_s_ == 0 ? 0 : std::min(now - last_time_s_, 0.1);
  ui_.time_s += ui_.dt_s;
  last_time_s_ = now;
  ui_.step_age_s = std::exchange(starts_motion_, false) ? 0 : ui_.step_age_s + ui_.dt_s;
  if (!state_.is_playing) return;
  const std::int64_t step = state_.step;
  state_ = play(std::move(state_), ui_.dt_s, carry_, extent());
  start_motion(step, true);
}

void Window::start_motion(std::int64_t from_step, bool by_play) {
  if (state_.step == from_step) return;
  ui_.step_was_played = by_play;
  starts_motion_ = !by_play;  // play is in the frame already
  ui_.step_age_s = by_play && state_.speed > kFastestMotion ? kLongAgo : 0;
}

std::optional<Fault> Window::draw_frame() {
  if (auto fault = fit_fonts()) return fault;
  const double start = cpu_ms();
  platform_.begin_frame();
  ImGui::NewFrame();
  ui_.theme = state_.theme;
  ui_.language = state_.language;
  ui_.reduced_motion = state_.reduced_motion;
  take_keys();
  ui_.begin_frame();
  play_on();
  if (auto fault = follow_state()) return fault;
  ui_.theme = state_.theme;
  ui_.language = ui_.tr.language = state_.language;
  fdlab::draw_frame(ui_, state_, *scene_, zones_of(ui_, state_));
  ui_.end_frame();
  ImGui::Render();
  build_ms_ = cpu_ms() - start;
  render();
  frame_ms_ = cpu_ms() - start;
  frames_left_ = std::max(0, frames_left_ - 1);
  if (!missing_.empty()) ui_.request_redraw();
  const std::vector<Command> commands = std::move(ui_.commands);
  for (const Command& command : commands) give(command);
  return follow_state();
}

void Window::render() {
  const Vec2 size = platform_.size();
  glViewport(0, 0, static_cast<GLsizei>(size.x), static_cast<GLsizei>(size.y));
  glEnable(GL_SCISSOR_TEST);
  for (const auto& [rect, color] : ui_.grounds) clear(snapped(rect), color, size.y);
  glDisable(GL_SCISSOR_TEST);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  platform_.end_frame();
}

std::optional<Fault> Window::settle() {
  for (int i = 0; i < 60; ++i) {
    if (auto fault = draw_frame()) return fault;
    if (is_waiting()) break;
  }
  return std::nullopt;
}

std::optional<Fault> Window::run(int frames) {
  for (int drawn = 0; !platform_.is_closed() && !state_.wants_quit; ++drawn) {
    if (frames > 0 && drawn == frames) break;
    if (auto fault = draw_frame()) return fault;
    platform_.wait(is_waiting() && frames == 0 ? -1 : 0);
  }
  return std::nullopt;
}

}  // namespace fdlab
