import { send, untilStatus } from "@appserver/testing/kit";
import { deployModule, repositoryPackage } from "./deploy-module.ts";

export const notingApp = "org.example.noting";
const path = `/api/apps/${notingApp}/`;

/** Keeps one text in its database and in its storage, both with a filler. `POST /` replaces it, `GET /` returns it. */
const source = `
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { Client } = createRequire(${JSON.stringify(repositoryPackage)})("pg");
const { DB_HOST: host, DB_PORT: port, DB_NAME: database, DB_USER: user, DB_PASSWORD: password, APP_STORAGE_DATA } = process.env;
const client = new Client({ host, port: Number(port), database, user, password });
client.on("error", () => process.exit(1));
await client.connect();
await client.query("create table if not exists noted (text text, filler text)");

const inStorage = () => {
  try {
    return readFileSync(APP_STORAGE_DATA + "/text", "utf8");
  } catch {
    return "";
  }
};
const note = async (text) => {
  await client.query("delete from noted");
  await client.query("insert into noted select $1, string_agg(md5(random()::text), '') from generate_series(1, 100000)", [text]);
  writeFileSync(APP_STORAGE_DATA + "/text", text);
  writeFileSync(APP_STORAGE_DATA + "/filler", Buffer.alloc(20_000_000, text));
};
createServer(async (request, response) => {
  if (request.method === "POST") {
    let text = "";
    for await (const piece of request) text += piece;
    await note(text);
  }
  const { rows } = await client.query("select text from noted");
  response.end(JSON.stringify([rows[0]?.text ?? "", inStorage()]));
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const manifest = `name: ${notingApp}
display_name: Noting
version: 1.0.0
storage: [{ name: data, mount_path: /data, size: 100Mi }]
web_app:
  api:
    base_path: /api/apps/${notingApp}
    upstream_base_url: http://app-${notingApp}:3000
    health_check: { path: /, interval_seconds: 1 }
    routes: [{ pattern: /, methods: [GET, POST], is_public: true }]
`;

/** Deploys the app from a folder, as its developer does. */
export async function deployNotingApp(httpUrl: string, token: string): Promise<void> {
  await deployModule({ name: notingApp, source, manifest }, httpUrl, token);
  await untilStatus(httpUrl, path, 200);
}

export async function note(httpUrl: string, text: string): Promise<void> {
  const { status, text: answer } = await send(httpUrl, path, { method: "POST", body: text });
  if (status !== 200) throw new Error(`${status} ${answer}`);
}

/** Returns the text in the database and that in the storage. */
export async function noted(httpUrl: string): Promise<unknown> {
  return JSON.parse((await untilStatus(httpUrl, path, 200)).text);
}
