import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { SystemClock } from "@appserver/kernel";
import { checkPolicies } from "./policy-check.ts";

/** Its pauses are short, so that the tests do not wait for its deadlines. */
class FastClock extends SystemClock {
  override monotonic(): number {
    return super.monotonic() * 50;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms / 50, signal);
  }
}

/** What the pod prints, and whether it runs, after its policy was removed. */
interface Tried {
  readonly printed: string;
  readonly isRunning: boolean;
}

let tried: Tried = { printed: "closed", isRunning: true };
let isAllowed = false;
const policies = new Map<string, { readonly metadata: object }>();
const watches = new Set<ServerResponse>();

function podOf(role: string): object {
  const state = role === "serve" || isAllowed || tried.isRunning ? { running: { startedAt: "" } } : { terminated: {} };
  return { metadata: { name: role }, status: { podIP: "10.244.1.7", containerStatuses: [{ state }] } };
}

/** An API server of a cluster in which a policy has an effect or none. */
const server = createServer((request, response) => void respond(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  server.closeAllConnections();
  server.close();
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
  const parts = pathname.split("/");
  const name = parts.at(-1) ?? "";
  let text = "";
  for await (const bytes of request) text += String(bytes);
  if (searchParams.has("watch")) {
    watches.add(response);
    response.flushHeaders();
    return;
  }
  if (pathname.endsWith("/log")) {
    response.end(`${isAllowed ? "open" : tried.printed}\n`);
    return;
  }
  const send = (body: object): void => void response.end(JSON.stringify(body));
  if (name === "pods") return send({ items: [podOf(searchParams.get("labelSelector")?.endsWith("-try") ? "try" : "serve")] });
  if (name === "networkpolicies" && request.method === "POST") {
    const body = JSON.parse(text) as { readonly metadata: { readonly name: string } };
    const made = { ...body, metadata: { ...body.metadata, uid: body.metadata.name, resourceVersion: "2" } };
    policies.set(made.metadata.name, made);
    isAllowed = true;
    return send(made);
  }
  if (parts.includes("networkpolicies") && request.method === "DELETE") {
    const object = { metadata: { ...policies.get(name)?.metadata, resourceVersion: "3" } };
    for (const watch of watches) watch.write(`${JSON.stringify({ type: "DELETED", object })}\n`);
    policies.delete(name);
    isAllowed = false;
  }
  send({ metadata: { resourceVersion: "1" }, items: [...policies.values()] });
}

test("only a pod that still reaches the other one without its policy shows that policies have no effect", async () => {
  const connection = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isUnverified: false };
  const check = async (seen: Tried): Promise<string | undefined> => {
    tried = seen;
    return await checkPolicies({ connection, namespace: "apps", gateImage: "gate", pullSecrets: [], clock: new FastClock() });
  };
  assert.equal(await check({ printed: "closed", isRunning: true }), undefined);
  assert.match((await check({ printed: "open", isRunning: true })) ?? "", /^this cluster does not enforce NetworkPolicy/);
  assert.match(
    (await check({ printed: "open", isRunning: false })) ?? "",
    /^whether the cluster enforces NetworkPolicy could not be tried: the pod that tries it prints nothing any more$/,
  );
});
