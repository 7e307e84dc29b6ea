import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations, SqlOutbox } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  eventually,
  FakeClock,
  recordsMigrations,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { createCircuitEvents } from "../src/index.ts";
import { addressHeader, app, route, TestProxy } from "./fakes.ts";

const appId = "0199aaaa-0000-7000-8000-000000000001";

describe("events about circuits", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations]);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });

  const stored = async (): Promise<readonly EventEnvelope[]> => {
    const { rows } = await home.database.query<{ event: EventEnvelope }>("select event from platform.outbox order by id");
    return rows.map(({ event }) => event);
  };

  test("a circuit that opens, and one that closes again, is stored in the outbox", async (t) => {
    const clock = new FakeClock();
    const { database } = home;
    const deps = { database, outbox: new SqlOutbox(), source: "/appserver/test", replica: "host:1" };
    const proxy = new TestProxy({ clock, deps: { circuitEvents: createCircuitEvents(deps) } });
    t.after(() => proxy.stop());
    let status = 503;
    const url = await proxy.upstream((_, response) => response.writeHead(status).end());
    await proxy.start(app({ url, api: { routes: [route("/x")] } }));
    const fetch = async (address = "203.0.113.1") =>
      (await proxy.fetch("/api/apps/demo/x", { headers: { [addressHeader]: address } })).status;
    for (let i = 0; i < 5; i++) assert.equal(await fetch(`203.0.113.${1 + (i % 3)}`), 503);
    const opened = await eventually(stored, ({ length }) => length === 1);
    await clock.advance(30_000);
    status = 200;
    assert.equal(await fetch(), 200);
    const events = await eventually(stored, ({ length }) => length === 2);
    const common = { AppName: "demo", app_name: "demo", AppID: appId, app_id: appId, version: "1.0.0" };
    const reason = { reason: "5 failures in a row, of 3 callers or more", failures: 5, requests: 5 };
    assert.deepEqual(
      events.map(({ type, subject, source, body }) => ({ type, subject, source, body })),
      [
        {
          type: "circuit.opened",
          subject: "demo",
          source: "/appserver/test",
          body: { ...common, timestamp: opened[0]?.time, replica: "host:1", ...reason },
        },
        {
          type: "circuit.closed",
          subject: "demo",
          source: "/appserver/test",
          body: { ...common, timestamp: events[1]?.time, replica: "host:1" },
        },
      ],
    );
  });
});
