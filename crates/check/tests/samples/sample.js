#!/usr/bin/env node YES
'use strict'; // YES
const a = "// NO", b = '/* NO */', c = `// NO ${ f(`/* NO */ ${1 /* YES */}`) } // NO`; // YES
const d = /[/"]// NO/.test(a) // YES after a regular expression
const e = 4 / 2; // YES
const f = (a) / 2 // YES /2
const g = a++ / 2 /* YES */ / 3
return /\/* NO \//g; /* YES
 * two lines
 */
if (/["'`]/.test(s)) { x() } // YES
const h = s.replace(/\/\*NO/g, "'") // YES
const i = x => /"NO/ // YES
const j = `\`// NO${ { a: "}" }.a }// NO` /* YES *//* YES */
const k = "a\
// NO"; // YES
label: /'/.exec(y); // YES
const l = don't // YES
