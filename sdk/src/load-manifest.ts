import { createHash, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { assetTypeOf } from "@appserver/contracts/assets";
import { type Misfit, type Places, placedMisfit, placesOf, placeText, readFields } from "@appserver/contracts/fields";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { type AppManifest, AppManifestSchema, type Asset, AssetSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create, fromJson } from "@bufbuild/protobuf";
import { type Document, LineCounter, parseDocument } from "yaml";
import type { AppKeys } from "./app-keys.ts";
import { type AssetFiles, type FoundFiles, findFiles } from "./asset-files.ts";
import { manifestFile, takeFolderCommands } from "./folder-commands.ts";

/** A complete manifest with its signature, ready to be registered. */
export interface SignedManifest {
  readonly manifest: AppManifest;
  /** Signature over the canonical form of the manifest, with the app's key. */
  readonly signature: Uint8Array;
}

/** A manifest that was read from a folder. */
export interface LoadedManifest extends SignedManifest {
  /** Files of the asset folder that were left out, with the reason. */
  readonly warnings: readonly string[];
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

/**
 * Reads `app.yaml` of a folder: the fields of docs/interface/manifest.md. `web_app.assets` may be `{ folder: dist }`, which
 * includes every file below the folder that can be an asset and that no pattern of `exclude` matches. Adds contents, hashes, signatures and the certificate.
 *
 * Throws {@link ManifestError} with every error of form. The platform checks the further rules and reports all violations
 * at once.
 */
export async function loadManifest(folder: string, keys: AppKeys): Promise<LoadedManifest> {
  const { manifest, assets } = await readYaml(join(folder, manifestFile));
  manifest.certificate = new TextEncoder().encode(keys.certificate);
  const read = manifest.webApp && (await readAssets(folder, assets, keys));
  if (manifest.webApp && read) manifest.webApp.assets = read.assets;
  return { ...signManifest(manifest, keys), warnings: read?.warnings ?? [] };
}

/** Reads `app.yaml` of a folder as {@link loadManifest} does, without assets and certificate. Throws {@link ManifestError}. */
export async function readManifest(folder: string): Promise<AppManifest> {
  return (await readYaml(join(folder, manifestFile))).manifest;
}

/** A field that a platform refuses: `activities[0].schedule.cron`, and why. */
export interface RefusedField {
  readonly field: string;
  readonly message: string;
}

/**
 * Returns what a platform refuses of a manifest as {@link ManifestError} has problems: each with its place in `app.yaml` of the folder.
 * A field that the file does not have, as `certificate`, has no place.
 */
export async function placeRefused(folder: string, refused: readonly RefusedField[]): Promise<readonly string[]> {
  const file = join(folder, manifestFile);
  const { places } = await parseYaml(file);
  return refused.map(({ field, message }) => {
    const path = (field.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const isThere = places.offsetOf(path.slice(0, 1)) !== undefined;
    return isThere ? placedMisfit({ path, message }, file, places, "the manifest") : `${file}: ${field} ${message}`;
  });
}

/** Signs a manifest, for example after a change of one that {@link loadManifest} returned. */
export function signManifest(manifest: AppManifest, keys: AppKeys): SignedManifest {
  return { manifest, signature: new Uint8Array(sign(digestFor(keys), canonicalManifest(manifest), keys.privateKey)) };
}

/** Returns null for Ed25519, which includes its hash function. */
function digestFor(keys: AppKeys): "sha256" | null {
  return keys.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
}

/** Throws {@link ManifestError} for a file that is missing or not YAML. */
async function parseYaml(file: string): Promise<{ readonly document: Document; readonly places: Places }> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ManifestError([error.code === "ENOENT" ? `${file} is missing` : `could not read ${file}: ${error.message}`]);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const places = placesOf(document, lines);
  if (document.errors.length > 0) {
    throw new ManifestError(document.errors.map(({ message, pos }) => `${placeText(file, places, pos[0])}: ${message}`));
  }
  return { document, places };
}

async function readYaml(file: string): Promise<{ readonly manifest: AppManifest; readonly assets: AssetFiles }> {
  const { document, places } = await parseYaml(file);
  const misfits: Misfit[] = [];
  const given: unknown = document.toJS();
  const assets = takeAssets(given, misfits);
  takeFolderCommands(given, (field, message) => misfits.push({ path: [field], message }));
  const fields = readFields(AppManifestSchema, given, [], misfits);
  if (misfits.length > 0) throw new ManifestError(misfits.map((misfit) => placedMisfit(misfit, file, places, "the manifest")));
  return { manifest: fromJson(AppManifestSchema, fields), assets };
}

/** Removes `web_app.assets` from the manifest: the file contains names there, the message contains contents. */
function takeAssets(manifest: unknown, misfits: Misfit[]): AssetFiles {
  const none = { root: "", names: [], exclude: [] };
  const webApp = isObject(manifest) ? manifest["web_app"] : undefined;
  if (!isObject(webApp)) return none;
  const { assets } = webApp;
  delete webApp["assets"];
  if (assets === undefined || assets === null) return none;
  if (isTexts(assets)) return { ...none, names: assets };
  const { folder, exclude = [], ...others } = isObject(assets) ? assets : {};
  if (typeof folder === "string" && isTexts(exclude) && Object.keys(others).length === 0)
    return { root: folder, names: undefined, exclude };
  const message = "must be a list of files or { folder: <folder>, exclude: [<pattern>] }";
  misfits.push({ path: ["web_app", "assets"], message });
  return none;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

async function readAssets(
  folder: string,
  files: AssetFiles,
  keys: AppKeys,
): Promise<{ assets: Asset[]; warnings: readonly string[] }> {
  const root = join(folder, files.root);
  const { names, warnings } = files.names ? listedFiles(root, files.names) : await filesBelow(root, files.exclude);
  const read = await Promise.allSettled(names.map((name) => readAsset(root, name, keys)));
  const missing = names.filter((_, index) => read[index]?.status === "rejected");
  if (missing.length > 0) throw new ManifestError(missing.map((name) => `could not read ${join(root, name)}`));
  return { assets: read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])), warnings };
}

/** A file that is listed by its name is one that the app needs. */
function listedFiles(root: string, names: readonly string[]): FoundFiles {
  const unusable = names.filter((name) => assetTypeOf(name) === undefined);
  if (unusable.length === 0) return { names, warnings: [] };
  throw new ManifestError(unusable.map((name) => `${join(root, name)}: files ${ending(name)} cannot be assets`));
}

function ending(name: string): string {
  const end = extname(name);
  return end === "" ? "without an ending" : `ending in ${end}`;
}

async function filesBelow(root: string, exclude: readonly string[]): Promise<FoundFiles> {
  const { names, warnings } = await findFiles(root, exclude).catch(() => {
    throw new ManifestError([`${root} is missing; build the frontend first`]);
  });
  return { names, warnings: warnings.map((warning) => `${root}: ${warning}`) };
}

async function readAsset(root: string, name: string, keys: AppKeys): Promise<Asset> {
  const contents = new Uint8Array(await readFile(join(root, name)));
  return create(AssetSchema, {
    name,
    mimeType: assetTypeOf(name) ?? "",
    contents,
    sha256: createHash("sha256").update(contents).digest("hex"),
    signature: new Uint8Array(sign(digestFor(keys), contents, keys.privateKey)),
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
