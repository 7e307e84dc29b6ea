import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Outbound, Upstream, UpstreamRequest } from "@appserver/kernel/ports";
import { type OpenOutbound, PushedBody, resultOf } from "./outbound-fixture.ts";

const response = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";

/** What a backend does with a request on a connection that it wants to close. */
const ends: Readonly<Record<string, (socket: Socket) => void>> = {
  close: (socket) => void socket.end(),
  reset: (socket) => void socket.resetAndDestroy(),
  "reset within the status line": (socket) => void socket.write("HTTP", () => socket.resetAndDestroy()),
  "close after an interim response": (socket) => void socket.end("HTTP/1.1 100 Continue\r\n\r\n"),
};

/** Declares the tests of repeated requests that every driver of the family must pass. */
export function outboundRepeatsSuite(name: string, open: OpenOutbound): void {
  describe(`outbound: requests on reused connections: ${name}`, () => {
    let url = "";
    let end = ends["close"] as (socket: Socket) => void;
    /** The number of requests on each connection. */
    const counts: number[] = [];
    /** Which requests get a response: the number of the connection, and of the request on it. */
    let responds = (_connection: number, request: number): boolean => request === 1;
    const backend = createServer((socket) => {
      const at = counts.push(0) - 1;
      socket
        .on("error", () => {})
        .on("data", (data) => {
          if (!data.toString("latin1").includes(" HTTP/1.1\r\n")) return;
          const count = (counts[at] ?? 0) + 1;
          counts[at] = count;
          if (responds(at, count)) socket.write(response);
          else end(socket);
        });
    });
    const upstreams: Upstream[] = [];
    let outbound: Outbound;

    before(async () => {
      await once(backend.listen(0, "127.0.0.1"), "listening");
      url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
      outbound = open({});
    });
    after(async () => {
      for (const upstream of upstreams) await upstream.close(0);
      await outbound.close();
      backend.close();
    });

    /** Returns the outcome of a second request on a connection, and how many requests each connection got. */
    const second = async (request: Partial<UpstreamRequest>, how: string) => {
      counts.length = 0;
      end = ends[how] as (socket: Socket) => void;
      const upstream = outbound.open({ url, managed: true });
      upstreams.push(upstream);
      assert.equal(await resultOf(upstream), "done");
      return [await resultOf(upstream, request), ...counts];
    };

    for (const how of ["close", "reset"]) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        test(`${method} is sent once more on a new connection after a ${how}`, async () => {
          assert.deepEqual(await second({ method }, how), [method === "HEAD" ? "" : "done", 2, 1]);
        });
      }
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"]) {
        test(`${method} is not sent again after a ${how}`, async () => {
          assert.deepEqual(await second({ method }, how), ["reset", 2]);
        });
      }
    }

    test("a request with a body is not sent again", async () => {
      const pushed = new PushedBody();
      pushed.push(Buffer.from("x"));
      for (const body of [new TextEncoder().encode("x"), pushed])
        assert.deepEqual(await second({ method: "GET", body }, "reset"), ["reset", 2]);
    });

    test("a request whose response has begun is not sent again", async () => {
      for (const how of ["reset within the status line", "close after an interim response"])
        assert.deepEqual((await second({ method: "GET" }, how)).slice(1), [2], how);
    });

    test("a request is sent at most twice, and only once on a new connection", async () => {
      responds = (connection, request) => connection === 0 && request === 1;
      assert.deepEqual(await second({ method: "GET" }, "reset"), ["reset", 2, 1]);
    });
  });
}
