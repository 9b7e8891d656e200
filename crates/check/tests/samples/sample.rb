#!/usr/bin/env ruby YES
=begin
YES
=end
a = "# NO #{ b("# NO") } # NO" # YES
c = '# NO \' # NO' # YES
d = %w[# NO] + %q(# NO (# NO)) + [%(# NO)] # YES
e = <<~EOS + <<-'X' # YES
  # NO #{1}
  " # NO
EOS
  # NO
  X
f = 7 % 3 # YES
g = a =~ /#NO "/ # YES
puts /# NO/ if x # YES
h = a / 2 # YES /
i = ?# # YES
j = `ls # NO` # YES
k = :"# NO" # YES
l << FOO # YES
class << self # YES
end
__END__
# NO
