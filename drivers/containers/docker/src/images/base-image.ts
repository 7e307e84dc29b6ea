import { createHash } from "node:crypto";
import { createReadStream, existsSync, realpathSync } from "node:fs";
import type { TarEntry } from "@appserver/contracts/folder-images";
import type { EngineClient } from "../index.ts";
import { hasImage, importImage } from "./image-builder.ts";

/** What runs the apps of a base image, from this machine's files. */
export interface BaseContents {
  /** `appserver/node` */
  readonly repository: string;
  /** Part of the tag, for people. */
  readonly version: string;
  /** The program with its libraries. */
  readonly files: readonly TarEntry[];
}

/**
 * Creates a base image of app images if the engine does not have it: a program, the libraries it is linked to, users and
 * certificates, but no shell and no package manager. Returns its name.
 */
export async function ensureBaseImage(engine: EngineClient, { repository, version, files }: BaseContents): Promise<string> {
  const contents = [...files, ...systemFiles()];
  const hash = await hashOf(contents);
  const tag = `${version}-${hash.slice(0, 12)}`;
  if (!(await hasImage(engine, `${repository}:${tag}`, hash))) await importImage(engine, repository, tag, hash, contents);
  return `${repository}:${tag}`;
}

function systemFiles(): TarEntry[] {
  const certificates = "/etc/ssl/certs/ca-certificates.crt";
  return [
    { kind: "file", path: "etc/passwd", contents: "root:x:0:0::/:/nologin\napp:x:1000:1000::/app:/nologin\n" },
    { kind: "file", path: "etc/group", contents: "root:x:0:\napp:x:1000:\n" },
    { kind: "file", path: "etc/nsswitch.conf", contents: "hosts: files dns\n" },
    ...(existsSync(certificates) ? [copyOf(realpathSync(certificates), certificates)] : []),
    // Mount points must exist, because the root is read-only when the engine mounts them.
    ...["dev", "proc", "sys"].map((path): TarEntry => ({ kind: "folder", path })),
    { kind: "folder", path: "tmp", mode: 0o1777 },
    { kind: "folder", path: "app" },
  ];
}

/** Returns a file of this machine for an absolute path of an image. */
export function copyOf(source: string, path: string): TarEntry {
  return { kind: "copy", path: path.slice(1), source, mode: 0o755 };
}

/** Throws if an image cannot contain this machine's `program`, because the containers of an engine run Linux. */
export function requireLinux(program: string): void {
  if (process.platform !== "linux")
    throw new Error(`app images contain this machine's ${program}, but this machine runs ${process.platform}`);
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
