# Sanitizers, coverage and fuzzing: flags for the library and, where they must link, for all that
# use it.

set(stoa_sanitizers address undefined thread)
string(REPLACE "," ";" stoa_sanitize "${STOA_SANITIZE}")
foreach(name IN LISTS stoa_sanitize)
    if(NOT name IN_LIST stoa_sanitizers)
        message(FATAL_ERROR "STOA_SANITIZE: '${name}' is none of address, undefined, thread")
    endif()
endforeach()
if("address" IN_LIST stoa_sanitize AND "thread" IN_LIST stoa_sanitize)
    message(FATAL_ERROR "STOA_SANITIZE: address and thread exclude each other")
endif()
if(stoa_sanitize)
    list(JOIN stoa_sanitize "," stoa_sanitize)
    target_compile_options(stoa PUBLIC
        -fsanitize=${stoa_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(stoa PUBLIC -fsanitize=${stoa_sanitize})
endif()

if(STOA_COVERAGE)
    target_compile_options(stoa PRIVATE --coverage)
    target_link_options(stoa PUBLIC --coverage)
endif()

if(STOA_BUILD_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "STOA_BUILD_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    target_compile_options(stoa PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(stoa PUBLIC -fsanitize=fuzzer-no-link)
endif()
