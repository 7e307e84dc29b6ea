import { deployModule, repositoryPackage } from "./deploy-module.ts";

export const countingApp = "org.example.counting";
/** It is posted to the app. */
export const countedHook = `${countingApp}.counted`;

/**
 * Counts, first in its database and then in its storage. `GET /` returns both numbers as they were at its start, `GET /now` the one that is in
 * both now.
 */
const source = `
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { Client } = createRequire(${JSON.stringify(repositoryPackage)})("pg");
const { DB_HOST: host, DB_PORT: port, DB_NAME: database, DB_USER: user, DB_PASSWORD: password, APP_STORAGE_DATA } = process.env;
const file = APP_STORAGE_DATA + "/number";
const client = new Client({ host, port: Number(port), database, user, password });
client.on("error", () => process.exit(1));
await client.connect();
await client.query("create table if not exists counted (number int primary key)");
const inDatabase = async () => (await client.query("select coalesce(max(number), 0) as number from counted")).rows[0].number;
const inStorage = () => {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
};
const found = { database: await inDatabase(), storage: inStorage() };
let now = 0;
createServer((request, response) => {
  request.resume();
  response.end(request.url.endsWith("/now") ? String(now) : JSON.stringify(found));
}).listen(Number(process.env.PORT), process.env.HOST);
for (let number = found.database + 1; ; number++) {
  await client.query("insert into counted values ($1)", [number]);
  writeFileSync(file + ".draft", String(number));
  renameSync(file + ".draft", file);
  now = number;
  await new Promise((done) => setTimeout(done, 5));
}
`;

const manifest = `name: ${countingApp}
display_name: Counting
version: 1.0.0
storage: [{ name: data, mount_path: /data, size: 100Mi }]
settings:
  definitions: [{ key: token, data_type: STRING, sensitive: true }, { key: count, data_type: INT, default_value: "0" }]
hooks: [{ hook_name: ${countedHook}, path: /counted }]
web_app:
  api:
    base_path: /api/apps/${countingApp}
    upstream_base_url: http://app-${countingApp}:3000
    health_check: { path: /, interval_seconds: 1 }
    routes: [{ pattern: /**, methods: [GET], is_public: true }]
`;

/** Deploys the app from a folder, as its developer does. */
export async function deployCountingApp(httpUrl: string, token: string): Promise<void> {
  await deployModule({ name: countingApp, source, manifest }, httpUrl, token);
}
