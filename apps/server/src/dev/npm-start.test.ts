import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseDevWords } from "./npm-start.ts";

const npm = { npm_lifecycle_event: "start", npm_config_cache: "/root/.npm", npm_config_yes: "" };
const refused = (words: readonly string[], environment: Readonly<Record<string, string>>, message: string) =>
  assert.throws(() => refuseDevWords(words, environment), { name: "UsageError", message });

test("without words, and without flags that npm took, nothing is refused", () => {
  refuseDevWords([], {});
  refuseDevWords([], npm);
  // Not started by `npm start`: another script of npm has such a configuration.
  refuseDevWords([], { npm_lifecycle_event: "test", npm_config_containers: "docker" });
});

test("a word is refused with the form of the command", () => {
  refused(["docker"], {}, '"docker" was not expected; expected: appserver dev [options]');
  refused(["docker"], npm, '"docker" was not expected; expected: npm start -- [options]');
});

test("the flags that npm took are named after --", () => {
  const containers = { ...npm, npm_config_containers: "true" };
  refused(["docker"], containers, '"docker" was not expected; expected: npm start -- --containers docker');
  const ports = { ...npm, npm_config_http_port: "true", npm_config_grpc_port: "true" };
  const form = "npm start -- --http-port <value> --grpc-port <value>";
  refused(["81", "91"], ports, `"81" was not expected; expected: ${form}`);
  const mixed = { ...containers, npm_config_http_port: "81", npm_config_examples: "" };
  const all = "npm start -- --http-port=81 --containers docker --no-examples";
  refused(["docker"], mixed, `"docker" was not expected; expected: ${all}`);
});

test("a flag that npm took with its value is refused, too", () => {
  const taken = { ...npm, npm_config_containers: "docker" };
  refused([], taken, "npm took --containers for itself; expected: npm start -- --containers=docker");
  refused([], { ...npm, npm_config_examples: "" }, "npm took --no-examples for itself; expected: npm start -- --no-examples");
});
