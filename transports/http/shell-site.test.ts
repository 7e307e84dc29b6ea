import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { SignIn } from "@appserver/kernel/ports";
import { Echo, send, started } from "../test/http-listener-fixture.ts";
import { appMark, digestMark, type HttpListener, nonceMark, originAppMark, ownSource } from "./index.ts";

describe("a site whose scripts decide what its paths show", () => {
  const scratch = mkdtempSync(join(tmpdir(), "appserver-shell-"));
  /** What has happened to sessions. */
  const ended: string[] = [];
  const signIn: SignIn = {
    loginUrl: ({ path, url }) => `/login?path=${encodeURIComponent(path)}&url=${encodeURIComponent(url)}`,
    signOut: ({ headers }, { path }) => {
      if (headers.cookie !== undefined) ended.push("signed out");
      return { location: path, cookies: ["session=; Max-Age=0"] };
    },
  };
  const sessionEnd = ({ headers: { cookie } }: IncomingMessage) => {
    if (cookie === undefined) return () => {};
    ended.push(`found ${cookie}`);
    return () => void ended.push(`ended ${cookie}`);
  };
  let listener: HttpListener;
  before(async () => {
    mkdirSync(join(scratch, "assets"));
    writeFileSync(
      join(scratch, "index.html"),
      `<script nonce="${nonceMark}"></script><meta nonce="${nonceMark}"><meta content="${originAppMark}"><title>__PLATFORM_NAME__</title>`,
    );
    writeFileSync(join(scratch, "index.de.html"), `<html lang="de"><script nonce="${nonceMark}"></script></html>`);
    writeFileSync(join(scratch, "assets", "main-1a.js"), "export {}");
    writeFileSync(join(scratch, "frame.html"), `<title>Frame</title><script nonce="${nonceMark}"></script>`);
    const ofApps = ownSource(`/apps/${originAppMark}/versions/`);
    const policy = `default-src 'none'; script-src ${ownSource("/console/assets/")} ${ofApps} 'nonce-${nonceMark}'`;
    const release = ownSource(`/apps/${appMark}/versions/${digestMark}/`);
    const framePolicy = `sandbox allow-scripts; script-src 'nonce-${nonceMark}' ${release}; img-src ${release}`;
    const site = { path: "/console", folder: async () => scratch, policy, framePolicy, isShell: true, languages: ["en", "de"] };
    const pages = {
      covers: (path: string) => path === "/notes" || path.startsWith("/notes/"),
      unserved: () => undefined,
      mayReadLogs: () => false,
      originApps: () => ["com.example.clock", "com.example.team"],
    };
    listener = await started({
      branding: { name: "A & <B> $&" },
      sites: [site],
      signIn,
      sessionEnd,
      pages,
      graphql: new Echo().graphql,
      trustedProxies: ["127.0.0.0/8"],
    });
  });
  after(async () => {
    await listener?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  const nonceOf = (text: string | undefined): string | undefined => /nonce[-=]"?([A-Za-z0-9+/=]+)/.exec(text ?? "")?.[1];

  test("/ and every path below send the first page, which no cache keeps", async () => {
    for (const path of ["/", "/console", "/console/", "/console/apps/com.example.notes", "/console/apps?state=RUNNING"]) {
      const { status, headers, text } = await send(listener, path);
      assert.deepEqual([status, headers["cache-control"]], [200, "no-store"], path);
      assert.match(
        text,
        /^<script nonce="[^"_]+"><\/script><meta nonce="[^"_]+"><meta content="com.example.clock com.example.team"><title>A &amp; &lt;B&gt; \$&amp;<\/title>$/,
      );
      assert.deepEqual([headers["x-frame-options"], headers["x-content-type-options"]], ["DENY", "nosniff"]);
    }
    assert.equal((await send(listener, "/console/apps", { method: "HEAD" })).text, "");
  });

  test("the first page is in the language that the browser asks for", async () => {
    const pageFor = async (language: string) =>
      (await send(listener, "/console", { headers: { "accept-language": language } })).text;
    assert.match(await pageFor("de-CH, en;q=0.5"), /^<html lang="de"><script nonce="[^"_]+">/);
    assert.match(await pageFor("fr"), /^<script/);
  });

  test("the paths of apps' pages send the first page, and no other path does", async () => {
    for (const path of ["/notes", "/notes/new?draft=1"]) {
      const { status, headers, text } = await send(listener, path);
      assert.deepEqual([status, headers["cache-control"], headers["x-frame-options"]], [200, "no-store", "DENY"], path);
      assert.match(text, /^<script nonce=/);
    }
    for (const path of ["/notesque", "/elsewhere/notes"]) {
      const { status, text } = await send(listener, path);
      assert.deepEqual([status, JSON.parse(text).code], [404, "NOT_FOUND"], path);
    }
    assert.equal((await send(listener, "/notes", { method: "POST" })).status, 405);
  });

  test("the frame has a policy of its own, and may be shown by the first page only", async () => {
    const { status, headers, text } = await send(listener, `/console/frame/com.example.notes/${"0a".repeat(32)}`);
    assert.deepEqual([status, headers["x-frame-options"], headers["cache-control"]], [200, undefined, "no-store"]);
    assert.match(text, /^<title>Frame<\/title>/);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /^sandbox allow-scripts; script-src 'nonce-[^_]/);
    assert.equal(nonceOf(text), nonceOf(policy));
    assert.equal((await send(listener, "/console/assets/main-1a.js")).headers["access-control-allow-origin"], "*");
  });

  test("the policies name paths, at the address that the browser uses", async () => {
    const digest = "0a".repeat(32);
    const policyAt = async (path: string, headers: Readonly<Record<string, string>>): Promise<string> =>
      String((await send(listener, path, { headers })).headers["content-security-policy"]).replace(/'nonce-[^']+'/, "NONCE");
    const behind = { host: "inside:1", "x-forwarded-proto": "https", "x-forwarded-host": "platform.example" };
    const [console, apps] = ["https://platform.example/console/assets/", "https://platform.example/apps"];
    assert.equal(
      await policyAt("/", behind),
      `default-src 'none'; script-src ${console} ${apps}/com.example.clock/versions/ ${apps}/com.example.team/versions/ NONCE`,
    );
    const frame = `/console/frame/com.example.notes/${digest}`;
    const own = `${apps}/com.example.notes/versions/${digest}/`;
    assert.equal(await policyAt(frame, behind), `sandbox allow-scripts; script-src NONCE ${own}; img-src ${own}`);
    assert.match(
      await policyAt(frame, { host: "localhost:8080" }),
      /img-src http:\/\/localhost:8080\/apps\/com\.example\.notes\/versions/,
    );
    // A policy has no form for such a host.
    assert.match(await policyAt(frame, { host: "[::1]:8080" }), /script-src NONCE 'self'; img-src 'self'$/);
  });

  test("a frame belongs to a release", async () => {
    for (const path of ["/console/frame/com.example.notes/0a", `/console/frame/a'b/${"0a".repeat(32)}`, "/console/frame"])
      assert.doesNotMatch((await send(listener, path)).text, /<title>Frame/, path);
  });

  test("the nonce is that of the policy and different in each response", async () => {
    const pages = await Promise.all([send(listener, "/"), send(listener, "/"), send(listener, "/console/apps")]);
    const nonces = pages.map(({ text, headers }) => [nonceOf(text), nonceOf(String(headers["content-security-policy"]))]);
    for (const [inPage, inPolicy] of nonces) assert.ok(inPage && inPage === inPolicy);
    assert.equal(new Set(nonces.map(([nonce]) => nonce)).size, 3);
  });

  test("assets are files, and paths of the APIs stay as they are", async () => {
    const script = await send(listener, "/console/assets/main-1a.js");
    assert.deepEqual([script.text, script.headers["cache-control"]], ["export {}", "public, max-age=31536000, immutable"]);
    assert.equal((await send(listener, "/console/assets/none.js")).status, 404);
    assert.equal((await send(listener, "/health")).status, 200);
    assert.match((await send(listener, "/graphql")).text, /"url":"\/graphql"/);
    assert.equal((await send(listener, "/elsewhere")).status, 404);
    assert.equal((await send(listener, "/", { method: "POST" })).status, 405);
  });

  test("scripts are compressed for clients that accept it", async () => {
    const path = "/console/assets/main-1a.js";
    for (const [accepted, coding, decompress] of [
      ["gzip, br", "br", brotliDecompressSync],
      ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ] as const) {
      const { headers, bytes } = await send(listener, path, { headers: { "accept-encoding": accepted } });
      assert.deepEqual([headers["content-encoding"], headers["vary"]], [coding, "Accept-Encoding"]);
      assert.equal(decompress(bytes).toString(), "export {}");
      assert.equal(headers["content-length"], String(bytes.length));
    }
    for (const accepted of ["zstd", "gzip;q=0, br; q=0.0", ""]) {
      const { headers, text } = await send(listener, path, { headers: { "accept-encoding": accepted } });
      assert.deepEqual([headers["content-encoding"], text], [undefined, "export {}"], accepted);
    }
  });

  test("signing in leads to the identity provider and back to a path of the platform", async () => {
    const headers = { host: "inside:1", "x-forwarded-proto": "https", "x-forwarded-host": "platform.example" };
    const there = await send(listener, "/console/sign-in?return_to=%2Fconsole%2Fapps%3Fstate%3DFAILED", { headers });
    const back = "/console/apps?state=FAILED";
    const url = `https://platform.example${back}`;
    assert.deepEqual(
      [there.status, there.headers.location],
      [303, `/login?path=${encodeURIComponent(back)}&url=${encodeURIComponent(url)}`],
    );
    const elsewhere = await send(listener, "/console/sign-in?return_to=https://evil.example/");
    assert.match(String(elsewhere.headers.location), /path=%2F&/);
  });

  test("signing out needs a request of the platform's own pages", async () => {
    const { status, text, headers } = await send(listener, "/console/sign-out", { method: "POST" });
    assert.deepEqual([status, JSON.parse(text), headers["set-cookie"]], [200, { location: "/" }, ["session=; Max-Age=0"]]);
    assert.deepEqual(ended, []);
    const headersOf = { cookie: "session=good" };
    assert.equal((await send(listener, "/console/sign-out", { method: "POST", headers: headersOf })).status, 200);
    assert.deepEqual(ended, ["found session=good", "signed out", "ended session=good"]);
    const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
    assert.equal((await send(listener, "/console/sign-out", foreign)).status, 403);
    assert.equal((await send(listener, "/console/sign-out")).status, 405);
  });
});

test("without such a site, / lists the paths, and there is no sign-in", async () => {
  const listener = await started();
  assert.match((await send(listener, "/")).text, /<h1>Paths of this platform<\/h1>/);
  assert.equal((await send(listener, "/console")).status, 404);
  assert.equal((await send(listener, "/console/sign-in")).status, 404);
  await listener.stop();
});

test("the listener serves no path that an app could have", async () => {
  const site = { path: "/unlisted", folder: async () => "/", policy: "default-src 'none'" };
  await assert.rejects(started({ sites: [site] }), /\/unlisted is missing in contracts\/names\/own-paths\.ts/);
});
