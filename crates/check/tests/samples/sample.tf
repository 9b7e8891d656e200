# YES
// YES
/* YES */
a = "# NO ${ b["# NO"] } // NO" # YES
c = <<-EOT
  # NO "
EOT
d = 1 # YES
