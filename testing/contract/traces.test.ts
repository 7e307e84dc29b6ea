import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { scopeObject } from "@appserver/contracts/authorization";
import {
  errorOf,
  eventually,
  jsonOf,
  type NoteIndex,
  type PlatformUnderTest,
  send,
  startNoteIndex,
  startPlatform,
  uniqueName,
  untilState,
} from "@appserver/testing/kit";
import { command, purgeApp } from "./commands.ts";

const notes = "com.example.notes";
const clock = "com.example.clock";
const created = `${notes}.created`;
const index = uniqueName("com.example.index");
const appctl = join(import.meta.dirname, "../../bin/appctl.mjs");
const timeoutMs = 120_000;
const secret = "a text that no trace shows";

interface Trace {
  readonly id: string;
  readonly traceIds: readonly string[];
  readonly requestIds: readonly string[];
  readonly requests: readonly {
    readonly requestId: string;
    readonly at: string;
    readonly appName: string | null;
    readonly route: string | null;
    readonly method: string;
    readonly status: number;
    readonly durationMs: number;
    readonly upstreamMs: number | null;
    readonly reason: string | null;
    readonly caller: string;
  }[];
  readonly hookEvents: readonly { readonly id: string; readonly hookName: string; readonly sourceApp: string }[];
  readonly deliveries: readonly { readonly appName: string; readonly status: string; readonly traceId: string }[];
  readonly runs: readonly { readonly appName: string; readonly status: string; readonly traceId: string }[];
  readonly audit: readonly { readonly action: string }[];
  readonly logs: readonly { readonly appName: string; readonly text: string }[];
  readonly logsIncomplete: readonly string[];
  readonly truncated: boolean;
  readonly hidden: readonly string[];
}

const stored = `id traceIds requestIds truncated hidden
  requests { requestId at appName route method status durationMs upstreamMs reason caller }
  hookEvents { id hookName sourceApp } deliveries { appName status traceId } runs { appName status traceId }
  events { type } audit { action }`;

