#!/usr/bin/env bash
# Runs `regreen check` for the log and the summary, and again for annotations and for code scanning if the inputs say so.
# Outputs: `exit-code`, and `sarif`, the path of the log. Findings do not fail this step; the last one does that.
set -euo pipefail

fail() {
  printf '::error title=regreen::%s\n' "$1"
  exit 2
}

for input in STRICT ANNOTATIONS SARIF; do
  name=INPUT_$input
  case ${!name} in
    true | false) ;;
    *) fail "the input \"$(tr '[:upper:]' '[:lower:]' <<<"$input")\" must be true or false" ;;
  esac
done
cd "$GITHUB_WORKSPACE"

arguments=(--root="$INPUT_ROOT" --color=never)
if [[ $INPUT_STRICT == true ]]; then arguments+=(--strict); fi
while IFS= read -r line; do
  if [[ -n $line ]]; then arguments+=("$line"); fi
done <<<"$INPUT_ARGS"
paths=(--)
while IFS= read -r line; do
  if [[ -n $line ]]; then paths+=("$line"); fi
done <<<"$INPUT_PATHS"

text=$RUNNER_TEMP/regreen-check.txt
code=0
"$REGREEN" check "${arguments[@]}" "${paths[@]}" >"$text" 2>&1 || code=$?
# What is quoted from files must not be taken for a command to the runner.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$token"
cat "$text"
printf '::%s::\n' "$token"
{
  printf '<h3>regreen check: exit code %s</h3>\n<pre>\n' "$code"
  # GitHub takes at most 1 MiB.
  head -c 262144 "$text" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
  printf '\n</pre>\n'
} >>"$GITHUB_STEP_SUMMARY"
if ((code > 1)); then
  printf '::error title=regreen::regreen check could not do its work (exit code %s); see the log\n' "$code"
fi

if [[ $INPUT_ANNOTATIONS == true ]]; then
  "$REGREEN" check --format=github "${arguments[@]}" "${paths[@]}" 2>/dev/null || true
fi

sarif=
if [[ $INPUT_SARIF == true ]]; then
  sarif=$RUNNER_TEMP/regreen.sarif
  rm -f "$sarif"
  "$REGREEN" check --format=sarif --output="$sarif" "${arguments[@]}" "${paths[@]}" 2>/dev/null || true
  if [[ ! -s $sarif ]]; then sarif=; fi
fi

printf 'exit-code=%s\nsarif=%s\n' "$code" "$sarif" >>"$GITHUB_OUTPUT"
