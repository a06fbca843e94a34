# Compiles one public header alone, twice in one file, in every language and with every compiler at
# hand.
#
#   cmake -DHEADER=stoa/world.h -DINCLUDE=dir -DSCRATCH=dir -P check_header.cmake
cmake_minimum_required(VERSION 3.22)

set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
string(MAKE_C_IDENTIFIER "${HEADER}" name)
set(runs 0)
foreach(mode IN ITEMS gcc:c:c11 gcc:c:c17 clang:c:c11 clang:c:c17 g++:c++:c++17 clang++:c++:c++17)
    string(REPLACE ":" ";" mode "${mode}")
    list(GET mode 0 compiler)
    list(GET mode 1 language)
    list(GET mode 2 standard)
    find_program(found_${compiler} NAMES ${compiler})
    if(NOT found_${compiler})
        message(STATUS "${compiler} -std=${standard}: not here, left out")
        continue()
    endif()
    set(source "${SCRATCH}/${name}.${standard}")
    file(WRITE "${source}" "#include \"${HEADER}\"\n#include \"${HEADER}\"\n")
    foreach(define IN ITEMS -USTOA_DEBUG -DSTOA_DEBUG)
        execute_process(
            COMMAND ${found_${compiler}} -x ${language} -std=${standard} ${warnings} ${define}
                    -I${INCLUDE} -fsyntax-only "${source}"
            RESULT_VARIABLE code ERROR_VARIABLE messages)
        if(NOT code EQUAL 0)
            message(NOTICE "${messages}")
            message(SEND_ERROR "${HEADER}: refused by ${compiler} -std=${standard} ${define}")
        endif()
        math(EXPR runs "${runs} + 1")
    endforeach()
endforeach()
if(runs EQUAL 0)
    message(FATAL_ERROR "no compiler found")
endif()
message(STATUS "${HEADER}: compiled in ${runs} ways")
