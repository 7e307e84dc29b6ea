import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { after, before, describe, test } from "node:test";
import type { Endpoint, Upstream } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/basics";
import { type OpenOutbound, type OutboundRules, textOf } from "./outbound-fixture.ts";

/** Declares the tests of addresses that every driver of the family must pass. */
export function outboundAddressesSuite(name: string, open: OpenOutbound): void {
  describe(`outbound: addresses, with loopback allowed: ${name}`, () => {
    const servers: Server[] = [];
    const upstreams: Upstream[] = [];
    let dependency: number;
    let backend: number;

    before(async () => {
      for (let n = 0; n < 2; n++) {
        const server = createServer((_, response) => response.end("reached"));
        server.listen(0, "0.0.0.0");
        await once(server, "listening");
        servers.push(server);
      }
      [dependency = 0, backend = 0] = servers.map((server) => (server.address() as AddressInfo).port);
    });
    after(async () => {
      for (const upstream of upstreams) await upstream.close(0);
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    });

    /** Returns the response, or the kind of failure, of a request to a URL. Each request uses a new connection. */
    const reaching = (rules: OutboundRules) => {
      const outbound = open({ allowLoopback: true, ...rules });
      return async (url: string): Promise<string> => {
        const upstream = outbound.open({ url, managed: false });
        upstreams.push(upstream);
        return await textOf(upstream);
      };
    };
    const at = (port: number, host = "127.0.0.1"): readonly Endpoint[] => [{ host, port }];

    test("the platform's dependencies are refused by every spelling of their addresses; other ports are not refused", async () => {
      const reach = reaching({ endpoints: () => at(dependency) });
      for (const host of ["127.0.0.1", "127.0.0.2", "2130706433", "0x7f.1", "localhost", "[::ffff:127.0.0.1]"]) {
        assert.equal(await reach(`http://${host}:${dependency}/`), "denied", host);
      }
      assert.equal(await reach(`http://127.0.0.1:${backend}/`), "reached");
      assert.equal(await reach(`http://localhost:${backend}/`), "reached");
    });

    test("a port of this machine is refused on all of its addresses, even on allowed ones", async (t) => {
      const own = Object.values(networkInterfaces()).flatMap((list = []) =>
        list.filter(({ family, internal }) => family === "IPv4" && !internal),
      );
      if (own.length === 0) return t.skip("this machine has no address but loopback");
      const reach = reaching({ allow: own.map(({ address }) => address), endpoints: () => at(dependency, "localhost") });
      for (const { address } of own) {
        assert.equal(await reach(`http://${address}:${dependency}/`), "denied", address);
        assert.equal(await reach(`http://${address}:${backend}/`), "reached", address);
      }
    });

    test("names are resolved again after a few seconds, and keep their addresses while resolving fails", async () => {
      const clock = new FakeClock();
      const table = new Map([["app.example.com", "127.0.0.1"]]);
      const lookup: LookupFunction = (hostname, _, callback) => {
        const address = table.get(hostname);
        if (address === undefined) callback(new Error("no such name"), []);
        else callback(null, [{ address, family: 4 }]);
      };
      // 192.0.2.7 is not an address of this machine, so it matches only itself.
      const reach = reaching({ clock, lookup, deny: [], endpoints: () => at(backend, "kratos.internal") });
      table.set("kratos.internal", "192.0.2.7");
      assert.equal(await reach(`http://app.example.com:${backend}/`), "reached");
      table.set("kratos.internal", "127.0.0.1");
      assert.equal(await reach(`http://app.example.com:${backend}/`), "reached", "the last result is used again");
      await clock.advance(5_000);
      assert.equal(await reach(`http://app.example.com:${backend}/`), "denied");
      table.delete("kratos.internal");
      await clock.advance(5_000);
      assert.equal(await reach(`http://app.example.com:${backend}/`), "denied");
    });

    test("a host is also refused by its name; without a port, on every port; late endpoints are read again", async () => {
      const clock = new FakeClock();
      const known: Endpoint[] = [{ host: "Queue.Internal" }];
      const lookup: LookupFunction = (_hostname, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]);
      const reach = reaching({ clock, lookup, endpoints: () => known });
      assert.equal(await reach(`http://queue.internal:${backend}/`), "denied");
      assert.equal(await reach(`http://other.internal:${backend}/`), "denied");
      known.length = 0;
      await clock.advance(5_000);
      assert.equal(await reach(`http://queue.internal:${backend}/`), "reached");
      known.push({ host: "127.0.0.1", port: backend });
      await clock.advance(5_000);
      assert.equal(await reach(`http://queue.internal:${backend}/`), "denied");
    });
  });
}
