import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { serveRecorded } from "../test/recorded-graphql.ts";
import { type Outcome, runAppctl } from "../test/recorded-platform.ts";

const app = { id: "0198c0de-0000-7000-8000-000000000001", name: "com.example.notes" };
const definitions = [
  { key: "size", data_type: "INT", description: "How many.", sensitive: false },
  { key: "title", data_type: "STRING", description: "", sensitive: false },
  { key: "words", data_type: "STRING_ARRAY", description: "", sensitive: false },
  { key: "token", data_type: "STRING", description: "", sensitive: true },
];
const stored = { size: 20, title: "12", token: "s3cret\r\n\x1b" };

interface Update {
  readonly appID: string;
  readonly settings: object;
  readonly expectedVersion?: number;
}

let updates: Update[] = [];
let deleted: string[] = [];
const conditions = [{ type: "SettingsValid", message: "words must match ^[a-z]+$" }];
const settings = (values: object) => ({
  appId: app.id,
  values,
  version: 3,
  updatedBy: "user:admin",
  schema: { definitions },
  conditions,
});

describe("appctl settings", () => {
  const folder = mkdtempSync(join(tmpdir(), "appctl-settings-"));
  const server = serveRecorded({
    app: () => app,
    settings: () => settings(stored),
    updateSettings: (update: Update) => {
      updates.push(update);
      return { settings: settings({ ...stored, ...update.settings }) };
    },
    deleteSettings: ({ appID, expectedVersion }: Update) => {
      deleted.push(`${appID} ${expectedVersion}`);
      return {};
    },
  });
  let platform = "";

  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    platform = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    [updates, deleted] = [[], []];
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const appctl = (args: readonly string[], stdin = ""): Promise<Outcome> =>
    runAppctl(args, { APPSERVER_HTTP_URL: platform }, stdin);

  test("secrets are printed only with --show-secrets", async () => {
    const quiet = [
      await appctl(["settings", "list", app.name]),
      await appctl(["--json", "settings", "list", app.name]),
      await appctl(["settings", "get", app.name, "token"]),
      await appctl(["--json", "settings", "set", app.name, "token=s3cret"]),
    ];
    for (const { code, stdout, stderr } of quiet) {
      assert.equal(code, 0);
      assert.doesNotMatch(stdout + stderr, /s3cret/);
    }
    assert.match(quiet[2]?.stderr ?? "", /--show-secrets/);
    assert.equal((await appctl(["settings", "get", app.name, "token", "--show-secrets"])).stdout, `${stored.token}\n`);
    assert.match((await appctl(["settings", "list", app.name, "--show-secrets"])).stdout, /^token .* s3cret\\x0d$/m);
  });

  test("list shows every setting, secrets masked, and the problems of stored values", async () => {
    const { code, stdout, stderr } = await appctl(["settings", "list", app.name]);
    assert.equal(code, 0);
    assert.match(stdout, /^size +INT +20 +How many\.$/m);
    assert.match(stdout, /^words +STRING_ARRAY +-$/m);
    assert.match(stdout, /^token +STRING \(secret\) +\*{8}$/m);
    assert.match(stdout, /version 3, by user:admin/);
    assert.equal(stderr, "warning: words must match ^[a-z]+$\n");
  });

  test("get prints one value, unchanged or as JSON", async () => {
    assert.equal((await appctl(["settings", "get", app.name, "title"])).stdout, "12\n");
    assert.equal((await appctl(["--json", "settings", "get", app.name, "title"])).stdout, '"12"\n');
    const { code, stderr } = await appctl(["settings", "get", app.name, "none"]);
    assert.deepEqual([code, stderr], [2, 'appctl: "none" is not a setting of the app; it has size, title, words, token\n']);
  });

  test("set uses strings unchanged and parses other values as JSON; it reads secrets from a file or from stdin", async () => {
    const file = join(folder, "token");
    writeFileSync(file, "from a file\n");
    const values = ["size=7", "title=7", 'words=["a","b"]', `token=@${file}`];
    const { code, stdout, stderr } = await appctl(["settings", "set", app.name, ...values, "--if-version", "3"]);
    assert.deepEqual([code, stdout], [0, "version 3\n"]);
    assert.match(stderr, /^token ends with a line break, as \S+token does; `printf %s` writes none\n$/);
    assert.deepEqual(
      updates.map((update) => [update.appID, update.settings, update.expectedVersion]),
      [[app.id, { size: 7, title: "7", words: ["a", "b"], token: "from a file\n" }, 3]],
    );
    const pem = "-----BEGIN K-----\nAA\n-----END K-----\n";
    assert.equal((await appctl(["settings", "set", app.name, "token=-"], pem)).stderr, "");
    assert.deepEqual(updates.at(-1)?.settings, { token: pem });
    writeFileSync(file, Buffer.from([0xff, 0x00]));
    const binary = await appctl(["settings", "set", app.name, `token=@${file}`]);
    assert.match(binary.stderr, /^appctl: token: \S+token is not text in UTF-8\n$/);
  });

  test("unset sends null; delete deletes all values", async () => {
    await appctl(["settings", "unset", app.name, "size", "title"]);
    assert.deepEqual(updates[0]?.settings, { size: null, title: null });
    assert.equal((await appctl(["settings", "delete", app.name, "--if-version", "9"])).code, 0);
    assert.deepEqual(deleted, [`${app.id} 9`]);
  });

  for (const [args, match] of [
    [["settings", "set", app.name, "size"], /expected key=value/],
    [["settings", "set", app.name, "size=ten"], /size is INT: its value must be JSON/],
    [["settings", "set", app.name, "size=null"], /unset to restore the default of size/],
    [["settings", "set", app.name, "size=1", "--if-version", "x"], /whole number/],
    [["settings", "set", app.name, "token=@/nowhere"], /could not read \/nowhere/],
    [["settings", "set", app.name], /missing required argument/],
  ] as const) {
    test(`exits 2 for: ${args.slice(1).join(" ")}`, async () => {
      const { code, stderr } = await appctl(args);
      assert.equal(code, 2);
      assert.match(stderr, match);
      assert.deepEqual(updates, []);
    });
  }
});
