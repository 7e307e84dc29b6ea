import { type TarEntry, tar } from "@appserver/contracts/folder-images";
import { type EngineClient, EngineError, registryAuth } from "../index.ts";

/** Label with a hash of the image's contents, so that an existing image is not built again. */
export const contentLabel = "appserver.content";

/** Returns whether the engine has the image with these contents under this name. */
export async function hasImage(engine: EngineClient, image: string, contentHash: string): Promise<boolean> {
  const { status, body } = await engine.request("GET", `/images/${image}/json`, { accept: [404] });
  if (status === 404) return false;
  const { Config } = body as { Config?: { Labels?: Readonly<Record<string, string>> | null } };
  return Config?.Labels?.[contentLabel] === contentHash;
}

/** Creates an image of one layer from a root file system. */
export async function importImage(
  engine: EngineClient,
  repository: string,
  tag: string,
  label: string,
  files: Iterable<TarEntry>,
) {
  const query = { fromSrc: "-", repo: repository, tag, changes: `LABEL ${contentLabel}=${label}` };
  await expectSuccess(engine.lines("POST", "/images/create", { query, body: tar(files), headers: tarType, timeoutMs: 0 }));
}

/** Builds an image from a Dockerfile and the files that it copies. Pulls no image. */
export async function buildImage(engine: EngineClient, image: string, dockerfile: string, files: Iterable<TarEntry>) {
  const context: TarEntry[] = [{ kind: "file", path: "Dockerfile", contents: dockerfile }, ...files];
  const query = { t: image, version: "1", rm: "true", forcerm: "true", pull: "" };
  await expectSuccess(engine.lines("POST", "/build", { query, body: tar(context), headers: tarType, timeoutMs: 0 }));
}

/** Pushes an image to the registry that its name starts with. */
export async function pushImage(engine: EngineClient, image: string): Promise<void> {
  const colon = image.lastIndexOf(":");
  // The engine refuses a push without credentials, even if the registry requires none.
  const headers = registryAuth();
  const path = `/images/${image.slice(0, colon)}/push`;
  await expectSuccess(engine.lines("POST", path, { query: { tag: image.slice(colon + 1) }, headers, timeoutMs: 0 }));
}

const tarType = { "content-type": "application/x-tar" };

async function expectSuccess(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const line of lines) {
    const { error } = line as { error?: string };
    // The status 200 was sent before: a failure is reported only in the stream.
    if (error !== undefined) throw new EngineError(200, error);
  }
}
