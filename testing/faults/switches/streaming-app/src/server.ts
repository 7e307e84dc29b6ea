import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type AppEvent, appEnvironment, serveApp, stopOnSignals } from "@appserver/sdk";
import { WebSocketServer } from "ws";

/** What this release is. The test writes the file. */
const { version } = JSON.parse(readFileSync(new URL("../release.json", import.meta.url), "utf8")) as {
  readonly version: string;
};
/** Distinguishes this process from those before and after it. */
const instance = randomUUID();
const everyMs = 100;
const slowMs = 500;

async function* instances(): AsyncGenerator<AppEvent> {
  for (;;) {
    yield { data: { instance } };
    await sleep(everyMs);
  }
}

const sockets = new WebSocketServer({ noServer: true });
sockets.on("connection", (socket) => {
  const timer = setInterval(() => socket.send(instance), everyMs);
  socket.once("close", () => clearInterval(timer));
});
// Before the SDK closes the WebSockets for the same signal.
process.once("SIGTERM", () => {
  for (const socket of sockets.clients) socket.send("SIGTERM");
});

const { host, port } = appEnvironment(process.env);
const app = await serveApp({
  host,
  port,
  routes: {
    "GET /instance": () => ({ json: { instance, version } }),
    "POST /slow": async (call) => {
      await sleep(slowMs);
      return { json: await call.json() };
    },
    "GET /events": () => ({ events: instances() }),
  },
  onUpgrade: (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit("connection", client, request)),
});
stopOnSignals(app);
