import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { EngineClient } from "../index.ts";
import { hasImage, importImage } from "./image-builder.ts";
import type { TarEntry } from "./tar.ts";

/** Path of Node in the base image. */
export const nodeInImage = "/usr/local/bin/node";

/**
 * Creates the base image of all app images if the engine does not have it: the Node that runs this process, the libraries it is
 * linked to, users and certificates, but no shell and no package manager. Returns its name. About 130 MB, once per engine.
 */
export async function ensureNodeBase(engine: EngineClient): Promise<string> {
  if (process.platform !== "linux")
    throw new Error(`app images contain this machine's Node, but this machine runs ${process.platform}`);
  const files = baseFiles(realpathSync(process.execPath));
  const hash = await hashOf(files);
  const [repository, tag] = ["appserver/node", `${process.versions.node}-${hash.slice(0, 12)}`];
  if (!(await hasImage(engine, `${repository}:${tag}`, hash))) await importImage(engine, repository, tag, hash, files);
  return `${repository}:${tag}`;
}

function baseFiles(node: string): TarEntry[] {
  const libraries = sharedLibraries(node).map((path): TarEntry => copy(path, realpathSync(path)));
  const certificates = "/etc/ssl/certs/ca-certificates.crt";
  return [
    ...libraries,
    { ...copy(nodeInImage, node), mode: 0o755 },
    { kind: "file", path: "etc/passwd", contents: "root:x:0:0::/:/nologin\napp:x:1000:1000::/app:/nologin\n" },
    { kind: "file", path: "etc/group", contents: "root:x:0:\napp:x:1000:\n" },
    { kind: "file", path: "etc/nsswitch.conf", contents: "hosts: files dns\n" },
    ...(existsSync(certificates) ? [copy(certificates, realpathSync(certificates))] : []),
    // Mount points must exist, because the root is read-only when the engine mounts them.
    ...["dev", "proc", "sys"].map((path): TarEntry => ({ kind: "folder", path })),
    { kind: "folder", path: "tmp", mode: 0o1777 },
    { kind: "folder", path: "app" },
  ];
}

function copy(path: string, source: string): TarEntry {
  return { kind: "copy", path: path.slice(1), source, mode: 0o755 };
}

/**
 * Returns the absolute paths of the libraries that the loader maps, and of the loader itself. `ldd` prints the paths that the
 * loader will search, and the image must contain them. Libraries loaded later by name (host lookups) are in the folder of the C
 * library.
 */
function sharedLibraries(program: string): string[] {
  const lines = execFileSync("ldd", [program], { encoding: "utf8" }).split("\n");
  const linked = lines.map((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1]).filter((path) => path !== undefined);
  const folder = dirname(linked.find((path) => basename(path).startsWith("libc.so")) ?? "/lib");
  const byName = ["libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2"].map((name) => join(folder, name));
  return [...new Set([...linked, ...byName.filter((path) => existsSync(path))])];
}

/** Returns a hash of all paths, modes and contents. */
export async function hashOf(entries: Iterable<TarEntry>): Promise<string> {
  const hash = createHash("sha256");
  for (const entry of entries) {
    hash.update(JSON.stringify([entry.kind, entry.path, entry.mode ?? 0]));
    if (entry.kind === "file") hash.update(createHash("sha256").update(entry.contents).digest());
    if (entry.kind === "link") hash.update(entry.target);
    if (entry.kind === "copy") {
      const contents = createHash("sha256");
      for await (const chunk of createReadStream(entry.source, { highWaterMark: 1 << 20 })) contents.update(chunk as Buffer);
      hash.update(contents.digest());
    }
  }
  return hash.digest("hex");
}
