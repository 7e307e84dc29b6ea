import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
      body: JSON.stringify(body),
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

  test("a body has values only, as an object", async () => {
    for (const [body, field] of [
      [{ values: { title: "c" }, title: "c" }, "body.title"],
      [{ values: [] }, "body.values"],
      [{ values: null }, "body.values"],
    ] as const)
      for (const [method, target] of [
        ["PUT", path],
        ["POST", `${path}/validate`],
      ] as const) {
        const answer = await write(method, target, body);
        const { violations } = errorOf(answer).details as { readonly violations: readonly { readonly field: string }[] };
        assert.deepEqual([answer.status, violations.map((each) => each.field)], [400, [field]], answer.text);
      }
  });

  test("validate returns every violation and writes nothing", async () => {
    const before = (await get()).text;
    const judged = await write("POST", `${path}/validate`, { values: { size: 0, none: 1, title: 7 } });
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
});
