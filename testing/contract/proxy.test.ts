import assert from "node:assert/strict";
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

  test("the request log has the route, the caller and the reason, but not the path", async () => {
    await get("/notes/very-secret-id", "bob");
    const log = await eventually(
      () => platform.log(),
      (text) => /"reasonId":"[a-z_]*permission[a-z_]*"/.test(text),
    );
    assert.ok(!log.includes("very-secret-id"));
  });
});
