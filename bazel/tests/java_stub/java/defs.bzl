"""Stands for rules_java, which Bazel 4 downloads as soon as any toolchain is resolved, for toolchains that nobody here uses."""

java_binary = native.java_binary
java_import = native.java_import
java_library = native.java_library
java_runtime = native.java_runtime
java_toolchain = native.java_toolchain
