#!/usr/bin/perl YES
my $n = $#array; # YES
my $s = "# NO" . '# NO' . q(# NO (# NO)) . qq{# NO}; # YES
my @w = qw/# NO/; # YES
$s =~ s{#NO}{# NO}g; # YES
$s =~ s#a#b#; # YES
$s =~ tr/#/NO/; # YES
if ($s =~ /#NO"/ and $s !~ m!# NO!) { } # YES
my %h = (y => 1, s => 2, q => 3); # YES
my $d = $x / 2; # YES /
my $v = $h{s} // $h{y}; # YES
print <<EOT . <<'X'; # YES
# NO "
EOT
# NO
X

=pod

YES # YES

=cut

print map {s/#NO//} @a; # YES
__END__
# NO
