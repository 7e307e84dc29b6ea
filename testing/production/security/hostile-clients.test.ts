import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, createServer, get, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { eventually, send, testApp, until } from "@appserver/testing/kit";
import {
  type ProductionServer,
  type ProductionServices,
  ReplicaGroup,
  residentKb,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { hostileClients, type Target } from "./hostile-clients.ts";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

const name = "test.answering";
const base = `/api/apps/${name}`;
const idleConnections = 10_000;
const openedAtOnce = 100;
const clientsOfEachKind = 20;
const slowMs = 3_000;
const small = "x".repeat(300);
const large = Buffer.alloc(8 * 1024 * 1024, "x");
/** Each idle connection has 8 kB at most; the rest is what hostile clients may occupy for a moment. */
const addedKb = idleConnections * 8 + 150_000;
const timeouts = { APPSERVER_HEADER_TIMEOUT: "3s", APPSERVER_READ_TIMEOUT: "2s", APPSERVER_WRITE_TIMEOUT: "3s" };

function backend(): Server {
  return createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (request.url === "/large") response.end(large);
    else if (request.url === "/slow") setTimeout(() => response.end(small), slowMs);
    else request.resume().once("end", () => response.end(small));
  });
}

/** The first server serves plain requests on sockets, the second one all requests with Node's server. */
describe("hostile clients over HTTP/1.1", { skip }, () => {
  const services = started as ProductionServices;
  const upstream = backend();
  let group: ReplicaGroup;
  before(async () => {
    await once(upstream.listen(0, "127.0.0.1"), "listening");
    const environmentOf = async (number: number) => ({ ...timeouts, APPSERVER_PLAIN_PATH: String(number === 0) });
    group = await ReplicaGroup.start(services, 2, { environmentOf });
    const limited = { is_public: true, rate_limit: { rpm: 1_000_000 } };
    const api = {
      base_path: base,
      upstream_base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      strip_base_path: true,
      routes: [
        ...["/fast", "/slow", "/large"].map((pattern) => ({ pattern, methods: ["GET"], ...limited })),
        { pattern: "/upload", methods: ["POST"], ...limited },
      ],
    };
    await group.register(group.server(0), await testApp({ name, web_app: { api } }));
    await group.client(group.server(0)).marketplace.installApp({ name });
    for (const { httpUrl } of group.servers)
      await until("the app is served", async () => (await send(httpUrl, `${base}/fast`)).status === 200);
  });
  after(async () => {
    upstream.closeAllConnections();
    upstream.close();
    await group?.stop();
    await services.stop();
  });

  for (const [number, how] of [
    [0, "on the plain path"],
    [1, "with Node's server"],
  ] as const) {
    test(`${how}, others are served, idle connections stay, and nothing is left of them`, async (context) => {
      const server = group.server(number);
      const target: Target = { port: Number(new URL(server.httpUrl).port), base };
      await Promise.all(Object.values(hostileClients).map((client) => client(target)));
      const before = { kb: residentKb(server), descriptors: descriptorsOf(server) };
      const idle = await openIdle(target);
      const work = Object.values(hostileClients).flatMap((client) =>
        Array.from({ length: clientsOfEachKind }, () => client(target)),
      );
      const [served] = await Promise.all([serveWhile(server, Promise.all(work)), ...work]);
      const added = residentKb(server) - before.kb;
      for (let at = 0; at < idle.length; at += openedAtOnce)
        await Promise.all(idle.slice(at, at + openedAtOnce).map((socket) => exchange(socket)));
      for (const socket of idle) socket.destroy();
      context.diagnostic(`${served} requests of others, ${Math.round(added / 1_000)} MB more`);
      assert.ok(added <= addedKb, `${added} kB more`);
      // Those to the backend stay a little longer.
      await eventually(
        () => descriptorsOf(server) <= before.descriptors + 50,
        (isFreed) => isFreed,
      );
    });
  }

  for (const number of [0, 1] as const) {
    test(`a stop under load cuts no response, ${number === 0 ? "on the plain path" : "with Node's server"}`, async () => {
      const server = group.server(number);
      const agent = new Agent({ keepAlive: true });
      let isStopping = false;
      let complete = 0;
      const load = Array.from({ length: 50 }, async () => {
        for (;;) {
          const outcome = await once200(server, agent);
          assert.notEqual(outcome, "cut");
          if (outcome === "none") {
            assert.ok(isStopping, "a connection was refused before the stop");
            return;
          }
          complete += 1;
        }
      });
      await eventually(() => complete > 1_000);
      isStopping = true;
      assert.equal(await server.stop(), 0);
      await Promise.all(load);
      agent.destroy();
    });
  }
});

function descriptorsOf({ pid }: Pick<ProductionServer, "pid">): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Opens connections, each with one request that has its response. */
async function openIdle(target: Target): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < idleConnections; opened += openedAtOnce) {
    const some = Array.from({ length: openedAtOnce }, () => connect(target.port, "127.0.0.1").on("error", () => {}));
    await Promise.all(some.map((socket) => exchange(socket)));
    sockets.push(...some);
  }
  return sockets;
}

/** Sends a request, and resolves when its whole response has arrived. Rejects if the connection ends before. */
function exchange(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    const onData = (bytes: Buffer): void => {
      text += bytes.toString("latin1");
      if (!text.endsWith(small) && !text.endsWith("\r\n0\r\n\r\n")) return;
      socket.off("data", onData).off("close", onClose);
      if (text.startsWith("HTTP/1.1 200 ")) resolve();
      else reject(new Error(text));
    };
    const onClose = (): void => reject(new Error(`the connection ended after ${text}`));
    socket.on("data", onData).once("close", onClose);
    socket.write(`GET ${base}/fast HTTP/1.1\r\nHost: h\r\n\r\n`);
  });
}

/** Sends requests one after the other until the work is done. Returns how many. */
async function serveWhile({ httpUrl }: ProductionServer, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let served = 0;
  for (; !isOver; served += 1) assert.equal((await send(httpUrl, `${base}/fast`)).status, 200);
  await over;
  return served;
}

/** `cut`: the response has begun, and its end is missing. `none`: there was no response. */
function once200({ httpUrl }: ProductionServer, agent: Agent): Promise<"complete" | "cut" | "none"> {
  return new Promise((resolve) => {
    get(`${httpUrl}${base}/fast`, { agent }, (response) => {
      let length = 0;
      response.on("data", (bytes: Buffer) => (length += bytes.length));
      response.once("close", () => resolve(response.complete && length === small.length ? "complete" : "cut"));
    }).once("error", () => resolve("none"));
  });
}
