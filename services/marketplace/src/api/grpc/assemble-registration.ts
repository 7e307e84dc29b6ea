import type { AppManifest, Asset } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { RegisterAppStreamRequest } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { BodyBuffer, type BufferLease, invalidField } from "@appserver/kernel";
import { manifestLimits } from "../../domain/manifest/manifest-limits.ts";
import type { RegistrationRequest } from "../../use-cases/admit-registration.ts";

/** The fields that both forms of a registration share. */
export interface RegistrationMessage {
  readonly manifest?: AppManifest | undefined;
  readonly token?: string | undefined;
  readonly manifestSignature?: Uint8Array | undefined;
}

/** Far more than any asset needs: 64 MiB in chunks of 1 KiB. */
const maxChunks = 65_536;

/**
 * Assembles a streamed registration: the header, then chunks of the assets that the header names. `admit` checks the header
 * before any chunk is stored in memory. Throws INVALID_REQUEST at the first unexpected message, and the errors of `admit` and
 * of the lease.
 */
export async function assembleRegistration(
  requests: AsyncIterable<RegisterAppStreamRequest>,
  lease: BufferLease,
  admit: (header: RegistrationMessage) => Promise<RegistrationRequest>,
): Promise<RegistrationRequest> {
  let request: RegistrationRequest | undefined;
  let assets: AssetChunks | undefined;
  for await (const { part } of requests) {
    if (part.case === "header") {
      if (request) throw invalidField("header", "was sent twice");
      request = await admit(part.value);
      assets = new AssetChunks(request.manifest, lease);
    } else if (part.case === "chunk") {
      if (!assets) throw invalidField("chunk", "came before the header");
      assets.add(part.value.name, part.value.data);
    } else {
      throw invalidField("part", "is required: a header or a chunk");
    }
  }
  if (!request || !assets) throw invalidField("header", "is required as the first message");
  assets.complete();
  return request;
}

/** Collects the contents of assets as the chunks arrive. */
class AssetChunks {
  readonly #lease: BufferLease;
  readonly #assets = new Map<string, Asset>();
  readonly #contents = new Map<string, BodyBuffer>();
  #bytes = 0;
  #count = 0;

  constructor(manifest: AppManifest, lease: BufferLease) {
    this.#lease = lease;
    for (const asset of manifest.webApp?.assets ?? []) this.#assets.set(asset.name, asset);
  }

  add(name: string, data: Uint8Array): void {
    if (!this.#assets.has(name))
      throw invalidField("chunk.name", `${JSON.stringify(name)} is not an asset of the header's manifest`);
    this.#count += 1;
    if (this.#count > maxChunks) throw invalidField("chunk", `was sent more than ${maxChunks} times: send larger ones`);
    this.#bytes += data.length;
    const { assetBytesTotal: totalBytes } = manifestLimits;
    if (this.#bytes > totalBytes) throw invalidField("chunk", `brings the assets over ${totalBytes} bytes`);
    const contents = this.#contents.get(name) ?? new BodyBuffer(this.#lease);
    this.#contents.set(name, contents);
    contents.add(data);
  }

  /** Stores the collected contents in the manifest. */
  complete(): void {
    for (const [name, contents] of this.#contents) {
      const asset = this.#assets.get(name);
      if (asset) asset.contents = new Uint8Array(contents.take());
    }
  }
}
