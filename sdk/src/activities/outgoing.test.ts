import assert from "node:assert/strict";
import { test } from "node:test";
import { Outgoing } from "./outgoing.ts";

test("messages arrive in order, those sent before the end included, and later ones are ignored", async () => {
  const outgoing = new Outgoing<number>();
  const received: number[] = [];
  const reading = (async () => {
    for await (const message of outgoing) received.push(message);
  })();
  outgoing.send(1);
  await new Promise(setImmediate);
  for (const message of [2, 3, 4]) outgoing.send(message);
  outgoing.end();
  outgoing.send(5);
  await reading;
  assert.deepEqual(received, [1, 2, 3, 4]);
});

test("a stream whose reader has stopped takes messages without an error", async () => {
  const outgoing = new Outgoing<number>();
  outgoing.send(1);
  outgoing.send(2);
  for await (const message of outgoing) {
    assert.equal(message, 1);
    break;
  }
  outgoing.send(3);
  outgoing.end();
  await new Promise(setImmediate);
});
