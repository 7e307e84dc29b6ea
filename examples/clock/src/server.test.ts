import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type AppKeys, ensureAppKeys } from "@appserver/sdk";
import { type RunningExample, startExample } from "../../start-example.ts";

const source = join(import.meta.dirname, "..");

/** Returns a fake platform that accepts only signed requests, as the real one does. */
function platformFor(keys: AppKeys): Server {
  const publicKey = createPublicKey(keys.certificate);
  return createServer((request, response) => {
    const { "x-app-name": name, "x-app-signature": signature, "x-request-timestamp": at } = request.headers;
    const message = Buffer.from(`GET/api/apps/com.example.notes/notes?limit=1${at}`);
    const signed =
      name === "com.example.clock" && verify("sha256", message, publicKey, Buffer.from(String(signature), "base64"));
    response.writeHead(signed ? 200 : 401).end('{"notes":[],"total":3}');
  });
}

describe("the clock backend", () => {
  let folder = "";
  let platform: Server;
  before(async () => {
    // Copy the app, because it needs separate keys. The link makes the workspace's packages available.
    folder = await mkdtemp(join(tmpdir(), "clock-"));
    await cp(join(source, "src"), join(folder, "src"), { recursive: true });
    await cp(join(source, "package.json"), join(folder, "package.json"));
    await symlink(join(source, "../../node_modules"), join(folder, "node_modules"));
    platform = platformFor(await ensureAppKeys(folder, "com.example.clock")).listen(0, "127.0.0.1");
    await once(platform, "listening");
  });
  after(async () => {
    platform.close();
    await rm(folder, { recursive: true });
  });

  async function notesSeenAt(httpUrl: string): Promise<unknown> {
    const app: RunningExample = await startExample(folder, {
      APP_NAME: "com.example.clock",
      APPSERVER_HTTP_URL: httpUrl,
      TZ: "Europe/Berlin",
      CLOCK_MOTTO: "Now",
    });
    const body = (await (await fetch(`${app.url}/now`)).json()) as {
      now: string;
      timezone: string;
      notes: unknown;
      lastNote: unknown;
      seal: unknown;
      calendar: unknown;
      motto: unknown;
      station: unknown;
    };
    assert.ok(Math.abs(Date.parse(body.now) - Date.now()) < 60_000, body.now);
    assert.equal(body.timezone, "Europe/Berlin");
    assert.deepEqual([body.lastNote, body.seal], [null, null]);
    assert.deepEqual([body.calendar, body.motto, body.station], [null, "Now", null]);
    assert.equal((await fetch(`${app.url}/ping`)).status, 200);
    assert.equal(await app.stop(), 0);
    return body.notes;
  }

  test("returns the time and the number of notes, queried with a signed request", async () => {
    assert.deepEqual(await notesSeenAt(`http://127.0.0.1:${(platform.address() as AddressInfo).port}`), { count: 3 });
  });

  test("returns the time if the notes are unavailable", async () => {
    assert.deepEqual(await notesSeenAt("http://127.0.0.1:1"), { unavailable: "the platform is unreachable" });
  });
});
