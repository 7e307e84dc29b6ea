import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createPlatformClient } from "@appserver/sdk";
import {
  dumpTables,
  type EchoUpstream,
  echoUpstream,
  errorOf,
  eventually,
  findCanary,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
  until,
  untilRouted,
} from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { purgeApp } from "./commands.ts";

const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");
const run = promisify(execFile);
const name = uniqueName("com.example.machines");
const account = uniqueName("ci");
const base = `/api/apps/${name}`;

interface Issued {
  readonly account: { readonly id: string; readonly subject: string };
  readonly token: { readonly id: string };
  readonly secret: string | null;
}

/** docs/interface/permissions.md#service-accounts */
describe("service accounts", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let appId = "";
  let id = "";
  /** All secrets that were shown. */
  const shown: string[] = [];
  const environment: NodeJS.ProcessEnv = { ...process.env };
  before(async () => {
    [upstream, platform] = await Promise.all([echoUpstream(), startPlatform()]);
    const route = (pattern: string, method: string, scopes: readonly string[]) => ({ pattern, methods: [method], scopes });
    const routes = [
      route("/items", "GET", ["items:read"]),
      route("/items", "POST", ["items:write"]),
      route("/open", "GET", []),
    ];
    const app = await testApp({ name, web_app: { api: { base_path: "/", upstream_base_url: upstream.url, routes } } });
    appId = (await platform.register(app)).app?.id ?? "";
    await platform.client().marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name, "/open");
    Object.assign(environment, {
      APPSERVER_HTTP_URL: platform.httpUrl,
      APPSERVER_TOKEN: await platform.sessionToken("admin"),
    });
  });
  after(async () => {
    if (id !== "") await rest("DELETE", `/access/service-accounts/${id}`).catch(() => {});
    await purgeApp(platform, name);
    await platform?.stop();
    await upstream?.stop();
  });

  const ctl = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [appctl, "service-accounts", ...args], { env: environment })).stdout.trim();
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const rest = (
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = platform.administrator,
  ) =>
    send(platform.httpUrl, `/api/v2${path}`, {
      method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const tokenWith = async (...scopes: readonly string[]): Promise<Issued & { readonly secret: string }> => {
    const answer = await rest("POST", `/access/service-accounts/${id}/tokens`, { scopes });
    const issued = jsonOf(answer) as Issued;
    assert.ok(answer.status === 200 && issued.secret, answer.text);
    shown.push(issued.secret);
    return { ...issued, secret: issued.secret };
  };
  const call = async (path: string, token: string, method = "GET") => {
    const answer = await send(platform.httpUrl, `${base}${path}`, { method, headers: bearer(token) });
    return { status: answer.status, headers: answer.status === 200 ? (jsonOf(answer) as Seen).headers : {} };
  };
  const viewer = async (token: string) => {
    const body = JSON.stringify({ query: "{ viewer { kind subject displayName permissions } }" });
    const headers = { "content-type": "application/json", ...bearer(token) };
    return jsonOf(await send(platform.httpUrl, "/graphql", { method: "POST", headers, body })) as {
      readonly data?: { readonly viewer: object };
      readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
    };
  };
  const overGrpc = (token: string) =>
    createPlatformClient({ grpcUrl: platform.grpcUrl, token })
      .marketplace.getApp({ name })
      .then(
        ({ app }) => app?.id,
        (error: unknown) => ConnectError.from(error).code,
      );

  interface Seen {
    readonly headers: Readonly<Record<string, string>>;
  }

  test("the token that appctl prints once does on every interface what the account may do, and nothing else", async () => {
    const given = ["--app", `${name}=viewer`, "--permission", "app:view", "--permission", "app:install", "--expires", "1h"];
    const token = await ctl("create", account, ...given);
    assert.match(token, /^asv_[0-9A-Za-z]{36}$/);
    shown.push(token);
    const { items } = jsonOf(await rest("GET", "/access/service-accounts")) as {
      readonly items: readonly { readonly id: string; readonly name: string }[];
    };
    id = items.find((each) => each.name === account)?.id ?? "";
    const expected = {
      kind: "machine",
      subject: `machine:${id}`,
      displayName: account,
      permissions: ["app:view", "app:install"],
    };
    await eventually(
      () => viewer(token),
      ({ data }) => JSON.stringify(data?.viewer) === JSON.stringify(expected),
    );
    assert.partialDeepStrictEqual(jsonOf(await rest("GET", "/viewer", undefined, bearer(token))), expected);
    assert.equal((await rest("GET", `/apps/${appId}`, undefined, bearer(token))).status, 200);
    const denied = await rest(
      "POST",
      "/access/grant",
      { user: `machine:${id}`, relation: "owner", object: `app:${name}` },
      bearer(token),
    );
    assert.deepEqual([denied.status, errorOf(denied).code], [403, "PERMISSION_DENIED"]);
    assert.equal(await overGrpc(token), appId);
    const read = await call("/items", token);
    assert.deepEqual(
      [read.status, read.headers["x-machine-id"], read.headers["x-user-id"], read.headers["authorization"]],
      [200, id, undefined, undefined],
    );
    assert.equal((await call("/items", token, "POST")).status, 403);
    for (const enabled of [false, true])
      assert.equal((await rest("PUT", `/apps/${appId}/enabled`, { enabled }, bearer(token))).status, 200);
    const { items: entries } = jsonOf(await rest("GET", `/audit-log?actor=machine:${id}`)) as {
      readonly items: readonly { readonly action: string }[];
    };
    const actions = entries.map(({ action }) => action);
    for (const action of ["app.enable", "app.disable", "permission.grant"]) assert.ok(actions.includes(action), action);
  });

  test("a narrowed token does less than its account, in apps as well", async () => {
    const [ofPlatform, ofApp] = [await tokenWith("app:view"), await tokenWith(`${name}/*`)];
    await until("the app serves again", async () => (await call("/open", ofApp.secret)).status === 200);
    assert.equal((await call("/items", ofApp.secret)).status, 200);
    assert.equal((await rest("GET", "/apps", undefined, bearer(ofApp.secret))).status, 403);
    assert.equal(await overGrpc(ofApp.secret), Code.PermissionDenied);
    assert.equal((await rest("GET", "/apps", undefined, bearer(ofPlatform.secret))).status, 200);
    for (const path of ["/open", "/items"]) assert.equal((await call(path, ofPlatform.secret)).status, 403, path);
  });

  test("an ended token closes its connections at once, and is refused everywhere", async () => {
    const { secret, token } = await tokenWith("app:view");
    const closed = Promise.withResolvers<number>();
    const opened = Promise.withResolvers<void>();
    const socket = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: bearer(secret),
      retryAttempts: 0,
    });
    socket.on("closed", (event) => closed.resolve((event as { readonly code: number }).code));
    socket.on("connected", () => opened.resolve());
    socket.subscribe({ query: "subscription { appStateChanged { name } }" }, { next() {}, error() {}, complete() {} });
    await opened.promise;
    await ctl("revoke", account, token.id);
    assert.equal(await closed.promise, 4401);
    await until("it is refused", async () => (await viewer(secret)).errors?.[0]?.extensions.code === "AUTHENTICATION_FAILED");
    const { status } = await rest("GET", "/viewer", undefined, bearer(secret));
    assert.deepEqual([status, (await call("/open", secret)).status, await overGrpc(secret)], [401, 401, Code.Unauthenticated]);
  });

  test("a repeated request makes one token, and does not show it again", async () => {
    const headers = {
      ...platform.administrator,
      ...bearer(environment["APPSERVER_TOKEN"] ?? ""),
      "idempotency-key": randomUUID(),
    };
    const request = () => rest("POST", `/access/service-accounts/${id}/tokens`, { scopes: ["app:view"] }, headers);
    const [first, second] = [await request(), await request()];
    const [issued, again] = [first, second].map((answer) => jsonOf(answer) as Issued);
    assert.match(issued?.secret ?? "", /^asv_/);
    shown.push(issued?.secret ?? "");
    assert.equal(second.headers["idempotency-replayed"], "true");
    assert.deepEqual([again?.token.id, again?.secret], [issued?.token.id, null]);
  });

  test("no token is in the log, in a table or in another response, and a deleted account leaves nothing that works", async () => {
    const listed = await ctl("list");
    assert.match(listed, new RegExp(`${account} .*machine:${id}`));
    const texts = { log: await platform.log(), listed, ...(await platform.onDatabase(dumpTables)) };
    for (const secret of shown) assert.deepEqual(findCanary(secret, texts), []);
    assert.ok(shown.length >= 5);
    assert.equal(await ctl("delete", account), `${account} is deleted`);
    const { items } = jsonOf(await rest("GET", `/access/subjects/machine:${id}/permissions`)) as {
      readonly items: readonly [];
    };
    assert.deepEqual(items, []);
    await until("its token is refused", async () => (await call("/open", shown[0] ?? "")).status === 401);
  });
});
