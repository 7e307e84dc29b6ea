import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { ensureAppKeys } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  findCanary,
  RunningPlatform,
  send,
  type TestApp,
  testApp,
} from "@appserver/testing/kit";
import { parse, stringify } from "yaml";

const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");
const store = "com.example.store";
/** Before the app that it needs, by name. */
const reader = "com.example.reader";
const idle = "com.example.idle";
const canary = "a-secret-that-no-file-has";
const audience = "https://platform.example";
const variable = "SECRET_COM_EXAMPLE_STORE_API_TOKEN";

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

interface FileOfTest {
  apps: { name: string; state: string; settings?: Record<string, unknown>; secrets?: Record<string, string> }[];
  grants: { subject: string; role?: string; app?: string; level?: string }[];
  trusted_pipelines: { apps: string[] }[];
  service_accounts: { name: string; grants: object[] }[];
}

/** docs/guides/platform-as-a-file.md */
describe("a platform as a file", () => {
  let upstream: EchoUpstream;
  let source: RunningPlatform;
  let target: RunningPlatform;
  let folder: string;
  let nextStore: TestApp;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-file-"));
    [upstream, source, target] = await Promise.all([
      echoUpstream(),
      RunningPlatform.start({ flags: ["--no-examples"] }),
      RunningPlatform.start({ flags: ["--no-examples"] }),
    ]);
    await fill();
  });
  after(async () => {
    await Promise.all([source?.stop(), target?.stop(), upstream?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string): string => join(folder, name);
  const releases = ["--releases", "releases"];

  /** Runs a command with a platform, in the folder of the files. */
  function ctl(platform: RunningPlatform, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const { httpUrl, grpcUrl } = platform;
    const env = { ...process.env, APPSERVER_HTTP_URL: httpUrl, APPSERVER_GRPC_URL: grpcUrl, ...variables };
    return new Promise((done) => {
      execFile(process.execPath, [appctl, ...args], { env, cwd: folder }, (error, out, errors) =>
        done({ code: error ? Number(error.code) : 0, out, errors }),
      );
    });
  }

  async function succeeds(platform: RunningPlatform, args: readonly string[], variables?: NodeJS.ProcessEnv): Promise<string> {
    const { code, out, errors } = await ctl(platform, args, variables);
    assert.equal(code, 0, `${args.join(" ")}\n${out}${errors}`);
    return out;
  }

  /** What an export says, without the address of the platform. */
  const exported = async (platform: RunningPlatform): Promise<string> =>
    (await succeeds(platform, ["export"])).replace(/^.*\n/, "");

  async function fill(): Promise<void> {
    const api = (...routes: readonly object[]) => ({ base_path: "/", upstream_base_url: upstream.url, routes });
    const item = { pattern: "/items", methods: ["GET"], scopes: ["items:read"] };
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "page.js", route_base: "/store" };
    const settings = {
      definitions: [
        { key: "page.size", data_type: "INT", default_value: "10", description: "size" },
        { key: "labels", data_type: "JSON", description: "labels" },
        { key: "api.token", data_type: "STRING", sensitive: true, description: "token" },
      ],
    };
    const activities = [{ name: "nightly", schedule: { cron: "0 3 * * *" } }];
    const web_app = { assets: ["page.js", "empty.css"], ui, api: api(item) };
    const files = { "page.js": `export const page = "${"x".repeat(300_000)}";`, "empty.css": "" };
    const first = await testApp({ name: store, web_app, settings, activities }, files);
    nextStore = await testApp({ name: store, version: "1.1.0", web_app, settings, activities }, files, first.keys);
    await source.register(first);
    const needed = { scope: "items:read", resource_type: store, reason: "reads items", requires_approval: true };
    await source.register(
      await testApp({
        name: reader,
        web_app: { api: api({ pattern: "/read", methods: ["GET"], is_public: true }) },
        dependencies: [{ app_name: store, kind: "HARD" }],
        required_permissions: [needed],
      }),
    );
    await source.register(await testApp({ name: idle, web_app: { api: api(item) } }));
    await ensureAppKeys(at("keys"), idle);
    await succeeds(source, ["replace-key", idle, "keys/certificate.pem"]);
    await succeeds(source, ["install", store]);
    await succeeds(source, ["approve", reader, "items:read"]);
    await succeeds(source, ["install", reader]);
    await succeeds(source, ["disable", reader]);
    await succeeds(source, ["settings", "set", store, "page.size=20", 'labels={"b":1,"a":[2]}', `api.token=${canary}`]);
    const [schedule] = JSON.parse(await succeeds(source, ["--json", "activities", "schedules"])) as { readonly id: string }[];
    await succeeds(source, ["activities", "pause", schedule?.id ?? ""]);
    await succeeds(source, ["access", "grant", "user:bob", "viewer", `app:${store}`]);
    await succeeds(source, ["access", "grant", "group:acme%2Fteam#member", "assignee", "role:readers"]);
    await succeeds(source, ["access", "grant", "role:readers#assignee", "holder", "permission_scope:view_app"]);
    await succeeds(source, ["service-accounts", "create", "ci", "--permission", "app:register", "--app", `${store}=editor`]);
    const pipeline = ["--account", "ci", "--app", store, "--repository", "acme/store", "--repository-id", "17"];
    await succeeds(source, ["trust", "add", "github", ...pipeline, "--ref", "refs/heads/main", "--audience", audience]);
  }

  const revoked = (tuple: string): string => `- revoke ${tuple}`;

  async function written(name: string, change: (file: FileOfTest) => void): Promise<string> {
    const file = parse(await readFile(at("platform.yaml"), "utf8")) as FileOfTest;
    change(file);
    await writeFile(at(name), stringify(file));
    return name;
  }

  test("two exports are the same bytes, and have no secret; diff finds nothing", async () => {
    await succeeds(source, ["export", "-o", "platform.yaml", ...releases]);
    const text = await readFile(at("platform.yaml"), "utf8");
    assert.equal(await succeeds(source, ["export"]), text);
    assert.deepEqual(findCanary(canary, { text }), []);
    assert.match(text, new RegExp(`^# yaml-language-server: \\$schema=${source.httpUrl}/schemas/platform.json\n`));
    const file = parse(text) as FileOfTest;
    assert.deepEqual(
      file.apps.map(({ name, state }) => [name, state]),
      [
        [idle, "REGISTERED"],
        [reader, "DISABLED"],
        [store, "INSTALLED"],
      ],
    );
    assert.partialDeepStrictEqual(file.apps[2], {
      settings: { "page.size": 20, labels: { a: [2], b: 1 } },
      secrets: { "api.token": variable },
      paused_schedules: [{ activity: "nightly" }],
    });
    assert.partialDeepStrictEqual(file.apps[1], { approved_permissions: [{ scope: "items:read", of: store }] });
    assert.deepEqual(file.service_accounts, [
      { name: "ci", grants: [{ app: store, level: "editor" }, { permission: "app:register" }] },
    ]);
    const issuer = "https://token.actions.githubusercontent.com";
    const conditions = { repository: "acme/store", repository_id: "17", ref: "refs/heads/main", issuer, audience };
    assert.deepEqual(file.trusted_pipelines, [{ account: "ci", provider: "GITHUB", apps: [store], ...conditions }]);
    assert.deepEqual(file.grants, [
      { subject: "group:acme%2Fteam#member", role: "readers" },
      { subject: "role:readers#assignee", permission: "app:view" },
      { subject: "user:admin", role: "easy" },
      // Every development platform has it.
      { subject: "user:alice", app: "com.example.notes", level: "viewer" },
      { subject: "user:bob", app: store, level: "viewer" },
    ]);
    assert.equal(await succeeds(source, ["diff"]), "the platform is as platform.yaml says\n");
    const schema = await send(source.httpUrl, "/schemas/platform.json");
    assert.equal(schema.headers["content-type"], "application/schema+json; charset=utf-8");
  });

  test("what a file lacks is named, with its place; nothing is changed", async () => {
    const before = await exported(target);
    const missing = await ctl(target, ["apply", "--yes"], { [variable]: canary });
    assert.equal(missing.code, 1);
    assert.match(missing.out, /platform\.yaml:\d+:\d+: com\.example\.store 1\.0\.0 with the manifest .* no folder of releases/);
    const secret = await ctl(target, ["apply", "--plan", ...releases]);
    assert.equal(secret.code, 1);
    assert.match(
      secret.out,
      new RegExp(`api.token of ${store} is a secret that is not set: give its value in the variable ${variable}`),
    );
    const without = await written("without.yaml", (file) => file.apps.splice(2, 1));
    const dependency = await ctl(target, ["apply", "--yes", "-f", without, ...releases]);
    assert.match(dependency.out, /com\.example\.reader needs com\.example\.store, which would not be installed/);
    const unapproved = await written("unapproved.yaml", (file) =>
      Reflect.deleteProperty(file.apps[1] ?? {}, "approved_permissions"),
    );
    const waiting = await ctl(target, ["apply", "--yes", "-f", unapproved, ...releases], { [variable]: canary });
    assert.equal(waiting.code, 4);
    assert.match(waiting.out, /needs approval:\n {2}com\.example\.reader: items:read of com\.example\.store reads items\n/);
    await cp(at("releases"), at("damaged"), { recursive: true });
    const digest = (parse(await readFile(at("platform.yaml"), "utf8")) as { apps: { manifest: string }[] }).apps[2]?.manifest;
    await writeFile(at(`damaged/${store}/${digest}/manifest.binpb`), "something else");
    const damaged = await ctl(target, ["apply", "--yes", "--releases", "damaged"], { [variable]: canary });
    assert.deepEqual([damaged.code, damaged.out], [1, ""]);
    const unknown = await written("unknown.yaml", (file) => Object.assign(file.apps[0] ?? {}, { stat: "REGISTERED", name: 5 }));
    const refused = await ctl(target, ["apply", "--yes", "-f", unknown]);
    assert.equal(refused.code, 2);
    assert.match(refused.errors, /unknown\.yaml:\d+:\d+: apps\[0\]\.stat is unknown; the fields here are name, version/);
    assert.match(refused.errors, /apps\[0\]\.name .*write a text in quotes/);
    assert.equal(await exported(target), before);
  });

  test("a plan whose digest is stale changes nothing; an apply that stopped is continued; then diff finds nothing", async () => {
    const before = await exported(target);
    const planned = await succeeds(target, ["apply", "--plan", ...releases], { [variable]: canary });
    assert.match(planned, /\n {2}~ replace key of com\.example\.idle /);
    assert.match(planned, /\n {2}\+ install com\.example\.store 1\.0\.0 .*\n {2}\+ install com\.example\.reader 1\.0\.0/);
    const [, digest = ""] = /^digest (\w{64})$/m.exec(planned) ?? [];
    await succeeds(target, ["access", "grant", "user:bob", "viewer", `app:${store}`]);
    const granted = await exported(target);
    const stale = await ctl(target, ["apply", "--plan", digest, ...releases], { [variable]: canary });
    assert.equal(stale.code, 5);
    assert.match(stale.errors, /the plan is another one than the one that was reviewed; nothing was changed/);
    assert.equal(await exported(target), granted);
    await succeeds(target, ["access", "revoke", "user:bob", "viewer", `app:${store}`]);
    assert.equal(await exported(target), before);

    const wrong = await written("wrong.yaml", (file) => Object.assign(file.apps[2]?.settings ?? {}, { "page.size": "many" }));
    const stopped = await ctl(target, ["apply", "--yes", "-f", wrong, ...releases], { [variable]: canary });
    assert.equal(stopped.code, 1);
    assert.match(stopped.out, /\+ register com\.example\.store/);
    assert.match(stopped.errors, /failed:\n {2}\+ set labels of .*\n[\s\S]*not done:\n[\s\S]*\+ install com\.example\.store/);
    assert.match(stopped.errors, /page\.size/);
    const markdown = await succeeds(target, ["apply", "--plan", "--markdown", ...releases], { [variable]: canary });
    assert.match(markdown, /^```diff\n\+ set labels of com\.example\.store/m);
    const [, rest = ""] = /^Digest of the plan: `(\w{64})`$/m.exec(markdown) ?? [];
    const applied = await succeeds(target, ["apply", "--plan", rest, ...releases], { [variable]: canary });
    assert.match(applied, /done: \d+ steps\n$/);
    assert.equal(await succeeds(target, ["diff"]), "the platform is as platform.yaml says\n");
    assert.equal(await exported(target), await exported(source));
    const { stdout } = { stdout: await succeeds(target, ["settings", "get", store, "api.token", "--show-secrets"]) };
    assert.equal(stdout.trim(), canary);
    assert.match(await succeeds(target, ["service-accounts", "list"]), /^ci .* - {2}/m);
    assert.equal((await send(target.httpUrl, `/apps/${store}/assets/page.js`)).status, 200);
  });

  test("what the file does not mention is left, until --prune takes it", async () => {
    await succeeds(target, ["access", "grant", "user:carol", "viewer", `app:${store}`]);
    await succeeds(target, ["settings", "set", store, "docker.image.stage=testing"]);
    await succeeds(target, ["service-accounts", "create", "old"]);
    const wider = await written("wider.yaml", (file) => file.trusted_pipelines[0]?.apps.push(idle));
    assert.match(await succeeds(target, ["apply", "--yes", "-f", wider]), /^~ change trust github acme\/store .* as ci\n/);
    await succeeds(target, ["apply", "--yes"]);
    const drift = await ctl(target, ["diff"]);
    const lines = [
      `- unset docker.image.stage of ${store}: "testing"`,
      "- delete service account old",
      revoked(`user:carol viewer app:${store}`),
    ];
    assert.deepEqual([drift.code, drift.out], [5, `${lines.join("\n")}\n`]);
    assert.equal(await succeeds(target, ["apply", "--yes"]), "nothing to do\n");
    assert.equal((await ctl(target, ["diff"])).out, drift.out);
    const partial = await written("partial.yaml", (file) => Reflect.deleteProperty(file, "grants"));
    await succeeds(target, ["apply", "--yes", "--prune", "-f", partial]);
    assert.equal((await ctl(target, ["diff"])).out, `${lines[2]}\n`);
    await succeeds(target, ["apply", "--yes", "--prune"]);
    assert.equal((await ctl(target, ["diff"])).code, 0);
    assert.equal((await ctl(target, ["apply"])).code, 0);
  });

  test("the last administrator stays, and a successor comes before", async () => {
    const alone = await written("alone.yaml", (file) => {
      file.grants = file.grants.filter(({ role }) => role !== "easy");
    });
    const refused = await ctl(target, ["apply", "--yes", "--prune", "-f", alone]);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /there would be no administrator/);
    assert.equal((await ctl(target, ["diff"])).code, 0);
    const other = await written("other.yaml", (file) => {
      file.grants = file.grants.map((grant) => (grant.role === "easy" ? { ...grant, subject: "user:alice" } : grant));
    });
    const changed = await succeeds(target, ["apply", "--yes", "--prune", "-f", other]);
    assert.match(changed, /^\+ grant user:alice assignee role:easy\n- revoke user:admin assignee role:easy\n/);
  });

  test("the file enables, upgrades, rolls back and uninstalls", async () => {
    const enabled = await written("enabled.yaml", (file) => Object.assign(file.apps[1] ?? {}, { state: "INSTALLED" }));
    assert.match(await succeeds(target, ["apply", "--yes", "-f", enabled]), /^~ enable com\.example\.reader\n/);

    await source.register(nextStore);
    await succeeds(source, ["upgrade", store]);
    await succeeds(source, ["export", "-o", "next.yaml", ...releases]);
    const next = ["-f", "next.yaml", ...releases];
    const upgraded = await succeeds(target, ["apply", "--yes", ...next]);
    assert.match(upgraded, /^\+ register com\.example\.store 1\.1\.0 .*\n~ upgrade com\.example\.store 1\.0\.0 -> 1\.1\.0 /);
    assert.equal((await ctl(target, ["diff", ...next])).out, `${revoked("user:alice assignee role:easy")}\n`);
    const back = await succeeds(target, ["apply", "--yes"]);
    assert.match(back, /^~ rollback com\.example\.store 1\.1\.0 -> 1\.0\.0 /);

    const removed = await written("removed.yaml", (file) => {
      for (const app of file.apps) {
        app.state = "REGISTERED";
        Reflect.deleteProperty(app, "paused_schedules");
      }
    });
    const lines = await succeeds(target, ["apply", "--yes", "-f", removed]);
    assert.match(lines, /^- uninstall com\.example\.reader\n- uninstall com\.example\.store\n/);
  });
});
