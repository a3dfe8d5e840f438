# What outsiders would run, against `braid serve` of this build: the official clients (their Python is
# brought by tools/setup.sh clients), and ten thousand mutated requests.
find_program(python3 python3 REQUIRED)
add_test(NAME e2e.clients COMMAND ${CMAKE_SOURCE_DIR}/tests/e2e/clients.sh $<TARGET_FILE:braid>)
add_test(NAME e2e.mutated_requests
         COMMAND ${python3} tests/e2e/with_server.py $<TARGET_FILE:braid>
                 ${python3} bench/mutate_requests.py {http} --model mlp --pipeline triage
         WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(e2e.clients e2e.mutated_requests PROPERTIES LABELS slow TIMEOUT 600)
set_tests_properties(e2e.clients PROPERTIES SKIP_RETURN_CODE 77)
