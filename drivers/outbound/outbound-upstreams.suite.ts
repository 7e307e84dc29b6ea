import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Outbound, Upstream, UpstreamCall, UpstreamReceiver } from "@appserver/kernel/ports";
import { type OpenOutbound, PushedBody, resultOf, textOf } from "./outbound-fixture.ts";

/** Declares the tests of `open` that every driver of the family must pass. */
export function outboundUpstreamsSuite(name: string, open: OpenOutbound): void {
  describe(`outbound: upstreams: ${name}`, () => {
    const lines: string[] = [];
    const upstreams: Upstream[] = [];
    let server: Server;
    let outbound: Outbound;
    let url: string;

    before(async () => {
      server = createServer((socket) => {
        socket.on("error", () => {});
        socket.on("data", (data) => {
          const line = data.toString("latin1").split("\r\n")[0] ?? "";
          lines.push(line);
          if (line.includes("/reset")) socket.resetAndDestroy();
          else if (line.includes("/nonsense")) socket.end("nonsense\r\n\r\n");
          else socket.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
        });
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      outbound = open({});
    });
    after(async () => {
      for (const upstream of upstreams) await upstream.close(0);
      await outbound.close();
      server.close();
    });

    const upstreamAt = (base: string): Upstream => {
      const upstream = outbound.open({ url: base, managed: true });
      upstreams.push(upstream);
      return upstream;
    };

    test("requests arrive below the base path; an interim response is dropped", async () => {
      const upstream = upstreamAt(`${url}/base/`);
      assert.equal(await textOf(upstream, "/x?y=1"), "done");
      assert.equal(await textOf(upstream, "?y=2"), "done");
      assert.deepEqual(lines, ["GET /base/x?y=1 HTTP/1.1", "GET /base/?y=2 HTTP/1.1"]);
    });

    test("failures have a kind", async () => {
      const upstream = upstreamAt(url);
      assert.equal(await textOf(upstream, "/reset"), "reset");
      assert.equal(await textOf(upstream, "/nonsense"), "protocol");
      const free = createServer();
      await once(free.listen(0, "127.0.0.1"), "listening");
      const { port } = free.address() as AddressInfo;
      await new Promise((resolve) => free.close(resolve));
      assert.equal(await textOf(upstreamAt(`http://127.0.0.1:${port}`)), "unreachable");
    });

    test("a connection carries one request after the other, unless the backend closes it or sends too much", async () => {
      const ports = new Set<number | undefined>();
      const kept = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
      const responses = [kept, kept, kept.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"), `${kept}more`, kept];
      const backend = createServer((socket) => {
        socket
          .on("error", () => {})
          .on("data", () => {
            ports.add(socket.remotePort);
            socket.write(responses.shift() ?? "");
          });
      });
      await once(backend.listen(0, "127.0.0.1"), "listening");
      const upstream = upstreamAt(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`);
      const used: number[] = [];
      for (let n = 0; n < 5; n += 1) {
        assert.equal(await textOf(upstream), "done");
        used.push(ports.size);
      }
      backend.close();
      assert.deepEqual(used, [1, 1, 1, 2, 3]);
    });

    test("a receiver that pauses at the last bytes of a response does not pause the next one", async () => {
      const chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n0\r\n\r\n";
      const backend = createServer((socket) => {
        socket.on("error", () => {}).on("data", () => socket.write(chunks));
      });
      await once(backend.listen(0, "127.0.0.1"), "listening");
      const upstream = upstreamAt(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`);
      let call: UpstreamCall | undefined;
      const paused = await new Promise<string>((resolve) => {
        const receiver: UpstreamReceiver = {
          onStart: (started) => {
            call = started;
          },
          onHead: () => {},
          onData: () => {
            call?.pause();
            return false;
          },
          onEnd: () => resolve("complete"),
          onUpgrade: () => resolve("upgraded"),
          onError: ({ kind }) => resolve(kind),
        };
        upstream.send({ method: "GET", path: "/", headers: [], body: undefined }, receiver);
      });
      assert.equal(paused, "complete");
      const next = textOf(upstream);
      call?.pause();
      assert.equal(await next, "done");
      backend.close();
    });

    test("an upload that the backend refuses before it has read it gets the response, although the connection is reset", async () => {
      const body = new PushedBody();
      const backend = createServer((socket) => {
        socket.once("data", () => {
          // All in one turn, so that the next write of the body fails before the response is read.
          socket.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlong");
          socket.resetAndDestroy();
          body.push(Buffer.alloc(64 * 1024));
        });
      });
      await once(backend.listen(0, "127.0.0.1"), "listening");
      const upstream = upstreamAt(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`);
      assert.equal(await resultOf(upstream, { method: "POST", body }), "long");
      const silent = new PushedBody();
      backend.removeAllListeners("connection").on("connection", (socket) => {
        socket.once("data", () => {
          socket.resetAndDestroy();
          silent.push(Buffer.alloc(64 * 1024));
        });
      });
      assert.equal(await resultOf(upstream, { method: "POST", body: silent }), "reset");
      backend.close();
    });

    test("closing waits for requests, aborts them after its grace, and refuses new ones", async () => {
      let asked = Promise.withResolvers<Socket>();
      const backend = createServer((socket) => {
        socket.on("error", () => {}).once("data", () => asked.resolve(socket));
      });
      await once(backend.listen(0, "127.0.0.1"), "listening");
      const at = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
      const patient = upstreamAt(at);
      const waiting = textOf(patient);
      const connection = await asked.promise;
      const closed = patient.close();
      assert.equal(await textOf(patient), "unsent");
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
      assert.equal(await waiting, "done");
      await closed;
      const hasty = upstreamAt(at);
      asked = Promise.withResolvers();
      const aborted = textOf(hasty);
      await asked.promise;
      await hasty.close(0);
      assert.equal(await aborted, "reset");
      backend.close();
    });

    test("posts and probes end with the driver; upstreams stay open", async () => {
      const closed = open({});
      const upstream = closed.open({ url, managed: true });
      upstreams.push(upstream);
      await closed.close();
      assert.equal(await textOf(upstream), "done");
      const message = { headers: {}, body: new Uint8Array(0) };
      await assert.rejects(closed.post({ url, managed: true }, "/x", message, 1_000));
    });

    test("a URL that is not one of an upstream is refused", () => {
      for (const bad of ["ftp://127.0.0.1", "http://user@127.0.0.1", "nothing"]) {
        assert.throws(() => outbound.open({ url: bad, managed: true }), RangeError, bad);
      }
    });
  });
}
