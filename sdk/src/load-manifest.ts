import { createHash, sign } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { type AppManifest, AppManifestSchema, type Asset, AssetSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { parseDocument } from "yaml";
import type { AppKeys } from "./app-keys.ts";

/** A manifest with everything it is made of, ready to be registered. */
export interface SignedManifest {
  readonly manifest: AppManifest;
  /** Over the canonical form of the manifest, with the app's key. */
  readonly signature: Uint8Array;
}

/** A manifest file that cannot be read; the message names file and place. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

export const manifestFile = "app.yaml";

/** Media types by file ending, out of those that the specification supports (§2.3). */
const mimeTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
  ".json": "application/json",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
};

/** Fields whose values may leave out the prefix of their enum: `mode: FEDERATION`. */
const enumPrefixes: Readonly<Record<string, string>> = {
  mode: "UI_MODE_",
  kind: "DEPENDENCY_KIND_",
  data_type: "SETTING_DATA_TYPE_",
};

/**
 * Reads `app.yaml` of a folder: the fields of specification §2.3 under their own names. `web_app.assets` may be `{ folder:
 * dist }`, which takes every file below it. Fills in contents, hashes, signatures and the certificate.
 *
 * Throws {@link ManifestError}. What the manifest says is checked by the platform, which reports all violations at once.
 */
export async function loadManifest(folder: string, keys: AppKeys): Promise<SignedManifest> {
  const file = join(folder, manifestFile);
  const parts = await readYaml(file);
  let manifest: AppManifest;
  try {
    manifest = fromJson(AppManifestSchema, parts.manifest);
  } catch (error) {
    throw new ManifestError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  manifest.certificate = new TextEncoder().encode(keys.certificate);
  if (manifest.webApp) manifest.webApp.assets = await readAssets(folder, parts.assets, keys);
  return { manifest, signature: new Uint8Array(sign(digestFor(keys), canonicalManifest(manifest), keys.privateKey)) };
}

/** Ed25519 hashes by itself. */
function digestFor(keys: AppKeys): "sha256" | null {
  return keys.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
}

interface ManifestParts {
  readonly manifest: JsonObject;
  /** Paths below the folder, with the folder they are named from. */
  readonly assets: { readonly root: string; readonly names: readonly string[] | undefined };
}

async function readYaml(file: string): Promise<ManifestParts> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ManifestError(error.code === "ENOENT" ? `${file} is missing` : `${file} cannot be read: ${error.message}`);
  });
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem) throw new ManifestError(`${file}: ${problem.message}`);
  const manifest: unknown = document.toJS();
  if (!isObject(manifest)) throw new ManifestError(`${file} must be a mapping of the manifest's fields`);
  const webApp = manifest["web_app"];
  const declared = isObject(webApp) ? webApp["assets"] : undefined;
  if (isObject(webApp)) delete webApp["assets"];
  return { manifest: withFullEnums(manifest) as JsonObject, assets: assetNames(file, declared) };
}

function assetNames(file: string, declared: unknown): ManifestParts["assets"] {
  if (declared === undefined) return { root: "", names: [] };
  if (isObject(declared) && typeof declared["folder"] === "string") return { root: declared["folder"], names: undefined };
  if (Array.isArray(declared) && declared.every((name) => typeof name === "string"))
    return { root: "", names: declared as string[] };
  throw new ManifestError(`${file}: web_app.assets must be a list of files or { folder: <folder> }`);
}

async function readAssets(folder: string, assets: ManifestParts["assets"], keys: AppKeys): Promise<Asset[]> {
  const root = join(folder, assets.root);
  const names = assets.names ?? (await filesBelow(root));
  return Promise.all(names.map((name) => readAsset(root, name, keys)));
}

async function filesBelow(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => {
    throw new ManifestError(`${root} is missing; build the frontend first`);
  });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

async function readAsset(root: string, name: string, keys: AppKeys): Promise<Asset> {
  const mimeType = mimeTypes[extname(name).toLowerCase()];
  if (mimeType === undefined) throw new ManifestError(`${join(root, name)}: files ending in ${extname(name)} cannot be assets`);
  const contents = new Uint8Array(
    await readFile(join(root, name)).catch(() => {
      throw new ManifestError(`${join(root, name)} is missing`);
    }),
  );
  return create(AssetSchema, {
    name,
    mimeType,
    contents,
    sha256: createHash("sha256").update(contents).digest("hex"),
    signature: new Uint8Array(sign(digestFor(keys), contents, keys.privateKey)),
  });
}

function withFullEnums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFullEnums);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const prefix = enumPrefixes[key];
      const short = prefix !== undefined && typeof field === "string" && !field.startsWith(prefix);
      return [key, short ? prefix + field : withFullEnums(field)];
    }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
