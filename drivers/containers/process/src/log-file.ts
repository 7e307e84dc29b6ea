import { closeSync, openSync, readSync, statSync, truncateSync, writeFileSync } from "node:fs";

/** Returns the last `count` lines of a file, read from its end; empty if the file is missing. */
export function lastLines(file: string, count: number): string {
  const tail = readTail(file, 1 << 20);
  const lines = tail.split("\n");
  const ending = lines.at(-1) === "" ? 1 : 0;
  return lines.slice(-(count + ending)).join("\n");
}

/**
 * Keeps the newer half of a file that is larger than `capBytes`. Its writer has it open for appending and continues at the new
 * end. Text written between our read and the truncation is lost.
 */
export function capLog(file: string, capBytes: number): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= capBytes) return;
  const tail = readTail(file, Math.floor(capBytes / 2));
  truncateSync(file);
  writeFileSync(file, tail.slice(tail.indexOf("\n") + 1), { flag: "a" });
}

function readTail(file: string, maxBytes: number): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return "";
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  const descriptor = openSync(file, "r");
  try {
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(descriptor);
  }
}
