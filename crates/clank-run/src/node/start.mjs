// Starts a Clank program on Node and leaves how it ended in a file. The program runs on a worker, because only there the
// stack and the memory can be given.
import { existsSync, readSync, writeFileSync, writeSync } from "node:fs";
import { Worker, isMainThread, workerData } from "node:worker_threads";

const outcomeFile = new URL("./outcome.json", import.meta.url);

function leave(outcome) {
  writeFileSync(outcomeFile, JSON.stringify(outcome));
}

// A program may end without our hearing of it: by `process.exit`, or with 13 when it waits and nothing is left to do.
function leaveExit(code) {
  if (code === 0) {
    leave({ name: "done" });
  } else {
    const never = "main waits for something that never happens";
    leave({ name: "", message: code === 13 ? never : `the program ended itself with code ${code}`, stack: "" });
  }
}

function describe(thrown, root) {
  if (!(thrown instanceof Error)) {
    return { name: "", message: `uncaught ${String(thrown)}`, stack: "" };
  }
  const own = (line) => {
    const [before, after] = line.split(root);
    return after === undefined ? line : before + decodeURIComponent(after);
  };
  const stack = String(thrown.stack).split("\n").map(own).join("\n");
  return { name: String(thrown.name), message: String(thrown.message), stack };
}

// A pipe may be full for a moment.
function writeAll(stream, text) {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; ) {
    try {
      start += writeSync(stream, bytes, start);
    } catch (error) {
      if (error.code !== "EAGAIN") {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

let pieces = [];
let isAtEnd = false;

function readLine() {
  while (!isAtEnd && !pieces.some((it) => it.includes(10))) {
    const bytes = Buffer.alloc(65536);
    let count = 0;
    try {
      count = readSync(0, bytes);
    } catch (error) {
      if (error.code === "EAGAIN") {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        continue;
      }
    }
    isAtEnd = count === 0;
    pieces.push(bytes.subarray(0, count));
  }
  const bytes = Buffer.concat(pieces);
  const end = bytes.indexOf(10);
  pieces = [bytes.subarray(end < 0 ? bytes.length : end + 1)];
  if (bytes.length === 0) {
    return null;
  }
  const line = bytes.subarray(0, end < 0 ? bytes.length : end).toString();
  return end < 0 ? line : line.replace(/\r$/, "");
}

async function work({ entry, root }) {
  Error.stackTraceLimit = 50;
  globalThis.__clank_host = { write: writeAll, readLine };
  for (const [name, stream] of [["log", 1], ["info", 1], ["debug", 1], ["warn", 2], ["error", 2]]) {
    const { format } = await import("node:util");
    console[name] = (...values) => writeAll(stream, `${format(...values)}\n`);
  }
  try {
    const program = await import(new URL(entry, root));
    if (typeof program.main === "function") {
      await program.main();
    }
    leave({ name: "done" });
  } catch (thrown) {
    leave(describe(thrown, root));
  }
}

if (isMainThread) {
  const [entry, stackSizeMb, maxOldGenerationSizeMb] = process.argv.slice(2);
  const root = new URL("./program/", import.meta.url).href;
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { entry, root },
    resourceLimits: { stackSizeMb: Number(stackSizeMb), maxOldGenerationSizeMb: Number(maxOldGenerationSizeMb) },
  });
  worker.on("error", (error) => {
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    leave(isMemory ? { name: "InternalError", message: "out of memory", stack: "" } : describe(error, root));
  });
  worker.on("exit", (code) => existsSync(outcomeFile) || leaveExit(code));
} else {
  await work(workerData);
}
