// YES
/* YES /* YES */ YES */
val a = "// NO ${ b("// NO" /* YES */) } // NO" // YES
val c = """// NO \""" // YES
val d = """
  ${ "// NO" } // NO
""" + '"' + '\'' // YES
