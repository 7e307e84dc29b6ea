import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, send } from "@appserver/testing/kit";
import { basic, digestOf, manifestOf, RegistryUnderTest } from "./registry-under-test.ts";
import { keepUnusedMs } from "./test-registry.ts";

const app = "com.example.notes";
const headers = basic("any", "dora");
const layer = Buffer.alloc(10_000, 1);
const config = "{}";
const manifest = manifestOf(digestOf(config), digestOf(layer));
const registry = new RegistryUnderTest();
after(() => registry.stop());

/** Steps of a push, each by a request that may be the last one. Those with `cut` send a part of their body. */
const steps = [
  { does: "begin" },
  { does: "patch", cut: 5_000 },
  { does: "patch" },
  { does: "finish" },
  { does: "config" },
  { does: "manifest", cut: 100 },
  { does: "manifest" },
] as const;

test("a kill at any step of a push leaves nothing that is served, and a later start removes the rest", async () => {
  for (let last = 0; last < steps.length; last += 1) {
    const { child, url } = await startProcess();
    try {
      await pushUntil(url, last);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    requireWhole();
  }
  await registry.start();
  const path = `/v2/${app}/manifests/latest`;
  assert.equal((await registry.send(path)).text, manifest, "the last round has pushed it");
  registry.clock.advance(2 * keepUnusedMs);
  await registry.clean();
  for (const folder of ["uploads", "writing", "discarded", "repositories"])
    assert.deepEqual(readdirSync(join(registry.folder, folder)), [], folder);
});

async function startProcess(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const script = join(import.meta.dirname, "registry-process.ts");
  const child = spawn(process.execPath, [script, registry.folder], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(child.stdout, "data");
  return { child, url: `http://127.0.0.1:${String(printed).trim()}` };
}

/** The kill comes while the last step runs, unless that completes the push. */
async function pushUntil(url: string, last: number): Promise<void> {
  let location = "";
  for (const [index, step] of steps.entries()) {
    if (index > last) return;
    if ("cut" in step && index < last) continue;
    const request = requestOf(step.does, location);
    if ("cut" in step) await sendPart(url, request, step.cut);
    else if (index === last && last < steps.length - 1) {
      send(url, request.path, { ...request, headers }).catch(() => {});
      await sleep(last);
    } else {
      const answer = await send(url, request.path, { ...request, headers });
      assert.ok(answer.status < 300, `${step.does}: ${answer.status} ${answer.text}`);
      location = answer.headers.location ?? location;
    }
  }
}

type Step = (typeof steps)[number]["does"];

function requestOf(
  step: Step,
  location: string,
): { readonly method: string; readonly path: string; readonly body?: string | Buffer } {
  const uploads = `/v2/${app}/blobs/uploads/`;
  if (step === "begin") return { method: "POST", path: uploads };
  if (step === "patch") return { method: "PATCH", path: location, body: layer };
  if (step === "finish") return { method: "PUT", path: `${location}?digest=${digestOf(layer)}` };
  if (step === "config") return { method: "POST", path: `${uploads}?digest=${digestOf(config)}`, body: config };
  return { method: "PUT", path: `/v2/${app}/manifests/latest`, body: manifest };
}

async function sendPart(
  url: string,
  { method, path, body = "" }: ReturnType<typeof requestOf>,
  bytes: number,
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${headers["authorization"]}\r\ncontent-length: ${body.length}\r\n\r\n`;
  await new Promise<void>((resolve) => {
    socket.write(head);
    socket.write(Buffer.from(body).subarray(0, bytes), () => resolve());
  });
  if (method === "PATCH") {
    const writing = join(registry.folder, "writing");
    await eventually(() => assert.ok(readdirSync(writing).length > 0));
  }
  return socket;
}

/** Every file that a registry would serve has its digest, and each manifest its blobs. */
function requireWhole(): void {
  const repository = join(registry.folder, "repositories", app);
  const namesIn = (kind: string): readonly string[] => {
    try {
      return readdirSync(join(repository, kind));
    } catch {
      return [];
    }
  };
  for (const kind of ["blobs", "manifests"])
    for (const name of namesIn(kind)) assert.equal(digestOf(readFileSync(join(repository, kind, name))), `sha256:${name}`);
  const blobs = namesIn("blobs").map((name) => `sha256:${name}`);
  for (const name of namesIn("manifests")) {
    const {
      config: { digest },
      layers,
    } = JSON.parse(readFileSync(join(repository, "manifests", name), "utf8"));
    for (const each of [digest, ...layers.map((descriptor: { digest: string }) => descriptor.digest)])
      assert.ok(blobs.includes(each), each);
  }
  for (const tag of namesIn("tags")) {
    const digest = readFileSync(join(repository, "tags", tag), "utf8");
    assert.ok(namesIn("manifests").includes(digest.slice("sha256:".length)));
  }
}
