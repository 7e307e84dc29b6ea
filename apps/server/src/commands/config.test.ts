import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { runConfigCommand } from "./config.ts";

const deploy = resolve(import.meta.dirname, "../../../../deploy");
const example = resolve(deploy, "appserver.yaml");
const secrets = {
  APPSERVER_DB_PASSWORD: "canary-1",
  APPSERVER_SETTINGS_ENCRYPTION_KEY: "01".repeat(32),
  APPSERVER_REGISTRATION_TOKEN: "canary-2-0123456789",
};

/** A server of the apps' databases that no test reaches. */
const elsewhere = { APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: "postgres://apps_admin:canary-3@127.0.0.1:1/postgres" };

async function run(args: string, environment: Readonly<Record<string, string>> = secrets): Promise<readonly [number, string]> {
  let written = "";
  const code = await runConfigCommand(args.split(" "), environment, (text) => {
    written += text;
  });
  return [code, written];
}

test("check accepts the example for both processes, without a warning", async () => {
  const shared = { ...secrets, APPSERVER_CONTAINERS_ISOLATION: "shared" };
  for (const process of ["serve", "orchestrate"])
    assert.deepEqual(await run(`check ${process} -c ${example}`, shared), [0, `The configuration of ${process} is valid.\n`]);
});

test("check orchestrate refuses the platform's own server for the databases of apps, and names both ways out", async () => {
  const [code, written] = await run(`check orchestrate -c ${example}`);
  assert.equal(code, 1);
  assert.match(
    written,
    /^ {2}The databases of apps would be on .*: set containers\.database_admin_url .*database_shared_server=true\.$/m,
  );
});

test("check orchestrate warns of a server of the apps' databases that it cannot reach", async () => {
  const [code, written] = await run(`check orchestrate -c ${example}`, { ...secrets, ...elsewhere });
  assert.equal(code, 0);
  assert.match(
    written,
    /^warning: The server of the apps' databases could not be checked: .*ECONNREFUSED.*\.\nThe configuration/,
  );
  assert.doesNotMatch(written, /canary/);
});

test("check orchestrate prints the access rules that keep apps out of other databases", async () => {
  const [, written] = await run(`check orchestrate -c ${example}`, { ...secrets, ...elsewhere });
  assert.deepEqual(written.split("\n").slice(4, -1), [
    "  host samerole +appserver_apps all scram-sha-256",
    "  host all +appserver_apps all reject",
  ]);
});

test("check reports all problems, and the exit code is 1", async () => {
  const [code, written] = await run("check -c /nowhere.yaml");
  assert.deepEqual([code, /\/nowhere\.yaml: could not read the file/.test(written)], [1, true]);
  const [wrong, problems] = await run("check orchestrate --log-level loud", { APPSERVER_CONTAINERS_PULL_TIMEOUT: "soon" });
  assert.equal(wrong, 1);
  assert.match(problems, /APPSERVER_CONTAINERS_PULL_TIMEOUT="soon"/);
  assert.match(problems, /--log-level "loud": expected debug, info, warn or error/);
});

test("check orchestrate prints the reasons why orchestrate would refuse to start, each with its remedy", async () => {
  const [code, written] = await run("check orchestrate", { APPSERVER_DB_PASSWORD: "x", APPSERVER_EVENTBUS_ENABLED: "true" });
  assert.equal(code, 1);
  assert.deepEqual(written.split("\n"), [
    "appserver orchestrate would refuse to start:",
    "  Docker orchestration must be enabled: set APPSERVER_CONTAINERS_ENABLED=true",
    "  database configuration is required: set APPSERVER_DB_HOST: the database's host",
    "  AppServerURL is required: set APPSERVER_GRAPHQL_HTTP: where apps reach the platform, as in http://appserver:8080/graphql",
    "  An encryption key is required: orchestrate needs the same APPSERVER_SETTINGS_ENCRYPTION_KEY as the servers: set APPSERVER_SETTINGS_ENCRYPTION_KEY to the value that serve has",
    "  The databases of apps would be on the platform's own PostgreSQL server, where an app can stop the platform's writes: set containers.database_admin_url to another server, or accept this with containers.database_shared_server=true.",
    "",
  ]);
});

test("check orchestrate that refuses also warns of networks that it could not try", async () => {
  const cluster = { APPSERVER_CONTAINERS_DRIVER: "kubernetes", APPSERVER_KUBERNETES_KUBECONFIG: "/nowhere" };
  const [code, written] = await run("check orchestrate", cluster);
  assert.equal(code, 1);
  assert.match(
    written,
    /^warning: whether the engine keeps the networks of apps apart could not be tried: .*\/nowhere.*\nappserver orchestrate would refuse/m,
  );
});

test("print shows every value with its source, and no secret", async () => {
  const [code, written] = await run(`print serve -c ${example} --workers 2`);
  assert.equal(code, 0);
  assert.match(written, /^ {2}workers +2 +--workers$/m);
  assert.match(written, /^ {2}host +postgres +.*appserver\.yaml:\d+$/m);
  assert.match(written, /^ {2}password +\*\*\* +APPSERVER_DB_PASSWORD$/m);
  assert.match(written, /^ {2}read_timeout +30s +/m);
  assert.doesNotMatch(written, /canary|0101/);
  const [devCode, dev] = await run("print dev", {});
  assert.deepEqual([devCode, /^ {2}dir +\.appserver +default$/m.test(dev)], [0, true]);
});

test("invalid arguments are refused with the expected ones", async () => {
  for (const args of ["show", "print nothing", "print serve dev", "print --no-such"]) {
    await assert.rejects(run(args), /expected: appserver config print\|check/, args);
  }
});

test("every variable of the compose file is an option", async () => {
  const compose = readFileSync(resolve(deploy, "compose.yaml"), "utf8");
  const given = [...compose.matchAll(/^ +(APPSERVER_[A-Z0-9_]+):/gm)].map(([, name = ""]) => [name, ""] as const);
  assert.ok(given.length > 10);
  const [, written] = await run(`check serve -c ${example}`, { ...Object.fromEntries(given), ...secrets });
  assert.equal(written, "The configuration of serve is valid.\n");
});
