#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <utility>

#include "viz/platform.h"

namespace fdlab {
namespace {

/// A GL context without a surface: everything is drawn into a framebuffer object.
struct EglContext {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;

  EglContext() = default;
  EglContext(EglContext&& other) noexcept
      : display(std::exchange(other.display, EGL_NO_DISPLAY)),
        context(std::exchange(other.context, EGL_NO_CONTEXT)) {}
  ~EglContext() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
  }
};

Result<EglContext> create_context() {
  const auto fault = [](const char* what) {
    return Fault{fmt::format("expected EGL with {}, found none (0x{:x})", what, eglGetError())};
  };
  const auto get_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (!get_display) return fault("platform displays");
  EglContext egl;
  egl.display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (egl.display == EGL_NO_DISPLAY || !eglInitialize(egl.display, nullptr, nullptr)) {
    egl.display = EGL_NO_DISPLAY;
    return fault("a surfaceless display");
  }
  if (!eglBindAPI(EGL_OPENGL_API)) return fault("OpenGL");
  const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(egl.display, config_wanted, &config, 1, &count) || count == 0)
    return fault("a configuration");
  const EGLint context_wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
  egl.context = eglCreateContext(egl.display, config, EGL_NO_CONTEXT, context_wanted);
  if (egl.context == EGL_NO_CONTEXT) return fault("an OpenGL 3.0 context");
  if (!eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl.context))
    return fault("contexts without a surface");
  return egl;
}

class EglPlatform final : public OffscreenPlatform {
 public:
  EglPlatform(EglContext egl, WindowSize size) : egl_(std::move(egl)) {
    glGenFramebuffers(1, &framebuffer_);
    glGenRenderbuffers(1, &color_);
    allocate(size.width, size.height);
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplOpenGL3_Init("#version 130");
    map_keys();
  }
  ~EglPlatform() override {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &color_);
  }

  Vec2 size() const override { return {static_cast<float>(width_), static_cast<float>(height_)}; }
  bool is_closed() const override { return false; }
  double time_s() const override { return static_cast<double>(frames_) / 60; }
  void wait(double) override {}
  void begin_frame() override {
    ++frames_;
    ImGui_ImplOpenGL3_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
    io.DeltaTime = 1.0f / 60;
    io.MousePos = {mouse_.x, mouse_.y};
    io.MouseDown[0] = is_mouse_down_;
    io.MouseWheel = std::exchange(wheel_, 0.0f);
    for (const KeyPress& key : held_) io.KeysDown[key.key] = false;
    held_ = fresh_;
    fresh_.clear();
    for (const KeyPress& key : held_) io.KeysDown[key.key] = true;
    io.KeyShift = is_shift_down_ || (!held_.empty() && held_.back().shift);
    io.KeyCtrl = !held_.empty() && held_.back().ctrl;
  }
  void end_frame() override { glFinish(); }
  std::vector<KeyPress> take_keys() override { return held_; }

  void press_key(KeyPress key) override { fresh_.push_back(key); }
  void type_text(const std::string& text) override { ImGui::GetIO().AddInputCharactersUTF8(text.c_str()); }
  void move_mouse(Vec2 position) override { mouse_ = position; }
  void hold_mouse(bool is_down) override { is_mouse_down_ = is_down; }
  void hold_shift(bool is_down) override { is_shift_down_ = is_down; }
  void turn_wheel(float lines) override { wheel_ += lines; }
  void resize(int width, int height) override { allocate(width, height); }

 private:
  void allocate(int width, int height) {
    width_ = width, height_ = height;
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
  }
  static void map_keys() {
    ImGuiIO& io = ImGui::GetIO();
    for (const auto& [imgui, code] : {std::pair{ImGuiKey_Enter, GLFW_KEY_ENTER},
                                      {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
                                      {ImGuiKey_Tab, GLFW_KEY_TAB},
                                      {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
                                      {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
                                      {ImGuiKey_Home, GLFW_KEY_HOME},
                                      {ImGuiKey_End, GLFW_KEY_END},
                                      {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
                                      {ImGuiKey_Delete, GLFW_KEY_DELETE},
                                      {ImGuiKey_A, GLFW_KEY_A},
                                      {ImGuiKey_Space, GLFW_KEY_SPACE}})
      io.KeyMap[imgui] = code;
  }

  EglContext egl_;
  GLuint framebuffer_ = 0, color_ = 0;
  int width_ = 0, height_ = 0;
  std::int64_t frames_ = 0;
  Vec2 mouse_{-1, -1};
  bool is_mouse_down_ = false, is_shift_down_ = false;
  float wheel_ = 0;
  std::vector<KeyPress> fresh_, held_;
};

}  // namespace

Result<std::unique_ptr<OffscreenPlatform>> open_offscreen(WindowSize size) {
  auto egl = create_context();
  if (!egl) return egl.fault();
  return std::unique_ptr<OffscreenPlatform>(std::make_unique<EglPlatform>(std::move(*egl), size));
}

}  // namespace fdlab
