// YES
/* YES /* YES */ YES */
val a = s"// NO" + """// NO \""" // YES
val b = '"' // YES
val c = 'symbol // YES
