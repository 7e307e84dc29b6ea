import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Component, Logger } from "@appserver/kernel";
import { containerLabels } from "@appserver/kernel/ports";
import { type Dispatcher, Pool } from "undici";
import { identityPath } from "../identity-files.ts";
import { helperLabel, helperPrefix } from "../volume-helper.ts";
import { type GuardedCall, GuardedCalls, type Subject } from "./guarded-calls.ts";

export interface EngineGuardOptions {
  /** Socket of the engine. */
  readonly enginePath: string;
  /** The socket that it makes: an existing one is replaced. */
  readonly socketPath: string;
  /** Of that socket: who may connect. */
  readonly socketMode: number;
  /** Name of the installation in the labels of containers. */
  readonly instance: string;
  readonly logger: Logger;
}

type Labels = Readonly<Record<string, string>>;

interface Inspected {
  readonly Name?: string;
  readonly Labels?: Labels | null;
  readonly Config?: { readonly Labels?: Labels | null };
  readonly Mounts?: readonly { readonly Name?: string; readonly Destination?: string }[] | null;
}

const maxBodyBytes = 8 * 1024 * 1024;
/** Of the engine. A pull sends no headers before its registry does. */
const headersTimeoutMs = 30 * 60_000;
const passedOn = ["content-type", "x-registry-auth"] as const;

/** Why a call is refused. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Passes the calls of the driver on to the engine, and refuses all others (docs/interface/containers.md#engine-guard). Who reaches the
 * socket of an engine is root on the machine; who reaches this one runs hardened containers of one installation.
 */
export class EngineGuard implements Component {
  readonly name = "engine guard";
  readonly #options: EngineGuardOptions;
  readonly #calls: GuardedCalls;
  readonly #engine: Pool;
  readonly #server: Server;

  constructor(options: EngineGuardOptions) {
    this.#options = options;
    this.#calls = new GuardedCalls(options.instance);
    const connect = { socketPath: options.enginePath, timeout: 5_000 };
    // As many connections as calls: logs that are followed last for hours.
    this.#engine = new Pool("http://docker", { connect, headersTimeout: headersTimeoutMs, bodyTimeout: 0, pipelining: 1 });
    this.#server = createServer({ maxHeaderSize: 32_768, requestTimeout: 0 }, (request, response) => {
      void this.#serve(request, response);
    });
  }

  async start(): Promise<void> {
    const { socketPath, socketMode } = this.#options;
    await rm(socketPath, { force: true });
    await once(this.#server.listen(socketPath), "listening");
    await chmod(socketPath, socketMode);
  }

  async stop(): Promise<void> {
    if (this.#server.listening) {
      const closed = once(this.#server, "close");
      this.#server.close();
      this.#server.closeAllConnections();
      await closed;
    }
    await this.#engine.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    try {
      const call = this.#calls.admit(method, url);
      if (typeof call === "string") throw new Refused(403, call);
      await this.#pass(call, request, response);
    } catch (error) {
      const { logger } = this.#options;
      if (error instanceof Refused) logger.warn({ method, reason: error.message }, "engine guard: a call was refused");
      if (response.headersSent) return void response.destroy();
      const status = error instanceof Refused ? error.status : 502;
      const message = error instanceof Refused ? `engine guard: ${error.message}` : "Cannot connect to Docker daemon";
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify({ message }));
    }
  }

  async #pass(call: GuardedCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(call, request);
    for (const subject of call.subjects(body.json)) await this.#requireOwn(subject);
    const stopping = new AbortController();
    response.once("close", () => stopping.abort());
    const answer = await this.#engine.request({
      method: call.method as Dispatcher.HttpMethod,
      path: call.target,
      headers: headersOf(request),
      body: body.bytes,
      signal: stopping.signal,
    });
    const type = answer.headers["content-type"];
    response.writeHead(answer.statusCode, { ...(typeof type === "string" && { "content-type": type }) });
    if (call.filters === "containers" && answer.statusCode === 200) {
      const listed = (await answer.body.json()) as readonly { readonly Labels?: Labels | null }[];
      response.end(JSON.stringify(listed.filter(({ Labels }) => this.#isReachable(Labels ?? {}))));
      return;
    }
    await pipeline(answer.body, response).catch(() => response.destroy());
  }

  /** What is not of the installation does not exist here. */
  async #requireOwn({ kind, name, shares }: Subject): Promise<void> {
    const noun = kind === "network" || kind === "volume" ? kind : "container";
    const refused = new Refused(404, `no such ${noun} of ${this.#options.instance}`);
    const path = noun === "container" ? `/containers/${name}/json` : `/${noun}s/${name}`;
    if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) throw refused;
    const { statusCode, body } = await this.#engine.request({ method: "GET", path });
    const found = (await body.json().catch(() => ({}))) as Inspected;
    if (statusCode !== 200) throw refused;
    const labels = (noun === "container" ? found.Config?.Labels : found.Labels) ?? {};
    if (shares && !hasIdentity(found, shares)) throw refused;
    if (labels[containerLabels.instance] === this.#options.instance) return;
    if (kind === "reachable" && this.#isReachable(labels)) return;
    if ((kind === "container" || kind === "reachable") && this.#isHelper(found.Name, labels)) return;
    throw refused;
  }

  #isHelper(name = "", labels: Labels): boolean {
    return labels[helperLabel] === "true" && name.startsWith(`/${helperPrefix(this.#options.instance)}`);
  }

  #isReachable(labels: Labels): boolean {
    const { instance } = this.#options;
    return labels[containerLabels.instance] === instance || labels[containerLabels.gateway] === instance;
  }
}

/** Returns whether the container belongs to the app and has its identity in this volume. */
function hasIdentity({ Config, Mounts }: Inspected, { identity, appId }: NonNullable<Subject["shares"]>): boolean {
  if (Config?.Labels?.[containerLabels.appId] !== appId) return false;
  return Mounts?.some(({ Name, Destination }) => Name === identity && Destination === identityPath) ?? false;
}

/** JSON is passed on as it was understood here, so that no other reader finds something else in it. */
async function bodyOf(
  { body: kind, problemOf, isLarge }: GuardedCall,
  request: IncomingMessage,
): Promise<{ readonly bytes: Buffer | string | IncomingMessage | null; readonly json?: unknown }> {
  if (isLarge) return { bytes: request };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Refused(413, `a body has at most ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  if (kind === undefined) return { bytes: null };
  const bytes = Buffer.concat(chunks);
  if (kind === "tar") return { bytes };
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Refused(400, "the body is not JSON");
  }
  const problem = problemOf?.(json);
  if (problem !== undefined) throw new Refused(403, problem);
  return { bytes: JSON.stringify(json), json };
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
