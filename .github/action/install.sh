#!/usr/bin/env bash
# Installs regreen from PyPI into a folder of its own, or finds the one on the PATH. Output: `regreen`, the program.
set -euo pipefail

fail() {
  printf '::error title=regreen::%s\n' "$1"
  exit 2
}

version=$INPUT_VERSION
if [[ $version == installed ]]; then
  regreen=$(command -v regreen) || fail 'cannot find regreen on the PATH; set the input "version" to a version, such as 0.1.0'
else
  # pip takes ranges, addresses and options in the same place; a version is none of them.
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+((a|b|rc)[0-9]+)?$ ]] ||
    fail 'the input "version" must be a version, such as 0.1.0, or "installed"'
  folder=$RUNNER_TEMP/regreen-$version
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: "regreen==$version"
  regreen=$folder/bin/regreen
fi
"$regreen" --version
printf 'regreen=%s\n' "$regreen" >>"$GITHUB_OUTPUT"
