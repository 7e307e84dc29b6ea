import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { sharedLibraries } from "@appserver/containers-docker/images";
import { type TarEntry, tar } from "@appserver/contracts/folder-images";

export interface ImageParts {
  /** Archives, the lowest first. */
  readonly layers: readonly Buffer[];
  /** `Cmd`, `User` and more, as the configuration of an image names them. */
  readonly config: object;
}

/**
 * Pushes an image of a program in JavaScript, with the Node that runs this process, to a registry over plain HTTP. Needs no container engine.
 * `image`: `10.199.0.1:5000/com.example.notes:latest`. `program`: path of the program in it. Returns its digest.
 */
export async function pushNodeImage(image: string, code: string, program = "app/main.mjs"): Promise<string> {
  const app = { uid: 1000, name: "app", home: "/app" };
  const file: TarEntry = { kind: "file", path: program, contents: code };
  return await pushImage(image, {
    layers: [await archive(nodeFiles(app)), await archive([file])],
    config: {
      Cmd: ["/usr/local/bin/node", `/${program}`],
      WorkingDir: "/app",
      User: "1000:1000",
      Env: ["PATH=/usr/local/bin"],
    },
  });
}

/** Pushes an image to a registry over plain HTTP, and returns its digest. Layers that the registry has are not sent again. */
export async function pushImage(image: string, { layers, config }: ImageParts): Promise<string> {
  const [, host = "", repository = "", tag = "latest"] = /^([^/]+)\/(.+):([^:/]+)$/.exec(image) ?? [];
  const target = `http://${host}/v2/${repository}`;
  const mediaType = "application/vnd.oci.image.layer.v1.tar";
  const descriptors = [];
  for (const layer of layers) descriptors.push({ mediaType, ...(await upload(target, layer)) });
  const description = Buffer.from(
    JSON.stringify({
      architecture: process.arch === "arm64" ? "arm64" : "amd64",
      os: "linux",
      config,
      rootfs: { type: "layers", diff_ids: descriptors.map(({ digest }) => digest) },
    }),
  );
  const manifestType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: { mediaType: "application/vnd.oci.image.config.v1+json", ...(await upload(target, description)) },
      layers: descriptors,
    }),
  );
  await expectCreated(
    await fetch(`${target}/manifests/${tag}`, { method: "PUT", body: manifest, headers: { "content-type": manifestType } }),
  );
  return digestOf(manifest);
}

/** A user of an image, with a group of the same number. */
export interface ImageUser {
  readonly uid: number;
  readonly name: string;
  readonly home: string;
}

/** Returns the files of an image in which Node runs. */
export function nodeFiles({ uid, name, home }: ImageUser): TarEntry[] {
  const node = realpathSync(process.execPath);
  return [
    ...sharedLibraries([node]),
    { kind: "copy", path: "usr/local/bin/node", source: node, mode: 0o755 },
    { kind: "file", path: "etc/passwd", contents: `root:x:0:0::/:/nologin\n${name}:x:${uid}:${uid}::${home}:/nologin\n` },
    { kind: "file", path: "etc/group", contents: `root:x:0:\n${name}:x:${uid}:\n` },
    { kind: "file", path: "etc/nsswitch.conf", contents: "hosts: files dns\n" },
    ...["dev", "proc", "sys", "app"].map((path): TarEntry => ({ kind: "folder", path })),
    { kind: "folder", path: "tmp", mode: 0o1777 },
  ];
}

/** Returns a layer of an image. */
export async function archive(entries: Iterable<TarEntry>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tar(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function upload(target: string, bytes: Buffer): Promise<{ readonly digest: string; readonly size: number }> {
  const digest = digestOf(bytes);
  const known = await fetch(`${target}/blobs/${digest}`, { method: "HEAD" });
  if (known.status !== 200) {
    const begun = await fetch(`${target}/blobs/uploads/`, { method: "POST" });
    const location = new URL(begun.headers.get("location") ?? "", target);
    location.searchParams.set("digest", digest);
    const headers = { "content-type": "application/octet-stream" };
    await expectCreated(await fetch(location, { method: "PUT", body: bytes, headers }));
  }
  return { digest, size: bytes.length };
}

async function expectCreated(response: Response): Promise<void> {
  const text = await response.text();
  if (response.status !== 201) throw new Error(`the registry responded with ${response.status}: ${text}`);
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
