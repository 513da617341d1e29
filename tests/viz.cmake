# fdlab_viz_tests: the window without a display, drawn by EGL into memory.
find_package(Freetype REQUIRED)
file(GLOB viz_test_sources CONFIGURE_DEPENDS test_viz_*.cpp)
add_executable(fdlab_viz_tests main.cpp ${viz_test_sources})
target_link_libraries(fdlab_viz_tests PRIVATE fdlab::viz doctest::doctest Freetype::Freetype)
target_compile_definitions(fdlab_viz_tests PRIVATE FDLAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_test(NAME fdlab_viz_tests COMMAND fdlab_viz_tests)
