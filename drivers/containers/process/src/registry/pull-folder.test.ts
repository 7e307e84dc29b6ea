import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { folderAnnotation, folderImageTypes, folderInLayer, tar } from "@appserver/contracts/folder-images";
import { ownIdentity } from "@appserver/kernel/files";
import { ContainerError, type ContainerErrorReason, containerLabels } from "@appserver/kernel/ports";
import { ask } from "../../../ask-probe.ts";
import { ProcessRuntime } from "../process-runtime.ts";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const root = mkdtempSync(join(tmpdir(), "appserver-pulls-"));
const blobs = new Map<string, Buffer>();
const asked: string[] = [];
/** In place of the blobs, if it is set. */
let serve: Serve | undefined;
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  if (serve) return serve(request, response);
  const bytes = blobs.get(String(request.url).split("/").at(-1) ?? "");
  response.writeHead(bytes ? 200 : 404).end(bytes);
});
let registry = "";
before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  registry = `127.0.0.1:${(server.address() as AddressInfo).port}/com.example.app`;
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  serve = undefined;
  blobs.clear();
  asked.length = 0;
});

const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const credentials = { username: "engine", password: "ticket" };
const signal = new AbortController().signal;
const app = (version: string): string =>
  `require("node:http").createServer((q, r) => r.end(JSON.stringify({ version: ${JSON.stringify(version)}, env: process.env, at: __dirname }))).listen(process.env.PORT, process.env.HOST);`;

async function layerOf(version: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tar([{ kind: "file", path: "app/main.cjs", contents: app(version) }])) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}

/** Stores an image, and returns the reference with its digest. */
function store(layer: Buffer, described: object = {}): string {
  const descriptor = {
    ...{ mediaType: folderImageTypes.layer, digest: digestOf(layer), size: layer.length },
    annotations: { [folderAnnotation]: folderInLayer },
    ...described,
  };
  const base = { mediaType: folderImageTypes.layer, digest: `sha256:${"0".repeat(64)}`, size: 50_000_000 };
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, layers: [base, descriptor] }));
  blobs.set(digestOf(layer), layer);
  blobs.set(digestOf(manifest), manifest);
  blobs.set("latest", manifest);
  return `${registry}@${digestOf(manifest)}`;
}

/** In a state folder of its own. */
function runtimeIn(stateFolder = mkdtempSync(join(root, "state-")), keptSnapshots = 6): ProcessRuntime {
  return new ProcessRuntime({
    stateFolder,
    images: () => undefined,
    pulled: (folder) => {
      if (!readdirSync(folder).includes("main.cjs")) throw new Error("there is no main.cjs");
      return { command: ["node", "main.cjs"], environment: { NODE_ENV: "production", DECLARED: "by the image" } };
    },
    path: `${dirname(process.execPath)}:/usr/bin:/bin`,
    keptSnapshots,
    stopOnClose: true,
  });
}

const specOf = (image: string) => ({
  ...{ name: "app-com.example.app", image, network: "any", port: 3000, endpoint: "network" as const },
  environment: { DECLARED: "by the app" },
  labels: { [containerLabels.instance]: "test", [containerLabels.appId]: "one" },
  ...{ memoryMb: 64, cpuShares: 1, pidsLimit: 1, readOnlyRoot: true },
});

test("an image runs by its digest: only its folder is downloaded, with the credentials, and never twice", async () => {
  const image = store(await layerOf("1"));
  const runtime = runtimeIn();
  try {
    const { digest } = await runtime.pull(image, { signal, credentials });
    assert.equal(image, `${registry}@${digest}`);
    const pair = Buffer.from("engine:ticket").toString("base64");
    assert.equal(asked.length, 2);
    assert.ok(asked.every((line) => line.endsWith(` Basic ${pair}`)));
    blobs.clear();
    await runtime.pull(image, { signal, credentials });
    assert.equal(asked.length, 2, "the registry is not asked again");
    await runtime.create(specOf(image));
    const answer = (await ask(await runtime.start("app-com.example.app"), "/")) as Record<string, Record<string, string>>;
    assert.equal(answer["version"], "1");
    assert.equal(answer["env"]?.["NODE_ENV"], "production");
    assert.equal(answer["env"]?.["DECLARED"], "by the app");
    assert.match(String(answer["at"]), new RegExp(`${digest.slice(7)}/app$`));
  } finally {
    await runtime.close();
  }
});

test("a tag is resolved at each pull", async () => {
  const runtime = runtimeIn();
  try {
    const first = store(await layerOf("1"));
    assert.equal(`${registry}@${(await runtime.pull(`${registry}:latest`, { signal })).digest}`, first);
    const second = store(await layerOf("2"));
    assert.equal(`${registry}@${(await runtime.pull(`${registry}:latest`, { signal })).digest}`, second);
  } finally {
    await runtime.close();
  }
});

test("the snapshots that were not used for the longest time are removed, never that of a container", async () => {
  const stateFolder = mkdtempSync(join(root, "state-"));
  const runtime = runtimeIn(stateFolder, 2);
  try {
    const images = [];
    for (const version of ["1", "2", "3", "4"]) {
      const image = store(await layerOf(version));
      await runtime.pull(image, { signal });
      if (version === "1") await runtime.create(specOf(image));
      images.push(image.split("@sha256:")[1]);
    }
    const [folder = ""] = readdirSync(join(stateFolder, "snapshots")).filter((name) => /^127.*app$/.test(name));
    assert.deepEqual(readdirSync(join(stateFolder, "snapshots", folder)).sort(), [images[0], images[2], images[3]].sort());
  } finally {
    await runtime.close();
  }
});

