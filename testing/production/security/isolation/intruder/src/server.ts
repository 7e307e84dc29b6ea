import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import {
  appEnvironment,
  createAppClient,
  createPlatformClient,
  readAppIdentity,
  serveApp,
  stopOnSignals,
} from "@appserver/sdk";
import pg from "pg";
import type { Order } from "../../orders.ts";

const timeoutMs = 3_000;
const { appName, grpcAddress = "", host, httpUrl, port } = appEnvironment(process.env);
const { privateKey } = await readAppIdentity();

const app = await serveApp({
  host,
  port,
  routes: {
    "POST /try": async (call) => ({ json: { outcome: await outcomeOf((await call.json()) as Order) } }),
  },
});
stopOnSignals({ port: app.port, stop: () => app.stop() });

async function outcomeOf(order: Order): Promise<string> {
  try {
    return await perform(order);
  } catch (error) {
    return codeIn(error);
  }
}

async function perform(order: Order): Promise<string> {
  switch (order.do) {
    case "connect":
      return await connected(order.host, order.port);
    case "fetch":
      return await fetched(order);
    case "query":
      return await queried(order);
    case "getApp":
      await createPlatformClient({ grpcUrl: `http://${grpcAddress}` }).marketplace.getApp({ name: appName }, { timeoutMs });
      return "OK";
    case "read":
      return readFileSync(order.path, "utf8");
    case "write":
      writeFileSync(order.path, "x");
      return "written";
    case "processes":
      return String(readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length);
  }
}

function connected(to: string, at: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: to, port: at, timeout: timeoutMs });
    const end = (outcome: string): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once("connect", () => end("connected"));
    socket.once("timeout", () => end("timeout"));
    socket.once("error", (error) => end(codeIn(error)));
  });
}

async function fetched({
  url: given,
  method = "GET",
  headers = {},
  body,
  signedAs,
}: Extract<Order, { do: "fetch" }>): Promise<string> {
  const url = given.replace(/^\$(\w+)/, (_, name: string) => process.env[name] ?? "");
  const client = createAppClient({ httpUrl, appName: signedAs ?? appName, privateKey, timeoutMs });
  const response =
    signedAs === undefined
      ? await fetch(new URL(url, httpUrl), {
          method,
          headers,
          ...(body === undefined ? {} : { body }),
          redirect: "manual",
          signal: AbortSignal.timeout(timeoutMs),
        })
      : await client.fetch(url, { method, headers });
  const code = /"code":"([A-Z_]+)"/.exec(await response.text())?.[1];
  // GraphQL refuses with status 200.
  return response.ok && code !== undefined ? code : String(response.status);
}

async function queried({ sql, login = {} }: Extract<Order, { do: "query" }>): Promise<string> {
  const { DB_HOST = "", DB_PORT, DB_NAME, DB_USER, DB_PASSWORD } = process.env;
  const client = new pg.Client({
    host: DB_HOST,
    port: Number(DB_PORT),
    database: login.database ?? DB_NAME ?? "",
    user: login.user ?? DB_USER ?? "",
    password: login.password ?? DB_PASSWORD ?? "",
    connectionTimeoutMillis: timeoutMs,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = (await client.query(sql)) as { rows: unknown };
    return JSON.stringify(rows);
  } finally {
    await client.end();
  }
}

/** Returns the code of the innermost error that has one. */
function codeIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "timeout";
  const inner = error.cause === undefined ? undefined : codeIn(error.cause);
  if (inner !== undefined && /^[A-Z0-9_]+$/.test(inner)) return inner;
  return "code" in error ? String(error.code) : error.message;
}
