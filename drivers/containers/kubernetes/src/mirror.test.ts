import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import { type Logger, SystemClock, silentLogger } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { KubernetesClient } from "./kubernetes-client.ts";
import { type KubernetesObject, Mirror } from "./mirror.ts";

/** An API server with one collection: each list and each watch is answered by the test. */
type Answer = (response: ServerResponse) => void;

let onList: Answer = () => {};
let onWatch: Answer = () => {};
const server: Server = createServer((request, response) => {
  const isWatch = request.url?.includes("watch=true") ?? false;
  (isWatch ? onWatch : onList)(response);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
let open: readonly (() => Promise<void>)[] = [];
const closeAll = async (): Promise<void> => {
  const closing = open;
  open = [];
  for (const close of closing) await close();
};
beforeEach(closeAll);
after(async () => {
  await closeAll();
  server.closeAllConnections();
  server.close();
});

function mirror(logger: Logger = silentLogger, silenceMs = 90_000): Mirror<KubernetesObject> {
  const clock = new SystemClock();
  const client = new KubernetesClient({ server: address, isUnverified: false }, clock, { silenceMs });
  const made = new Mirror<KubernetesObject>({ client, path: "/things", labelSelector: "a=b", clock, logger });
  open = [
    ...open,
    async () => {
      await made.close();
      await client.close();
    },
  ];
  return made;
}

function thing(name: string, resourceVersion: string, uid = name): KubernetesObject {
  return { metadata: { name, uid, resourceVersion, creationTimestamp: "" } };
}

const list =
  (resourceVersion: string, ...items: readonly KubernetesObject[]): Answer =>
  (response) =>
    response.end(JSON.stringify({ metadata: { resourceVersion }, items }));
const refuse =
  (code: number): Answer =>
  (response) => {
    response.statusCode = code;
    response.end(JSON.stringify({ code, message: `refused with ${code}` }));
  };
/** A watch that stays open. */
const events =
  (...all: readonly (readonly [type: string, object: KubernetesObject])[]): Answer =>
  (response) => {
    response.write(all.map(([type, object]) => `${JSON.stringify({ type, object })}\n`).join(""));
    response.flushHeaders();
  };
const versions = async (of: Mirror<KubernetesObject>): Promise<readonly string[]> =>
  (await of.all()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);

test("a response to a write that arrives after the deletion of the object is not kept", async () => {
  onList = list("5", thing("one", "4"));
  onWatch = events(["DELETED", thing("one", "12")]);
  const things = mirror();
  await eventually(async () => assert.deepEqual(await versions(things), []));
  things.put(thing("one", "11"));
  assert.deepEqual(await versions(things), []);
  things.put(thing("one", "13", "another"));
  assert.deepEqual(await versions(things), ["one 13"]);
});

test("a new list neither forgets nor sets back what was written while it was made", async () => {
  onList = list("5", thing("changed", "4"), thing("deleted", "4"));
  let watches = 0;
  onWatch = (response) => {
    watches += 1;
    if (watches > 1) return events()(response);
    onList = (listed) => {
      things.put(thing("created", "22"));
      things.put(thing("changed", "21"));
      list("20", thing("changed", "19"))(listed);
    };
    refuse(410)(response);
  };
  const things = mirror();
  await things.all();
  await eventually(async () => assert.deepEqual((await versions(things)).toSorted(), ["changed 21", "created 22"]));
});

test("while the server refuses to show the changes, nothing is returned as present", async () => {
  onList = list("5", thing("one", "4"));
  onWatch = refuse(403);
  const things = mirror();
  await eventually(async () => {
    await assert.rejects(things.all(), /refused with 403/);
    await assert.rejects(things.get("one"), /refused with 403/);
  });
  onWatch = events(["MODIFIED", thing("one", "6")]);
  await eventually(async () => assert.deepEqual(await versions(things), ["one 6"]));
});

test("the third failure in a row is a warning, a watch that ends at once is not repeated at once", async () => {
  const warnings: unknown[] = [];
  let watches = 0;
  onList = list("5");
  onWatch = (response) => {
    watches += 1;
    refuse(500)(response);
  };
  const warn = (...fields: readonly unknown[]) => warnings.push(fields);
  const things = mirror(Object.assign(Object.create(silentLogger) as Logger, { warn }));
  await things.all();
  await eventually(() => assert.equal(warnings.length, 1));
  assert.equal(watches, 3);
  watches = 0;
  onWatch = (response) => {
    watches += 1;
    response.end();
  };
  await eventually(() => assert.equal(watches, 1));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(watches, 1);
});

test("a watch that is silent is opened again where it was; a version that is too old lists once", async () => {
  let lists = 0;
  const asked: (string | null)[] = [];
  onList = (response) => {
    lists += 1;
    list(lists === 1 ? "5" : "30", thing("one", "4"))(response);
  };
  onWatch = (response) => {
    asked.push(new URL(response.req.url ?? "", address).searchParams.get("resourceVersion"));
    if (asked.length === 1) return events(["BOOKMARK", thing("", "20")])(response);
    return asked.length === 2 ? refuse(410)(response) : events()(response);
  };
  const things = mirror(silentLogger, 200);
  await things.all();
  await eventually(() => assert.ok(asked.length >= 4));
  assert.deepEqual([lists, ...asked.slice(0, 4)], [2, "5", "20", "30", "30"]);
});
