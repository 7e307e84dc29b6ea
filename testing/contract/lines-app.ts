import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestApp, testApp } from "./test-app.ts";

/** `GET /lines` returns what `POST /lines?text=…` has appended to a file of the storage `data`. */
const source = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return error.code;
  }
};

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://app");
  const file = process.env.APP_STORAGE_DATA + "/lines";
  if (request.method === "POST") appendFileSync(file, searchParams.get("text") + "\\n");
  const bodies = {
    "/lines": () => (existsSync(file) ? readFileSync(file, "utf8").split("\\n").slice(0, -1) : []),
    "/read": () => read(searchParams.get("path")),
    "/paths": () => Object.entries(process.env).filter(([name]) => name.startsWith("APP_STORAGE_")),
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(bodies[pathname]?.() ?? "ok"));
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Writes the code of the app. Returns its folder. */
export async function linesApp(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "contract-lines-"));
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "src/server.ts"), source);
  return folder;
}

/** Returns a manifest for the code of {@link linesApp}. */
export function linesManifest(
  name: string,
  version: string,
  storage: readonly Readonly<Record<"name" | "mount_path" | "size", string>>[],
  keys?: TestApp["keys"],
): Promise<TestApp> {
  const routes = [{ pattern: "/**", methods: ["GET", "POST"], is_public: true }];
  const upstream_base_url = `http://app-${name}:3000`;
  const api = { base_path: "/", upstream_base_url, health_check: { path: "/health", interval_seconds: 1 }, routes };
  return testApp({ name, version, web_app: { api }, storage }, {}, keys);
}
