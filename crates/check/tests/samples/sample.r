# YES
a <- "# NO \" # NO" # YES
b <- '# NO' # YES
c <- r"(# NO " # NO)" # YES
d <- R"--[# NO )" # NO]--" # YES
var <- `# NO` # YES
