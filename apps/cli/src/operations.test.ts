import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { platformOperations } from "@appserver/contracts/operations";
import type { Command } from "commander";
import { Kind, parse } from "graphql";
import { createAppctl } from "./program.ts";

/** Commands that call no operation, or several for a folder on the developer's machine. */
const local = [
  ...["complete", "completion", "create", "deploy", "dev", "doctor", "keys generate"],
  "trust exchange",
  ...["context list", "context remove", "context use", "login", "logout", "mcp"],
];
/** Commands call these over gRPC, some through functions of the SDK. */
const overGrpc = ["getRelease", "openTunnel", "registerApp", "registerAppStream", "validateManifest"];
/** Commands read these over REST. */
const overRest = ["frontendPage", "viewer"];

const operations = Object.entries(platformOperations).map(([name, { appctl }]) => ({
  name,
  commands: Array.isArray(appctl) ? (appctl as readonly string[]) : [],
}));

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

test("commands call exactly the operations that have a command", () => {
  const folder = join(import.meta.dirname, "operations");
  const documents = readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), "utf8")));
  const fields = documents
    .flatMap(({ definitions }) => definitions)
    .flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION ? each.selectionSet.selections : []))
    .flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []));
  const withCommand = operations.filter(({ commands }) => commands.length > 0).map(({ name }) => name);
  assert.deepEqual([...new Set([...fields, ...overGrpc, ...overRest])].sort(), withCommand.sort());
});
