import assert from "node:assert/strict";
import { get as httpGet } from "node:http";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform, testApp, uniqueName, untilStatus } from "@appserver/testing/kit";

describe("the proxy and its errors, with the notes app", () => {
  let platform: PlatformUnderTest;
  let notes: string;
  const cookies: Record<string, string> = {};

  before(async () => {
    platform = await startPlatform();
    notes = `${platform.httpUrl}/api/apps/com.example.notes`;
    for (const user of ["admin", "alice", "bob"] as const) cookies[user] = await platform.login(user);
  });
  after(() => platform.stop());

  const get = (path: string, user?: string) => fetch(notes + path, { headers: user ? { cookie: cookies[user] ?? "" } : {} });
  const post = (path: string, user: string, body: unknown) =>
    fetch(notes + path, {
      method: "POST",
      headers: { cookie: cookies[user] ?? "", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

  test("reading: 401 without a session, 403 as bob, 200 as alice", async () => {
    const nobody = await get("/notes");
    assert.equal(nobody.status, 401);
    assert.equal(await codeOf(nobody), "AUTHENTICATION_REQUIRED");
    const bob = await get("/notes", "bob");
    assert.equal(bob.status, 403);
    assert.equal(await codeOf(bob), "PERMISSION_DENIED");
    assert.equal((await get("/notes", "alice")).status, 200);
  });

  test("writing: 403 as alice, 201 as admin, and alice can read the note", async () => {
    assert.equal((await post("/notes", "alice", { text: "no" })).status, 403);
    const created = await post("/notes", "admin", { text: "kept" });
    assert.equal(created.status, 201);
    const note = (await created.json()) as { id: string; createdBy: string };
    assert.equal(note.createdBy, `user:${platform.userId("admin")}`);
    const read = await get(`/notes/${note.id}`, "alice");
    assert.equal(((await read.json()) as { text: string }).text, "kept");
  });

  test("the proxy does not connect to an app's backend that is the platform or its database", async () => {
    const port = await platform.onDatabase(async (sql) => {
      const { rows } = await sql.query<{ port: number }>("select inet_server_port() as port");
      return rows[0]?.port ?? assert.fail("the database has no port");
    });
    const targets = {
      own: platform.httpUrl,
      calls: platform.grpcUrl.replace(/^\w+:/, "http:"),
      data: `http://127.0.0.1:${port}`,
    };
    for (const [name, url] of Object.entries(targets)) {
      const app = uniqueName(`com.example.inward.${name}`);
      const routes = [{ pattern: "/**", methods: ["GET"], is_public: true }];
      const api = { base_path: `/api/apps/${app}`, strip_base_path: true, upstream_base_url: url, routes };
      await platform.register(await testApp({ name: app, web_app: { api } }));
      await platform.client().marketplace.installApp({ name: app });
      await untilStatus(platform.httpUrl, `/api/apps/${app}/health`, 502);
    }
  });

  test("an invalid session is not treated as anonymous, even on a public route", async () => {
    const response = await fetch(`${notes}/notes`, { headers: { cookie: `${platform.sessionCookieName}=forged` } });
    assert.equal(response.status, 401);
    assert.equal(await codeOf(response), "AUTHENTICATION_FAILED");
  });

  test("identity headers from callers are removed", async () => {
    const response = await fetch(`${notes}/notes`, {
      method: "POST",
      headers: { cookie: cookies["admin"] ?? "", "content-type": "application/json", "x-user-id": "root", x_user_id: "root" },
      body: JSON.stringify({ text: "who" }),
    });
    assert.equal(((await response.json()) as { createdBy: string }).createdBy, `user:${platform.userId("admin")}`);
  });

  test("/ping works for every caller", async () => {
    assert.equal((await get("/ping")).status, 200);
  });

  test("all four kinds of pattern match exactly their paths", async () => {
    const statuses: Readonly<Record<string, number>> = {
      "/files": 200,
      "/files/a": 200,
      "/files/a/b": 200,
      "/filesX": 404,
      "/tags/red": 200,
      "/tags/red/dark": 404,
      "/tags": 404,
      "/reports/2026": 200,
      "/reports/26": 404,
      "/reports/20261": 404,
      "/nowhere": 404,
    };
    const seen = await Promise.all(Object.keys(statuses).map(async (path) => [path, (await get(path, "alice")).status]));
    assert.deepEqual(Object.fromEntries(seen), statuses);
  });

  test("a wrong method is 405 with Allow", async () => {
    const response = await fetch(`${notes}/notes`, { method: "DELETE", headers: { cookie: cookies["admin"] ?? "" } });
    assert.equal(response.status, 405);
    assert.deepEqual(response.headers.get("allow")?.split(", ").sort(), ["GET", "HEAD", "POST"]);
  });

  test("encoded dot segments, slashes and zero bytes are refused before route matching", async () => {
    // Not fetch, because it resolves dot segments itself.
    const statusOf = (path: string) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(notes);
        httpGet({ hostname, port, path: `/api/apps/com.example.notes${path}` }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on("error", reject);
      });
    const paths = ["/files/../notes", "/files/%2e%2e/notes", "/files%2fx", "/files/%00", "/files/%zz", "/files\\x"];
    assert.deepEqual(
      await Promise.all(paths.map(statusOf)),
      paths.map(() => 400),
    );
  });

  test("the sixth /limited in a minute is 429 with the exact body and headers", async () => {
    for (let n = 1; n <= 5; n++) {
      const response = await get("/limited");
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("x-ratelimit-remaining"), String(5 - n));
    }
    const refused = await get("/limited");
    assert.equal(refused.status, 429);
    const body = (await refused.json()) as { error: string; code: string; details: Record<string, number> };
    assert.deepEqual(Object.keys(body).sort(), ["code", "details", "error"]);
    assert.equal(body.code, "RATE_LIMIT_EXCEEDED");
    assert.equal(body.details["limit"], 5);
    assert.equal(body.details["window"], 60);
    assert.ok((body.details["retry_after"] ?? 0) > 0 && (body.details["retry_after"] ?? 61) <= 60);
    assert.equal(refused.headers.get("x-ratelimit-limit"), "5");
    assert.equal(refused.headers.get("x-ratelimit-remaining"), "0");
    assert.match(refused.headers.get("x-ratelimit-reset") ?? "", /^\d{10}$/);
    assert.equal(refused.headers.get("retry-after"), String(body.details["retry_after"]));
  });

  test("an unknown app is 404, an uninstalled app too, and installing it again serves it", async () => {
    assert.equal((await fetch(`${platform.httpUrl}/api/apps/com.example.none/x`)).status, 404);
    const clock = "/api/apps/com.example.clock/ping";
    const mutate = (name: string) =>
      platform.graphql(`mutation { ${name}(name: "com.example.clock") { success app { state } } }`);
    assert.equal((await mutate("uninstallApp")).errors, undefined);
    await untilStatus(platform.httpUrl, clock, 404);
    assert.equal((await mutate("installApp")).errors, undefined);
    await untilStatus(platform.httpUrl, clock, 200);
  });

  test("the request log has the route, the caller and the reason, but not the path", async () => {
    await get("/notes/very-secret-id", "bob");
    const log = await eventually(
      () => platform.log(),
      (text) => /"reasonId":"[a-z_]*permission[a-z_]*"/.test(text),
    );
    assert.ok(!log.includes("very-secret-id"));
  });
});
