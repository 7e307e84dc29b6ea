import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunStatus, type WorkRequest } from "@appserver/contracts/proto/appserver/v2/activity";
import { BadRequestSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import {
  ActivityError,
  createActivityWorker,
  createAppClient,
  createPlatformClient,
  createRuns,
  type PlatformClient,
} from "@appserver/sdk";
import {
  echoUpstream,
  errorOf,
  eventually,
  type GraphqlAnswer,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { dataOf } from "./commands.ts";

const toiler = uniqueName("com.example.sawyer");
const other = uniqueName("com.example.packer");
const notes = "com.example.notes";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly progress: number | null;
  readonly stage: string | null;
  readonly output: unknown;
}

interface Schedule {
  readonly cron: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly nextRunAt: string | null;
}

const runFields = "id status progress stage output";

describe("activities", () => {
  let platform: PlatformUnderTest;
  /** The administrator. */
  let open: PlatformClient;
  const apps = new Map<string, TestApp>();

  before(async () => {
    platform = await startPlatform();
    open = platform.client();
    const web_app = { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } };
    for (const name of [toiler, other]) {
      const app = await testApp({ name, web_app, activities: [{ name: "toil", max_retries: 0 }] });
      apps.set(name, app);
      await platform.register(app);
      await open.marketplace.installApp({ name });
      await untilRouted(platform.httpUrl, name);
    }
  });
  after(() => platform.stop());

  const credentials = (name: string) => ({ name, privateKey: (apps.get(name) as TestApp).keys.privateKey });
  const as = (name: string) => createPlatformClient({ grpcUrl: platform.grpcUrl, app: credentials(name) }).activities;
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "OK",
      (error: unknown) => Code[ConnectError.from(error).code],
    );
  const data = <T>(query: string, variables: object = {}): Promise<T> => dataOf<T>(platform, query, variables);
  /** Asks GraphQL as an app. */
  const askAs = async (appName: string, query: string): Promise<GraphqlAnswer> => {
    const { privateKey } = credentials(appName);
    const client = createAppClient({ httpUrl: platform.httpUrl, appName, privateKey });
    const response = await client.fetch("/graphql", { method: "POST", json: { query } });
    return (await response.json()) as GraphqlAnswer;
  };
  const triggerNotes = async (input: unknown, idempotencyKey?: string) => {
    const query = `mutation ($input: JSON, $key: String) {
      triggerActivity(appName: "${notes}", activity: "nightly-count", input: $input, idempotencyKey: $key) { ${runFields} } }`;
    return (await data<{ triggerActivity: Run }>(query, { input, key: idempotencyKey })).triggerActivity;
  };
  /** Returns every state of a run from the subscription, until it completes. */
  const followed = async (runId: string): Promise<readonly Run[]> => {
    const client = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: platform.administrator,
    });
    const runs: Run[] = [];
    const query = `subscription ($runId: ID!) { activityProgress(runId: $runId) { ${runFields} } }`;
    for await (const { data: update } of client.iterate<{ activityProgress: Run }>({ query, variables: { runId } })) {
      if (!update) continue;
      runs.push(update.activityProgress);
    }
    await client.dispose();
    return runs;
  };
  const addNote = async () => {
    const response = await fetch(`${platform.httpUrl}/api/apps/${notes}/notes`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: await platform.login("admin") },
      body: '{"text":"three words long"}',
    });
    assert.equal(response.status, 201);
  };

  test("declared schedules run in their time zone", async () => {
    // The server creates schedules after the event of the installation.
    const schedule = await eventually(
      async () => {
        const query = `{ activitySchedules(appName: "${notes}") { cron timezone enabled nextRunAt } }`;
        const { activitySchedules } = await data<{ activitySchedules: readonly Schedule[] }>(query);
        assert.ok(activitySchedules.length <= 1);
        return activitySchedules[0];
      },
      (created) => typeof created?.nextRunAt === "string",
    );
    const { nextRunAt, ...declared } = schedule ?? assert.fail();
    assert.deepEqual(declared, { cron: "0 3 * * *", timezone: "Europe/Berlin", enabled: true });
    const clock = { timeZone: "Europe/Berlin", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    assert.equal(new Intl.DateTimeFormat("en", clock).format(new Date(nextRunAt ?? "")), "03:00");
    const { activities } = await data<{ activities: readonly { readonly inputSchema: { readonly properties: object } }[] }>(
      `{ activities(appName: "${notes}") { name inputSchema maxRetries concurrency schedules { cron } } }`,
    );
    assert.partialDeepStrictEqual(activities, [{ name: "nightly-count", concurrency: 1, schedules: [{ cron: "0 3 * * *" }] }]);
    assert.deepEqual(Object.keys(activities[0]?.inputSchema.properties ?? {}), ["pauseMs"]);
  });

  test("GraphQL shows a run from its trigger to its output", async () => {
    await addNote();
    const key = uniqueName("once");
    const triggered = await triggerNotes({ pauseMs: 3_000 }, key);
    assert.equal((await triggerNotes({ pauseMs: 3_000 }, key)).id, triggered.id, "the same key returns the first run");
    const states = await followed(triggered.id);
    assert.equal(states.at(-1)?.status, "COMPLETED");
    const output = states.at(-1)?.output as { notes: number; days: number; words: number };
    // Other tests may have created some of the runs.
    assert.ok(output.notes >= 1 && output.days >= 1 && output.words >= 3, JSON.stringify(output));
    assert.ok(states.some(({ status, stage }) => status === "RUNNING" && stage?.startsWith("counting")));
    const page = await data<{ activityRuns: { totalCount: number; edges: { node: Run & { input: unknown } }[] } }>(
      `{ activityRuns(appName: "${notes}", status: COMPLETED, first: 1) { totalCount edges { node { ${runFields} input } } } }`,
    );
    assert.equal(page.activityRuns.edges[0]?.node.id, triggered.id);
    assert.deepEqual(page.activityRuns.edges[0]?.node.input, { pauseMs: 3_000 });
    assert.ok(page.activityRuns.totalCount >= 1);
    const later = `triggerActivity(appName: "${toiler}", activity: "toil", runAt: $runAt) { status }`;
    const runAt = new Date(Date.now() + 3_600_000).toISOString();
    const delayed = await data<{ triggerActivity: Run }>(`mutation ($runAt: DateTime) { ${later} }`, { runAt });
    assert.equal(delayed.triggerActivity.status, "DELAYED");
  });

  test("users need the permission; apps see and execute only their own runs", async () => {
    const asAlice = await fetch(`${platform.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: await platform.login("alice") },
      body: JSON.stringify({ query: `mutation { triggerActivity(appName: "${notes}", activity: "nightly-count") { id } }` }),
    });
    const { errors } = (await asAlice.json()) as { errors: { extensions: { code: string } }[] };
    assert.equal(errors[0]?.extensions.code, "PERMISSION_DENIED");

    const request = { appName: toiler, activity: "toil" };
    assert.equal(await codeOf(as(other).triggerActivity(request)), "PermissionDenied");
    const { run } = await as(toiler).triggerActivity({ activity: "toil" });
    assert.equal(run?.appName, toiler);
    assert.equal(await codeOf(as(other).getRun({ id: run.id })), "NotFound");
    assert.equal(await codeOf(as(other).cancelRun({ id: run.id })), "NotFound");
    assert.deepEqual(await askAs(other, "{ activityRuns { edges { node { id } } } }"), {
      data: { activityRuns: { edges: [] } },
    });
    const ofToiler = await askAs(other, `{ activityRuns(appName: "${toiler}") { edges { node { id } } } }`);
    assert.equal(ofToiler.errors?.[0]?.extensions.code, "PERMISSION_DENIED");
    const { run: canceled } = await as(toiler).cancelRun({ id: run.id });
    assert.equal(canceled?.status, RunStatus.CANCELED);
    const runsOf = (name: string) => createRuns({ activities: as(name) });
    assert.equal((await runsOf(toiler).get(run.id))?.state, "ended");
    assert.equal(await runsOf(other).get(run.id), undefined);
    const started = await runsOf(toiler).start("toil", undefined, { runAt: new Date(Date.now() + 3_600_000) });
    assert.equal((await runsOf(toiler).get(started))?.state, "waiting");
    assert.equal(
      await codeOf(first(createPlatformClient({ grpcUrl: platform.grpcUrl }).activities.work(empty()))),
      "Unauthenticated",
    );
    assert.equal(await codeOf(as(toiler).triggerActivity({ activity: "rest" })), "NotFound");
  });

  test("REST pauses a schedule, starts a run of it and repeats the run; GraphQL shows the same", async () => {
    const rest = (method: string, path: string, body?: object) =>
      send(platform.httpUrl, `/api/v2/${path}`, {
        method,
        headers: { ...platform.administrator, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const set = () =>
      as(toiler).scheduleActivity({ activity: "toil", key: "nightly", trigger: { case: "cron", value: "0 3 * * *" } });
    const { scheduleId: id } = await set();
    const paused = await rest("PUT", `activity-schedules/${id}/enabled`, { enabled: false });
    assert.equal(paused.status, 200, paused.text);
    assert.partialDeepStrictEqual(jsonOf(paused), { id, appName: toiler, enabled: false, paused: true, nextRunAt: null });
    assert.equal((await set()).nextRunAt, undefined, "the app cannot resume it");

    const started = jsonOf(await rest("POST", `activity-schedules/${id}/run`)) as Run;
    assert.equal(started.status, "QUEUED");
    const early = await rest("POST", `activity-runs/${started.id}/retry`);
    assert.deepEqual([early.status, errorOf(early).code], [409, "INVALID_STATE"]);
    await data(`mutation { cancelActivityRun(id: "${started.id}") { id } }`);
    const repeated = jsonOf(await rest("POST", `activity-runs/${started.id}/retry`)) as Run;
    assert.partialDeepStrictEqual(repeated, { status: "QUEUED", retryOf: started.id });
    await as(toiler).cancelRun({ id: repeated.id });
    const { data: retried } = await askAs(toiler, `mutation { retryActivityRun(id: "${repeated.id}") { id } }`);
    const { id: last } = (retried as { retryActivityRun: Run }).retryActivityRun;
    await as(toiler).cancelRun({ id: last });
    const { activityRun } = await data<{ activityRun: object }>(`{ activityRun(id: "${last}") { retryOf status } }`);
    assert.deepEqual(activityRun, { retryOf: repeated.id, status: "CANCELED" });

    const resumed = await data(`mutation { setScheduleEnabled(id: "${id}", enabled: true) { enabled paused } }`);
    assert.deepEqual(resumed, { setScheduleEnabled: { enabled: true, paused: false } });
    const deleted = await rest("DELETE", `activity-schedules/${id}`);
    assert.equal(deleted.status, 200, deleted.text);
    assert.partialDeepStrictEqual(jsonOf(deleted), { id, appName: toiler });
    const { errors } = await platform.graphql(`mutation { deleteSchedule(id: "${id}") { id } }`);
    assert.equal(errors?.[0]?.extensions.code, "NOT_FOUND");
  });

  test("a worker of the SDK: activities declared in code, failures with a code, delayed runs", async (t) => {
    const worker = createActivityWorker({ grpcUrl: platform.grpcUrl, app: credentials(other) });
    t.after(() => worker.stop());
    worker.activity("pack", { maxRetries: 3, inputSchema: { type: "string", pattern: "^[a-z]+$" } }, ({ input }) => {
      if (input === "glass") throw new ActivityError("it broke", { code: "BROKEN", retry: false });
      return `packed ${String(input)}`;
    });
    worker.start();
    const ended = async (text: string, runAt?: { seconds: bigint; nanos: number }) => {
      const input = { kind: { case: "stringValue", value: text } } as const;
      const { run } = await untilDeclared(() =>
        as(other).triggerActivity({ activity: "pack", input, ...(runAt ? { runAt } : {}) }),
      );
      const look = async () => (await as(other).getRun({ id: run?.id ?? "" })).run;
      const last = await eventually(look, (seen) => seen?.finishedAt !== undefined, { timeoutMs: 30_000, what: "its end" });
      return { status: RunStatus[last?.status ?? 0], output: last?.output?.kind.value, code: last?.error?.code };
    };
    assert.deepEqual(await ended("books"), { status: "COMPLETED", output: "packed books", code: undefined });
    assert.deepEqual(await ended("glass"), { status: "FAILED", output: undefined, code: "BROKEN" });
    const soon = { seconds: BigInt(Math.ceil(Date.now() / 1000) + 1), nanos: 0 };
    assert.equal((await ended("later", soon)).status, "COMPLETED");
    const bad = { kind: { case: "stringValue", value: "BAD" } } as const;
    assert.equal(await codeOf(as(other).triggerActivity({ activity: "pack", input: bad })), "InvalidArgument");
  });

  test("invalid declarations are refused with every violation", async () => {
    const call = as(other).registerActivities({
      activities: [
        { name: "Bad Name", timeoutMs: 0 },
        { name: "back-reference", inputSchema: '{"pattern":"(a)\\\\1"}' },
        { name: "never", schedule: { cron: "0 0 30 2 *", timezone: "Mars/Olympus" } },
      ],
    });
    const error = await call.then(
      () => assert.fail("the declaration was accepted"),
      (reason: unknown) => ConnectError.from(reason),
    );
    assert.equal(error.code, Code.InvalidArgument);
    const fields = error
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field));
    assert.deepEqual(fields, [
      "activities[0].name",
      "activities[0].timeout_ms",
      "activities[1].input_schema",
      "activities[2].schedule.timezone",
    ]);
    const { data: listed } = await askAs(other, "{ activities { name } }");
    const names = (listed as { activities: readonly { readonly name: string }[] }).activities.map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ["pack", "toil"]);
  });

  test("a run of an activity with a path is posted; its app reports over REST what it does not know yet", async () => {
    const name = uniqueName("com.example.posted");
    const upstream = await echoUpstream(undefined, ({ body }) => (JSON.parse(body).input === "later" ? 202 : 200));
    try {
      const web_app = { api: { base_path: "/", upstream_base_url: upstream.url } };
      const app = await testApp({ name, web_app, activities: [{ name: "toil", path: "/runs/toil", max_retries: 0 }] });
      apps.set(name, app);
      await platform.register(app);
      await open.marketplace.installApp({ name });
      const trigger = async (input: unknown) => {
        const query = `mutation ($input: JSON) { triggerActivity(appName: "${name}", activity: "toil", input: $input) { id } }`;
        return (await data<{ triggerActivity: Run }>(query, { input })).triggerActivity.id;
      };
      const ended = (await followed(await trigger("now"))).at(-1) ?? assert.fail();
      const { url, method } = ended.output as { readonly url: string; readonly method: string };
      assert.deepEqual([ended.status, method, url], ["COMPLETED", "POST", "/runs/toil"]);

      const id = await trigger("later");
      const following = followed(id);
      const { privateKey } = credentials(name);
      const client = createAppClient({ httpUrl: platform.httpUrl, appName: name, privateKey });
      const report = async (what: string, json: object) =>
        (await client.fetch(`/api/v2/activity-runs/${id}/${what}`, { method: "PUT", json })).status;
      await eventually(
        () => report("progress", { attempt: 1, progress: 0.5, stage: "half" }),
        (status) => status === 200,
      );
      assert.equal(await report("result", { attempt: 2, output: 1 }), 409);
      assert.equal(await report("result", { attempt: 1, output: { total: 2 } }), 200);
      const { status, stage, output } = (await following).at(-1) ?? assert.fail();
      assert.deepEqual([status, stage, output], ["COMPLETED", "half", { total: 2 }]);
    } finally {
      await upstream.stop();
    }
  });
});

/** A call directly after a worker's start may arrive before its declarations. */
async function untilDeclared<T>(call: () => Promise<T>): Promise<T> {
  const attempt = () =>
    call().catch((error: unknown) => {
      if (ConnectError.from(error).code !== Code.NotFound) throw error;
      return undefined;
    });
  const made = await eventually(attempt, (result) => result !== undefined);
  return made as T;
}

async function first<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of stream) return item;
  return undefined;
}

async function* empty(): AsyncGenerator<WorkRequest> {}
