# YES
<# YES
YES #>
$a = "# NO `" # NO $(Get-X "# NO" <# YES #>) # NO" # YES
$b = '# NO '' # NO' # YES
$c = @"
# NO "
"@ # YES
$d = a#NO
$e = @'
# NO '@ # NO
'@ # YES
