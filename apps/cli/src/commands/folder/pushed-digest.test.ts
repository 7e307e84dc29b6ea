import assert from "node:assert/strict";
import { test } from "node:test";
import { pushedDigest } from "./pushed-digest.ts";

const image = "registry.example:5000/apps/com.example.notes:latest";
const [one, two] = ["a", "b"].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
const listed = (...digests: string[]) => JSON.stringify(digests);
const here = (digest: string) => `registry.example:5000/apps/com.example.notes@${digest}`;

test("the digest is the one that the push printed, else the only one of the repository", () => {
  const printed = `The push refers to repository [registry.example:5000/apps/com.example.notes]\nlatest: digest: ${one} size: 528\n`;
  assert.equal(pushedDigest(image, printed, listed(here(one), here(two))), one);
  assert.equal(pushedDigest(image, "", listed(`other.example/com.example.notes@${one}`, here(two))), two);
});

test("no digest is taken from an image with several, or with none", () => {
  assert.equal(pushedDigest(image, "", listed(here(one), here(two))), undefined);
  for (const none of ["null", "[]"]) assert.equal(pushedDigest(image, "latest: digest: sha256:12 size: 1", none), undefined);
});
