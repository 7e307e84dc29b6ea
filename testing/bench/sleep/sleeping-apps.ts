import { createHash } from "node:crypto";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { containerApi, send, testApp, untilStatus } from "@appserver/testing/kit";
import type { UpProcess } from "@appserver/testing/kit/production";
import { deployModule } from "../../faults/deploy-module.ts";
import { withImageDigest } from "../../kit/with-image-digest.ts";

/** Installations at the same time. */
const atOnce = 4;

/** Returns the process that has answered. */
const source = `
import { createServer } from "node:http";
createServer((request, response) => response.end(String(process.pid))).listen(Number(process.env.PORT), process.env.HOST);
`;

/** An image as a registry has it. */
interface Image {
  readonly type: string;
  readonly manifest: Uint8Array;
  readonly blobs: readonly Uint8Array[];
}

/** A platform, and the caller that installs. */
export interface Installer {
  readonly up: UpProcess;
  /** Of an administrator. */
  readonly token: string;
  readonly registrationToken: string;
}

/** Installs apps in Node that run as processes. Their routes need a session. The first is deployed from its folder, and the others get its image. */
export async function installApps(installer: Installer, names: readonly string[], log: (line: string) => void): Promise<void> {
  const [first = "", ...others] = names;
  const { up, token } = installer;
  await deployModule({ name: first, source, manifest: manifestOf(first) }, up.httpUrl, token);
  const image = await pull(installer, first);
  const waiting = [...others];
  let installed = 1;
  const developer = createPlatformClient({ grpcUrl: up.grpcUrl });
  const administrator = createPlatformClient({ grpcUrl: up.grpcUrl, token });
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      await push(installer, name, image);
      const app = await testApp({ name, web_app: { api: apiOf(name) } });
      const host = new URL(up.httpUrl).host;
      await registerApp(developer, await withImageDigest(app, { host, token }), installer.registrationToken);
      await administrator.marketplace.installApp({ name });
      await untilStatus(up.httpUrl, `/api/apps/${name}/`, 200, { headers: { authorization: `Bearer ${token}` } });
      installed += 1;
      if (installed % 50 === 0) log(`${installed} apps installed`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function apiOf(name: string) {
  return { ...containerApi(name, ["GET"], { path: "/" }), routes: [{ pattern: "/**", methods: ["GET"] }] };
}

function manifestOf(name: string): string {
  return JSON.stringify({ name, display_name: name, version: "1.0.0", web_app: { api: apiOf(name) } });
}

async function pull({ up, token }: Installer, name: string): Promise<Image> {
  const headers = { authorization: `Bearer ${token}` };
  const read = async (path: string) => {
    const answer = await send(up.httpUrl, `/v2/${name}/${path}`, { headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const manifest = await read("manifests/latest");
  const { config, layers } = JSON.parse(manifest.text) as { config: { digest: string }; layers: { digest: string }[] };
  const blobs = [config, ...layers].map(async ({ digest }) => (await read(`blobs/${digest}`)).bytes);
  return { type: manifest.headers["content-type"] ?? "", manifest: manifest.bytes, blobs: await Promise.all(blobs) };
}

async function push({ up, token }: Installer, name: string, { type, manifest, blobs }: Image): Promise<void> {
  const write = async (method: string, path: string, type: string, body: Uint8Array): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type, "content-length": String(body.length) };
    const { status, text } = await send(up.httpUrl, `/v2/${name}/${path}`, { method, headers, body });
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  };
  for (const blob of blobs) {
    const digest = `sha256:${createHash("sha256").update(blob).digest("hex")}`;
    await write("POST", `blobs/uploads/?digest=${encodeURIComponent(digest)}`, "application/octet-stream", blob);
  }
  await write("PUT", "manifests/latest", type, manifest);
}
