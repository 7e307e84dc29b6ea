// One replica of the hooks service on a real database, which tests kill: node hooks-replica-process.ts <gRPC port> <connection
// of the database as JSON> <port of the backend that is posted to>

import { createServer } from "node:http2";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { createHooks, type HookApp } from "@appserver/hooks";
import { SqlAuditLog, SqlOutbox, SystemClock, silentLogger, silentMetrics } from "@appserver/kernel";
import { UndiciOutbound } from "@appserver/outbound-undici";
import { callBy, testPool } from "@appserver/testing/kit";
import type { HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { healthyApps, hookName, poisonedApp, pushedApp, pushPath, sourceApp, stuckApp } from "./hooks-apps.ts";

const [port = "0", connection = "{}", pushPort = "0"] = process.argv.slice(2);
const clock = new SystemClock();
const database = new PostgresDatabase({
  ...testPool,
  connection: JSON.parse(connection) as PostgresConnection,
  clock,
  logger: silentLogger,
});

function appOf(name: string): HookApp {
  const isPushed = name === pushedApp;
  const hooks = name === sourceApp ? [] : [{ hookName, path: isPushed ? pushPath : undefined }];
  const backend = isPushed ? { url: `http://127.0.0.1:${pushPort}`, managed: true } : undefined;
  return { id: name, name, version: "1.0.0", declaredBy: "1", hooks, backend };
}

const apps = new Map([sourceApp, ...healthyApps, poisonedApp, stuckApp].map((name) => [name, appOf(name)]));
const hooks = createHooks({
  database,
  clock,
  outbox: new SqlOutbox(),
  audit: new SqlAuditLog({ database, clock }),
  metrics: silentMetrics,
  broker: { observe: async () => ({ close: async () => {} }) },
  // There is no authentication: the header names the caller.
  permissions: { allowed: () => true },
  apps: { all: () => [...apps.values()], get: (name) => apps.get(name) },
  notifications: { triggered: async function* () {} },
  // The platform runs the backend itself, so its address is not checked.
  transport: new UndiciOutbound({ allow: [], deny: [], allowLoopback: true, clock, logger: silentLogger }),
  forwardKeys: { of: () => "none" },
  platformKeys: [new Uint8Array(32)],
  logger: silentLogger,
  source: "/appserver/faults",
  policy: {
    retry: { delaysMs: [5_000, 300_000, 1_800_000] },
    answerTimeoutMs: 30_000,
    onCreateTimeoutMs: 30_000,
    subscribeNeedsPermission: true,
    maxWaitingPerApp: 200_000,
  },
});
await hooks.start?.();

const server = createServer(
  connectNodeAdapter({
    routes: (router) => {
      const methods = Object.entries(hooks.grpc).map(([name, method]) => [
        name,
        (request: never, { requestHeader, signal }: HandlerContext) => {
          const app = requestHeader.get("x-app-name") ?? sourceApp;
          return method(request, callBy({ kind: "app", name: app, id: app }, { signal }));
        },
      ]);
      router.service(HooksService, Object.fromEntries(methods));
    },
  }),
);
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
