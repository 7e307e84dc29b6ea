import { containerApi, type TestApp, testApp, writeAppFolder } from "@appserver/testing/kit";

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
export function linesApp(): Promise<string> {
  return writeAppFolder(source);
}

/** Returns a manifest for the code of {@link linesApp}. */
export function linesManifest(
  name: string,
  version: string,
  storage: readonly Readonly<Record<"name" | "mount_path" | "size", string>>[],
  keys?: TestApp["keys"],
): Promise<TestApp> {
  return testApp({ name, version, web_app: { api: containerApi(name) }, storage }, {}, keys);
}
