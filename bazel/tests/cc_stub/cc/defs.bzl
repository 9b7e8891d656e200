"""Stands for rules_cc, which Bazel 4 downloads as soon as any toolchain is resolved, for toolchains that nobody here uses."""

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
