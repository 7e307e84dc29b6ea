import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AppKeys, ensureAppKeys, loadManifest, type SignedManifest } from "@appserver/sdk";
import { stringify } from "yaml";

/** A manifest with its own key, built as a developer builds it: from a folder with an `app.yaml`. */
export interface TestApp extends SignedManifest {
  readonly keys: AppKeys;
}

/** `fields` as in `app.yaml`; `files` become assets where `web_app.assets` names them. `keys` replaces the new keys. */
export async function testApp(
  fields: { readonly name: string } & Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
  keys?: AppKeys,
): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), "contract-app-"));
  try {
    await writeFile(join(folder, "app.yaml"), stringify({ version: "1.0.0", display_name: fields.name, ...fields }));
    for (const [name, contents] of Object.entries(files)) await writeFile(join(folder, name), contents);
    const own = keys ?? (await ensureAppKeys(folder, fields.name));
    return { ...(await loadManifest(folder, own)), keys: own };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns `web_app.api` of an app that runs in a container and serves every path to everyone. `GET /health` is its health check. */
export function containerApi(name: string, methods: readonly string[] = ["GET", "POST"], checks: object = {}) {
  return {
    base_path: "/",
    upstream_base_url: `http://app-${name}:3000`,
    health_check: { path: "/health", interval_seconds: 1, ...checks },
    routes: [{ pattern: "/**", methods, is_public: true }],
  };
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A backend that returns the request that it received. */
export interface EchoUpstream {
  readonly url: string;
  stop(): Promise<void>;
}

export async function echoUpstream(
  onRequest: (seen: SeenRequest) => void = () => {},
  statusOf: (seen: SeenRequest) => number = () => 200,
): Promise<EchoUpstream> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { method = "", url = "", headers } = request;
      const seen: SeenRequest = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
      onRequest(seen);
      response.writeHead(statusOf(seen), { "content-type": "application/json" }).end(JSON.stringify(seen));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
