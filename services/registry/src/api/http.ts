import type { IncomingMessage, ServerResponse } from "node:http";
import { imageKindHeader } from "@appserver/contracts/folder-images";
import { type BufferBudget, countedCaller, type RequestContext } from "@appserver/kernel";
import { RegistryError } from "../domain/registry-error.ts";
import { parseTarget, type Target } from "../domain/target.ts";
import type { RegistryContext } from "../use-cases/context.ts";
import { type Client, identifyClient, requireAccess } from "../use-cases/identify-client.ts";
import { sendBlob } from "./blobs.ts";
import { Exchange } from "./exchange.ts";
import { receiveManifest, sendManifest } from "./manifests.ts";
import { Places } from "./places.ts";
import { refusalOf } from "./refusal.ts";
import { beginUpload, continueUpload } from "./uploads.ts";

/** Bodies in progress in this process. */
const transfers = { ofClient: 16, inAll: 64 };
const maxTags = 1_000;
const reading: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const uploading: ReadonlySet<string> = new Set(["GET", "PATCH", "PUT", "DELETE"]);

/**
 * Serves `/v2/*` (docs/interface/registry.md). It identifies the sender before it reads anything of the path or the body. Its refusals have
 * the form of the OCI Distribution Specification 1.1. All other errors are thrown.
 */
export class RegistryHttp {
  readonly #context: RegistryContext;
  readonly #budget: BufferBudget;
  /** Pushes of accounts never delay deployments. */
  readonly #places = { account: new Places(transfers), engine: new Places(transfers) };

  constructor(context: RegistryContext, budget: BufferBudget) {
    this.#context = context;
    this.#budget = budget;
  }

  async handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const exchange = new Exchange(request, response, context);
    try {
      await this.#serve(exchange);
    } catch (error) {
      const refusal = exchange.isHeadSent ? undefined : refusalOf(error);
      if (refusal) exchange.send(refusal.status, refusal.headers, refusal.body);
      else if (!exchange.isOver) throw error;
    }
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request, context, method } = exchange;
    const client = await identifyClient(this.#context, {
      method,
      url: request.url ?? "/",
      authorization: request.headers.authorization,
      remoteAddress: context.remoteAddress,
    });
    const target = parseTarget(exchange.path);
    if (target.kind === "version") return this.#sendVersion(exchange);
    const isPull = reading.has(method) && target.kind !== "upload" && target.kind !== "uploads";
    await requireAccess(this.#context, client, target.app, isPull ? "pull" : "push");
    await this.#places[client.kind].during(keyOf(client, context), () => this.#dispatch(exchange, target, client));
  }

  /** Clients that can push both kinds of images learn here which one runs. */
  #sendVersion(exchange: Exchange): void {
    const headers = { "content-type": "application/json", [imageKindHeader]: this.#context.imageKind };
    exchange.send(200, headers, "{}");
  }

  async #dispatch(exchange: Exchange, target: Exclude<Target, { kind: "version" }>, client: Client): Promise<void> {
    const { method } = exchange;
    if (target.kind === "blob" && reading.has(method)) return await sendBlob(this.#context, exchange, target, client);
    if (target.kind === "tags" && reading.has(method)) return await this.#sendTags(exchange, target.app);
    if (target.kind === "uploads" && method === "POST") return await beginUpload(this.#context, exchange, target.app, client);
    if (target.kind === "upload" && uploading.has(method)) return await continueUpload(this.#context, exchange, target, client);
    if (target.kind === "manifest" && reading.has(method)) return await sendManifest(this.#context, exchange, target);
    if (target.kind === "manifest" && method === "PUT" && client.kind === "account")
      return await receiveManifest(this.#context, exchange, target, client, this.#budget);
    throw new RegistryError("UNSUPPORTED", `${method} is not supported here; the platform removes unused images by itself`);
  }

  async #sendTags(exchange: Exchange, app: string): Promise<void> {
    const { query } = exchange;
    const given = query.get("n");
    const limit = given !== null && /^\d{1,6}$/.test(given) ? Math.min(Number(given), maxTags) : maxTags;
    const tags = await this.#context.store.tags(app, query.get("last") ?? "", limit + 1);
    const shown = tags.slice(0, limit);
    const last = shown.at(-1);
    const next =
      tags.length > limit && last !== undefined ? { link: `</v2/${app}/tags/list?n=${limit}&last=${last}>; rel="next"` } : {};
    exchange.send(200, { "content-type": "application/json", ...next }, JSON.stringify({ name: app, tags: shown }));
  }
}

function keyOf(client: Client, { remoteAddress }: RequestContext): string {
  return client.kind === "account" ? countedCaller(client.caller, remoteAddress) : `engine:${client.app}`;
}
