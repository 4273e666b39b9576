# Copyright The Everylink authors
#
# SPDX-License-Identifier: BSD-3-Clause

import os

from spack.package import *

try:  # Spack 1; before, it was part of spack.package
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass


class Everylink(CMakePackage):
    """Measures every point-to-point connection of a cluster, and names what is faulty."""

    url = f"file://{os.getcwd()}/everylink-0.2.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    version("0.2.0")

    variant("python", default=True, description="The command everylink: judges, reports, launches")
    variant("mpi", default=True, description="Transport mpi")
    variant("ucx", default=True, description="Transport ucp")
    variant("ofi", default=True, description="Transport ofi (libfabric)")
    variant("verbs", default=True, description="Transport ibverbs")
    variant("psm2", default=False, description="Transport psm2 (Omni-Path)")
    variant("pmix", default=True, description="Ranks started by PMIx")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("fmt@9:")
    depends_on("hdf5~mpi")
    depends_on("hwloc@2:")
    depends_on("libsodium")
    depends_on("mpi", when="+mpi")
    depends_on("ucx", when="+ucx")
    depends_on("libfabric", when="+ofi")
    depends_on("rdma-core", when="+verbs")
    depends_on("opa-psm2", when="+psm2")
    depends_on("pmix", when="+pmix")

    with when("+python"):
        extends("python@3.11:")
        depends_on("py-pip", type="build")
        depends_on("py-scikit-build-core@0.10:", type="build")
        depends_on("py-numpy@1.24:", type=("build", "run"))
        depends_on("py-h5py@3.8:", type=("build", "run"))
        depends_on("py-matplotlib@3.7:", type=("build", "run"))
        depends_on("py-jinja2@3.1:", type=("build", "run"))
        depends_on("py-rich@13:", type=("build", "run"))
        depends_on("py-scipy@1.10:", type=("build", "run"))
        depends_on("py-clustershell@1.9:", type=("build", "run"))

    conflicts("%gcc@:11")

    def cmake_args(self):
        args = [self.define("EVERYLINK_UNITY", True), self.define("EVERYLINK_PORTALS", "OFF")]
        for name in ("mpi", "ucx", "ofi", "verbs", "psm2", "pmix"):
            option = "IBVERBS" if name == "verbs" else name.upper()
            built = "ON" if f"+{name}" in self.spec else "OFF"
            args.append(self.define(f"EVERYLINK_{option}", built))
        return args

    @run_after("install", when="+python")
    def install_commands(self):
        """The Python half, which finds the core beside itself."""
        options = ["--no-deps", "--no-build-isolation", "--no-index", f"--prefix={self.prefix}"]
        with working_dir(self.stage.source_path):
            python("-m", "pip", "install", *options, "--config-settings=wheel.cmake=false", ".")

    def test_run(self):
        """measures four ranks on this machine"""
        measure = which(join_path(self.prefix.bin, "everylink-measure"))
        measure("--np", "4", "-s", "8", "--no-output")
