import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { platformOperations } from "@appserver/contracts/operations";
import type { Command } from "commander";
import { createAppctl } from "./program.ts";

/** Commands that call no operation, or several for a folder on the developer's machine. */
const local = [
  ...["complete", "completion", "create", "deploy", "dev", "doctor", "keys generate"],
  ...["context list", "context remove", "context use", "login", "logout"],
];
/** Commands read these over REST. */
const overRest = ["frontendPage", "systemEvents", "viewer"];
/** Commands call these through functions of the SDK. */
const byTheSdk = ["registerApp", "registerAppStream", "triggerHook"];

const operations = Object.entries(platformOperations).map(([name, { appctl, grpc }]) => {
  const [, method] = grpc?.split(".") ?? [];
  return { name, commands: Array.isArray(appctl) ? (appctl as readonly string[]) : [], method };
});

function namesOf(command: Command, parents: readonly string[] = []): readonly string[] {
  return command.commands.flatMap((each) => {
    const path = [...parents, each.name()];
    return each.commands.length > 0 ? namesOf(each, path) : [path.join(" ")];
  });
}

test("the catalogue of operations has exactly the commands of appctl", () => {
  const catalogued = operations.flatMap(({ commands }) => commands);
  assert.deepEqual([...new Set([...catalogued, ...local])].sort(), namesOf(createAppctl({}).program).toSorted());
});

test("commands call exactly the methods of the operations that have a command", () => {
  const folder = join(import.meta.dirname, "commands");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const text = sources.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const called = new Set([...text.matchAll(/\.(\w+)\(/g)].map(([, name = ""]) => name[0]?.toUpperCase() + name.slice(1)));
  for (const { name, commands, method } of operations) {
    const isCalled = (method !== undefined && called.has(method)) || [...byTheSdk, ...overRest].includes(name);
    assert.equal(commands.length > 0, isCalled, `${name} (${method})`);
  }
});
