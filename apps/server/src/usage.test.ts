import assert from "node:assert/strict";
import { test } from "node:test";
import { runAppserver } from "@appserver/testing/kit/production";
import { platformVersion } from "./version.ts";

const commands = ["dev", "up", "serve", "orchestrate", "migrate", "authz", "database", "settings", "config", "version"];

test("appserver prints the help of itself and of each command to standard output, and starts nothing", async () => {
  const whole = await runAppserver(["--help"], {});
  assert.deepEqual([whole.code, whole.stderr], [0, ""]);
  for (const command of commands) {
    assert.match(whole.stdout, new RegExp(`^  ${command} `, "m"));
    const { code, stdout, stderr } = await runAppserver([command, "--help"], {});
    assert.deepEqual([code, stderr], [0, ""], command);
    assert.match(stdout, new RegExp(`^Usage: appserver ${command}`));
    for (const line of stdout.split("\n")) assert.ok(line.length <= 120, line);
  }
});

test("the help of a process lists its flags, their variables and the required options", async () => {
  const { stdout } = await runAppserver(["serve", "--help"], {});
  assert.match(stdout, /--http-port +Port for HTTP, GraphQL and WebSocket \(default 8080; APPSERVER_HTTP_PORT\)/);
  assert.match(stdout, /^Required: .*APPSERVER_DB_PASSWORD/m);
});

test("--version prints the version, after any command", async () => {
  for (const args of [["--version"], ["-V"], ["version"], ["serve", "--version"]])
    assert.deepEqual(await runAppserver(args, {}), { code: 0, stdout: `${platformVersion}\n`, stderr: "" });
});

test("an unknown command or flag is refused with the usage", async () => {
  for (const args of [["fly"], ["fly", "--help"], ["serve", "--fly"]]) {
    const { code, stdout, stderr } = await runAppserver(args, {});
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^appserver: .*fly/);
    assert.match(stderr, /Usage: appserver <command>/);
  }
  const { code, stderr } = await runAppserver(["authz", "fly"], {});
  assert.deepEqual([code, stderr.split("\n")[0]], [2, 'appserver: "fly" is not a command of authz.']);
  assert.match(stderr, /Usage: appserver authz <command>/);
});

test("a word that a command does not take is refused with the form of the command, and nothing starts", async () => {
  const refused = [
    [["dev", "docker"], "docker", "appserver dev [options]"],
    [["dev", "--containers", "process", "docker", "x"], "docker", "appserver dev [options]"],
    [["serve", "now"], "now", "appserver serve [options]"],
    [["orchestrate", "--log-level", "info", "now"], "now", "appserver orchestrate [options]"],
    [["migrate", "down"], "down", "appserver migrate [options]"],
    [["version", "2"], "2", "appserver version"],
    [["help", "serve", "dev"], "dev", "appserver help [command]"],
    [["authz", "bootstrap", "again"], "again", "appserver authz bootstrap"],
    [["authz", "admin", "a@example.com", "b@example.com"], "b@example.com", "appserver authz admin <identity>"],
    [["authz", "grant", "user:a", "viewer", "app:b", "c"], "c", "appserver authz grant <user> <relation> <object>"],
    [["database", "fly"], "fly", "appserver database move --to <url>"],
    [["database", "move", "there", "--to", "postgres://a@b/c"], "there", "appserver database move --to <url>"],
    [["settings", "rotate-key", "dev", "now"], "now", "appserver settings rotate-key [dev]"],
    [["settings", "rotate-key", "serve"], "serve", "appserver settings rotate-key [dev]"],
    [
      ["config", "check", "serve", "dev"],
      "dev",
      "appserver config print|check|options [serve|orchestrate|up|dev] [-c file] [flags of that process]",
    ],
  ] as const;
  for (const [args, word, form] of refused)
    assert.deepEqual(await runAppserver(args, {}), {
      code: 2,
      stdout: "",
      stderr: `appserver: "${word}" was not expected; expected: ${form}\n`,
    });
});
