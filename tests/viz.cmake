# fdlab_viz_tests: the window without a display, drawn by EGL into memory.
find_package(Freetype REQUIRED)
file(GLOB viz_test_sources CONFIGURE_DEPENDS test_viz_*.cpp)
add_executable(fdlab_viz_tests main.cpp ${viz_test_sources})
target_link_libraries(fdlab_viz_tests PRIVATE fdlab::viz doctest::doctest Freetype::Freetype)
target_compile_definitions(fdlab_viz_tests PRIVATE FDLAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_test(NAME fdlab_viz_tests COMMAND fdlab_viz_tests)

# The program itself: a picture without a display, the exit code where there is none, and the real window on a virtual
# screen where there is one.
add_test(NAME fdlab_window_picture
         COMMAND fdlab render --size 1280x720 --lang zh --theme light
                 --screenshot ${CMAKE_CURRENT_BINARY_DIR}/window.png --dump ${CMAKE_CURRENT_BINARY_DIR}/window.json)
add_test(NAME fdlab_window_without_display
         COMMAND sh -c "env -u DISPLAY -u WAYLAND_DISPLAY \"$1\"; test $? -eq 3" sh $<TARGET_FILE:fdlab-window>)
find_program(FDLAB_XVFB_RUN xvfb-run)
mark_as_advanced(FDLAB_XVFB_RUN)
if(FDLAB_XVFB_RUN)
  add_test(NAME fdlab_window_on_screen
           COMMAND ${FDLAB_XVFB_RUN} -a -s "-screen 0 1280x800x24 -noreset" $<TARGET_FILE:fdlab-window> --frames 3)
endif()
