# The expected message is matched, since a compiler also refuses for the wrong reason.
add_test(NAME must_not_compile.ignored_result
  COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -Werror -fsyntax-only -I src
          tests/must_not_compile/ignored_result.cc
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(must_not_compile.ignored_result PROPERTIES
  PASS_REGULAR_EXPRESSION "nodiscard.*-Werror")

# What must not compile in Braid itself: clang reads the marks of base/mutex.h, and refuses
# unguarded_write.cc first.
add_test(NAME thread_safety
  COMMAND ${CMAKE_SOURCE_DIR}/tools/thread_safety.sh ${CMAKE_BINARY_DIR})
set_tests_properties(thread_safety PROPERTIES LABELS slow TIMEOUT 1200 SKIP_RETURN_CODE 77)
