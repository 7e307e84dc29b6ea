import assert from "node:assert/strict";
import { test } from "node:test";
import { readLogFrames } from "./log-frames.ts";

const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

test("readLogFrames joins both streams, and characters split between frames", () => {
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  const cut = Buffer.concat([frame(1, "x"), frame(1, "x")]);
  cut[8] = first[0] ?? 0;
  cut[17] = second[0] ?? 0;
  assert.equal(readLogFrames(Buffer.concat([frame(1, "out\n"), frame(2, "warn\n"), cut])), "out\nwarn\né");
});

test("readLogFrames returns the available part of a truncated frame", () => {
  assert.equal(readLogFrames(frame(1, "whole").subarray(0, 10)), "wh");
  assert.equal(readLogFrames(Buffer.alloc(3)), "");
});
