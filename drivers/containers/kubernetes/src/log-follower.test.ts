import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { SystemClock } from "@appserver/kernel";
import type { LogRequest } from "@appserver/kernel/ports";
import { KubernetesClient } from "./kubernetes-client.ts";
import { LogFollower } from "./log-follower.ts";
import { appContainer, type Pod } from "./objects.ts";

function pod(name: string, creationTimestamp: string, hasStarted = true): Pod {
  const metadata = { name, uid: name, resourceVersion: "1", creationTimestamp, namespace: "apps" };
  const state = hasStarted ? { running: { startedAt: creationTimestamp } } : { waiting: { reason: "ContainerCreating" } };
  const containerStatuses = [{ name: appContainer, ready: hasStarted, restartCount: 0, state }];
  return { metadata, spec: { containers: [] }, status: { phase: "Running", containerStatuses } };
}

/** Follows while the pods are those of the rounds, one after the other. Returns the lines and the questions to the API server. */
async function follow(
  request: LogRequest,
  logs: Readonly<Record<string, readonly string[]>>,
  ...rounds: readonly (readonly Pod[])[]
): Promise<{ readonly texts: readonly string[]; readonly questions: readonly string[] }> {
  const questions: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://api");
    const name = pathname.split("/").at(-2) ?? "";
    questions.push(`${name} ${searchParams.get("tailLines")} ${searchParams.get("sinceTime")}`);
    response.end(searchParams.get("tailLines") === "0" ? "" : logs[name]?.map((line) => `${line}\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const clock = new SystemClock();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new KubernetesClient({ server: url, isUnverified: false }, clock);
  let round = 0;
  const follower = new LogFollower({
    client,
    clock,
    pods: async () => rounds[round++] ?? [],
    isRunning: async () => round < rounds.length,
  });
  const texts: string[] = [];
  try {
    for await (const lines of follower.read(request)) texts.push(...lines.map(({ text }) => text));
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
  return { texts, questions };
}

const first = pod("first", "2026-01-01T00:00:00Z");
const second = pod("second", "2026-01-01T00:01:00Z");

test("lines of a new pod are kept that are older than the last one of the pod before it", async () => {
  const logs = {
    first: ["2026-01-01T00:02:00.000000000Z ended"],
    second: ["2026-01-01T00:01:00.000000000Z started"],
  };
  const { texts } = await follow({ tail: 5, follow: true }, logs, [first], [second, first]);
  assert.deepEqual(texts, ["ended", "started"]);
});

test("a stream that opens again yields only what is new, and nothing old for a tail of 0", async () => {
  const logs = { first: ["2026-01-01T00:02:00.000000000Z old"] };
  assert.deepEqual((await follow({ tail: 1, follow: true }, logs, [first], [first])).texts, ["old"]);
  const none = await follow({ tail: 0, follow: true }, logs, [first], [first]);
  assert.deepEqual(none, { texts: [], questions: ["first 0 null", "first 0 null"] });
});

test("a pod that has not started does not hide the one that serves", async () => {
  const logs = { first: ["2026-01-01T00:02:00.000000000Z served"] };
  const pending = pod("second", "2026-01-01T00:01:00Z", false);
  assert.deepEqual((await follow({}, logs, [pending, first])).texts, ["served"]);
});

test("of an instance only its own lines follow, until it was removed", async () => {
  const logs = {
    first: ["2026-01-01T00:02:00.000000000Z mine"],
    second: ["2026-01-01T00:02:00.000000000Z others"],
  };
  const both = [second, first];
  const { texts } = await follow({ instance: "first", follow: true }, logs, both, both, [second], [second, first]);
  assert.deepEqual(texts, ["mine"]);
});
