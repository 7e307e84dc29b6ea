import { createHash, sign } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { type AppManifest, AppManifestSchema, type Asset, AssetSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create, fromJson } from "@bufbuild/protobuf";
import { type Document, LineCounter, parseDocument } from "yaml";
import type { AppKeys } from "./app-keys.ts";
import { type Misfit, readFields } from "./read-fields.ts";

/** A complete manifest with its signature, ready to be registered. */
export interface SignedManifest {
  readonly manifest: AppManifest;
  /** Signature over the canonical form of the manifest, with the app's key. */
  readonly signature: Uint8Array;
}

/** Every problem that prevents loading a manifest, each with its place: `app.yaml:12:7: web_app.ui.mode must …`. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export const manifestFile = "app.yaml";

/** Media types by file extension. The platform serves only these (docs/interface/manifest.md#assets). */
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

/**
 * Reads `app.yaml` of a folder: the fields of docs/interface/manifest.md. `web_app.assets` may be `{ folder: dist }`, which
 * includes every file below the folder. Adds contents, hashes, signatures and the certificate.
 *
 * Throws {@link ManifestError} with every error of form. The platform checks the further rules and reports all violations
 * at once.
 */
export async function loadManifest(folder: string, keys: AppKeys): Promise<SignedManifest> {
  const { manifest, assets } = await readYaml(join(folder, manifestFile));
  manifest.certificate = new TextEncoder().encode(keys.certificate);
  if (manifest.webApp) manifest.webApp.assets = await readAssets(folder, assets, keys);
  return { manifest, signature: new Uint8Array(sign(digestFor(keys), canonicalManifest(manifest), keys.privateKey)) };
}

/** Returns null for Ed25519, which includes its hash function. */
function digestFor(keys: AppKeys): "sha256" | null {
  return keys.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
}

interface AssetFiles {
  /** Base folder of the names, relative to the app's folder. */
  readonly root: string;
  /** Undefined: all files below the root. */
  readonly names: readonly string[] | undefined;
}

async function readYaml(file: string): Promise<{ readonly manifest: AppManifest; readonly assets: AssetFiles }> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ManifestError([error.code === "ENOENT" ? `${file} is missing` : `could not read ${file}: ${error.message}`]);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw new ManifestError(document.errors.map(({ message, pos }) => `${place(file, lines, pos[0])}: ${message}`));
  }
  const misfits: Misfit[] = [];
  const given: unknown = document.toJS();
  const assets = takeAssets(given, misfits);
  const fields = readFields(AppManifestSchema, given, [], misfits);
  if (misfits.length > 0) throw new ManifestError(misfits.map((misfit) => describe(misfit, file, document, lines)));
  return { manifest: fromJson(AppManifestSchema, fields), assets };
}

function describe({ path, message }: Misfit, file: string, document: Document, lines: LineCounter): string {
  const node = path.length === 0 ? undefined : (document.getIn(path, true) as { range?: readonly number[] } | undefined);
  const field = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return `${place(file, lines, node?.range?.[0] ?? 0)}: ${field === "" ? "the manifest" : field.slice(1)} ${message}`;
}

function place(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}

/** Removes `web_app.assets` from the manifest: the file contains names there, the message contains contents. */
function takeAssets(manifest: unknown, misfits: Misfit[]): AssetFiles {
  const none = { root: "", names: [] };
  const webApp = isObject(manifest) ? manifest["web_app"] : undefined;
  if (!isObject(webApp)) return none;
  const { assets } = webApp;
  delete webApp["assets"];
  if (assets === undefined || assets === null) return none;
  if (isObject(assets) && typeof assets["folder"] === "string") return { root: assets["folder"], names: undefined };
  if (Array.isArray(assets) && assets.every((name) => typeof name === "string")) return { root: "", names: assets };
  misfits.push({ path: ["web_app", "assets"], message: "must be a list of files or { folder: <folder> }" });
  return none;
}

async function readAssets(folder: string, files: AssetFiles, keys: AppKeys): Promise<Asset[]> {
  const root = join(folder, files.root);
  const names = files.names ?? (await filesBelow(root));
  const unusable = names.filter((name) => mimeTypeOf(name) === undefined);
  if (unusable.length > 0) {
    throw new ManifestError(unusable.map((name) => `${join(root, name)}: files ending in ${extname(name)} cannot be assets`));
  }
  const read = await Promise.allSettled(names.map((name) => readAsset(root, name, keys)));
  const missing = names.filter((_, index) => read[index]?.status === "rejected");
  if (missing.length > 0) throw new ManifestError(missing.map((name) => `could not read ${join(root, name)}`));
  return read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

async function filesBelow(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => {
    throw new ManifestError([`${root} is missing; build the frontend first`]);
  });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

async function readAsset(root: string, name: string, keys: AppKeys): Promise<Asset> {
  const contents = new Uint8Array(await readFile(join(root, name)));
  return create(AssetSchema, {
    name,
    mimeType: mimeTypeOf(name) ?? "",
    contents,
    sha256: createHash("sha256").update(contents).digest("hex"),
    signature: new Uint8Array(sign(digestFor(keys), contents, keys.privateKey)),
  });
}

function mimeTypeOf(name: string): string | undefined {
  return mimeTypes[extname(name).toLowerCase()];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
