import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { ContainerError } from "@appserver/kernel/ports";
import { ImageDigests } from "./image-digests.ts";

const digest = `sha256:${"a".repeat(64)}`;
const credentials = { username: "puller", password: "secret" };
let refusal = 404;
/** A registry that hides what it has from strangers. */
const server = createServer(({ headers }, response) => {
  response.statusCode = headers.authorization === undefined ? refusal : 200;
  if (response.statusCode === 200) response.setHeader("docker-content-digest", digest);
  response.end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  server.closeAllConnections();
  server.close();
});
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const image = `${host}/com.example.app@${digest}`;
const signal = AbortSignal.timeout(10_000);
const isMissing = (error: unknown): boolean => error instanceof ContainerError && error.reason === "image_not_found";

test("a digest that was pulled before exists, whatever the registry says to a stranger", async () => {
  const digests = new ImageDigests([host]);
  await assert.rejects(digests.digestOf(image), isMissing);
  await digests.pull(`${host}/com.example.app:1`, { signal, credentials });
  assert.equal(await digests.digestOf(image), digest);
  await assert.rejects(digests.digestOf(`${host}/com.example.app@sha256:${"b".repeat(64)}`), isMissing);
});

test("an image that is named by its digest needs no registry that works", async () => {
  const digests = new ImageDigests([host]);
  for (refusal of [401, 500, 429]) assert.equal(await digests.digestOf(image), digest);
  refusal = 500;
  assert.equal(await digests.pull(image, { signal }), digest);
  await assert.rejects(digests.pull(`${host}/com.example.app:1`, { signal }), /responded with 500/);
});
