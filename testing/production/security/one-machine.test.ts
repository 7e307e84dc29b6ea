import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { embeddedConnection, findCanary, onDatabase, send, testApp } from "@appserver/testing/kit";
import { completeAccount, logInToAccounts, UpProcess } from "@appserver/testing/kit/production";
import { Code } from "@connectrpc/connect";
import pg from "pg";
import { removeDataFolder } from "../../kit/remove-data-folder.ts";

/** A user of this machine that has nothing to do with the platform. */
const neighbour = 61_234;
const isRoot = process.getuid?.() === 0;
const account = { email: "ada@example.test", name: "Ada Admin", password: "a horse is no battery" };
/** What a caller could send to pose as another one. */
const forged = {
  "x-user-id": "admin",
  "x-forwarded-for": "127.0.0.1",
  forwarded: "for=127.0.0.1",
  cookie: "appserver_session=aps_forged",
};

describe("a platform of one machine", () => {
  const ends = new AsyncDisposableStack();
  let up: UpProcess;
  let token = "";
  let internalUrl = "";
  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "appserver-up-security-"));
    ends.defer(() => removeDataFolder(dataDir));
    up = await UpProcess.create(dataDir, { APPSERVER_CONTAINERS_DRIVER: "process", APPSERVER_ALLOW_PROCESSES: "true" });
    ends.defer(async () => void (await up.stop()));
    up.start();
    await up.ready();
    internalUrl = `http://${up.internalAddress}`;
    await completeAccount(await up.administratorLink(), account);
    token = await logInToAccounts(up.httpUrl, account);
  });
  after(() => ends.disposeAsync());

  const graphql = async (url: string, headers: Readonly<Record<string, string>>) => {
    const body = JSON.stringify({ query: "{ apps { totalCount } }" });
    const { text } = await send(url, "/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    return (JSON.parse(text) as { errors?: readonly { extensions: { code: string } }[] }).errors?.[0]?.extensions.code;
  };

  describe("gives an anonymous caller nothing", () => {
    test("of GraphQL, REST and the registry, at the public port and the internal one", async () => {
      for (const url of [up.httpUrl, internalUrl]) {
        assert.equal(await graphql(url, { authorization: `Bearer ${token}` }), undefined, "the administrator is served");
        assert.equal(await graphql(url, {}), "AUTHENTICATION_REQUIRED");
        assert.equal(await graphql(url, forged), "AUTHENTICATION_FAILED");
        for (const path of ["/api/v2/apps", "/api/v2/metrics", "/v2/", "/v2/_catalog", "/v2/com.example.notes/tags/list"])
          for (const headers of [{}, forged]) assert.equal((await send(url, path, { headers })).status, 401, `${url}${path}`);
      }
    });

    test("of gRPC, at each port that serves it", async () => {
      const app = await testApp({ name: "com.example.anonymous" });
      for (const grpcUrl of [up.grpcUrl, up.httpUrl, internalUrl]) {
        const { marketplace, settings } = createPlatformClient({ grpcUrl });
        const unauthenticated = { code: Code.Unauthenticated };
        await assert.rejects(marketplace.getApp({ name: "com.example.notes" }), unauthenticated, grpcUrl);
        await assert.rejects(settings.getSettings({ appId: "com.example.notes" }), unauthenticated, grpcUrl);
        for (const registrationToken of [undefined, "made-up-made-up-made-up"])
          await assert.rejects(
            registerApp(createPlatformClient({ grpcUrl }), app, registrationToken),
            unauthenticated,
            grpcUrl,
          );
      }
    });

    test("of pages and metrics, at the internal port, and no other name of it is served", async () => {
      for (const path of ["/login", "/docs/", "/playground", "/metrics", "/dev/login", "/scim/v2/Users"])
        assert.equal((await send(internalUrl, path)).status, 404, path);
      assert.equal((await send(internalUrl, "/self-service/login?flow=login", { method: "POST" })).status, 404);
      const { port } = new URL(internalUrl);
      const statusOf = async (host: string) => (await send(internalUrl, "/health", { headers: { host } })).status;
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) assert.equal(await statusOf(host), 200, host);
      for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.nip.io", "0.0.0.0", "[::1]"])
        assert.equal(await statusOf(host), 400, host);
    });

    test("on another interface than that of this machine, at the internal ports", () => {
      const tables = ["tcp", "tcp6"].map((name) => readFileSync(`/proc/net/${name}`, "utf8"));
      const listeners = (url: string): readonly string[] => {
        const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
        // The state 0A is LISTEN.
        const lines = tables.flatMap((table) =>
          table.matchAll(new RegExp(`: ([0-9A-F]+):${port} [0-9A-F]+:0000 0A`, "g")).toArray(),
        );
        return lines.map(([, address = ""]) => address);
      };
      const loopback = "0100007F";
      for (const url of [up.grpcUrl, internalUrl]) assert.deepEqual(listeners(url), [loopback], url);
    });

    test("of the account that the first link made: it works once", async () => {
      const link = await up.administratorLink();
      await assert.rejects(completeAccount(link, { ...account, email: "eve@example.test" }), /registration.* returned 400/);
      assert.deepEqual(findCanary(new URL(link).hash.slice(7), { log: logLines(up.log) }), [], "no log has the link");
    });
  });

  describe("gives a neighbour on the machine nothing", { skip: isRoot ? false : "needs root" }, () => {
    test("of the data folder: no file and no folder of it can be read", async () => {
      const paths = readdirSync(up.dataDir, { recursive: true, withFileTypes: true }).map((entry) => ({
        path: join(entry.parentPath, entry.name),
        isFolder: entry.isDirectory(),
      }));
      const files = paths.map(({ path }) => path.slice(up.dataDir.length + 1));
      for (const name of ["operator.json", "settings-keys.json", "postgres/password", "postgres-apps/password", "registry"])
        assert.ok(files.includes(name), name);
      const readable = readableBy(neighbour, [{ path: up.dataDir, isFolder: true }, ...paths]);
      // The lock has the id of the process.
      assert.deepEqual(readable, [join(up.dataDir, "lock")]);
      for (const name of ["operator.json", "settings-keys.json"])
        assert.equal((await stat(join(up.dataDir, name))).mode & 0o777, 0o600, name);
    });

    test("of command lines, which everyone can read", async () => {
      const { password } = await embeddedConnection(up.dataDir);
      const [{ key }] = JSON.parse(readFileSync(join(up.dataDir, "settings-keys.json"), "utf8")) as [{ key: string }];
      const lines = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => read(`/proc/${pid}/cmdline`));
      assert.ok(lines.some((line) => line.includes(up.dataDir)));
      for (const secret of [password, key, account.password, token]) assert.ok(!lines.some((line) => line.includes(secret)));
    });

    test("of both databases: each connection needs a password, and there is no socket without one", async () => {
      for (const server of ["postgres", "postgres-apps"] as const) {
        const connection = await embeddedConnection(up.dataDir, server);
        const rules = await onDatabase(connection, (sql) =>
          sql.query<{ type: string; method: string }>("select type, auth_method as method from pg_hba_file_rules"),
        );
        assert.ok(rules.rows.length > 0);
        for (const { type, method } of rules.rows) assert.match(`${type} ${method}`, /^host (scram-sha-256|reject)$/);
        for (const user of [connection.user, "postgres", "root"])
          for (const password of ["", user, "postgres"])
            await assert.rejects(login({ ...connection, user, password }), /password|28P01|SASL/i, `${user} ${password}`);
        assert.equal(await login(connection), "connected");
      }
    });
  });

  test("an administrator's session is no session of a page of another site", async () => {
    const headers = { cookie: `appserver_session=${token}`, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    for (const url of [up.httpUrl, internalUrl]) {
      const { status } = await send(url, "/graphql", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: '{"query":"{ apps { totalCount } }"}',
      });
      assert.equal(status, 403, url);
    }
  });
});

/** The lines of the log, without those for people. */
function logLines(printed: string): string {
  return printed
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .join("\n");
}

/** Returns the files that a user of this machine can open, and the folders that it can list. Only root can find out. */
function readableBy(uid: number, paths: readonly { readonly path: string; readonly isFolder: boolean }[]): readonly string[] {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([uid]);
  process.setegid?.(uid);
  process.seteuid?.(uid);
  try {
    return paths.filter(canRead).map(({ path }) => path);
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}

function canRead({ path, isFolder }: { readonly path: string; readonly isFolder: boolean }): boolean {
  try {
    if (isFolder) readdirSync(path);
    else closeSync(openSync(path, "r"));
    return true;
  } catch (error) {
    // A database removes files while the test looks at them.
    return !["EACCES", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** Of a process that may have ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function login(connection: pg.ClientConfig): Promise<string> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  await client.connect();
  await client.end();
  return "connected";
}
