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

function run(args: string, environment: Readonly<Record<string, string>> = secrets): readonly [number, string] {
  let written = "";
  const code = runConfigCommand(args.split(" "), environment, (text) => {
    written += text;
  });
  return [code, written];
}

test("check accepts the example for both processes, without a warning", () => {
  for (const process of ["serve", "orchestrate"]) {
    const [code, written] = run(`check ${process} -c ${example}`);
    assert.deepEqual([code, written.split("\n")[0]], [0, `The configuration of ${process} is valid.`]);
  }
});

test("check orchestrate prints the access rules that keep apps out of other databases", () => {
  assert.deepEqual(run(`check orchestrate -c ${example}`)[1].split("\n").slice(3, -1), [
    "  host samerole +appserver_apps all scram-sha-256",
    "  host all +appserver_apps all reject",
  ]);
  const shared = { ...secrets, APPSERVER_CONTAINERS_ISOLATION: "shared" };
  assert.deepEqual(run(`check orchestrate -c ${example}`, shared), [0, "The configuration of orchestrate is valid.\n"]);
});

test("check reports all problems, and the exit code is 1", () => {
  const [code, written] = run("check -c /nowhere.yaml");
  assert.deepEqual([code, /\/nowhere\.yaml: could not read the file/.test(written)], [1, true]);
  const [wrong, problems] = run("check orchestrate --log-level loud", { APPSERVER_DOCKER_PULL_TIMEOUT: "soon" });
  assert.equal(wrong, 1);
  assert.match(problems, /APPSERVER_DOCKER_PULL_TIMEOUT="soon"/);
  assert.match(problems, /--log-level "loud": expected debug, info, warn or error/);
});

test("check orchestrate prints the reasons why orchestrate would refuse to start, each with its remedy", () => {
  const [code, written] = run("check orchestrate", { APPSERVER_DB_PASSWORD: "x", APPSERVER_EVENTBUS_ENABLED: "true" });
  assert.equal(code, 1);
  assert.deepEqual(written.split("\n"), [
    "appserver orchestrate would refuse to start:",
    "  Docker orchestration must be enabled: set APPSERVER_DOCKER_ENABLED=true",
    "  database configuration is required: set APPSERVER_DB_HOST: the database's host",
    "  AppServerURL is required: set APPSERVER_GRAPHQL_HTTP: where apps reach the platform, as in http://appserver:8080/graphql",
    "  settings encryption key is required: set APPSERVER_SETTINGS_ENCRYPTION_KEY: the key of the servers, because apps get secret settings in their environment",
    "",
  ]);
});

test("print shows every value with its source, and no secret", () => {
  const [code, written] = run(`print serve -c ${example} --workers 2`);
  assert.equal(code, 0);
  assert.match(written, /^ {2}workers +2 +--workers$/m);
  assert.match(written, /^ {2}host +postgres +.*appserver\.yaml:\d+$/m);
  assert.match(written, /^ {2}password +\*\*\* +APPSERVER_DB_PASSWORD$/m);
  assert.match(written, /^ {2}read_timeout +30s +/m);
  assert.doesNotMatch(written, /canary|0101/);
  const [devCode, dev] = run("print dev", {});
  assert.deepEqual([devCode, /^ {2}data_dir +\.appserver +default$/m.test(dev)], [0, true]);
});

test("invalid arguments are refused with the expected ones", () => {
  for (const args of ["show", "print nothing", "print serve dev", "print --no-such"]) {
    assert.throws(() => run(args), /expected: appserver config print\|check/, args);
  }
});

test("every variable of the compose file is an option", () => {
  const compose = readFileSync(resolve(deploy, "compose.yaml"), "utf8");
  const given = [...compose.matchAll(/^ +(APPSERVER_[A-Z0-9_]+):/gm)].map(([, name = ""]) => [name, ""] as const);
  assert.ok(given.length > 10);
  const [, written] = run(`check serve -c ${example}`, { ...Object.fromEntries(given), ...secrets });
  assert.equal(written, "The configuration of serve is valid.\n");
});
