import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createPlatformClient } from "@appserver/sdk";
import {
  errorOf,
  type HttpAnswer,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilRouted,
  untilStatus,
} from "@appserver/testing/kit";

const name = uniqueName("com.example.rest-configured");
const definitions = [
  { key: "size", data_type: "INT", default_value: "20", validation: { min: 1, max: 100 } },
  { key: "title", data_type: "STRING" },
  { key: "token", data_type: "STRING", sensitive: true },
];

describe("settings over REST", () => {
  let platform: PlatformUnderTest;
  let app: TestApp;
  let path = "";
  before(async () => {
    platform = await startPlatform();
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
    app = await testApp({ name, web_app: { api }, settings: { definitions } });
    const registered = await platform.register(app);
    await platform.client().marketplace.installApp({ name });
    path = `/api/v2/apps/${registered.app?.id}/settings`;
    await untilStatus(platform.httpUrl, path, 200, { headers: platform.administrator });
    // So that the server knows the app's key, too.
    await untilRouted(platform.httpUrl, name);
  });
  after(() => platform.stop());

  const get = (headers: Record<string, string> = {}) =>
    send(platform.httpUrl, path, { headers: { ...platform.administrator, ...headers } });
  const write = (method: string, target: string, body: unknown, headers: Record<string, string> = {}) =>
    send(platform.httpUrl, target, {
      method,
      headers: { "content-type": "application/json", ...platform.administrator, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const put = (values: unknown, headers: Record<string, string> = {}) => write("PUT", path, { values }, headers);
  const seen = (answer: HttpAnswer) =>
    jsonOf(answer) as { values: Record<string, unknown>; version: number; secretsSet: string[] };

  test("GET returns values, schema and version, and 304 for a current entity tag", async () => {
    const answer = await get();
    assert.equal(answer.status, 200);
    assert.partialDeepStrictEqual(jsonOf(answer), {
      values: { size: 20 },
      version: 0,
      secretsSet: [],
      conditions: [],
      schema: { definitions: [{ key: "size", data_type: "INT" }] },
    });
    assert.match(String(answer.headers["cache-control"]), /private/);
    const { etag = "" } = answer.headers;
    assert.match(etag, /^"0\.[0-9a-f]{12}"$/);
    const again = await get({ "if-none-match": etag });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", etag]);
  });

  test("PUT merges with a current entity tag; an outdated one is 412, and nothing is written", async () => {
    const { etag = "" } = (await get()).headers;
    const first = await put({ title: "a", token: "a-secret" }, { "if-match": etag });
    assert.deepEqual([first.status, seen(first).values], [200, { size: 20, title: "a", token: "a-secret" }]);
    assert.notEqual(first.headers.etag, etag);
    const late = await put({ title: "b" }, { "if-match": etag });
    assert.deepEqual([late.status, errorOf(late).code], [412, "CONFLICT"]);
    assert.equal((await put({ title: "b" }, { "if-match": '"something else"' })).status, 412);
    const second = await put({ size: 30, title: null }, { "if-match": first.headers.etag ?? "" });
    assert.deepEqual(seen(second).values, { size: 30, token: "a-secret" });
    assert.equal((await put({ size: 31 }, { "if-match": "*" })).status, 200);
    assert.equal((await put({ size: 32 })).status, 200);
    assert.equal((await get({ "if-none-match": etag })).status, 200);
  });

  test("every violation is returned, and validate returns them without writing", async () => {
    const before = (await get()).text;
    const values = { size: 0, none: 1, title: 7 };
    const refused = await put(values);
    assert.deepEqual([refused.status, errorOf(refused).code], [400, "INVALID_REQUEST"]);
    assert.equal((errorOf(refused).details["violations"] as unknown[]).length, 3);
    const judged = await write("POST", `${path}/validate`, { values });
    assert.deepEqual(jsonOf(judged), {
      valid: false,
      errors: [
        { key: "size", code: "MIN", message: "must be at least 1" },
        { key: "none", code: "UNKNOWN_KEY", message: "is not a setting of the app" },
        { key: "title", code: "TYPE", message: "must be a string" },
      ],
    });
    const right = await write("POST", `${path}/validate`, { values: { size: 1 } });
    assert.deepEqual(jsonOf(right), { valid: true, errors: [] });
    assert.equal((await get()).text, before);
  });

  test("invalid requests are refused with the standard error body", async () => {
    const status = (answer: HttpAnswer) => [answer.status, errorOf(answer).code];
    assert.deepEqual(status(await write("PUT", path, "{")), [400, "INVALID_REQUEST"]);
    assert.deepEqual(status(await write("PUT", path, {})), [400, "INVALID_REQUEST"]);
    assert.deepEqual(status(await write("PUT", path, "a=b", { "content-type": "text/plain" })), [415, "INVALID_REQUEST"]);
    const huge = JSON.stringify({ values: { title: "x".repeat(1_100_000) } });
    assert.deepEqual(status(await write("PUT", path, huge)), [413, "INVALID_REQUEST"]);
    const wrong = await write("POST", path, { values: {} });
    assert.deepEqual([...status(wrong), wrong.headers.allow], [405, "INVALID_REQUEST", "GET, HEAD, PUT, DELETE, OPTIONS"]);
    const missing = path.replace(/[0-9a-f-]{36}/, "0192f0c0-0000-7000-8000-000000000001");
    const headers = platform.administrator;
    assert.deepEqual(status(await send(platform.httpUrl, missing, { headers })), [404, "NOT_FOUND"]);
    assert.deepEqual(status(await send(platform.httpUrl, "/api/v2/nothing", { headers })), [404, "NOT_FOUND"]);
  });

  test("a user without the permission and a page of another site with a user's cookie are refused", async () => {
    const bob = { cookie: await platform.login("bob") };
    assert.equal((await send(platform.httpUrl, path, { headers: bob })).status, 403);
    const admin = { cookie: await platform.login("admin") };
    assert.equal((await send(platform.httpUrl, path, { headers: admin })).status, 200);
    const elsewhere = { ...admin, origin: "https://elsewhere.example", "content-type": "application/json" };
    const body = JSON.stringify({ values: { title: "forged" } });
    const forged = await send(platform.httpUrl, path, { method: "PUT", headers: elsewhere, body });
    assert.equal(forged.status, 403);
    assert.notEqual(seen(await get()).values["title"], "forged");
  });

  test("the app reads the values over gRPC", async () => {
    await put({ title: "over REST" });
    const client = createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } });
    const { settings } = await client.settings.getSettings({ appId: path.split("/")[4] ?? "" });
    assert.equal(settings?.values?.["title"], "over REST");
  });
});
