# YES
a = "# NO #{b("# NO")} # NO" # YES
c = ~r/# NO "/ # YES
d = ~S"""
# NO " # NO
""" # YES
e = ?" # YES
f = ~w(don't # NO) # YES
