import { LineSplitter, type LogText } from "@appserver/kernel";

/** Yields the lines of a stream as they arrive, at least one at a time. What is longer than `maxBytes` is cut. */
export async function* readLines(
  body: AsyncIterable<Buffer>,
  maxBytes: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly LogText[]> {
  const splitter = new LineSplitter(maxBytes);
  for await (const bytes of body) {
    const lines = splitter.push(bytes);
    if (lines.length > 0) yield lines;
  }
  const rest = splitter.end();
  if (rest.length > 0) yield rest;
}
