# Writes the styles and scripts of the HTML report as C++ string literals. The
# file is the same, byte for byte, as that of the genrule in ns/report/page/BUILD.
#
#   cmake -D PAGE=ns/report/page -D OUT=page_source.cc -P page_source.cmake
#
# Between styles there is a line break, between scripts ";".
file(GLOB third_party_css "${PAGE}/third_party/*.css")
file(GLOB third_party_js "${PAGE}/third_party/*.js")
file(GLOB parts "${PAGE}/parts/*.js")
list(SORT third_party_css)
list(SORT third_party_js)
list(SORT parts)

set(text "#include \"ns/report/page/page_source.h\"\nnamespace ns {\n")
string(APPEND text "absl::string_view PageStyle() { return R\"ns_page(\n")
foreach(file IN LISTS third_party_css ITEMS "${PAGE}/page.css")
  file(READ "${file}" content)
  string(APPEND text "${content}\n")
endforeach()
string(APPEND text ")ns_page\"; }\n")
string(APPEND text "absl::string_view PageScript() { return R\"ns_page(\n")
foreach(file IN LISTS third_party_js parts ITEMS "${PAGE}/page.js")
  file(READ "${file}" content)
  string(APPEND text "${content}\n;\n")
endforeach()
string(APPEND text ")ns_page\"; }\n}  // namespace ns\n")
file(WRITE "${OUT}" "${text}")
