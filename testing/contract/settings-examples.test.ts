import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { eventually, type HttpAnswer, jsonOf, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";

describe("the sample apps apply changed settings while they run", () => {
  let platform: PlatformUnderTest;
  let cookie = "";
  before(async () => {
    platform = await startPlatform();
    cookie = await platform.login("admin");
  });
  after(async () => {
    // Other files may use the same platform.
    await set("com.example.notes", { "notes.page_size": null, "notes.export_token": null });
    await set("com.example.clock", { "clock.timezone": null, "clock.seal_key": null });
    await platform.stop();
  });

  const set = async (appName: string, settings: object): Promise<void> => {
    const found = await platform.graphql("query ($name: String!) { app(name: $name) { id } }", { name: appName });
    const { id } = (found.data as { app: { id: string } }).app;
    const mutation =
      "mutation ($id: ID!, $s: JSON!) { updateSettings(appID: $id, settings: $s) { success error { message } } }";
    const { data } = await platform.graphql(mutation, { id, s: settings });
    assert.deepEqual(data, { updateSettings: { success: true, error: null } });
  };
  const until = (path: string, headers: Record<string, string>, holds: (answer: HttpAnswer) => boolean) =>
    eventually(() => send(platform.httpUrl, path, { headers }), holds, { what: path });

  test("notes: the page size and the secret token of the export", async () => {
    const notes = "/api/apps/com.example.notes";
    for (const text of ["one", "two", "three"]) {
      const headers = { cookie, "content-type": "application/json", origin: platform.httpUrl };
      const answer = await send(platform.httpUrl, `${notes}/notes`, {
        method: "POST",
        headers,
        body: JSON.stringify({ text }),
      });
      assert.equal(answer.status, 201, answer.text);
    }
    const shown = (answer: HttpAnswer): number => (jsonOf(answer) as { notes: unknown[] }).notes.length;
    await until(`${notes}/notes`, { cookie }, (answer) => shown(answer) >= 3);
    const { total } = jsonOf(await send(platform.httpUrl, `${notes}/notes?limit=1`, { headers: { cookie } })) as {
      total: number;
    };
    await set("com.example.notes", { "notes.page_size": 2, "notes.export_token": "an-export-token" });
    await until(`${notes}/notes`, { cookie }, (answer) => shown(answer) === 2);
    const exported = await until(`${notes}/export`, { "x-export-token": "an-export-token" }, ({ status }) => status === 200);
    assert.equal(shown(exported), total);
    assert.equal((await send(platform.httpUrl, `${notes}/export`, { headers: { "x-export-token": "another" } })).status, 403);
    await set("com.example.notes", { "notes.page_size": null, "notes.export_token": null });
  });

  test("clock: its time zone and the secret key of its seal", async () => {
    const key = "a-seal-key-of-the-clock";
    await set("com.example.clock", { "clock.timezone": "Asia/Tokyo", "clock.seal_key": key });
    interface Now {
      readonly now: string;
      readonly timezone: string;
      readonly seal: string | null;
    }
    const sealed = (answer: HttpAnswer): boolean => (jsonOf(answer) as Now).seal !== null;
    const now = jsonOf(await until("/api/apps/com.example.clock/now", { cookie }, sealed)) as Now;
    assert.equal(now.timezone, "Asia/Tokyo");
    assert.equal(now.seal, createHmac("sha256", key).update(now.now).digest("hex"));
  });
});
