import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupCommit, silentMetrics, uuidv7 } from "@appserver/kernel";
import type { AssignmentState, WorkMessage } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { Dispatcher, type WorkReports } from "./dispatcher.ts";
import type { WorkSession } from "./work-session.ts";

/**
 * A worker sends all reports of its run. The test decides when the heartbeat is stored; the rest follows at once. The rest comes
 * while the heartbeat is being stored or, with `atOnce`, while it waits for that.
 */
async function reported({ atOnce = false } = {}) {
  const stored: string[] = [];
  const heartbeatMayEnd = Promise.withResolvers<void>();
  // The run is assigned until its result is stored.
  const state = (): AssignmentState => (stored.includes("result") ? "lost" : "assigned");
  const store = async <T>(name: string, answer: () => T): Promise<readonly T[]> => {
    const answered = answer();
    stored.push(name);
    return [answered];
  };
  const one = { maxItems: 1 };
  const reports: WorkReports = {
    heartbeat: new GroupCommit(async () => {
      await heartbeatMayEnd.promise;
      return store("heartbeat", state);
    }, one),
    progress: new GroupCommit(() => store("progress", state), one),
    finish: new GroupCommit(() => store("result", () => true), one),
  };
  const context = { metrics: silentMetrics } as unknown as ActivityContext;
  const dispatcher = new Dispatcher(context, reports);
  const session = dispatcher.open("com.example.toiler");
  const runId = uuidv7();
  session.add(runId, 1);
  const heartbeat = dispatcher.heartbeat(session, runId, undefined);
  if (!atOnce) await someTurns();
  const underWay = [
    heartbeat,
    dispatcher.progress(session, runId, undefined, { progress: 0.5, stage: "" }),
    dispatcher.result(session, runId, undefined, { kind: "completed", output: undefined }),
  ];
  return { dispatcher, session, runId, stored, heartbeatMayEnd, underWay };
}

async function sentTo(session: WorkSession): Promise<readonly WorkMessage[]> {
  session.end();
  const sent: WorkMessage[] = [];
  for await (const message of session.messages()) sent.push(message);
  return sent;
}

/** More turns of the event loop than storing a result takes. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("a result is stored after earlier reports, and the worker is notified only of the result", async () => {
  const { session, runId, stored, heartbeatMayEnd, underWay } = await reported();
  await someTurns();
  assert.deepEqual(stored, ["progress"]);
  heartbeatMayEnd.resolve();
  await Promise.all(underWay);
  assert.deepEqual(stored, ["progress", "heartbeat", "result"]);
  assert.deepEqual(session.assignments, []);
  assert.deepEqual(await sentTo(session), [{ kind: "settled", runId, accepted: true }]);
});

test("a heartbeat that still waits when the result comes is not stored", async () => {
  const { session, runId, stored, underWay } = await reported({ atOnce: true });
  await Promise.all(underWay);
  assert.deepEqual(stored, ["progress", "result"]);
  assert.deepEqual(session.assignments, []);
  assert.deepEqual(await sentTo(session), [{ kind: "settled", runId, accepted: true }]);
});

test("stopping waits for a result that waits for an earlier report", async () => {
  const { dispatcher, stored, heartbeatMayEnd } = await reported();
  let isStopped = false;
  const stopping = dispatcher.stop().then(() => {
    isStopped = true;
  });
  await someTurns();
  assert.equal(isStopped, false);
  heartbeatMayEnd.resolve();
  await stopping;
  assert.deepEqual(stored, ["progress", "heartbeat", "result"]);
});
