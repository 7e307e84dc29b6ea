import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { forwardSignature } from "@appserver/contracts/forwarding";
import { pushKey, webhookSignature } from "@appserver/contracts/webhooks";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { HttpOutbound } from "@appserver/outbound-http";
import { callBy, eventually } from "@appserver/testing/kit";
import type { RunRecord } from "../src/domain/run.ts";
import { cancelRun } from "../src/use-cases/read-runs.ts";
import { registerActivities } from "../src/use-cases/register-activities.ts";
import { finishRun, noteProgress } from "../src/use-cases/report-run.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { admin, app, forwardKey, notes, platformKey, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

type Handler = (response: ServerResponse, body: Received["body"], request: IncomingMessage) => void;

interface Received {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly raw: Buffer;
  readonly body: { readonly id: string; readonly activity: string; readonly attempt: number; readonly input: unknown };
}

const posted = testDefinition({ name: "count", path: "/runs/count?x=1", maxRetries: 1 });
const brief = testDefinition({ name: "brief", path: "/runs/brief", timeoutMs: 200 });
const clock = new SystemClock();

describe("runs over HTTP", () => {
  let service: TestActivity;
  let outbound: HttpOutbound;
  let handler: Handler;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((raw) => {
      const body = JSON.parse(raw.toString()) as Received["body"];
      received.push({ url: request.url ?? "", headers: request.headers, raw, body });
      handler(response, body, request);
    });
  });

  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    outbound = new HttpOutbound({ allow: [], deny: [], allowLoopback: true, endpoints: () => [], clock, logger: silentLogger });
    const times = { tickMs: 50, reconnectMs: 100 };
    service = await startActivity([posted, brief], { transport: outbound, times });
    runBackend(true);
  });
  beforeEach(() => {
    received.length = 0;
  });
  after(async () => {
    await service?.stop();
    await outbound?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const backend = () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, managed: false });
  const runBackend = (runs: boolean): void => {
    const installed = service.apps.get(notes) ?? assert.fail();
    service.apps.set(notes, { ...installed, backend: runs ? backend() : undefined });
    service.activity.appChanged(notes);
  };
  const trigger = (activity = "count", input: unknown = { n: 1 }): Promise<RunRecord> =>
    triggerActivity(service.activity.context, { appName: notes, activity, input }, callBy(app));
  const reads = (run: RunRecord) => service.activity.context.runReads.find(run.id);
  const becomes = (run: RunRecord, status: RunRecord["status"]) =>
    eventually(
      () => reads(run),
      (found) => found?.status === status,
    );

  test("a run is posted with both signatures, and the JSON of a response of 2xx is its output", async () => {
    handler = (response) => response.end('{"total":2}');
    const run = await trigger();
    await becomes(run, "COMPLETED");
    assert.equal((await service.activity.context.runReads.values(run.id)).output, '{"total":2}');
    const [post] = received;
    assert.deepEqual([received.length, post?.url], [1, "/base/runs/count?x=1"]);
    assert.deepEqual(post?.body, { id: run.id, activity: "count", attempt: 1, timeoutMs: 900_000, input: { n: 1 } });
    const { headers, raw } = post ?? assert.fail();
    const at = String(headers["webhook-timestamp"]);
    assert.equal(headers["webhook-id"], run.id);
    assert.equal(headers["webhook-signature"], webhookSignature(pushKey(platformKey, notes), run.id, at, raw));
    const forwarded = { method: "POST", target: "/base/runs/count?x=1", userId: "", appName: "" };
    assert.equal(headers["x-appserver-signature"], forwardSignature(forwardKey, Number(at), forwarded));
  });

  test("a response of 4xx fails the run without a retry, with the reason of the body", async () => {
    handler = (response) => response.writeHead(422).end('{"error":"no such list","code":"NO_LIST","details":{"list":7}}');
    const run = await trigger();
    const { attempt, error } = (await becomes(run, "FAILED")) ?? assert.fail();
    assert.deepEqual([attempt, error], [1, { code: "NO_LIST", message: "no such list", details: { list: 7 } }]);
  });

  test("output that is not JSON fails the run", async () => {
    handler = (response) => response.end("<p>done</p>");
    assert.equal((await becomes(await trigger(), "FAILED"))?.error?.code, "INVALID_OUTPUT");
  });

  test("a response of 5xx and a lost connection crash the attempt, and are retried while retries are left", async () => {
    handler = (response, { attempt }) => (attempt === 1 ? response.writeHead(503).end("soon") : response.destroy());
    const run = await trigger();
    await becomes(run, "CRASHED");
    const attempts = await service.activity.context.runReads.attempts(run.id);
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ["CRASHED", "CRASHED"],
    );
    assert.match(attempts[0]?.error?.message ?? "", /responded with 503: soon/);
    assert.match(attempts[1]?.error?.message ?? "", /the app's backend: /);
  });

  test("after 202 the app reports progress and the result, and another app cannot", async () => {
    handler = (response) => response.writeHead(202).end();
    const run = await trigger();
    await eventually(() => received.length === 1);
    const { context } = service.activity;
    const report = { id: run.id, attempt: 1 };
    const noted = await noteProgress(context, { ...report, progress: 0.5, stage: "half" }, callBy(app));
    assert.deepEqual([noted.status, noted.progress, noted.stage], ["RUNNING", 0.5, "half"]);
    const result = { ...report, output: { total: 3 }, error: undefined, canceled: false };
    const other = { kind: "app", name: "com.example.clock", id: "2" } as const;
    await assert.rejects(finishRun(context, result, callBy(other)), { code: "NOT_FOUND" });
    await assert.rejects(finishRun(context, result, callBy(admin)), { code: "PERMISSION_DENIED" });
    await assert.rejects(finishRun(context, { ...result, attempt: 2 }, callBy(app)), { code: "INVALID_STATE" });
    assert.equal((await finishRun(context, result, callBy(app))).status, "COMPLETED");
    assert.equal((await finishRun(context, result, callBy(app))).status, "COMPLETED");
    assert.equal((await context.runReads.values(run.id)).output, '{"total":3}');
  });

  test("a run that is reported later crashes at its timeout, without a sign of life until then", async () => {
    handler = (response, { attempt }) => (attempt === 1 ? response.writeHead(202).end() : response.end("7"));
    const run = await trigger("brief");
    await becomes(run, "COMPLETED");
    const attempts = await service.activity.context.runReads.attempts(run.id);
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ["CRASHED", "COMPLETED"],
    );
    const [first] = attempts;
    assert.ok(first && first.finishedAt.getTime() - first.startedAt.getTime() >= 200);
  });

  test("the request of a canceled run is aborted, and that of one that takes too long", async () => {
    let aborted = 0;
    handler = (response) =>
      response.once("close", () => {
        aborted += 1;
      });
    const run = await trigger();
    await eventually(() => received.length === 1);
    await cancelRun(service.activity.context, run.id, callBy(app));
    await becomes(run, "CANCELED");
    await eventually(() => aborted === 1);
    const late = await trigger("brief");
    await becomes(late, "TIMED_OUT");
    await eventually(() => aborted === 2);
  });

  test("runs wait while the backend does not run; a run that its backend still has ends there", async () => {
    let answer: ServerResponse | undefined;
    handler = (response, { input }) => {
      if (input === "held") answer = response;
      else response.end("1");
    };
    const held = await trigger("count", "held");
    await eventually(() => answer !== undefined);
    runBackend(false);
    const waiting = await trigger("count", "waiting");
    answer?.end("2");
    await becomes(held, "COMPLETED");
    assert.equal((await reads(waiting))?.status, "QUEUED");
    runBackend(true);
    await becomes(waiting, "COMPLETED");
  });

  test("a run whose large input cannot be read is posted in its next attempt", async () => {
    handler = (response, { input }) => response.end(String((input as string).length));
    const { runReads } = service.activity.context;
    const { values } = runReads;
    let failures = 0;
    runReads.values = async (runId) => {
      failures += 1;
      runReads.values = values;
      throw new Error(`the database is unreachable for ${runId}`);
    };
    const run = await trigger("count", "x".repeat(20_000));
    assert.equal((await becomes(run, "COMPLETED"))?.attempt, 2);
    assert.equal(failures, 1);
  });

  test("only the manifest declares a path", async () => {
    handler = (response) => response.end();
    const registering = registerActivities(service.activity.context, [{ ...posted, name: "more" }], callBy(app));
    await assert.rejects(registering, { code: "INVALID_REQUEST" });
  });

  test("a run whose replica ends is done once more, by another replica, after its lease", async () => {
    handler = (response, { attempt }) => void (attempt === 1 || response.end("3"));
    const run = await trigger();
    await eventually(() => received.length === 1);
    await service.replica();
    await service.activity.stop?.();
    await becomes(run, "COMPLETED");
    assert.deepEqual(
      received.map(({ body }) => body.attempt),
      [1, 2],
    );
  });
});
