# Part `tools`: what only ./check needs. clang-14, Debian 12's own, fails on <ranges> of libstdc++ 12.
# shellcheck shell=bash

part_tools() {
  debian_packages "Debian packages, clang tools" \
    clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev
}
