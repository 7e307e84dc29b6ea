import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createSecureServer, createServer } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { MarketplaceService, type RegisterAppRequest } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { certificateFile, ensureAppKeys } from "@appserver/sdk";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

import { notes } from "../test/recorded-apps.ts";
import { serveRecorded } from "../test/recorded-graphql.ts";
import { app, appctl, recorded, registration, requests, root, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

describe("appctl", () => {
  test("lists every page of the apps as a table, and as JSON", async () => {
    const { code, stdout } = await appctl("list", "--state", "running", "failed");
    assert.equal(code, 0);
    assert.match(stdout, /^com\.example\.notes +1\.0\.0 +1\.1\.0 +RUNNING +HEALTHY$/m);
    assert.match(stdout, /com\.example\.clock/);
    assert.deepEqual(
      requests.map(({ request }) => (request as { filter: { states: string[] } }).filter.states),
      [
        ["RUNNING", "FAILED"],
        ["RUNNING", "FAILED"],
      ],
    );
    const apps = JSON.parse((await appctl("--json", "list")).stdout) as { name: string }[];
    assert.deepEqual(
      apps.map(({ name }) => name),
      ["com.example.notes", "com.example.clock"],
    );
  });

  test("sends the token of a user", async () => {
    await appctl("--token", "secret", "get", "com.example.notes");
    await appctl("get", "com.example.notes");
    assert.deepEqual(
      requests.map(({ authorization }) => authorization),
      ["Bearer secret", null],
    );
  });

  test("installs, with the platform's warnings on stderr", async () => {
    assert.deepEqual(await appctl("install", "com.example.notes"), {
      code: 0,
      stdout: "com.example.notes 1.1.0 is installed\n",
      stderr: "warning: clock is missing\npull\ndone\n",
    });
    const detached = await appctl("install", "com.example.notes", "--plan", "d1", "--without-dependencies", "--detach");
    assert.match(
      detached.stdout,
      /^install of com\.example\.notes runs \(deploy, 5 %\); appctl operation op-1 waits for its end\n$/,
    );
    const sent = requests
      .filter(({ method }) => method === "installApp")
      .map(({ request }) => request as { readonly planDigest?: string; readonly withDependencies: boolean });
    assert.deepEqual(
      sent.map(({ planDigest, withDependencies }) => [planDigest, withDependencies]),
      [
        [undefined, true],
        ["d1", false],
      ],
    );
  });

  test("approve lists the permissions that need an approval, and approves the given ones", async () => {
    const shown = await appctl("approve", "com.example.clock");
    assert.match(shown.stdout, /^SCOPE +OF +REASON\nnotes:read +com\.example\.notes +Counts them\.\nmanifest d4\n$/);
    // A newer version of this app is registered, so its permissions are shown.
    assert.equal((await appctl("approve", "com.example.notes")).stdout, "com.example.notes needs no approval\n");
    assert.equal(requests.at(-1)?.method, "upgradePlan");
    const done = await appctl("approve", "com.example.clock", "notes:read", "hook:subscribe", "--manifest", "d4");
    assert.equal(done.stdout, "approved notes:read, hook:subscribe for com.example.clock\n");
    const approval = requests.at(-1)?.request as { readonly manifestDigest: string } | undefined;
    assert.equal(approval?.manifestDigest, "d4");
    assert.deepEqual((await appctl("approve", "com.example.clock", "--json")).stderr, "");
  });

  test("uninstalls, and deletes data only with --purge", async () => {
    const { stdout } = await appctl("uninstall", "com.example.notes");
    assert.equal(stdout, "com.example.notes is uninstalled\n");
    await appctl("uninstall", "com.example.notes", "--purge");
    assert.deepEqual(
      requests.map(({ request }) => (request as { purgeData: boolean }).purgeData),
      [false, true],
    );
  });

  test("enables, disables, restarts and deletes; replaces the key and revokes permissions", async () => {
    const certificate = join(root, "app", certificateFile);
    const commands: readonly (readonly [args: readonly string[], output: string])[] = [
      [["disable", notes.name], "com.example.notes is disabled\n"],
      [["enable", notes.name], "com.example.notes is enabled\n"],
      [["restart", notes.name], "com.example.notes restarts\n"],
      [["replace-key", notes.name, certificate], `com.example.notes has the key of ${certificate}\n`],
      [["revoke", notes.name, "audit:view", "x:y"], "revoked audit:view, x:y from com.example.notes\n"],
      [["delete", notes.name], "com.example.notes is deleted\n"],
    ];
    for (const [args, stdout] of commands) assert.deepEqual(await appctl(...args), { code: 0, stdout, stderr: "" });
    assert.deepEqual(
      requests.map(({ method }) => method),
      ["setAppEnabled", "setAppEnabled", "restartApp", "replaceKey", "revokePermissions", "deleteApp"],
    );
    const sent = requests.map(({ request }) => request as Record<string, unknown>);
    assert.deepEqual([sent[0]?.["enabled"], sent[1]?.["enabled"]], [false, true]);
    assert.equal(sent[3]?.["certificate"], readFileSync(certificate, "utf8"));
    assert.deepEqual(sent[4]?.["scopes"], ["audit:view", "x:y"]);
    assert.equal((await appctl("delete", "com.example.none")).code, 1);
    assert.equal((await appctl("replace-key", notes.name, join(root, "nowhere.pem"))).code, 2);
    const { operation } = JSON.parse((await appctl("--json", "delete", notes.name)).stdout) as { operation: { id: string } };
    assert.equal(operation.id, "op-1");
  });

  test("registers a folder, and reports if nothing changed", async () => {
    const { code, stdout } = await appctl("register", app("name: com.example.app\nversion: 1.0.0\n"));
    assert.deepEqual([code, stdout], [0, "com.example.notes 1.0.0 registered\n"]);
    const request = requests[0]?.request as RegisterAppRequest | undefined;
    assert.equal(request?.manifest?.name, "com.example.app");
    assert.equal(request.manifestSignature?.length, 384);
    assert.match((await appctl("register", app("name: com.example.app\nversion: 1.0.1\n"))).stdout, /was already registered/);
  });

  test("registers the digest of the flag in place of the one in app.yaml", async () => {
    const [written, given] = ["a", "b"].map((digit) => `sha256:${digit.repeat(64)}`);
    const folder = app(`name: com.example.app\nversion: 1.0.0\nimage_digest: ${written}\n`);
    await appctl("register", folder);
    await appctl("register", folder, "--image-digest", `${given}`);
    const registered = requests.map(({ request }) => (request as RegisterAppRequest).manifest?.imageDigest);
    assert.deepEqual(registered, [written, given]);
  });

  test("lists every violation that the platform reports, with its line", async () => {
    const folder = app("name: com.example.app\nversion: 0.0.0\n");
    assert.deepEqual(await appctl("register", folder), {
      code: 1,
      stdout: "",
      stderr:
        "appctl: the manifest has 2 problems (INVALID_REQUEST)\n" +
        `  ${folder}/app.yaml:2:10: version must be greater\n  ${folder}/app.yaml: web_app must have ui or api\n`,
    });
    const { code, stderr } = await appctl("--json", "register", folder);
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stderr), {
      code: "INVALID_REQUEST",
      message: "the manifest breaks 2 rules (INVALID_REQUEST)",
      violations: [
        { field: "version", message: "must be greater" },
        { field: "web_app", message: "must have ui or api" },
      ],
    });
    const validation = await appctl("validate", folder);
    assert.deepEqual([validation.code, validation.stdout], [1, `${folder}/app.yaml:2:10: version must be greater\n`]);
    assert.equal(validation.stderr, "warning: com.example.clock is not registered\n");
    assert.deepEqual(JSON.parse((await appctl("--json", "validate", folder)).stdout), {
      valid: false,
      violations: [{ field: "version", message: "must be greater" }],
      warnings: ["com.example.clock is not registered"],
    });
  });

  test("lists every mistake in app.yaml and does not call the platform", async () => {
    const { code, stderr } = await appctl("register", app("name: 5\nversoin: 1\n"));
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^appctl: the manifest has 2 problems\n {2}\S+app\.yaml:1:7: name expected.*\n {2}\S+app\.yaml:2:10: versoin is unknown/,
    );
    assert.deepEqual(requests, []);
  });

  test("names a missing key and the command that creates it", async () => {
    const { code, stderr } = await appctl("register", root);
    assert.deepEqual(
      [code, stderr],
      [1, `appctl: ${join(root, "key.pem")} is missing; create it with \`appctl keys generate ${root} --name APP\`\n`],
    );
  });

  test("keeps existing keys", async () => {
    const file = join(root, "app", "key.pem");
    const before = statSync(file);
    assert.equal((await appctl("keys", "generate", join(root, "app"), "--name", "com.example.app")).code, 0);
    assert.equal(statSync(file).ino, before.ino);
  });

  test("exits 1 for a refused call and prints one line", async () => {
    assert.deepEqual(await appctl("get", "com.example.none"), {
      code: 1,
      stdout: "",
      stderr: "appctl: there is no app com.example.none (NOT_FOUND)\n",
    });
  });

  test("exits 3 if the platform is unreachable", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    const { code, stderr } = await appctl("--http", `http://127.0.0.1:${port}`, "list");
    assert.deepEqual(
      [code, stderr],
      [
        3,
        `appctl: http://127.0.0.1:${port} is unreachable (ECONNREFUSED); is the platform running there? ` +
          "--http or APPSERVER_HTTP_URL sets another address\n",
      ],
    );
  });

  for (const [option, command] of [
    ["--http", ["list"]],
    ["--grpc", ["validate", "app"]],
  ] as const)
    test(`--ca makes an https address of ${option} reachable; without it, or with http, the message names the problem`, async () => {
      const { certificate, privateKey } = await ensureAppKeys(join(root, "tls"), "localhost");
      const tls = { key: privateKey.export({ type: "pkcs8", format: "pem" }), cert: certificate };
      const routes = (router: ConnectRouter) => router.service(MarketplaceService, registration);
      const secure =
        option === "--http" ? serveRecorded(recorded, tls) : createSecureServer(tls, connectNodeAdapter({ routes }));
      await once(secure.listen(0, "localhost"), "listening");
      const { port } = secure.address() as AddressInfo;
      const [name, ...folders] = command;
      app("name: com.example.app\nversion: 1.0.0\n");
      const args = [name, ...folders.map((folder) => join(root, folder))];
      const call = (scheme: string, ...more: string[]) => appctl(option, `${scheme}://localhost:${port}`, ...more, ...args);
      try {
        const untrusted = await call("https");
        assert.deepEqual([untrusted.code, untrusted.stdout], [3, ""]);
        assert.match(untrusted.stderr, /is not trusted .*; --ca or APPSERVER_CA sets a file/);
        const plain = await call("http");
        assert.deepEqual([plain.code, plain.stdout], [3, ""]);
        assert.match(plain.stderr, /a port with TLS needs https:\/\//);
        assert.equal((await call("https", "--ca", join(root, "tls", certificateFile))).code, 0);
        const missing = await call("https", "--ca", join(root, "nowhere.pem"));
        assert.equal(missing.code, 2);
        assert.match(missing.stderr, /--ca: could not read .*nowhere\.pem/);
      } finally {
        secure.close();
      }
    });

  const lost: readonly (readonly [string, (socket: Socket) => unknown])[] = [
    ["before a response", (socket) => socket.resetAndDestroy()],
    [
      "in a response",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", () => socket.resetAndDestroy()),
    ],
  ];
  for (const [when, lose] of lost)
    test(`exits 3 if the connection is lost ${when}, and does not say that nothing was done`, async () => {
      const losing = createTcpServer((socket) => socket.once("data", () => lose(socket))).listen(0, "127.0.0.1");
      await once(losing, "listening");
      const { port } = losing.address() as AddressInfo;
      try {
        const { code, stderr } = await appctl("--http", `http://127.0.0.1:${port}`, "list");
        assert.equal(code, 3);
        assert.match(stderr, /dropped the connection: a port with TLS needs https:\/\/.* may still be done/);
      } finally {
        losing.close();
      }
    });

  for (const args of [
    ["fly"],
    ["install"],
    ["list", "--state", "flying"],
    ["--http", "nowhere", "list"],
    ["install", "a", "--wait", "soon"],
  ]) {
    test(`exits 2 for: ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await appctl(...args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.notEqual(stderr, "");
      assert.deepEqual(requests, []);
    });
  }

  test("prints its help", async () => {
    const { code, stdout } = await appctl("--help");
    assert.equal(code, 0);
    for (const command of [
      "register",
      "validate",
      "install",
      "uninstall",
      "enable",
      "disable",
      "delete",
      "revoke",
      "logs",
      "list",
      "get",
      "keys",
      "storage",
      "trace",
    ]) {
      assert.match(stdout, new RegExp(`^  ${command} `, "m"));
    }
    for (const name of ["APPSERVER_GRPC_URL", "APPSERVER_TOKEN", "APPSERVER_CA"]) assert.match(stdout, new RegExp(name));
  });

  for (const args of [
    [],
    ["install"],
    ["settings", "set"],
    ["keys", "generate"],
    ["hooks", "trigger"],
    ["activities", "runs"],
  ]) {
    test(`prints help and version: ${["appctl", ...args].join(" ")}`, async () => {
      const help = await appctl(...args, "--help");
      assert.deepEqual([help.code, help.stderr], [0, ""]);
      assert.match(help.stdout, new RegExp(`^Usage: ${["appctl", ...args].join(" ")}`));
      assert.deepEqual(await appctl(...args, "--version"), { code: 0, stdout: "0.1.0\n", stderr: "" });
    });
  }

  test("help does not print the token from the environment", async () => {
    const env = { PATH: process.env["PATH"], APPSERVER_TOKEN: "s3cret" };
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "--help"], { env });
    assert.doesNotMatch(await text(child.stdout), /s3cret/);
  });
});
