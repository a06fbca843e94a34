# Proves the STOA_SANITIZE option: a program with one mistake is built with the flags it gives, and
# caught.
#
#   cmake -DKIND=address|undefined|thread|refused -DCOMPILER=cc -DSCRATCH=dir
#         -P check_sanitize.cmake
cmake_minimum_required(VERSION 3.22)

set(probe ${CMAKE_CURRENT_LIST_DIR}/probe)

# Configures the probe afresh and leaves the exit code and the messages in the caller's scope.
function(configure value)
    file(REMOVE_RECURSE ${SCRATCH})
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${probe} -B ${SCRATCH}
            -DCMAKE_C_COMPILER=${COMPILER} -DSTOA_SANITIZE=${value}
        RESULT_VARIABLE code OUTPUT_VARIABLE messages ERROR_VARIABLE messages)
    set(code ${code} PARENT_SCOPE)
    set(messages "${messages}" PARENT_SCOPE)
endfunction()

if(KIND STREQUAL "refused")
    foreach(value IN ITEMS adress "address,thread")
        configure(${value})
        if(code EQUAL 0 OR NOT messages MATCHES "STOA_SANITIZE: ")
            message(NOTICE "${messages}")
            message(FATAL_ERROR "STOA_SANITIZE=${value} is not refused")
        endif()
    endforeach()
    return()
endif()

configure(${KIND})
if(NOT code EQUAL 0)
    message(NOTICE "${messages}")
    message(FATAL_ERROR "STOA_SANITIZE=${KIND} does not configure")
endif()
file(READ ${SCRATCH}/compile_commands.json commands)
string(JSON last LENGTH "${commands}")
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
    string(JSON command GET "${commands}" ${i} command)
    if(NOT command MATCHES "-fsanitize=${KIND} ")
        message(FATAL_ERROR "compiled without -fsanitize=${KIND}: ${command}")
    endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH} --target probe
    RESULT_VARIABLE code OUTPUT_VARIABLE messages ERROR_VARIABLE messages)
if(NOT code EQUAL 0)
    message(NOTICE "${messages}")
    message(FATAL_ERROR "STOA_SANITIZE=${KIND} does not build")
endif()
execute_process(COMMAND ${SCRATCH}/probe ${KIND} RESULT_VARIABLE code ERROR_VARIABLE report)
set(pattern_address "AddressSanitizer: heap-buffer-overflow")
set(pattern_undefined "runtime error: signed integer overflow")
set(pattern_thread "ThreadSanitizer: ")
if(code EQUAL 0 OR NOT report MATCHES "${pattern_${KIND}}")
    message(NOTICE "${report}")
    message(FATAL_ERROR "the mistake went unseen: exit code ${code}")
endif()
