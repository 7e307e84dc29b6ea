import assert from "node:assert/strict";
import { test } from "node:test";
import { imageReference, imageStages, parseStage } from "./image-reference.ts";

const appName = "com.example.notes";
const refused = { code: "INVALID_REQUEST" };

test("imageReference joins registry, name and stage", () => {
  assert.equal(
    imageReference({ registry: "registry.example:5000/team", appName, stage: "testing" }),
    `registry.example:5000/team/${appName}:testing`,
  );
  assert.equal(imageReference({ registry: "localhost", appName, stage: "latest" }), `localhost/${appName}:latest`);
  assert.equal(imageReference({ registry: "[::1]:5000", appName, stage: "latest" }), `[::1]:5000/${appName}:latest`);
  assert.equal(imageReference({ registry: "team", appName, stage: "pre-release" }), `team/${appName}:pre-release`);
  assert.equal(imageReference({ registry: "", appName, stage: "latest" }), `${appName}:latest`);
});

test("imageReference refuses names that would result in another image", () => {
  for (const name of ["", "a/b", "a:b", "a@b", "A", "a..b", "a--b", "-a", "a-", "a\n", "a b", "x".repeat(64)]) {
    assert.throws(() => imageReference({ registry: "localhost", appName: name, stage: "latest" }), refused, name);
  }
});

test("imageReference refuses invalid registries", () => {
  for (const registry of [
    "https://registry.example",
    "registry.example/",
    "/team",
    "a.b//c",
    "a.b/Team",
    "Team",
    "a.b:http",
    "user@a.b",
    "a_b.c:5000",
  ]) {
    assert.throws(() => imageReference({ registry, appName, stage: "latest" }), refused, registry);
  }
  const longPath = `a.b/${"x".repeat(250)}`;
  assert.throws(() => imageReference({ registry: longPath, appName, stage: "latest" }), refused);
});

test("parseStage accepts three stages", () => {
  for (const stage of imageStages) assert.equal(parseStage(stage), stage);
  for (const stage of ["", "Latest", "latest ", "v1", "latest@sha256:0", "latest\n"])
    assert.throws(() => parseStage(stage), refused);
});
