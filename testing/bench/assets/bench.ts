import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { send, testApp, until } from "@appserver/testing/kit";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { compare, type Gateway, localGateway, requestsWith } from "../gateways/compare.ts";
import { startNginxWith } from "../gateways/nginx.ts";
import { type ServedApps, serveApps } from "../served-apps.ts";
import { startFastifyStatic } from "./fastify.ts";
import { script, writeCompressed } from "./files.ts";

const name = "test.assets";
const files = [script("small.js", 10_000), script("large.js", 200_000)];
const codings = { br: { "accept-encoding": "br, gzip" }, identity: { "accept-encoding": "identity" } };
/** A saturated core serves the inverse of the CPU time: at least three quarters as much as nginx, and 3 times as much as @fastify/static. */
const targets = { nginx: 1.3, "@fastify/static": 0.333 };

const cases = [
  { prefix: "10 kB, br: ", file: "small.js", headers: codings.br, requests: 6_000, status: 200 },
  { prefix: "10 kB, identity: ", file: "small.js", headers: codings.identity, requests: 6_000, status: 200 },
  { prefix: "200 kB, br: ", file: "large.js", headers: codings.br, requests: 3_000, status: 200 },
  { prefix: "200 kB, identity: ", file: "large.js", headers: codings.identity, requests: 2_000, status: 200 },
  { prefix: "304: ", file: "small.js", headers: codings.br, requests: 6_000, status: 304 },
] as const;

/** Compares files of a frontend with servers of files. */
export const bench: Bench = {
  name: "assets",
  work: "Files of 10 kB and 200 kB, compressed and not, and revalidations, over 50 connections.",
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "appserver-bench-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "files");
  await mkdir(root);
  await writeCompressed(root, files);
  const nginx = await startNginxWith(() => "", `root ${root}; gzip_static on; location / { expires 1y; }`);
  cleanup.defer(async () => void (await nginx.stop()));
  const fastify = await startFastifyStatic(root, join(folder, "fastify.log"));
  cleanup.defer(async () => void (await fastify.stop()));
  const apps = await serveApps([], { logFile: join(folder, "log") });
  cleanup.defer(apps.stop);
  await install(apps);
  const figures: Figure[] = [];
  for (const { file, headers, ...kind } of cases) {
    const servers: readonly Gateway[] = [
      { name: "platform", servers: [{ url: `${apps.server.httpUrl}${path(file)}`, pid: apps.pid }] },
      localGateway("nginx", nginx, `/${file}`),
      localGateway("@fastify/static", fastify, `/${file}`),
    ];
    const asking = await Promise.all(
      servers.map(async (server) => {
        const tag = kind.status === 304 ? { "if-none-match": await entityTag(server, headers) } : {};
        return { ...server, requests: requestsWith({ ...headers, ...tag }) };
      }),
    );
    figures.push(...(await compare(asking, targets, options, kind)).figures);
  }
  return { figures, notes };
}

function path(file: string): string {
  return `/apps/${name}/assets/${file}`;
}

async function install({ group, server }: ServedApps): Promise<void> {
  const ui = { mode: "ESM_COMPONENT", entry_asset_name: "small.js", route_base: "/bench" };
  const contents = Object.fromEntries(files.map((file) => [file.name, file.contents]));
  await group.register(server, await testApp({ name, web_app: { assets: files.map((file) => file.name), ui } }, contents));
  await group.client(server).marketplace.installApp({ name });
  for (const file of files)
    await until(`${file.name} is served`, async () => (await send(server.httpUrl, path(file.name))).status === 200);
}

async function entityTag({ servers }: Gateway, headers: Readonly<Record<string, string>>): Promise<string> {
  const url = servers[0]?.url ?? "";
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.headers.get("etag") ?? "";
}

const notes = [
  "Each server runs alone on one core in its turn; the requests come from the other. CPU is user and system time of the serving process; a saturated core serves the inverse of it.",
  "nginx 1.22: one worker, `gzip_static` (it has no br, so it sends gzip), without sendfile, access log in a file. @fastify/static: files compressed before (br), log in a file.",
  "The platform: integrity headers and entity tags, request log to a file.",
  "Rounds are interleaved; the first is not counted.",
];
