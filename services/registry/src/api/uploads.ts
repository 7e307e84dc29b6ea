import { subjectOf } from "@appserver/kernel";
import { chunkStart } from "../domain/byte-range.ts";
import { RegistryError } from "../domain/registry-error.ts";
import { requireDigest, requireRepository } from "../domain/target.ts";
import type { UploadRef } from "../ports.ts";
import type { RegistryContext } from "../use-cases/context.ts";
import { type Client, requireAccess } from "../use-cases/identify-client.ts";
import type { Exchange } from "./exchange.ts";

/** `POST /v2/{app}/blobs/uploads/`: begins an upload, takes a whole blob, or takes one from another repository. */
export async function beginUpload(context: RegistryContext, exchange: Exchange, app: string, client: Client): Promise<void> {
  const { query } = exchange;
  const [mount, from] = [query.get("mount"), query.get("from")];
  if (mount !== null && from !== null && (await isMounted(context, { mount, from, app }, client)))
    return sendCreated(exchange, app, mount);
  const digest = query.get("digest");
  if (digest !== null) requireDigest(digest);
  const upload = { app, owner: ownerOf(client), id: await context.store.beginUpload(app, ownerOf(client)) };
  if (digest === null) return sendProgress(exchange, 202, upload, 0);
  await context.store.append(upload, undefined, exchange.body());
  await finish(context, exchange, upload, digest);
}

/** `GET`, `PATCH`, `PUT` and `DELETE /v2/{app}/blobs/uploads/{id}` */
export async function continueUpload(
  context: RegistryContext,
  exchange: Exchange,
  { app, id }: Pick<UploadRef, "app" | "id">,
  client: Client,
): Promise<void> {
  const { store } = context;
  const upload: UploadRef = { app, id, owner: ownerOf(client) };
  if (exchange.method === "PATCH") return sendProgress(exchange, 202, upload, await append(context, exchange, upload));
  if (exchange.method === "PUT") {
    const digest = requireDigest(exchange.query.get("digest"));
    await append(context, exchange, upload);
    return await finish(context, exchange, upload, digest);
  }
  if (exchange.method === "DELETE") {
    if (await store.cancelUpload(upload)) return exchange.send(204, {});
  } else {
    const bytes = await store.uploadedBytes(upload);
    if (bytes !== undefined) return sendProgress(exchange, 204, upload, bytes);
  }
  throw new RegistryError("BLOB_UPLOAD_UNKNOWN", "there is no such upload, or a request adds to it");
}

function append({ store }: RegistryContext, exchange: Exchange, upload: UploadRef): Promise<number> {
  const start = chunkStart(exchange.header("content-range"), exchange.header("content-length"));
  return store.append(upload, start, exchange.body());
}

async function finish({ store }: RegistryContext, exchange: Exchange, upload: UploadRef, digest: string): Promise<void> {
  await store.finishUpload(upload, digest);
  sendCreated(exchange, upload.app, digest);
}

/** A blob that cannot be taken over is uploaded. */
async function isMounted(
  context: RegistryContext,
  { mount, from, app }: { readonly mount: string; readonly from: string; readonly app: string },
  client: Client,
): Promise<boolean> {
  requireDigest(mount);
  requireRepository(from);
  await requireAccess(context, client, from, "pull");
  return await context.store.mountBlob(from, app, mount);
}

function sendCreated(exchange: Exchange, app: string, digest: string): void {
  exchange.send(201, { location: `/v2/${app}/blobs/${digest}`, "docker-content-digest": digest });
}

function sendProgress(exchange: Exchange, status: number, { app, id }: UploadRef, bytes: number): void {
  const headers = {
    location: `/v2/${app}/blobs/uploads/${id}`,
    range: `0-${Math.max(0, bytes - 1)}`,
    "docker-upload-uuid": id,
  };
  exchange.send(status, headers);
}

function ownerOf(client: Client): string {
  const owner = client.kind === "account" ? subjectOf(client.caller) : undefined;
  if (owner === undefined) throw new RegistryError("DENIED", "only users and service accounts push");
  return owner;
}
