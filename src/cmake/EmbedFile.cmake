# SPDX-License-Identifier: BSD-3-Clause
# pcl_attention_embed(target name file): compiles the bytes of a file into a target of this folder, where
# weights/embedded_file.h declares them as `name`. Run as a script it writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${FILE} bytes HEX)
  string(REGEX REPLACE "(................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE ${SOURCE} "#include \"weights/embedded_file.h\"\n\n"
    "namespace pcl_attention {\nnamespace {\n\nconstexpr unsigned char bytes[] = {\n${bytes}};\n\n}  // namespace\n\n"
    "const EmbeddedFile ${NAME}{bytes, sizeof(bytes)};\n\n}  // namespace pcl_attention\n")
  return()
endif()

set(pcl_attention_embed_script ${CMAKE_CURRENT_LIST_FILE})

function(pcl_attention_embed target name file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  get_filename_component(file ${file} ABSOLUTE)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFILE=${file} -DSOURCE=${source} -P ${pcl_attention_embed_script}
    DEPENDS ${file} ${pcl_attention_embed_script} VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
