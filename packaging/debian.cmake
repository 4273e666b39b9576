# With EVERYLINK_DEB: the .deb by CPack, for /usr, as Debian's policy wants it. scripts/release makes it. What the
# modules need is found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME everylink)
set(CPACK_PACKAGE_CONTACT "The Everylink authors <everylink@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures every point-to-point connection of a cluster")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "This is the core of Everylink, for compute nodes: everylink-measure and its
modules. It measures each ordered pair of processes over TCP, MPI, UCX,
libfabric, verbs or PSM2, and writes one HDF5 file. The Python package
everylink, which is not in this package, starts it on the hosts of a
cluster and names what is slow, late or dead.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ibverbs-providers)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin | mpich")

# Debian's names of the licence and of the changelog, and compressed pages of the manual.
set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/everylink)
set(manual ${CMAKE_INSTALL_DATAROOTDIR}/man/man1)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)      # SOURCE_DATE_EPOCH, if it is set
file(WRITE ${CMAKE_BINARY_DIR}/changelog
  "everylink (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * CHANGELOG.md in the sources has the changes.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES LICENSE DESTINATION ${documents} RENAME copyright)
install(FILES ${CMAKE_BINARY_DIR}/changelog.gz DESTINATION ${documents})
install(CODE "execute_process(COMMAND gzip -9nf \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${manual}/everylink-measure.1 COMMAND_ERROR_IS_FATAL ANY)")
get_property(names DIRECTORY core PROPERTY EVERYLINK_DROP_IN_NAMES)
foreach(name ${names})
  install(CODE "file(CREATE_LINK everylink-measure.1.gz \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${manual}/${name}.1.gz SYMBOLIC)")
endforeach()
include(CPack)
