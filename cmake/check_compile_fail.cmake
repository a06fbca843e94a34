# Shows that a wrong program does not compile, and that only its mistake is the reason.
#
#   cmake -DSOURCE=path -DINCLUDE=dir -P check_compile_fail.cmake
#
# As it stands the source compiles without a warning. With MUST_FAIL defined it is refused, with a
# message that matches the pattern on its line `/* error: pattern */`.
cmake_minimum_required(VERSION 3.22)

file(STRINGS "${SOURCE}" lines REGEX "^/\\* error: .* \\*/$")
list(LENGTH lines count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "${SOURCE}: needs one line /* error: pattern */")
endif()
string(REGEX REPLACE "^/\\* error: (.*) \\*/$" "\\1" pattern "${lines}")

set(common -std=c11 -I${INCLUDE} -fsyntax-only)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
set(runs 0)
foreach(compiler IN ITEMS gcc clang)
    find_program(found_${compiler} NAMES ${compiler})
    if(NOT found_${compiler})
        message(STATUS "${compiler}: not here, left out")
        continue()
    endif()
    foreach(define IN ITEMS -USTOA_DEBUG -DSTOA_DEBUG)
        set(command ${found_${compiler}} ${common} ${define})
        execute_process(COMMAND ${command} ${warnings} "${SOURCE}"
            RESULT_VARIABLE code ERROR_VARIABLE messages)
        if(NOT code EQUAL 0)
            message(NOTICE "${messages}")
            message(SEND_ERROR "${compiler} ${define}: the right program does not compile")
        endif()
        execute_process(COMMAND ${command} -pedantic-errors -DMUST_FAIL "${SOURCE}"
            RESULT_VARIABLE code ERROR_VARIABLE messages)
        if(code EQUAL 0)
            message(SEND_ERROR "${compiler} ${define}: the wrong program compiles")
        elseif(NOT messages MATCHES "error: [^\n]*(${pattern})")
            message(NOTICE "${messages}")
            message(SEND_ERROR "${compiler} ${define}: no error that matches '${pattern}'")
        endif()
        math(EXPR runs "${runs} + 1")
    endforeach()
endforeach()
if(runs EQUAL 0)
    message(FATAL_ERROR "no compiler found")
endif()
