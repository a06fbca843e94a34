# Modules and their hosts.
#
# A module takes the functions of stoa from the program that loads it, so that there is one copy of
# them: it is not linked with the library. The program must have them all, and show them: it is a
# host. Where stoa is itself a shared library, both are linked with that, and nothing else is needed.

# stoa_add_module(NAME SOURCE...): a module, as NAME.so.
function(stoa_add_module name)
    add_library(${name} MODULE ${ARGN})
    set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
    get_target_property(type stoa TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
        target_link_libraries(${name} PRIVATE stoa::stoa)
    else()
        foreach(kind IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS LINK_OPTIONS)
            set(value $<TARGET_PROPERTY:stoa,INTERFACE_${kind}>)
            set_property(TARGET ${name} APPEND PROPERTY ${kind} ${value})
        endforeach()
        if(APPLE)
            target_link_options(${name} PRIVATE "LINKER:-undefined,dynamic_lookup")
        endif()
    endif()
endfunction()

# stoa_host(PROGRAM): a program that loads modules.
function(stoa_host program)
    target_link_libraries(${program} PRIVATE stoa::stoa)
    set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
    get_target_property(type stoa TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
        return()
    elseif(APPLE)
        target_link_options(${program} PRIVATE "LINKER:-force_load,$<TARGET_FILE:stoa>")
    else()
        target_link_options(${program} PRIVATE
            "SHELL:-Wl,--whole-archive $<TARGET_FILE:stoa> -Wl,--no-whole-archive")
    endif()
endfunction()
