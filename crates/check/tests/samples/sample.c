#include <stdio.h> // YES
/* YES */ int main(void) { /* YES
   more */
  char *s = "// NO /* NO */ \" // NO"; // YES \
  continued YES
  char c = '"'; char d = '\''; char e = '/'; // YES
  char *t = "a \
// NO"; // YES
  return 4 / *p; /* YES * / ** */
}
#error Don't do that // YES
/* YES never ends
