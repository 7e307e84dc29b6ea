import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkRequestSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { Mailbox } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import type { WorkMessage, WorkStream } from "../ports.ts";
import { work } from "./grpc-work.ts";

test("reports of a worker are not read while 200 of its stream wait to be stored", async () => {
  const messages = new Mailbox<WorkMessage>();
  const stored: (() => void)[] = [];
  const stream: Partial<WorkStream> = {
    isOver: false,
    messages: () => messages,
    progress: () => new Promise((resolve) => stored.push(resolve)),
    end: () => messages.close(),
    close: async () => {},
  };
  let sent = 0;
  const value = { runId: "of a fast worker", attempt: 1, progress: 0.5, stage: "" };
  const requests = async function* () {
    for (; sent < 1_000; sent += 1) yield create(WorkRequestSchema, { message: { case: "progress", value } });
  };
  const ended = work(stream as WorkStream, requests(), new AbortController().signal).next();
  for (let turn = 0; turn < 2_000; turn += 1) await Promise.resolve();
  assert.deepEqual([sent, stored.length], [199, 200]);
  await eventually(
    () => stored.splice(0).map((store) => store()),
    () => sent === 1_000,
  );
  assert.equal((await ended).done, true);
});
