// YES
package main

import "fmt" // YES

/* YES
*/
var a = `// NO \` // YES
var b = "// NO \" /* NO */" + `
// NO
` + string('"') + string('\'') // YES
