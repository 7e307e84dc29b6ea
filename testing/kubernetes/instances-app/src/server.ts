import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { appEnvironment, serveApp, stopOnSignals } from "@appserver/sdk";

const slowMs = 500;

const { host, port } = appEnvironment(process.env);
const app = await serveApp({
  host,
  port,
  routes: {
    "GET /instance": () => ({ json: { instance: hostname() } }),
    "POST /slow": async (call) => {
      await sleep(slowMs);
      return { json: await call.json() };
    },
  },
});
stopOnSignals(app);
