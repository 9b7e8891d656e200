#!/usr/bin/env bash
# Runs `regreen fix`, and commits and pushes what it changed if the input says so. Output: `fixed`, true or false.
# Errors that are left are not this script's: the check reports them.
set -euo pipefail

fail() {
  printf '::error title=regreen::%s\n' "$1"
  exit 2
}

case $INPUT_FIX in
  true | commit) ;;
  *) fail 'the input "fix" must be true, false or commit' ;;
esac
cd "$GITHUB_WORKSPACE"

branch=
if [[ $INPUT_FIX == commit ]]; then
  # For a pull request, a commit without a branch is checked out, and nothing can be pushed from there.
  branch=$(git symbolic-ref --quiet --short HEAD) ||
    fail 'cannot commit fixes: no branch is checked out; set the input "ref" of actions/checkout'
  # If nothing else has changed, whatever changes is a fix.
  [[ -z $(git status --porcelain) ]] || fail 'cannot commit fixes: the work tree has other changes'
fi

paths=()
while IFS= read -r line; do
  if [[ -n $line ]]; then paths+=("$line"); fi
done <<<"$INPUT_PATHS"

# What is quoted from files must not be taken for a command to the runner.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$token"
diff=$RUNNER_TEMP/regreen-fix.diff
rm -f "$diff"
code=0
"$REGREEN" fix --root="$INPUT_ROOT" --format=diff --output="$diff" -- ${paths[@]+"${paths[@]}"} || code=$?
fixed=false
if [[ -s $diff ]]; then
  fixed=true
  cat "$diff"
fi
printf '::%s::\n' "$token"
printf 'fixed=%s\n' "$fixed" >>"$GITHUB_OUTPUT"
if ((code > 1)); then fail "regreen fix could not do its work (exit code $code); see the log"; fi

if [[ $fixed == true && $INPUT_FIX == commit ]]; then
  git add --all
  git -c user.name='github-actions[bot]' \
    -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
    commit --quiet --message="$INPUT_COMMIT_MESSAGE"
  git push --quiet origin "HEAD:refs/heads/$branch"
fi
