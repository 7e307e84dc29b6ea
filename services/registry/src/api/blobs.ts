import { requestedRange } from "../domain/byte-range.ts";
import { RegistryError } from "../domain/registry-error.ts";
import type { Target } from "../domain/target.ts";
import type { RegistryContext } from "../use-cases/context.ts";
import type { Client } from "../use-cases/identify-client.ts";
import type { Exchange } from "./exchange.ts";

type BlobTarget = Target & { readonly kind: "blob" };

/** `GET` and `HEAD /v2/{app}/blobs/{digest}`. An account that asks whether there is a blob may push an image with it. */
export async function sendBlob(
  { store }: RegistryContext,
  exchange: Exchange,
  { app, digest }: BlobTarget,
  client: Client,
): Promise<void> {
  const size = await store.blobSize(app, digest, exchange.method === "HEAD" && client.kind === "account");
  if (size === undefined) throw new RegistryError("BLOB_UNKNOWN", `the repository has no blob ${digest}`);
  const headers = {
    "content-type": "application/octet-stream",
    "docker-content-digest": digest,
    "accept-ranges": "bytes",
    etag: `"${digest}"`,
  };
  if (exchange.method === "HEAD") return exchange.send(200, { ...headers, "content-length": size });
  const range = requestedRange(exchange.header("range"), size);
  const body = size === 0 ? undefined : await store.readBlob(app, digest, range);
  if (!body) return exchange.send(200, headers);
  const length = range ? range.end - range.start + 1 : size;
  const part = range && { "content-range": `bytes ${range.start}-${range.end}/${size}` };
  await exchange.stream(range ? 206 : 200, { ...headers, "content-length": length, ...part }, body);
}
