import assert from "node:assert/strict";
import { test } from "node:test";
import { maxLogLineBytes } from "@appserver/kernel";

import { LogFrames } from "./log-frames.ts";

const [first, second] = ["2026-11-22T10:00:00.5Z", "2026-11-22T10:00:00.000000001Z"];
const times = { [first]: "2026-11-22T10:00:00.500000000Z", [second]: "2026-11-22T10:00:00.000000001Z" };

const frame = (stream: number, text: string | Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text as string)]);
};

/** Reads the bytes in pieces of a size. */
const read = (bytes: Buffer, size = bytes.length) => {
  const frames = new LogFrames("start");
  const lines = [];
  for (let at = 0; at < bytes.length; at += size) lines.push(...frames.push(bytes.subarray(at, at + size)));
  return [...lines, ...frames.end()];
};

test("lines of both streams are read with their times, whatever the size of the pieces", () => {
  const accent = Buffer.from("é");
  const bytes = Buffer.concat([
    frame(1, `${first} out\n`),
    frame(2, `${second} warn\n`),
    frame(1, Buffer.concat([Buffer.from(`${first} caf`), accent.subarray(0, 1)])),
    frame(2, `${first} between\n`),
    frame(1, Buffer.concat([Buffer.from(`${second} `), accent.subarray(1), Buffer.from("\n")])),
    frame(1, `${second} \n`),
    frame(1, `${second} rest`),
  ]);
  const expected = [
    { time: times[first], stream: "stdout", text: "out", isCut: false },
    { time: times[second], stream: "stderr", text: "warn", isCut: false },
    { time: times[first], stream: "stderr", text: "between", isCut: false },
    { time: times[first], stream: "stdout", text: "café", isCut: false },
    { time: times[second], stream: "stdout", text: "", isCut: false },
    { time: times[second], stream: "stdout", text: "rest", isCut: false },
  ];
  for (const size of [bytes.length, 1, 2, 7, 8, 9, 31]) assert.deepEqual(read(bytes, size), expected, `${size}`);
});

test("a frame without a time keeps its text, and a truncated one its available part", () => {
  assert.deepEqual(
    read(Buffer.concat([frame(1, "no time\n"), frame(1, "x\n"), frame(2, `${"y".repeat(100)}\n`)])).map(({ text }) => text),
    ["no time", "x", "y".repeat(100)],
  );
  assert.deepEqual(
    read(frame(1, `${first} whole\n`).subarray(0, 8 + first.length + 3)).map(({ text }) => text),
    ["wh"],
  );
  assert.deepEqual(read(Buffer.alloc(3)), []);
});

test("a line of several frames is cut once, and a frame of any length needs no more memory than a line", () => {
  const long = Buffer.concat([
    frame(1, `${first} ${"a".repeat(maxLogLineBytes)}`),
    frame(1, `${second} ${"b".repeat(100)}\n`),
    frame(1, `${second} ${"c".repeat(10 * maxLogLineBytes)}\n`),
    frame(1, `${second} after\n`),
  ]);
  assert.deepEqual(
    read(long, 1_000).map(({ text, isCut, time }) => ({ length: text.length, start: text[0], isCut, time })),
    [
      { length: maxLogLineBytes, start: "a", isCut: true, time: times[first] },
      { length: maxLogLineBytes, start: "c", isCut: true, time: times[second] },
      { length: 5, start: "a", isCut: false, time: times[second] },
    ],
  );
});
