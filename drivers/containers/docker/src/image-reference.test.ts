import assert from "node:assert/strict";
import { test } from "node:test";
import { splitImage } from "./image-reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("splitImage distinguishes the registry's port from a tag", () => {
  assert.deepEqual(splitImage("127.0.0.1:5000/com.example.notes:testing"), {
    repository: "127.0.0.1:5000/com.example.notes",
    tag: "testing",
    registryHost: "127.0.0.1:5000",
  });
  assert.deepEqual(splitImage("registry.example/team/notes"), {
    repository: "registry.example/team/notes",
    tag: "latest",
    registryHost: "registry.example",
  });
});

test("splitImage separates tag and digest, and returns no registry for a plain name", () => {
  assert.deepEqual(splitImage(`localhost/notes:latest@${digest}`), {
    repository: "localhost/notes",
    tag: "latest",
    digest,
    registryHost: "localhost",
  });
  assert.deepEqual(splitImage(`library/notes@${digest}`), { repository: "library/notes", digest });
});
