import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineClient } from "./engine-client.ts";
import { removeImages } from "./remove-images.ts";

test("an image that cannot be removed does not keep the others", async () => {
  const images = ["a", "b"].map((name) => `registry.example/${name}@sha256:${name.repeat(64)}`);
  const requests: string[] = [];
  const request = async (method: string, path: string) => {
    requests.push(`${method} ${path}`);
    if (method === "GET") return { status: 200, body: [{ RepoDigests: images }] };
    if (path.includes("/a@")) throw new Error("poisoned");
    return { status: 200, body: undefined };
  };
  await assert.rejects(removeImages({ request } as unknown as EngineClient, images), /poisoned/);
  assert.equal(requests.length, 3);
});
