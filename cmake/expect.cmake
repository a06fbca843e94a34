# Runs a program and holds what it did against what is expected.
#
#   cmake -DPROGRAM=path [-DARGUMENTS="a b"] [-DEXIT=0] [-DSTDOUT=regex] [-DSTDERR=regex]
#         [-DSTDOUT_FILE=path] -P expect.cmake
cmake_minimum_required(VERSION 3.22)

if(NOT DEFINED EXIT)
    set(EXIT 0)
endif()
separate_arguments(arguments UNIX_COMMAND "${ARGUMENTS}")
execute_process(COMMAND "${PROGRAM}" ${arguments}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)

if(NOT "${code}" STREQUAL "${EXIT}")
    message(NOTICE "${out}${err}")
    message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS}: exit code ${code}, expected ${EXIT}")
endif()
foreach(stream IN ITEMS out err)
    set(pattern "${STDOUT}")
    if(stream STREQUAL "err")
        set(pattern "${STDERR}")
    endif()
    if(pattern AND NOT "${${stream}}" MATCHES "${pattern}")
        message(NOTICE "${${stream}}")
        message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS}: no '${pattern}' on std${stream}")
    endif()
endforeach()
if(STDOUT_FILE)
    if(NOT EXISTS "${STDOUT_FILE}")
        message(NOTICE "${out}")
        message(FATAL_ERROR "${STDOUT_FILE} is missing; the program printed the above")
    endif()
    file(READ "${STDOUT_FILE}" expected)
    if(NOT out STREQUAL expected)
        get_filename_component(name "${PROGRAM}" NAME)
        set(actual_file "${CMAKE_CURRENT_BINARY_DIR}/${name}.out")
        file(WRITE "${actual_file}" "${out}")
        execute_process(COMMAND diff -u "${STDOUT_FILE}" "${actual_file}"
            OUTPUT_VARIABLE difference)
        message(NOTICE "${difference}")
        message(FATAL_ERROR "${name}: output is not that of ${STDOUT_FILE}")
    endif()
endif()
