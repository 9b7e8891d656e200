#!/bin/sh YES
# YES
echo a#NO ${x#NO} $# "# NO" '# NO \' # YES
echo "$(ls # YES
  echo "# NO" '# NO') # NO" # YES
cat <<EOF <<-'X' # YES
# NO ' "
EOF
	# NO
	X
echo \" # YES "
echo \# NO; # YES
x=$'# NO \' # NO' # YES
if [ "$x" = 'a' ]; then :;# YES
fi
cat <<< "# NO" # YES
echo $((1<<3)) # YES
echo "${x:-"a"}" # YES
echo don\'t # YES
