import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";
import { type HttpAnswer, type HttpRequest, send } from "@appserver/testing/kit";
import { ImageFolder } from "../src/adapters/image-folder.ts";
import { pullCredentials, type Registry } from "../src/index.ts";
import { removeUnused } from "../src/workers/unused-images.ts";
import { createTestRegistry, encryptionKey, keepUnusedMs, limits, serverOf } from "./test-registry.ts";

export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
export interface Answer extends HttpAnswer {
  /** Code of the error. */
  readonly code: string | undefined;
}

export function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

export function basic(user: string, password: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

/** The system's clock, which a test can put forward: files have the times of the system. */
class ShiftedClock extends SystemClock {
  #shift = 0;

  override now(): number {
    return super.now() + this.#shift;
  }

  override monotonic(): number {
    return super.monotonic() + this.#shift;
  }

  advance(ms: number): void {
    this.#shift += ms;
  }
}

/** The registry in a folder of its own, behind a server of Node. */
export class RegistryUnderTest {
  readonly folder: string;
  readonly clock: ShiftedClock = new ShiftedClock();
  readonly audited: AuditRecord[] = [];
  retained: ReadonlySet<string> = new Set();
  attempts = 0;
  allowsAttempts = true;
  failsToRecord = false;
  readonly #registry: Registry;
  readonly #server: Server;
  readonly failures: unknown[] = [];
  #url = "";

  /** Of a folder that exists, or of a new one. */
  constructor(folder: string = mkdtempSync(join(tmpdir(), "registry-"))) {
    this.folder = folder;
    this.#registry = this.#create();
    this.#server = serverOf(this.#registry, (error) => this.failures.push(error));
  }

  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await this.#registry.cleanup.stop?.();
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sends a request as an account: the name of its token. */
  async send(path: string, request: HttpRequest = {}, account = "dora"): Promise<Answer> {
    const headers = { ...(account !== "" && basic("any", account)), ...request.headers };
    const answer = await send(this.#url, path, { ...request, headers });
    const isError = answer.status >= 400 && answer.text !== "";
    return { ...answer, code: isError ? JSON.parse(answer.text).errors[0].code : undefined };
  }

  /** Pushes a blob as Docker does, and returns its digest. */
  async pushBlob(app: string, bytes: Uint8Array | string): Promise<string> {
    const { headers } = await this.send(`/v2/${app}/blobs/uploads/`, { method: "POST" });
    const { headers: next } = await this.send(String(headers.location), { method: "PATCH", body: bytes });
    const digest = digestOf(bytes);
    const { status, text } = await this.send(`${next.location}?digest=${digest}`, { method: "PUT" });
    if (status !== 201) throw new Error(`the blob was refused: ${status} ${text}`);
    return digest;
  }

  pushManifest(app: string, reference: string, manifest: string, contentType = ociManifest): Promise<Answer> {
    return this.send(`/v2/${app}/manifests/${reference}`, {
      method: "PUT",
      body: manifest,
      headers: { "content-type": contentType },
    });
  }

  /** Pushes an image with a layer, and returns its digest. */
  async pushImage(app: string, tag: string, layer: string): Promise<string> {
    const manifest = manifestOf(await this.pushBlob(app, `{"of":"${layer}"}`), await this.pushBlob(app, layer));
    const { status, text } = await this.pushManifest(app, tag, manifest);
    if (status !== 201) throw new Error(`the manifest was refused: ${status} ${text}`);
    return digestOf(manifest);
  }

  /** Credentials of a container engine for one app. */
  engine(app: string): Readonly<Record<string, string>> {
    const { username, password } = pullCredentials(encryptionKey, this.clock)(app);
    return basic(username, password);
  }

  /** Removes what is unused now. Resolves when it is done. */
  async clean(): Promise<void> {
    const { folder, clock } = this;
    const store = new ImageFolder({ folder, limits, clock });
    const retainedImages = async () => this.retained;
    await removeUnused({ store, retainedImages, keepUnusedMs, clock, logger: silentLogger }, new AbortController().signal);
  }

  #create(): Registry {
    return createTestRegistry({
      folder: this.folder,
      clock: this.clock,
      countAttempt: () => {
        this.attempts += 1;
        return this.allowsAttempts;
      },
      record: (entry) => {
        if (this.failsToRecord) throw new Error("the database is unreachable");
        this.audited.push(entry);
      },
      retained: () => this.retained,
    });
  }
}

export function manifestOf(config: string, ...layers: readonly string[]): string {
  const descriptor = (digest: string) => ({ mediaType: "application/octet-stream", digest, size: 1 });
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: descriptor(config),
    layers: layers.map(descriptor),
  });
}
