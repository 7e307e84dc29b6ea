import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestApp, testApp } from "../contract/test-app.ts";

/** `POST /say` prints the secrets of the app's deployment. */
const source = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const read = (name) => readFileSync((process.env.APP_IDENTITY_DIR ?? "/run/appserver") + "/" + name, "utf8");

createServer((request, response) => {
  if (request.method === "POST" && request.url === "/say") {
    console.log("password " + process.env.DB_PASSWORD + " secret " + read("forward-secret"));
    console.error(read("key.pem"));
    console.log("all is said");
  }
  response.setHeader("content-type", "application/json");
  response.end('"ok"');
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Writes the code of the app. Returns its folder. */
export async function talkingApp(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "canary-app-"));
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "src/server.ts"), source);
  return folder;
}

/** Returns a manifest for the code of {@link talkingApp}. */
export function talkingManifest(name: string): Promise<TestApp> {
  const route = { methods: ["GET", "POST"], is_public: true };
  const routes = [
    { pattern: "/**", ...route },
    { pattern: "/limited", ...route, rate_limit: { rpm: 1_000 } },
    { pattern: "/closed", methods: ["GET"] },
  ];
  const health_check = { path: "/health", interval_seconds: 1 };
  return testApp({
    name,
    web_app: { api: { base_path: "/", upstream_base_url: `http://app-${name}:3000`, health_check, routes } },
    settings: { definitions: [{ key: "title", data_type: "STRING" }] },
  });
}
