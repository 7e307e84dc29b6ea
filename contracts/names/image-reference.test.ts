import assert from "node:assert/strict";
import { test } from "node:test";
import { imageOwner, imageReference, imageReferenceProblem, imageRepository, imageStages } from "./image-reference.ts";

const appName = "com.example.notes";
const valid = { registry: "localhost", appName, stage: "latest" } as const;

test("imageReference joins registry, name and stage", () => {
  for (const [registry, stage, expected] of [
    ["registry.example:5000/team", "testing", `registry.example:5000/team/${appName}:testing`],
    ["localhost", "latest", `localhost/${appName}:latest`],
    ["[::1]:5000", "latest", `[::1]:5000/${appName}:latest`],
    ["team", "pre-release", `team/${appName}:pre-release`],
    ["", "latest", `${appName}:latest`],
  ] as const) {
    assert.equal(imageReferenceProblem({ registry, appName, stage }), undefined);
    assert.equal(imageReference({ registry, appName, stage }), expected);
  }
});

test("a digest names the image instead of the stage", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const parts = { registry: "registry.example:5000/team", appName, stage: "../evil", digest };
  assert.equal(imageReferenceProblem(parts), undefined);
  assert.equal(imageReference(parts), `registry.example:5000/team/${appName}@${digest}`);
  for (const other of ["", "latest", "sha256:12", `sha512:${"0".repeat(64)}`, digest.slice(7), `${digest}0`, `${digest}\n`])
    assert.match(
      imageReferenceProblem({ ...parts, digest: other }) ?? "",
      /^not a valid image digest: .*; expected sha256: and 64/,
    );
});

test("an image belongs to the app whose name ends its repository", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  for (const registry of ["registry.example:5000/team", "localhost", ""]) {
    for (const parts of [
      { ...valid, registry },
      { ...valid, registry, digest },
    ])
      assert.equal(imageOwner(imageReference(parts)), appName);
    assert.equal(imageOwner(imageRepository({ registry, appName })), appName);
  }
});

test("names that would result in another image are refused", () => {
  for (const name of ["", "a/b", "a:b", "a@b", "A", "a..b", "a--b", "-a", "a-", "a\n", "a b", "x".repeat(64)])
    assert.match(imageReferenceProblem({ ...valid, appName: name }) ?? "", /^not a valid app name: /, name);
});

test("invalid registries are refused", () => {
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
    assert.match(imageReferenceProblem({ ...valid, registry }) ?? "", /^not a valid registry: /, registry);
  }
  const longPath = `a.b/${"x".repeat(250)}`;
  assert.match(imageReferenceProblem({ ...valid, registry: longPath }) ?? "", /at most 255 characters$/);
});

test("three stages are accepted", () => {
  for (const stage of imageStages) assert.equal(imageReferenceProblem({ ...valid, stage }), undefined);
  for (const stage of ["", "Latest", "latest ", "v1", "latest@sha256:0", "latest\n"])
    assert.match(imageReferenceProblem({ ...valid, stage }) ?? "", /expected latest, pre-release, testing$/);
});
