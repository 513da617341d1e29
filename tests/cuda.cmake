# fdlab_cuda_tests: every kernel against plain float64 attention. Without a device it says so and counts as skipped.
file(GLOB cuda_test_sources CONFIGURE_DEPENDS test_cuda_*.cpp)
add_executable(fdlab_cuda_tests cuda_main.cpp ${cuda_test_sources})
target_link_libraries(fdlab_cuda_tests PRIVATE fdlab::cuda doctest::doctest)
add_test(NAME fdlab_cuda_tests COMMAND fdlab_cuda_tests)
set_tests_properties(fdlab_cuda_tests PROPERTIES SKIP_RETURN_CODE 77)
