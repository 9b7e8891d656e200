// YES
/* YES /* YES */ YES */
let a = "// NO \(f("// NO", g(1)) /* YES */) // NO" // YES
let b = #"// NO " // NO \"# // YES
let c = """
  // NO " \(x) // NO
  """ // YES
let d = ##"""
// NO "# """##  // YES
