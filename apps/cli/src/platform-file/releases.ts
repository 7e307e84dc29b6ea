import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalManifest, manifestDigest } from "@appserver/contracts/manifest";
import { isAppName } from "@appserver/contracts/names";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { type AppManifest, AppManifestSchema, type Asset } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { GetReleaseResponse } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { PlatformClient } from "@appserver/sdk";
import { fromBinary } from "@bufbuild/protobuf";

/** A release as its developer registered it. */
export interface StoredRelease {
  /** With the contents of its assets. */
  readonly manifest: AppManifest;
  /** Undefined for one that was registered without a signature. */
  readonly signature: Uint8Array | undefined;
}

interface ReleaseName {
  readonly name: string;
  /** Digest of the manifest. */
  readonly manifest: string;
}

const manifestFile = "manifest.binpb";
const signatureFile = "manifest.sig";
const assetFolder = "assets";
/** By its hash: the key of an app may be replaced without another release. */
const certificateFile = (hash: string): string => `${hash}.cert`;
const digestPattern = /^[0-9a-f]{64}$/;

/** The files of a release are not what its digest says. */
export class DamagedRelease extends Error {
  override readonly name = "DamagedRelease";
}

/**
 * Writes a release of a platform into `<folder>/<app>/<digest>`: the signed manifest, its signature, and its assets by their hashes. A
 * release that is there already is kept.
 */
export async function saveRelease(
  { marketplace }: Pick<PlatformClient, "marketplace">,
  folder: string,
  { name, manifest: manifestDigest, certificate }: ReleaseName & { readonly certificate: string | undefined },
): Promise<void> {
  const target = folderOf(folder, name, manifestDigest);
  const files = [manifestFile, ...(certificate === undefined ? [] : [certificateFile(certificate)])];
  if ((await Promise.all(files.map((file) => readIfThere(join(target, file))))).every(Boolean)) return;
  await mkdir(join(target, assetFolder), { recursive: true });
  const stream = marketplace.getRelease({ name, manifestDigest })[Symbol.asyncIterator]();
  try {
    await receive(stream, target, { name, manifest: manifestDigest });
  } finally {
    await stream.return?.();
  }
}

async function receive(
  stream: AsyncIterator<GetReleaseResponse>,
  target: string,
  { name, manifest: manifestDigest }: ReleaseName,
): Promise<void> {
  const first = await stream.next();
  const header = first.done || first.value.part.case !== "header" ? undefined : first.value.part.value;
  if (!header?.manifest) throw new Error(`the response of the platform has no manifest of ${name}`);
  const { manifest, manifestSignature, certificate } = header;
  const fingerprint = certificateHash(certificate);
  if (fingerprint !== undefined) await replaceFile(join(target, certificateFile(fingerprint)), certificate);
  requireDigest(manifest, name, manifestDigest);
  const assets = manifest.webApp?.assets ?? [];
  const missing = new Map(assets.map((asset) => [asset.name, hashOf(asset)]));
  for await (const asset of completeAssets(partsOf(stream))) {
    const hash = missing.get(asset.name);
    if (hash === undefined || hash !== hashText(asset.data))
      throw new DamagedRelease(`${asset.name} of ${name} has another hash`);
    await replaceFile(join(target, assetFolder, hash), asset.data);
    missing.delete(asset.name);
  }
  // An empty asset has no parts.
  for (const [assetName, hash] of missing) {
    if (hash !== hashText(new Uint8Array(0))) throw new DamagedRelease(`the platform sent no ${assetName} of ${name}`);
    await replaceFile(join(target, assetFolder, hash), new Uint8Array(0));
  }
  if (manifestSignature) await replaceFile(join(target, signatureFile), manifestSignature);
  // Last: a folder without it is written again.
  await replaceFile(join(target, manifestFile), canonicalManifest(manifest));
}

/** Returns a release of a folder, or undefined if it has none with this digest. Throws {@link DamagedRelease}. */
export async function loadRelease(
  folder: string,
  { name, manifest: manifestDigest }: ReleaseName,
): Promise<StoredRelease | undefined> {
  const target = folderOf(folder, name, manifestDigest);
  const bytes = await readIfThere(join(target, manifestFile));
  if (!bytes) return undefined;
  const manifest = fromBinary(AppManifestSchema, bytes);
  requireDigest(manifest, name, manifestDigest);
  for (const asset of manifest.webApp?.assets ?? []) {
    const contents = await readIfThere(join(target, assetFolder, hashOf(asset)));
    if (!contents || hashText(contents) !== hashOf(asset))
      throw new DamagedRelease(
        `${join(target, assetFolder, hashOf(asset))} is not ${asset.name} of ${name} ${manifest.version}`,
      );
    asset.contents = new Uint8Array(contents);
  }
  return { manifest, signature: await readIfThere(join(target, signatureFile)) };
}

/** Returns a pinned certificate of an app, PEM, or undefined if its folder has none with this hash. */
export async function loadCertificate(folder: string, app: ReleaseName, certificate: string): Promise<string | undefined> {
  const bytes = await readIfThere(join(folderOf(folder, app.name, app.manifest), certificateFile(certificate)));
  return bytes && certificateHash(bytes) === certificate ? new X509Certificate(bytes).toString() : undefined;
}

/** Returns the SHA-256 of a certificate, hex. Undefined for other bytes. */
export function certificateHash(bytes: Uint8Array): string | undefined {
  try {
    return new X509Certificate(bytes).fingerprint256.replaceAll(":", "").toLowerCase();
  } catch {
    return undefined;
  }
}

/** Returns the apps without which an app cannot be installed. */
export function neededApps(manifest: AppManifest): readonly string[] {
  return manifest.dependencies.filter(({ kind }) => kind === DependencyKind.HARD).map(({ appName }) => appName);
}

/** The parts that follow the header. */
async function* partsOf(stream: AsyncIterator<GetReleaseResponse>): AsyncGenerator<AssetPart> {
  for (let next = await stream.next(); !next.done; next = await stream.next())
    if (next.value.part.case === "chunk") yield next.value.part.value;
}

/** Collects the contents of one asset after the other, and yields each with its name. */
async function* completeAssets(parts: AsyncIterable<AssetPart>): AsyncGenerator<AssetPart> {
  let name: string | undefined;
  let chunks: Uint8Array[] = [];
  for await (const part of parts) {
    if (name !== undefined && part.name !== name) {
      yield { name, data: Buffer.concat(chunks) };
      chunks = [];
    }
    name = part.name;
    chunks.push(part.data);
  }
  if (name !== undefined) yield { name, data: Buffer.concat(chunks) };
}

interface AssetPart {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Throws if a manifest is not that of the digest. */
function requireDigest(manifest: AppManifest, name: string, digest: string): void {
  if (manifest.name === name && manifestDigest(manifest) === digest) return;
  throw new DamagedRelease(`the manifest of ${name} has another digest than ${digest}`);
}

function folderOf(folder: string, name: string, digest: string): string {
  // Both become parts of a path, and a platform may have chosen them.
  if (!isAppName(name) || !digestPattern.test(digest)) throw new DamagedRelease(`${name} ${digest} is no release`);
  return join(folder, name, digest);
}

function hashOf({ name, sha256 }: Pick<Asset, "name" | "sha256">): string {
  const hash = sha256.toLowerCase();
  if (!digestPattern.test(hash)) throw new DamagedRelease(`the hash of ${name} is not 64 hex digits`);
  return hash;
}

function hashText(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** An interrupted export leaves no half of a file. */
async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, bytes);
  await rename(draft, file);
}
