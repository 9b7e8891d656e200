// YES
var a = '// NO ${b('// NO')} // NO'; // YES
var c = r'// NO \'; // YES
var d = '''
// NO '
'''; /* YES /* YES */ YES */
