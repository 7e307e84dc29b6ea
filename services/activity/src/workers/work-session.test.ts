import assert from "node:assert/strict";
import { test } from "node:test";
import { uuidv7 } from "@appserver/kernel";
import { rejectsWith } from "@appserver/testing/kit";
import type { AssignedRun, WorkMessage } from "../ports.ts";
import { WorkSession } from "./work-session.ts";

const assigned = (): AssignedRun => ({
  run: { id: uuidv7(), attempt: 1 } as AssignedRun["run"],
  input: "1",
  isInputLarge: false,
});

test("a worker that does not read has room for 100 runs, and for the next ones when it reads", async () => {
  const session = new WorkSession("com.example.silent");
  session.offer(new Set(["toil"]), 50_000, undefined);
  assert.equal(session.room, 100);
  for (let count = 0; count < 100; count += 1) session.assign(assigned());
  assert.equal(session.room, 0);
  let hasRoom = 0;
  const messages = session.messages(() => {
    hasRoom += 1;
  });
  for (let count = 0; count < 3; count += 1) await messages.next();
  assert.deepEqual([session.room, hasRoom], [3, 1]);
});

test("the stream of a worker that leaves 10,000 messages unread ends, and they are dropped", async () => {
  const session = new WorkSession("com.example.silent");
  const cancel: WorkMessage = { kind: "cancel", runId: "of another worker" };
  for (let count = 0; count < 10_000; count += 1) session.send(cancel);
  assert.equal(session.isOver, false);
  session.send(cancel);
  assert.equal(session.isOver, true);
  await assert.rejects(session.messages().next(), rejectsWith("RATE_LIMIT_EXCEEDED", /left 10000 messages unread/));
});
