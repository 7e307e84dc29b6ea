import type { BufferBudget } from "@appserver/kernel";
import { maxManifestBytes, parseManifest } from "../domain/image-manifest.ts";
import { RegistryError } from "../domain/registry-error.ts";
import type { Target } from "../domain/target.ts";
import type { RegistryContext } from "../use-cases/context.ts";
import type { Client } from "../use-cases/identify-client.ts";
import { pushManifest } from "../use-cases/push-manifest.ts";
import type { Exchange } from "./exchange.ts";

type ManifestTarget = Target & { readonly kind: "manifest" };

/** `GET` and `HEAD /v2/{app}/manifests/{tag or digest}` */
export async function sendManifest(
  { store }: RegistryContext,
  exchange: Exchange,
  { app, reference }: ManifestTarget,
): Promise<void> {
  const found = await store.readManifest(app, reference);
  if (!found) throw new RegistryError("MANIFEST_UNKNOWN", "the repository has no such manifest");
  const { digest, bytes } = found;
  const { mediaType } = parseManifest(bytes);
  exchange.send(200, { "content-type": mediaType, "docker-content-digest": digest, etag: `"${digest}"` }, bytes);
}

/** `PUT /v2/{app}/manifests/{tag or digest}` */
export async function receiveManifest(
  context: RegistryContext,
  exchange: Exchange,
  { app, reference }: ManifestTarget,
  client: Client & { readonly kind: "account" },
  budget: BufferBudget,
): Promise<void> {
  const lease = budget.lease(exchange.context.remoteAddress);
  lease.prove();
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of exchange.body()) {
      size += chunk.byteLength;
      if (size > maxManifestBytes)
        throw new RegistryError("SIZE_INVALID", `the manifest is larger than ${maxManifestBytes} bytes`);
      lease.take(chunk.byteLength);
      chunks.push(chunk);
    }
    const contentType = exchange.header("content-type")?.split(";")[0]?.trim();
    const call = { caller: client.caller, traceparent: exchange.context.traceparent };
    const digest = await pushManifest(context, { app, reference, bytes: Buffer.concat(chunks), contentType }, call);
    exchange.send(201, { location: `/v2/${app}/manifests/${digest}`, "docker-content-digest": digest });
  } finally {
    lease.release();
  }
}
