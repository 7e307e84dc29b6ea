import { createHash } from "node:crypto";
import { createWriteStream, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { folderImageLimits, folderInLayer, isLeftOutOfImages, type TarEntry, tar } from "@appserver/contracts/folder-images";
import { folderCommands } from "@appserver/sdk";

/** A layer in a file. */
export interface PackedLayer {
  readonly file: string;
  /** `sha256:…` */
  readonly digest: string;
  readonly size: number;
  /** Digest of the archive without its compression. */
  readonly diffId: string;
}

/**
 * Packs what the backend of a folder needs at run time into a layer (docs/interface/registry.md#folders). The same contents give the same
 * bytes. Throws if a package is not installed, a link leads out of the folder, or the folder is too large.
 */
export async function packFolder(folder: string, file: string): Promise<PackedLayer> {
  requirePackages(folder);
  const entries = new FolderEntries(folder).all();
  const { length } = entries;
  if (length > folderImageLimits.entries)
    throw new Error(`${folder} has ${length} files and folders; an app has at most ${folderImageLimits.entries}`);
  const [whole, packed] = [createHash("sha256"), createHash("sha256")];
  let [bytes, size] = [0, 0];
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > folderImageLimits.unpackedBytes)
        throw new Error(`${folder} has more than ${folderImageLimits.unpackedBytes} bytes, which is the limit of an app`);
      whole.update(chunk);
      yield chunk;
    }
  };
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      size += chunk.length;
      packed.update(chunk);
      yield chunk;
    }
  };
  await pipeline(tar(entries), counted, createGzip(), hashed, createWriteStream(file));
  return { file, size, digest: `sha256:${packed.digest("hex")}`, diffId: `sha256:${whole.digest("hex")}` };
}

/** The packages of an app travel with it: the platform installs none. */
function requirePackages(folder: string): void {
  const { dependencies = {} } = readJson(join(folder, "package.json")) as { readonly dependencies?: object };
  const missing = Object.keys(dependencies).filter((name) => !existsSync(join(folder, "node_modules", name)));
  if (missing.length > 0)
    throw new Error(
      `${missing.join(", ")} of package.json: not in ${folder}/node_modules, with which the app travels. Run \`npm install\` there`,
    );
}

/** The entries of a folder in a fixed order, each folder before what is in it. */
class FolderEntries {
  readonly #folder: string;
  /** Packages that are needed for development only, relative to the folder. Empty if npm did not install them. */
  readonly #development: ReadonlySet<string>;
  /** Only the page needs them, and browsers get it from the platform. */
  readonly #page: ReadonlySet<string>;
  readonly #found = new Map<string, TarEntry>([["", { kind: "folder", path: folderInLayer }]]);

  constructor(folder: string) {
    this.#folder = folder;
    this.#page = new Set(folderCommands(folder).page);
    const { packages = {} } = readJson(join(folder, "node_modules/.package-lock.json")) as {
      readonly packages?: Readonly<Record<string, { readonly dev?: boolean }>>;
    };
    this.#development = new Set(Object.keys(packages).filter((path) => packages[path]?.dev === true));
  }

  all(): readonly TarEntry[] {
    this.#add("");
    // A link to what is left out would lead nowhere, such as one in `.bin` to a package for development.
    return [...this.#found].flatMap(([path, entry]) => (entry.kind !== "link" || this.#has(path, entry.target) ? [entry] : []));
  }

  #add(path: string): void {
    for (const name of readdirSync(join(this.#folder, path)).sort()) {
      const inner = posix.join(path, name);
      if (!this.#isLeftOut(inner, name)) this.#addEntry(inner);
    }
  }

  #addEntry(path: string): void {
    const source = join(this.#folder, path);
    const stats = lstatSync(source);
    const at = posix.join(folderInLayer, path);
    if (stats.isDirectory()) {
      this.#found.set(path, { kind: "folder", path: at });
      this.#add(path);
    } else if (stats.isSymbolicLink()) this.#found.set(path, { kind: "link", path: at, target: readlinkSync(source) });
    else if (stats.isFile())
      this.#found.set(path, { kind: "copy", path: at, source, mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755 });
  }

  #isLeftOut(path: string, name: string): boolean {
    if (isLeftOutOfImages(name) || this.#development.has(path) || this.#page.has(path)) return true;
    const isPackage = path.split("/").includes("node_modules");
    if (isPackage) return path === "node_modules/.cache";
    // Keys, and files of tools, which can have secrets.
    return name.startsWith(".") || name.endsWith(".pem");
  }

  #has(path: string, target: string): boolean {
    const led = posix.join(posix.dirname(path), target);
    if (posix.isAbsolute(target) || led === ".." || led.startsWith("../"))
      throw new Error(`${path} is a link to ${target}, outside of the app's folder, and would lead nowhere on the platform`);
    return this.#found.has(led.replace(/^\.$|\/$/g, ""));
  }
}

/** Returns an empty object if there is no such file, or no JSON in it. */
function readJson(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as unknown) ?? {};
  } catch {
    return {};
  }
}
