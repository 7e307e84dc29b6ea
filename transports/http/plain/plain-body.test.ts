import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BodyReader } from "@appserver/kernel";
import { ArrivingBody } from "./plain-body.ts";

/** Writes down what a reader gets, and what the connection gets. */
function scene(length = 6) {
  const read: string[] = [];
  const flow: string[] = [];
  const body = new ArrivingBody(length, { pause: () => flow.push("pause"), resume: () => flow.push("resume") }, undefined);
  const reader: BodyReader = {
    onData: (chunk) => read.push(Buffer.from(chunk).toString()) < 0,
    onEnd: () => read.push("end"),
    onError: (error) => read.push(error?.message ?? "gone"),
  };
  return { body, read, flow, reader, add: (text: string) => body.add(Buffer.from(text)) };
}

describe("a body that arrives in pieces", () => {
  test("its reader gets what came before it, and what comes later", () => {
    const { body, read, reader, add } = scene();
    add("ab");
    assert.deepEqual([body.isAwaited, body.isComplete, body.left], [false, false, 4]);
    body.read(reader);
    assert.equal(body.isAwaited, true);
    add("cd");
    add("ef");
    assert.deepEqual(read, ["ab", "cd", "ef", "end"]);
    assert.equal(body.isComplete, true);
  });

  test("a reader that pauses gets the rest, and the end, when it continues", () => {
    const { body, read, flow, reader, add } = scene();
    body.read(reader);
    add("ab");
    body.pause();
    add("cd");
    add("ef");
    assert.deepEqual(read, ["ab"]);
    assert.deepEqual(flow, ["resume", "pause", "resume"]);
    body.resume();
    assert.deepEqual(read, ["ab", "cd", "ef", "end"]);
  });

  test("a reader may pause within a piece", () => {
    const { body, read, reader, add } = scene();
    add("ab");
    add("cd");
    const onData = (chunk: Uint8Array): boolean => {
      body.pause();
      return reader.onData(chunk);
    };
    body.read({ ...reader, onData });
    assert.deepEqual(read, ["ab"]);
    body.resume();
    assert.deepEqual(read, ["ab", "cd"]);
  });

  test("without a reader the connection is read until much waits", () => {
    const { body, flow, reader } = scene(200_000);
    body.add(Buffer.alloc(60_000));
    assert.deepEqual(flow, []);
    body.add(Buffer.alloc(60_000));
    assert.deepEqual(flow, ["pause"]);
    body.read(reader);
    assert.deepEqual(flow, ["pause", "resume"]);
  });

  test("its reader gets once that the rest does not come, and so does one that comes later", () => {
    const { body, read, reader, add } = scene();
    body.read(reader);
    add("ab");
    body.fail();
    body.fail(new Error("again"));
    assert.deepEqual(read, ["ab", "gone"]);
    const late = scene();
    late.add("ab");
    late.body.fail(new Error("slow"));
    late.body.read(late.reader);
    assert.deepEqual(late.read, ["ab", "slow"]);
  });

  test("what no reader takes is counted and dropped", () => {
    const { body, read, flow, reader, add } = scene();
    body.read(reader);
    body.stop();
    add("ab");
    body.discard();
    add("cdef");
    assert.deepEqual(read, []);
    assert.deepEqual(flow, ["resume", "pause", "resume", "resume"]);
    assert.equal(body.isComplete, true);
  });
});
