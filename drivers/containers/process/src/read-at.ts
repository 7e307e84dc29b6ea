import { closeSync, openSync, readSync } from "node:fs";

/** Returns the bytes of a file from `start` to `end`; fewer if the file is shorter, none if it is missing. */
export function readAt(file: string, start: number, end: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, end - start));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}
