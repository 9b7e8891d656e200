/** YES */
class A { // YES
  String a = "// NO \" // NO"; char b = '"', c = '\'', d = '\u0022'; // YES
  String e = """
    // NO " // NO "" // NO \"""
    """; // YES
}
