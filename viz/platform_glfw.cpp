#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "viz/platform.h"

namespace fdlab {
namespace {

std::string& last_error() {
  static std::string text;
  return text;
}

class GlfwPlatform final : public Platform {
 public:
  explicit GlfwPlatform(GLFWwindow* window) : window_(window) {
    glfwSetWindowUserPointer(window, this);
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
    ImGui::CreateContext();
    ImGui_ImplGlfw_InitForOpenGL(window, true);  // calls the two above as well
    ImGui_ImplOpenGL3_Init("#version 130");
  }
  ~GlfwPlatform() override {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  Vec2 size() const override {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return {static_cast<float>(width), static_cast<float>(height)};
  }
  bool is_closed() const override { return glfwWindowShouldClose(window_) != 0; }
  double time_s() const override { return glfwGetTime(); }
  void wait(double seconds) override {
    if (seconds < 0) glfwWaitEvents();
    else if (seconds > 0) glfwWaitEventsTimeout(seconds);
    else glfwPollEvents();
  }
  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
  }
  void end_frame() override { glfwSwapBuffers(window_); }
  std::vector<KeyPress> take_keys() override { return std::exchange(keys_, {}); }

 private:
  static GlfwPlatform& of(GLFWwindow* window) {
    return *static_cast<GlfwPlatform*>(glfwGetWindowUserPointer(window));
  }
  // Letters by what is printed on the key, so that other keyboard layouts find their commands too.
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    if (action == GLFW_RELEASE) return;
    if (const char* name = glfwGetKeyName(key, scancode);
        name && name[0] >= 'a' && name[0] <= 'z' && name[1] == 0)
      key = GLFW_KEY_A + (name[0] - 'a');
    of(window).keys_.push_back({key, (mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_CONTROL) != 0});
  }
  // "?" stands elsewhere on many keyboards.
  static void on_character(GLFWwindow* window, unsigned int character) {
    const KeyPress help{GLFW_KEY_SLASH, true, false};
    auto& keys = of(window).keys_;
    if (character == '?' && std::find(keys.begin(), keys.end(), help) == keys.end()) keys.push_back(help);
  }

  GLFWwindow* window_;
  std::vector<KeyPress> keys_;
};

// As large as the work area allows, and no larger than the reference size at the monitor's own scale.
WindowSize size_for_screen() {
  int x = 0, y = 0, width = 1280, height = 720;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
    glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
  return {std::min(width, std::max(1600, width * 5 / 6)), std::min(height, std::max(900, height * 5 / 6))};
}

}  // namespace

Result<std::unique_ptr<Platform>> open_window(WindowSize size, const std::string& title) {
  glfwSetErrorCallback([](int code, const char* text) { last_error() = fmt::format("{} ({})", text, code); });
  if (!glfwInit()) return Fault{fmt::format("expected a display, found none: {}", last_error())};
  if (size.width == 0) size = size_for_screen();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
  GLFWwindow* window = glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr);
  if (!window) {
    Fault fault{fmt::format("expected OpenGL 3.0, found none: {}", last_error())};
    glfwTerminate();
    return fault;
  }
  glfwSetWindowSizeLimits(window, 640, 360, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  return std::unique_ptr<Platform>(std::make_unique<GlfwPlatform>(window));
}

}  // namespace fdlab
