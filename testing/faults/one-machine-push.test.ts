import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type HttpAnswer, type HttpRequest, send } from "@appserver/testing/kit";
import { chance, seed } from "./random.ts";
import { UpPlatform } from "./up-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const app = "com.example.pushed";
const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const layerBytes = 400_000;
/** The part of a request's body that is sent before a kill in its middle. */
const cut = 0.6;

const steps = ["begin", "patch", "finish", "config", "manifest"] as const;
type Step = (typeof steps)[number];
/** When the platform is killed: with a part of the body sent, a random moment after all of it, or after the response. */
type Moment = "middle" | "sent" | "acknowledged";

/** What a client pushes: one layer, its configuration, and the manifest that names both. */
interface Image {
  readonly layer: Buffer;
  readonly config: string;
  readonly manifest: string;
  readonly tag: string;
}

suite("kill -9 of appserver up during a push", { skip }, () => {
  const random = chance();
  const acknowledged = new Map<string, string | Buffer>();
  let platform: UpPlatform;
  let headers: Readonly<Record<string, string>> = {};
  before(async () => {
    platform = await UpPlatform.create();
    await platform.start();
    const cookie = await platform.becomeAdministrator();
    const grants = `[{ relation: "holder", object: "permission_scope:register_app" }]`;
    const { createServiceAccount } = await platform.ask<{ createServiceAccount: { secret: string } }>(
      cookie,
      `mutation { createServiceAccount(name: "pushes", grants: ${grants}) { secret } }`,
    );
    const credentials = Buffer.from(`any:${createServiceAccount.secret}`).toString("base64");
    headers = { authorization: `Basic ${credentials}`, host: new URL(platform.httpUrl).host };
  });
  after(() => platform?.remove());

  const ask = (path: string, request: HttpRequest = {}): Promise<HttpAnswer> =>
    send(platform.httpUrl, path, { ...request, headers: { ...headers, ...request.headers } });

  /** Sends one step, and keeps what the response acknowledges. Returns the response. */
  async function push(step: Step, image: Image, location: string): Promise<HttpAnswer> {
    const { path, ...request } = requestOf(step, image, location);
    const answer = await ask(path, request);
    assert.ok(answer.status < 300, `${step}: ${answer.status} ${answer.text}`);
    if (step === "finish") acknowledged.set(blobPath(image.layer), image.layer);
    if (step === "config") acknowledged.set(blobPath(image.config), image.config);
    if (step === "manifest")
      for (const reference of [image.tag, digestOf(image.manifest)]) acknowledged.set(manifestPath(reference), image.manifest);
    return answer;
  }

  /** Pushes until the step, where the platform is killed. Returns the address of the upload. */
  async function pushUntil(last: Step, moment: Moment, image: Image): Promise<string> {
    let location = "";
    for (const step of steps) {
      if (step !== last || moment === "acknowledged") {
        const answer = await push(step, image, location);
        location = answer.headers.location ?? location;
      } else if (moment === "middle") await sendPart(requestOf(step, image, location));
      else {
        push(step, image, location).catch(() => {});
        await sleep(random.below(20));
      }
      if (step === last) break;
    }
    await platform.process.kill();
    return location;
  }

  /** Sends the head of a request and a part of its body. Resolves when the platform has had time to store it. */
  async function sendPart({ method, path, body, headers: more }: Request): Promise<void> {
    const { hostname, port } = new URL(platform.httpUrl);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const lines = Object.entries({ ...headers, ...more, "content-length": body.length }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    const part = Buffer.from(body).subarray(0, body.length * cut);
    await new Promise((resolve) => socket.write(part, resolve));
    await sleep(50 + random.below(50));
  }

  /** What was acknowledged is served. What was not is served whole or not at all. */
  async function requireWhole(image: Image): Promise<void> {
    const mayBe = [
      [blobPath(image.layer), image.layer],
      [blobPath(image.config), image.config],
      [manifestPath(image.tag), image.manifest],
      [manifestPath(digestOf(image.manifest)), image.manifest],
    ] as const;
    for (const [path, content] of [...acknowledged, ...mayBe]) {
      const { status, bytes } = await ask(path, { headers: { accept: ociManifest } });
      if (status === 404 && !acknowledged.has(path)) continue;
      assert.equal(status, 200, path);
      assert.equal(digestOf(bytes), digestOf(content), path);
    }
  }

  /** Continues an upload whose address is known, from where it ends, and repeats everything else. */
  async function complete(image: Image, location: string): Promise<"continued" | "repeated"> {
    const state = location.includes("/uploads/") ? await ask(location) : undefined;
    if (state?.status === 204) {
      const [, last = "0"] = (state.headers.range ?? "0-0").split("-");
      const from = state.headers.range === "0-0" ? 0 : Number(last) + 1;
      const rest = image.layer.subarray(from);
      const range = { "content-range": `${from}-${image.layer.length - 1}`, "content-type": "application/octet-stream" };
      if (rest.length > 0) {
        const patched = await ask(location, { method: "PATCH", body: rest, headers: range });
        assert.equal(patched.status, 202, patched.text);
      }
      await push("finish", image, location);
    } else {
      const { headers: begun } = await push("begin", image, "");
      const { headers: patched } = await push("patch", image, begun.location ?? "");
      await push("finish", image, patched.location ?? "");
    }
    await push("config", image, "");
    await push("manifest", image, "");
    return state?.status === 204 ? "continued" : "repeated";
  }

  const kills: readonly (readonly [Step, Moment])[] = [
    ["begin", "acknowledged"],
    ["patch", "middle"],
    ["patch", "acknowledged"],
    ["finish", "sent"],
    ["finish", "acknowledged"],
    ["config", "middle"],
    ["manifest", "middle"],
    ["manifest", "sent"],
    ["manifest", "acknowledged"],
  ];

  test("what was acknowledged is served by the next start, nothing incomplete is, and the push is completed", async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    for (const [step, moment] of kills) {
      const image = newImage();
      const location = await pushUntil(step, moment, image);
      await platform.start();
      await requireWhole(image);
      t.diagnostic(`${step}, ${moment}: ${await complete(image, location)}`);
      await requireWhole(image);
    }
    assert.equal(acknowledged.size, 4 * kills.length);
  });
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function requestOf(step: Step, { layer, config, manifest, tag }: Image, location: string): Request {
  const uploads = `/v2/${app}/blobs/uploads/`;
  const headers = { "content-type": step === "manifest" ? ociManifest : "application/octet-stream" };
  if (step === "begin") return { method: "POST", path: uploads, body: "", headers };
  if (step === "patch") return { method: "PATCH", path: location, body: layer, headers };
  if (step === "finish") return { method: "PUT", path: `${location}?digest=${digestOf(layer)}`, body: "", headers };
  if (step === "config") return { method: "POST", path: `${uploads}?digest=${digestOf(config)}`, body: config, headers };
  return { method: "PUT", path: manifestPath(tag), body: manifest, headers };
}

function newImage(): Image {
  const layer = randomBytes(layerBytes);
  const config = JSON.stringify({ created: digestOf(layer) });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: digestOf(config), size: config.length },
    layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", digest: digestOf(layer), size: layer.length }],
  });
  return { layer, config, manifest, tag: digestOf(layer).slice("sha256:".length, 20) };
}

function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function blobPath(content: string | Buffer): string {
  return `/v2/${app}/blobs/${digestOf(content)}`;
}

function manifestPath(reference: string): string {
  return `/v2/${app}/manifests/${reference}`;
}
