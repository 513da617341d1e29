# fdlab_cuda_tests: every kernel against plain float64 attention. Without a device it says so and counts as skipped.
file(GLOB cuda_test_sources CONFIGURE_DEPENDS test_cuda_*.cpp)
add_executable(fdlab_cuda_tests cuda_main.cpp ${cuda_test_sources})
target_link_libraries(fdlab_cuda_tests PRIVATE fdlab::cuda doctest::doctest)
add_test(NAME fdlab_cuda_tests COMMAND fdlab_cuda_tests)
set_tests_properties(fdlab_cuda_tests PROPERTIES SKIP_RETURN_CODE 77)

# Check, then time, jobs from standard input: for tuning.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
add_executable(fdlab_cuda_bench bench/cuda_bench.cu)
target_link_libraries(fdlab_cuda_bench PRIVATE fdlab::cuda)
set_target_properties(fdlab_cuda_bench PROPERTIES CUDA_RUNTIME_LIBRARY Static)
