# YES
#= YES #= YES =# YES =#
a = "# NO $(f("# NO")) # NO" # YES
b = x' * '"' # YES
