# Installs the build into a fresh prefix, builds a ten-line outside project against it, runs that, and starts the
# installed programs from there.
#   cmake -D BUILD=<build folder> -D OUTSIDE=<folder of the outside project> -D WORK=<scratch> [-D DEPS=<packed packages>]
#         -P install.cmake
function(must_pass what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} ended with ${result}:\n${output}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
must_pass("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
must_pass("configuring the outside project" ${CMAKE_COMMAND} -G Ninja -S ${OUTSIDE} -B ${WORK}/build
          "-DCMAKE_PREFIX_PATH=${prefix};${DEPS}" -DCMAKE_BUILD_TYPE=Release)
must_pass("building the outside project" ${CMAKE_COMMAND} --build ${WORK}/build)
must_pass("the outside project" ${WORK}/build/outside)

# The programs must find their lessons and fonts beside themselves, from any folder, without the source tree.
must_pass("the installed fdlab" ${CMAKE_COMMAND} -E chdir ${WORK} ${CMAKE_COMMAND} -E env --unset=FDLAB_DATA
          ${prefix}/bin/fdlab lesson list)
if(EXISTS ${prefix}/bin/fdlab-window)
  must_pass("the installed window" ${CMAKE_COMMAND} -E chdir ${WORK} ${CMAKE_COMMAND} -E env --unset=FDLAB_DATA
            ${prefix}/bin/fdlab --offscreen --lesson 01-one-real-decode --size 1280x720 --screenshot ${WORK}/window.png)
  if(NOT EXISTS ${WORK}/window.png)
    message(FATAL_ERROR "the installed window wrote no picture")
  endif()
endif()
