import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { WebSocket } from "ws";
import { Echo, send, started } from "../test/http-listener-fixture.ts";

test("stop lets requests finish, closes WebSockets with 1001, and ends idle connections", async () => {
  const echo = new Echo();
  const listener = await started({ proxy: echo });
  const { host, port } = listener.address();
  const socket = new WebSocket(`ws://${host}:${port}/api/apps/a/live`);
  const session = connect(`http://${host}:${port}`);
  await Promise.all([once(socket, "open"), once(session, "remoteSettings")]);
  const slow = send(listener, "/api/apps/a/slow");
  await eventually(() => echo.received.includes("/api/apps/a/slow"));
  const closed = once(socket, "close");
  const gone = once(session, "close");
  await listener.stop();
  assert.equal((await slow).status, 200);
  assert.equal((await closed)[0], 1001);
  await gone;
  await assert.rejects(send(listener, "/health"), /ECONNREFUSED/);
});

test("before it stops, load balancers are notified: /ready is 503, requests are served, connections end with their response", async () => {
  const listener = await started({ proxy: new Echo(), drainDelayMs: 400 });
  const { host, port } = listener.address();
  const session = connect(`http://${host}:${port}`);
  await once(session, "remoteSettings");
  const goaway = once(session, "goaway");
  const agent = new Agent({ keepAlive: true });
  assert.equal((await send(listener, "/health", { agent })).headers.connection, "keep-alive");
  const stopped = listener.stop();
  const ready = await send(listener, "/ready", { agent });
  assert.deepEqual([ready.status, ready.headers.connection], [503, "close"]);
  const served = await send(listener, "/api/apps/a/b");
  assert.deepEqual([served.status, served.headers.connection], [200, "close"]);
  const stream = session.request({ ":path": "/api/apps/a/b" });
  const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
  assert.equal(headers[":status"], 200);
  stream.resume();
  assert.equal((await goaway)[0], 0, "NO_ERROR");
  await stopped;
  agent.destroy();
  await assert.rejects(send(listener, "/health"), /ECONNREFUSED/);
});
