// Makes the host's functions and a console known to a program on the embedded engine.
(function (write, readLine) {
  const put = (stream, text) => write(stream, text.toWellFormed());
  const show = (value) => {
    if (typeof value === "bigint") {
      return `${value}n`;
    }
    if (typeof value === "object" && value !== null && !(value instanceof Error)) {
      return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
    }
    return Object.is(value, -0) ? "-0" : String(value);
  };
  const line = (stream) => (...values) => put(stream, `${values.map(show).join(" ")}\n`);
  const hidden = (value) => ({ value, writable: true, configurable: true });
  Object.defineProperties(globalThis, {
    __clank_host: hidden({ write: put, readLine: () => readLine() ?? null }),
    console: hidden({
      log: line(1),
      info: line(1),
      debug: line(1),
      warn: line(2),
      error: line(2),
    }),
  });
  Error.stackTraceLimit = 50;
})
