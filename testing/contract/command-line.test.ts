import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";

const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");
const run = promisify(execFile);
/** What a browser sends with a form of the page. */
const formHeaders = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" };

/** docs/interface/permissions.md#command-line */
describe("appctl login", () => {
  let platform: PlatformUnderTest;
  let home: string;
  let cookie: string;
  const running: ChildProcess[] = [];
  before(async () => {
    platform = await startPlatform();
    home = await mkdtemp(join(tmpdir(), "appserver-contexts-"));
    cookie = await platform.login("admin");
  });
  after(async () => {
    for (const child of running) child.kill();
    await platform?.stop();
    await rm(home, { recursive: true });
  });

  const environment = (): NodeJS.ProcessEnv => {
    const { APPSERVER_HTTP_URL: _http, APPSERVER_GRPC_URL: _grpc, APPSERVER_TOKEN: _token, ...rest } = process.env;
    return { ...rest, XDG_CONFIG_HOME: home };
  };
  const ctl = (...args: string[]) => run(process.execPath, [appctl, ...args], { env: environment() });

  interface Login {
    readonly child: ChildProcess;
    /** Of the page that the browser opens. */
    readonly url: URL;
    readonly code: string;
  }

  async function begin(): Promise<Login> {
    const args = [appctl, "--http", platform.httpUrl, "login", "--name", "here", "--no-browser", "--yes"];
    const child = spawn(process.execPath, args, { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    running.push(child);
    let shown = "";
    for await (const part of child.stderr.setEncoding("utf8")) {
      shown += part;
      if (shown.includes("\n\n  http") && shown.endsWith("\n\n")) break;
    }
    const [, code = ""] = /code (\S+)\./.exec(shown) ?? [];
    return { child, url: new URL(shown.trim().split(/\s+/).at(-1) ?? ""), code };
  }

  const visit = ({ pathname, search }: URL, headers: Readonly<Record<string, string>> = {}) =>
    send(platform.httpUrl, pathname + search, { headers });
  const allow = ({ pathname, search }: URL, headers: Readonly<Record<string, string>>) =>
    send(platform.httpUrl, pathname + search, {
      method: "POST",
      headers: { origin: platform.httpUrl, "content-type": "application/x-www-form-urlencoded", ...headers },
    });

  test("a browser gives its session, with which appctl acts as its user", async () => {
    const { child, url, code } = await begin();
    const page = await visit(url, { cookie });
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(code), "the page shows the code");
    assert.match(String(page.headers["content-security-policy"]), /form-action 'self' http:\/\/127\.0\.0\.1:\d+;/);
    const allowed = await allow(url, { cookie, ...formHeaders });
    assert.equal(allowed.status, 303);
    const location = new URL(String(allowed.headers.location));
    assert.equal(location.origin, `http://127.0.0.1:${url.searchParams.get("port")}`);
    assert.ok(!location.href.includes(cookie.split("=")[1] ?? "none"), "the address does not have the session");
    const [received] = await Promise.all([fetch(location), once(child, "close")]);
    assert.deepEqual([received.status, child.exitCode], [200, 0]);

    const { mode } = await stat(join(home, "appserver/contexts.json"));
    assert.equal(mode & 0o777, 0o600);
    assert.match((await ctl("context", "list")).stdout, /\* +here +http.+yes/);
    assert.match((await ctl("list")).stdout, /com\.example\.notes/);
    assert.match((await ctl("events", "--tail", "1")).stdout, /^\d{4}-\S+ (INFO|WARNING|ERROR) /);
    const opened = await ctl("open", "com.example.notes", "--no-browser");
    assert.equal(opened.stdout.trim(), `${platform.httpUrl}/notes`);
    assert.match((await ctl("whoami")).stdout, /caller +Ada Admin \(\S+\)\npermissions +app:view, .*\nregisters apps +yes$/m);
    const { stdout: left } = await ctl("logout");
    assert.match(left, /is ended, also in the browser/);
    cookie = await platform.login("admin");
    assert.match((await ctl("context", "list")).stdout, /\* +here +http.+no/);
  });

  test("only the form of the page, in a browser with a session, gives one", async () => {
    const { child, url } = await begin();
    try {
      const stranger = await visit(url);
      assert.equal(stranger.status, 303);
      assert.match(String(stranger.headers.location), /^\/console\/sign-in\?return_to=%2Fconsole%2Fcommand-line%3Fport/);
      assert.equal((await allow(url, formHeaders)).status, 401);
      assert.equal((await allow(url, { cookie, ...formHeaders, "sec-fetch-mode": "cors" })).status, 403);
      const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
      assert.equal((await allow(url, { cookie, ...elsewhere })).status, 403);
      const incomplete = new URL(url);
      incomplete.searchParams.delete("key");
      assert.equal((await visit(incomplete, { cookie })).status, 400);
      // Another page of the browser that finds the port.
      const local = `http://127.0.0.1:${url.searchParams.get("port")}`;
      assert.equal((await fetch(`${local}/?state=x&session=y`)).status, 400);
      assert.equal((await fetch(`${local}/?state=${url.searchParams.get("state")}&session=AAAA`)).status, 400);
      assert.equal(child.exitCode, null);
    } finally {
      child.kill();
    }
  });

  async function withToken(name: string, token: string) {
    const args = [appctl, "--http", platform.httpUrl, "login", "--name", name, "--with-token"];
    const child = spawn(process.execPath, args, { env: environment() });
    child.stdin.end(`${token}\n`);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: child.exitCode, stdout, stderr };
  }

  test("a token that the platform refuses is not stored", async () => {
    const { code, stderr } = await withToken("wrong", "cookie.forged");
    assert.equal(code, 1, stderr);
    assert.match(stderr, /AUTHENTICATION_FAILED/);
    assert.doesNotMatch((await ctl("context", "list")).stdout, /wrong/);
  });

  test("a user without any permission signs in, and learns who it is", async () => {
    const { code, stdout, stderr } = await withToken("bobs", await platform.sessionToken("bob"));
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^signed in to \S+ as .+ \(user:\S+\); the context bobs is in use\n$/);
    assert.match((await ctl("whoami")).stdout, /permissions +none of the platform/);
    assert.match((await ctl("doctor", home)).stdout, /knows you; `appctl whoami`/);
    await ctl("context", "remove", "bobs");
  });

  test("a page of each list stays within the limits of GraphQL", async () => {
    const env = { ...process.env, APPSERVER_HTTP_URL: platform.httpUrl, APPSERVER_TOKEN: await platform.sessionToken("admin") };
    const lists = [
      ["list"],
      ["list", "--json"],
      ["audit", "--limit", "200"],
      ["requests", "--limit", "200"],
      ["events", "--tail", "200"],
      ["hooks", "deliveries", "--limit", "200"],
      ["activities", "runs", "--limit", "200"],
      ["activities", "schedules"],
      ["access", "roles"],
      ["metrics"],
    ];
    for (const args of lists) await run(process.execPath, [appctl, ...args], { env });
  });

  /** docs/interface/permissions.md#device-login */
  test("a terminal without a browser gets the session of the person who types its code", async () => {
    const args = [appctl, "--http", platform.httpUrl, "login", "--name", "device", "--device", "--yes"];
    const child = spawn(process.execPath, args, { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    running.push(child);
    const printed = text(child.stdout);
    let shown = "";
    for await (const part of child.stderr.setEncoding("utf8")) {
      shown += part;
      if (/user_code=\S+\n/.test(shown)) break;
    }
    const page = new URL(/http\S+\/console\/device$/m.exec(shown)?.[0] ?? "");
    const [, code = ""] = /the code (\S+)\./.exec(shown) ?? [];
    page.searchParams.set("user_code", code.toLowerCase().replace("-", ""));
    assert.match(String((await visit(page)).headers.location), /^\/console\/sign-in\?return_to=%2Fconsole%2Fdevice/);
    const asked = await visit(page, { cookie, ...formHeaders });
    assert.equal(asked.status, 200);
    const [, address] = /Network address: <strong>([^<]+)</.exec(asked.text) ?? [];
    const own = Object.values(networkInterfaces()).flatMap((each = []) => each.map((found) => found.address));
    assert.ok(asked.text.includes(code) && own.includes(address ?? ""), asked.text);
    const [, ticket = ""] = /name="ticket" value="([^"]+)"/.exec(asked.text) ?? [];
    const body = String(new URLSearchParams({ user_code: code, ticket, decision: "allow" }));
    const decide = (headers: Readonly<Record<string, string>>) =>
      send(platform.httpUrl, page.pathname, {
        method: "POST",
        headers: { origin: platform.httpUrl, "content-type": "application/x-www-form-urlencoded", ...headers },
        body,
      });
    assert.equal((await decide({ cookie, ...formHeaders, "sec-fetch-mode": "cors" })).status, 403);
    assert.equal((await decide(formHeaders)).status, 401);
    const allowed = await decide({ cookie, ...formHeaders });
    assert.equal(allowed.status, 200);
    assert.ok(!allowed.text.includes(cookie.split("=")[1] ?? "none"));
    assert.equal((await decide({ cookie, ...formHeaders })).status, 400, "one code is for one login");
    await once(child, "close");
    assert.equal(child.exitCode, 0);
    assert.match(await printed, /^signed in to \S+ as Ada Admin \(\S+\); the context device is in use\n$/);
    assert.match((await ctl("whoami")).stdout, /caller +Ada Admin/);
    await ctl("context", "remove", "device");
  });

  test("a session from the browser needs a confirmation", async () => {
    for (const kind of ["--no-browser", "--device"]) {
      const args = ["--http", platform.httpUrl, "login", kind];
      await assert.rejects(ctl(...args), ({ code, stderr }: { code: number; stderr: string }) => {
        return code === 2 && /standard input is no terminal: --with-token .* --yes /.test(stderr);
      });
    }
  });
});
