# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the headers, and what find_package(memtile) needs.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATAROOTDIR}/cmake/memtile)
install(TARGETS memtile EXPORT memtile FILE_SET HEADERS)
install(EXPORT memtile NAMESPACE memtile:: FILE memtile-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(memtile-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/memtile-config-version.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/licenses/memtile)