test("what a kill left of a pull is removed by the next one, and what another process pulls is not", async () => {
  const stateFolder = mkdtempSync(join(root, "state-"));
  const drafts = join(stateFolder, "snapshots/.drafts");
  const { pid, startTime } = ownIdentity();
  const living = `${pid}-${Buffer.from(startTime).toString("hex")}-living`;
  for (const name of [living, `${pid}-00-killed`, "4194305-00-killed"])
    mkdirSync(join(drafts, name, "app"), { recursive: true });
  const runtime = runtimeIn(stateFolder);
  try {
    await runtime.pull(store(await layerOf("1")), { signal });
    assert.deepEqual(readdirSync(drafts), [living]);
  } finally {
    await runtime.close();
  }
});

const pieces =
  (status: number, body = "", headers = {}): Serve =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

interface Refused {
  readonly what: string;
  readonly reason: ContainerErrorReason;
  readonly text: RegExp;
  readonly prepare: () => Promise<string>;
}

const other = `sha256:${"1".repeat(64)}`;
const refusals: readonly Refused[] = [
  {
    what: "a manifest with another digest",
    ...{ reason: "pull_failed", text: /sent a manifest with the digest sha256:/ },
    prepare: async () => {
      store(await layerOf("1"));
      blobs.set(other, blobs.get("latest") as Buffer);
      return `${registry}@${other}`;
    },
  },
  {
    what: "a layer with another digest",
    ...{ reason: "pull_failed", text: /layer of \d+ bytes with the digest sha256:.* expected were \d+ bytes with sha256:1111/ },
    prepare: async () => {
      const layer = await layerOf("1");
      blobs.set(other, layer);
      return store(layer, { digest: other });
    },
  },
  {
    what: "a layer with more bytes than the manifest says",
    ...{ reason: "pull_failed", text: /sent more than 10 bytes/ },
    prepare: async () => store(await layerOf("1"), { size: 10 }),
  },
  {
    what: "a layer with fewer bytes than the manifest says",
    ...{ reason: "pull_failed", text: /expected were 9999 bytes/ },
    prepare: async () => store(await layerOf("1"), { size: 9_999 }),
  },
  {
    what: "an image of a container",
    ...{ reason: "start_failed", text: /no layer with the folder of an app\. This platform runs apps as processes/ },
    prepare: async () => store(await layerOf("1"), { annotations: {} }),
  },
  {
    what: "a layer that is no archive, though its digest fits",
    ...{ reason: "start_failed", text: /its layer is refused: it is no POSIX archive/ },
    prepare: async () => store(gzipSync(Buffer.from("text".repeat(300)))),
  },
  {
    what: "a folder that does not run here",
    ...{ reason: "start_failed", text: /cannot run: there is no main\.cjs/ },
    prepare: async () => store(gzipSync(Buffer.alloc(1_024))),
  },
  {
    what: "an unknown image",
    reason: "image_not_found",
    text: /repository not found/,
    prepare: async () => `${registry}@${other}`,
  },
  {
    what: "a reference without a registry",
    ...{ reason: "image_not_found", text: /names no registry/ },
    prepare: async () => `com.example.app@${other}`,
  },
  {
    what: "refused credentials",
    ...{ reason: "pull_failed", text: /refused the credentials \(401\)/ },
    prepare: async () => {
      serve = pieces(401);
      return `${registry}:latest`;
    },
  },
  {
    what: "a limit of pulls",
    ...{ reason: "pull_limited", text: /no more pulls for now/ },
    prepare: async () => {
      serve = pieces(429);
      return `${registry}:latest`;
    },
  },
  {
    what: "a redirect, which would take the credentials elsewhere",
    ...{ reason: "pull_failed", text: /responded with 307/ },
    prepare: async () => {
      serve = pieces(307, "", { location: "http://127.0.0.1:9/" });
      return `${registry}:latest`;
    },
  },
  {
    what: "a manifest that is too large",
    ...{ reason: "pull_failed", text: /sent more than 4194304 bytes/ },
    prepare: async () => {
      serve = pieces(200, " ".repeat(5_000_000));
      return `${registry}:latest`;
    },
  },
  {
    what: "a connection that ends early",
    ...{ reason: "pull_failed", text: /cannot be reached, or the image cannot be stored/ },
    prepare: async () => {
      serve = (_request, response) => {
        response.writeHead(200, { "content-length": 100 }).write("{");
        setImmediate(() => response.destroy());
      };
      return `${registry}:latest`;
    },
  },
  {
    what: "a registry that is not there",
    ...{ reason: "pull_failed", text: /cannot be reached.*ECONNREFUSED/ },
    prepare: async () => "127.0.0.1:2/com.example.app:latest",
  },
];

for (const { what, reason, text, prepare } of refusals) {
  test(`refused: ${what}`, async () => {
    const stateFolder = mkdtempSync(join(root, "state-"));
    mkdirSync(join(stateFolder, "snapshots"));
    const runtime = runtimeIn(stateFolder);
    try {
      const refused = (error: unknown) =>
        error instanceof ContainerError && error.reason === reason && text.test(error.message);
      await assert.rejects(runtime.pull(await prepare(), { signal }), refused);
      const left = readdirSync(join(stateFolder, "snapshots"), { recursive: true, encoding: "utf8" });
      assert.deepEqual(
        left.filter((name) => name.includes("/")),
        [],
        "nothing is left",
      );
    } finally {
      await runtime.close();
    }
  });
}

test("a pull that takes too long ends with pull_timeout", async () => {
  const runtime = runtimeIn();
  const late = new AbortController();
  serve = () => late.abort();
  try {
    const isLate = (error: unknown) => error instanceof ContainerError && error.reason === "pull_timeout";
    await assert.rejects(runtime.pull(`${registry}:latest`, { signal: late.signal }), isLate);
  } finally {
    await runtime.close();
  }
});
