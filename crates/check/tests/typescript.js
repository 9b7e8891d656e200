// Prints where the comments of JavaScript and TypeScript files are, by the compiler's own parser: a line for each file
// below the folder in the first argument that parses, with byte ranges.
const ts = require("typescript");
const fs = require("fs");
const path = require("path");

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(file);
    else if (/\.([cm]?[jt]s|[jt]sx)$/.test(entry.name) && fs.statSync(file).size < 500_000) yield file;
  }
}

function comments(text, source) {
  const found = new Map();
  const visit = (node) => {
    const { FirstJSDocNode, LastJSDocNode, JsxText } = ts.SyntaxKind;
    if ((node.kind >= FirstJSDocNode && node.kind <= LastJSDocNode) || node.kind === JsxText) return;
    const children = node.getChildren(source);
    if (children.length > 0) return children.forEach(visit);
    for (const read of [ts.getLeadingCommentRanges, ts.getTrailingCommentRanges]) {
      for (const comment of read(text, node.pos) ?? []) found.set(comment.pos, comment.end);
    }
  };
  visit(source);
  const first = text.startsWith("#!") ? text.search(/$/m) : 0;
  if (first > 0) found.set(0, first);
  return [...found].sort((left, right) => left[0] - right[0]);
}

for (const file of files(process.argv[2])) {
  const text = fs.readFileSync(file, "utf8");
  const kind = /js$/.test(file) ? ts.ScriptKind.JSX : undefined;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  if (source.parseDiagnostics.length > 0) continue;
  let [line, at, bytes] = [file, 0, 0];
  for (const [start, end] of comments(text, source)) {
    const from = bytes + Buffer.byteLength(text.slice(at, start));
    [at, bytes] = [end, from + Buffer.byteLength(text.slice(start, end))];
    line += ` ${from}-${bytes}`;
  }
  console.log(line);
}
