import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Outbound, Upstream } from "@appserver/kernel/ports";
import { type OpenOutbound, PushedBody, resultOf, textOf } from "./outbound-fixture.ts";

interface Instance {
  readonly address: string;
  /** Hosts, methods and bodies of its requests. */
  readonly requests: string[];
  /** Responses to requests for `/slow`. */
  readonly waiting: ServerResponse[];
  readonly server: Server;
}

/** Declares the tests of upstreams with several addresses that every driver of the family must pass. */
export function outboundInstancesSuite(name: string, open: OpenOutbound): void {
  describe(`outbound: instances: ${name}`, () => {
    const outbound: Outbound = open({});
    const upstreams: Upstream[] = [];
    const instances: Instance[] = [];
    after(async () => {
      for (const upstream of upstreams) await upstream.close(0);
      for (const { server } of instances) server.close();
      await outbound.close();
    });

    const start = async (): Promise<Instance> => {
      const [requests, waiting]: [string[], ServerResponse[]] = [[], []];
      const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk: Buffer) => (body += chunk));
        request.on("end", () => {
          requests.push(`${request.method} ${request.headers.host} ${body}`);
          if (request.url === "/base/slow") waiting.push(response);
          else response.end("done");
        });
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const instance = { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests, waiting, server };
      instances.push(instance);
      return instance;
    };
    const startStopped = async (): Promise<string> => {
      const { address, server } = await start();
      await new Promise((resolve) => server.close(resolve));
      return address;
    };
    const upstreamAt = (...addresses: string[]): Upstream => {
      const upstream = outbound.open({ url: "http://notes.apps:3000/base", managed: true, addresses });
      upstreams.push(upstream);
      return upstream;
    };

    test("each of three gets its part of the requests, in the name of the URL", async () => {
      const three = await Promise.all([start(), start(), start()]);
      const upstream = upstreamAt(...three.map(({ address }) => address));
      assert.equal(upstream.host, "notes.apps:3000");
      for (let round = 0; round < 60; round += 1) await Promise.all(Array.from({ length: 10 }, () => textOf(upstream)));
      for (const { requests } of three) {
        assert.ok(requests.length > 120 && requests.length < 282, `${requests.length} of 600`);
        assert.equal(requests[0], "GET notes.apps:3000 ");
      }
    });

    test("a busy one gets no more than the others", async () => {
      const [one, two] = await Promise.all([start(), start()]);
      const upstream = upstreamAt(one.address, two.address);
      const slow = Array.from({ length: 20 }, () => textOf(upstream, "/slow"));
      while (one.waiting.length + two.waiting.length < 20) await new Promise(setImmediate);
      assert.deepEqual([one.waiting.length, two.waiting.length], [10, 10]);
      for (const response of [...one.waiting, ...two.waiting]) response.end();
      await Promise.all(slow);
    });

    test("one that accepts no connection gets no request for a while; a body is sent to another one", async () => {
      const [one, stopped] = [await start(), await startStopped()];
      const upstream = upstreamAt(stopped, one.address);
      const body = new PushedBody();
      const sent = Array.from({ length: 20 }, () => resultOf(upstream, { method: "POST", body: Buffer.from("a") }));
      sent.push(resultOf(upstream, { method: "POST", headers: ["content-length", "1"], body }));
      body.push(Buffer.from("b"));
      assert.deepEqual([...new Set(await Promise.all(sent))], ["done"]);
      assert.equal(one.requests.length, 21);
    });

    test("requests that wait for one that no longer responds go to another one", { timeout: 30_000 }, async () => {
      await using lost = await LosableInstance.start();
      const one = await start();
      const upstream = upstreamAt(lost.address, one.address);
      const bodies = new Set<string>();
      // Connections to both are kept.
      while (bodies.size < 2) for (const body of await Promise.all([textOf(upstream), textOf(upstream)])) bodies.add(body);
      await lost.lose();
      const waiting = Array.from({ length: 20 }, () => textOf(upstream));
      assert.deepEqual([...new Set(await Promise.all(waiting))], ["done"]);
      assert.equal(await textOf(upstream), "done");
    });

    test("without a connection to any, requests go to the address of the backend itself", async () => {
      const [one, stopped, other] = [await start(), await startStopped(), await startStopped()];
      const url = `http://${one.address}/base`;
      const upstream = outbound.open({ url, managed: true, addresses: [stopped, other] });
      upstreams.push(upstream);
      for (let n = 0; n < 3; n += 1) assert.equal(await textOf(upstream), "done");
      assert.equal(await resultOf(upstream, { method: "POST", body: Buffer.from("a") }), "done");
      assert.deepEqual([one.requests.length, one.requests[3]], [4, `POST ${one.address} a`]);
    });

    test("without a connection to any the call fails, and they are tried again", async () => {
      const [one, stopped] = [await startStopped(), await startStopped()];
      const upstream = upstreamAt(stopped, one);
      assert.equal(await textOf(upstream), "unreachable");
      const again = await start();
      upstream.follow?.([stopped, again.address]);
      for (let n = 0; n < 10; n += 1) assert.equal(await textOf(upstream), "done");
      upstream.follow?.([stopped]);
      assert.equal(await textOf(upstream), "unreachable");
    });

    test("an address that is no longer followed gets no new request, and running ones end", async () => {
      const [one, two] = await Promise.all([start(), start()]);
      const upstream = upstreamAt(one.address);
      const slow = textOf(upstream, "/slow");
      while (one.waiting.length === 0) await new Promise(setImmediate);
      upstream.follow?.([two.address]);
      for (let n = 0; n < 10; n += 1) assert.equal(await textOf(upstream), "done");
      assert.deepEqual([one.requests.length, two.requests.length], [1, 10]);
      one.waiting[0]?.end("late");
      assert.equal(await slow, "late");
    });
  });
}

const losable = `
  const server = require("node:http").createServer((request, response) => response.end("from the other machine"));
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));
`;

/** An instance that can be lost as a machine is: it closes no connection, sends nothing, and new connections time out. */
class LosableInstance implements AsyncDisposable {
  readonly address: string;
  readonly #process: ChildProcess;
  readonly #sockets: Socket[] = [];

  private constructor(address: string, process: ChildProcess) {
    this.address = address;
    this.#process = process;
  }

  static async start(): Promise<LosableInstance> {
    const process = spawn(globalThis.process.execPath, ["-e", losable], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(process.stdout as NonNullable<ChildProcess["stdout"]>, "data")) as [Buffer];
    return new LosableInstance(`127.0.0.1:${Number(line.toString())}`, process);
  }

  /** Stops the process and fills its queue of connections. */
  async lose(): Promise<void> {
    this.#process.kill("SIGSTOP");
    const port = Number(this.address.split(":")[1]);
    for (let isFull = false; !isFull; ) {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      this.#sockets.push(socket);
      isFull = await Promise.race([once(socket, "connect").then(() => false), sleep(300, true)]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}