describe("traces", () => {
  let platform: PlatformUnderTest;
  let admin = "";
  let indexing: NoteIndex | undefined;

  before(async () => {
    platform = await startPlatform();
    admin = await platform.login("admin");
    for (const name of [notes, clock]) await untilState(platform, name, "RUNNING", timeoutMs);
    indexing = await startNoteIndex(platform, index);
  });
  after(async () => {
    await indexing?.stop();
    await purgeApp(platform, index);
    await platform?.stop();
  });

  const read = async (id: string, fields = stored): Promise<Trace | null> => {
    const { data, errors } = await platform.graphql(`query ($id: String!) { trace(id: $id) { ${fields} } }`, { id });
    assert.equal(errors, undefined, JSON.stringify(errors));
    return (data as { trace: Trace | null }).trace;
  };
  const graphql = (query: string, cookie: string, variables: object = {}) =>
    send(platform.httpUrl, "/graphql", {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
  /** Adds a note as the administrator and returns the id of the request when everything that it causes is done. */
  const addNote = async (): Promise<string> => {
    const answer = await send(platform.httpUrl, `/api/apps/${notes}/notes`, {
      method: "POST",
      headers: { cookie: admin, "content-type": "application/json" },
      body: JSON.stringify({ text: secret }),
    });
    assert.equal(answer.status, 201);
    const requestId = String(answer.headers["x-request-id"]);
    const isDone = (trace: Trace | null): boolean =>
      trace?.runs[0]?.status === "COMPLETED" &&
      trace.deliveries.length >= 3 &&
      trace.deliveries.every(({ status }) => status === "DELIVERED");
    await eventually(() => read(requestId), isDone, { timeoutMs, what: "the trace is complete" });
    return requestId;
  };

  test("the request id of a response finds the request, the hook, deliveries, runs and lines of logs, in every app", async () => {
    const requestId = await addNote();
    const trace = (await read(requestId)) ?? assert.fail();
    const [traceId] = trace.traceIds;
    assert.match(traceId ?? "", /^[0-9a-f]{32}$/);
    assert.deepEqual([trace.id, trace.traceIds.length, trace.truncated, trace.hidden], [requestId, 1, false, []]);
    const own = trace.requests.find((request) => request.requestId === requestId);
    const by = `user:${platform.userId("admin")}`;
    assert.partialDeepStrictEqual(own, {
      ...{ appName: notes, route: "/notes", method: "POST", status: 201, reason: null, caller: by },
    });
    assert.ok(Number(own?.durationMs) >= Number(own?.upstreamMs) && Number(own?.upstreamMs) > 0);
    assert.deepEqual(
      trace.hookEvents.map(({ hookName, sourceApp }) => [hookName, sourceApp]),
      [[created, notes]],
    );
    const subscribers = trace.deliveries.map(({ appName }) => appName);
    for (const name of [notes, clock, index]) assert.ok(subscribers.includes(name), name);
    assert.deepEqual(
      trace.runs.map(({ appName, status }) => [appName, status]),
      [[index, "COMPLETED"]],
    );
    for (const part of [...trace.deliveries, ...trace.runs]) assert.equal(part.traceId, traceId);

    const logged = await eventually(
      async () => (await read(requestId, "logs { appName text } logsIncomplete"))?.logs ?? [],
      (lines) => [notes, clock].every((name) => lines.some(({ appName }) => appName === name)),
      { timeoutMs, what: "both apps have lines" },
    );
    assert.ok(logged.some(({ appName, text: line }) => appName === notes && line.includes(requestId)));
    assert.ok(logged.some(({ appName, text: line }) => appName === clock && line.includes(traceId ?? "")));
    assert.deepEqual((await read(traceId ?? ""))?.requests, trace.requests);
    assert.ok(!JSON.stringify([trace, logged]).includes(secret));
  });

  test("REST and appctl show the same, without the data of hooks and runs", async () => {
    const requestId = await addNote();
    const trace = (await read(requestId)) ?? assert.fail();
    const answer = await send(platform.httpUrl, `/api/v2/traces/${requestId}`, { headers: platform.administrator });
    const shown = jsonOf(answer) as Trace;
    assert.deepEqual([shown.requests.length, shown.hookEvents.length], [trace.requests.length, 1]);
    assert.ok(!("data" in (shown.hookEvents[0] ?? {})) && !("output" in (shown.runs[0] ?? {})));
    const { authorization } = platform.administrator;
    const credentials = authorization === undefined ? [] : ["--token", authorization.replace("Bearer ", "")];
    const child = spawn(process.execPath, [appctl, "--http", platform.httpUrl, ...credentials, "trace", requestId]);
    const printed = await text(child.stdout);
    for (const row of [
      /request +com\.example\.notes +POST \/notes by /,
      /delivery +com\.example\.clock +/,
      /run +\S+ +index-note /,
    ])
      assert.match(printed, row);
  });

  test("a command of the API is found with its audit entry and its hook, and a refusal with its code", async () => {
    const name = `${index}.reindexed`;
    const accepted = await graphql("mutation ($name: String!) { triggerHook(name: $name) { success } }", admin, { name });
    const refused = await graphql(
      "mutation ($name: String!) { triggerHook(name: $name) { success } }",
      await platform.login("bob"),
      {
        name,
      },
    );
    const found = await eventually(
      async () => await Promise.all([accepted, refused].map(({ headers }) => read(String(headers["x-request-id"])))),
      (traces) => traces.every((trace) => trace !== null),
      { what: "both are stored" },
    );
    assert.partialDeepStrictEqual(found[0], {
      requests: [{ appName: null, route: "/graphql", status: 200, reason: null }],
      hookEvents: [{ hookName: name, sourceApp: index }],
      audit: [{ action: "hook.trigger" }],
    });
    const caller = `user:${platform.userId("bob")}`;
    assert.partialDeepStrictEqual(found[1], { requests: [{ reason: "PERMISSION_DENIED", caller }], hookEvents: [], audit: [] });
  });

  test("a refused request is found by the trace that its caller continues", async () => {
    const traceId = crypto.randomUUID().replaceAll("-", "");
    const traceparent = `00-${traceId}-00f067aa0ba902b7-00`;
    await send(platform.httpUrl, `/api/apps/${notes}/notes`, { headers: { traceparent } });
    const trace = await eventually(
      () => read(traceparent),
      (found) => found !== null,
    );
    assert.deepEqual(
      trace?.requests.map(({ status, reason, caller, upstreamMs }) => [status, reason, caller, upstreamMs]),
      [[401, "credentials_missing", "anonymous", null]],
    );
  });

  test("a part needs its own permission; without it the part is empty and named", async () => {
    const requestId = await addNote();
    const bob = await platform.login("bob");
    const user = `user:${platform.userId("bob")}`;
    const fields = "traceIds hidden requests { requestId } hookEvents { id } deliveries { id } runs { id } logs { text }";
    const ask = async () =>
      jsonOf(await graphql(`query ($id: String!) { trace(id: $id) { ${fields} } }`, bob, { id: requestId })) as {
        readonly data: { readonly trace: Trace | null } | null;
        readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
      };
    assert.equal((await ask()).errors?.[0]?.extensions.code, "PERMISSION_DENIED");
    const granted = (permission: string) => `user: "${user}", relation: "holder", object: "${scopeObject(permission)}"`;
    const held: string[] = [];
    const grant = async (permission: string): Promise<void> => {
      await command(platform, `grantAccess(${granted(permission)}) { user }`);
      held.push(permission);
    };
    try {
      await grant("trace:view");
      const { data } = await eventually(ask, ({ errors }) => errors === undefined);
      assert.deepEqual(data?.trace?.hidden, ["hookEvents", "deliveries", "runs", "events", "audit", "logs"]);
      assert.ok((data?.trace?.requests.length ?? 0) > 0);
      assert.deepEqual([data?.trace?.hookEvents, data?.trace?.deliveries, data?.trace?.logs], [[], [], []]);
      await grant("hook:view");
      const more = await eventually(ask, (answer) => answer.data?.trace?.hidden.length === 4);
      assert.equal(more.data?.trace?.hookEvents.length, 1);
    } finally {
      for (const permission of held) await command(platform, `revokeAccess(${granted(permission)}) { user }`);
    }
  });

  test("the list of the last hour has a request on every interface, by filters and pages, for holders of trace:view", async () => {
    const caller = `user:${platform.userId("admin")}`;
    const requestIds: string[] = [];
    for (let number = 0; number < 3; number++) {
      const answer = await send(platform.httpUrl, `/api/apps/${notes}/notes`, { headers: { cookie: admin } });
      requestIds.unshift(String(answer.headers["x-request-id"]));
    }
    type Page = { readonly edges: readonly { readonly node: Trace["requests"][number] }[]; readonly pageInfo: PageInfo };
    type PageInfo = { readonly hasNextPage: boolean; readonly endCursor: string };
    const listed = async (variables: object): Promise<Page> => {
      const { data, errors } = await platform.graphql(
        `query ($caller: String, $first: Int, $after: String) {
          requests(appName: "${notes}", method: "GET", caller: $caller, failed: false, first: $first, after: $after) {
            edges { node { requestId appName route method status caller } } pageInfo { hasNextPage endCursor } } }`,
        variables,
      );
      assert.equal(errors, undefined, JSON.stringify(errors));
      return (data as { requests: Page }).requests;
    };
    const idsOf = ({ edges }: Page) => edges.map(({ node }) => node.requestId);
    const all = await eventually(
      () => listed({ caller, first: 3 }),
      (page) => requestIds.every((id) => idsOf(page).includes(id)),
      { what: "all are stored" },
    );
    const { durationMs: _, ...shown } = (await read(requestIds[0] ?? ""))?.requests[0] ?? assert.fail();
    assert.partialDeepStrictEqual(shown, all.edges.find(({ node }) => node.requestId === requestIds[0])?.node ?? assert.fail());
    const first = await listed({ caller, first: 1 });
    const second = await listed({ caller, first: 2, after: first.pageInfo.endCursor });
    assert.deepEqual([...idsOf(first), ...idsOf(second)], idsOf(all));
    const query = new URLSearchParams({ app: notes, caller, method: "GET", first: "3" });
    const rest = jsonOf(await send(platform.httpUrl, `/api/v2/requests?${query}`, { headers: platform.administrator }));
    assert.deepEqual(
      (rest as { items: Trace["requests"] }).items.map(({ requestId }) => requestId),
      idsOf(all),
    );
    const bob = { cookie: await platform.login("bob") };
    const refused = await send(platform.httpUrl, "/api/v2/requests", { headers: bob });
    assert.deepEqual([refused.status, errorOf(refused).code], [403, "PERMISSION_DENIED"]);
    const wrong = await send(platform.httpUrl, "/api/v2/requests?first=101", { headers: platform.administrator });
    assert.deepEqual([wrong.status, errorOf(wrong).code], [400, "INVALID_REQUEST"]);
  });

  test("nothing is known of an unknown id, and what is no id is refused", async () => {
    assert.equal(await read(crypto.randomUUID()), null);
    const missing = await send(platform.httpUrl, `/api/v2/traces/${crypto.randomUUID()}`, { headers: platform.administrator });
    assert.deepEqual([missing.status, errorOf(missing).code], [404, "NOT_FOUND"]);
    const wrong = await send(platform.httpUrl, "/api/v2/traces/a%20b", { headers: platform.administrator });
    assert.deepEqual([wrong.status, errorOf(wrong).code], [400, "INVALID_REQUEST"]);
  });
});
