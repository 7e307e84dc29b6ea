import { LineSplitter, type LogLine, logTime } from "@appserver/kernel";

const headerBytes = 8;
/** More than the longest time of RFC 3339 and the space after it. */
const maxTimeBytes = 64;
const space = 32;
const stderr = 2;

/** The unfinished line of a stream. */
interface Unfinished {
  readonly splitter: LineSplitter;
  /** Time of its first frame. */
  time: string;
}

/**
 * Reads the lines of an engine's log response with times, from pieces of any size. Without a terminal each frame has a header of
 * eight bytes: stream, three zeros, length (Engine API, "Attach to a container: stream format"). Its text begins with a time and
 * a space. A line longer than 16 KiB has several frames, each with a time.
 */
export class LogFrames {
  readonly #streams: Readonly<Record<"stdout" | "stderr", Unfinished>>;
  readonly #header = Buffer.alloc(headerBytes);
  /** Bytes of the header that were read. */
  #headerRead = 0;
  #stream: "stdout" | "stderr" = "stdout";
  /** Bytes of the frame's text that were not read yet. */
  #left = 0;
  /** The part of the frame's time that was read; undefined after the time. */
  #time: Buffer | undefined;

  /** `start`: the time of lines whose own time is not readable. */
  constructor(start: string) {
    this.#streams = {
      stdout: { splitter: new LineSplitter(), time: start },
      stderr: { splitter: new LineSplitter(), time: start },
    };
  }

  /** Returns the lines that end in these bytes. */
  push(bytes: Buffer): LogLine[] {
    const lines: LogLine[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) {
        at += this.#readHeader(bytes.subarray(at));
      } else {
        const part = bytes.subarray(at, at + this.#left);
        this.#left -= part.length;
        at += part.length;
        for (const line of this.#readText(part)) lines.push(line);
      }
    }
    return lines;
  }

  /** Returns unfinished lines, at the end of the response. */
  end(): LogLine[] {
    return (["stdout", "stderr"] as const).flatMap((stream) => {
      const { splitter, time } = this.#streams[stream];
      return splitter.end().map((line) => ({ time, stream, ...line }));
    });
  }

  /** Returns the number of bytes that belong to the header. */
  #readHeader(bytes: Buffer): number {
    const read = bytes.copy(this.#header, this.#headerRead);
    this.#headerRead += read;
    if (this.#headerRead < headerBytes) return read;
    this.#headerRead = 0;
    this.#stream = this.#header[0] === stderr ? "stderr" : "stdout";
    this.#left = this.#header.readUInt32BE(4);
    this.#time = Buffer.alloc(0);
    return read;
  }

  #readText(part: Buffer): LogLine[] {
    const text = this.#time === undefined ? part : this.#readTime(this.#time, part);
    const stream = this.#stream;
    const { splitter, time } = this.#streams[stream];
    return text === undefined ? [] : splitter.push(text).map((line) => ({ time, stream, ...line }));
  }

  /** Returns the text after the time; undefined if the time is not complete yet. */
  #readTime(earlier: Buffer, part: Buffer): Buffer | undefined {
    const bytes = earlier.length === 0 ? part : Buffer.concat([earlier, part]);
    const end = bytes.subarray(0, maxTimeBytes).indexOf(space);
    if (end === -1 && bytes.length < maxTimeBytes && this.#left > 0) {
      this.#time = bytes;
      return undefined;
    }
    this.#time = undefined;
    const time = end === -1 ? undefined : logTime(bytes.toString("latin1", 0, end));
    // Not a time: an engine without them.
    if (time === undefined) return bytes;
    const unfinished = this.#streams[this.#stream];
    if (!unfinished.splitter.isInLine) unfinished.time = time;
    return bytes.subarray(end + 1);
  }
}
