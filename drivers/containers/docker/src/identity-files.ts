import { ContainerError, type ContainerFile } from "@appserver/kernel/ports";
import { type EngineClient, EngineError } from "./engine-client.ts";
import { tar } from "./images/tar.ts";

/** Where a container has its identity: a volume of its own, which the engine removes with the container. */
export const identityPath = "/run/appserver";

const usersFile = "/etc/passwd";

/**
 * Writes files into a container's identity volume. They belong to the numeric id of `user`, the user of the container in the form
 * of Docker (`1000`, `node`, `node:staff`; empty: root), and only that user can read them.
 */
export async function writeIdentityFiles(
  engine: EngineClient,
  container: { readonly name: string; readonly user: string },
  files: readonly ContainerFile[],
): Promise<void> {
  const uid = await userId(engine, container);
  const file = { kind: "file", mode: 0o400, owner: { uid, gid: 0 } } as const;
  const entries = files.map(({ name, text }) => ({ ...file, path: name, contents: text }));
  await engine.request("PUT", archivePath(container.name), {
    query: { path: identityPath },
    headers: { "content-type": "application/x-tar" },
    body: tar(entries),
  });
}

async function userId(engine: EngineClient, { name, user }: { name: string; user: string }): Promise<number> {
  const [wanted = ""] = user.split(":");
  if (wanted === "") return 0;
  if (/^\d+$/.test(wanted)) return Number(wanted);
  const found = idInUsers(await readUsers(engine, name), wanted);
  if (found === undefined) {
    throw new ContainerError(
      "start_failed",
      `the image of ${name} runs as the user ${wanted}, which its ${usersFile} does not have`,
    );
  }
  return found;
}

/** Returns the text of the image's users; empty if the image has none. */
async function readUsers(engine: EngineClient, name: string): Promise<string> {
  try {
    return firstFile(await engine.bytes(archivePath(name), { path: usersFile }));
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return "";
    throw error;
  }
}

/** Returns the numeric id of a user in the form of passwd(5). */
export function idInUsers(text: string, wanted: string): number | undefined {
  for (const line of text.split("\n")) {
    const [name, , id = ""] = line.split(":");
    if (name === wanted && /^\d+$/.test(id)) return Number(id);
  }
  return undefined;
}

/** Returns the contents of the only file in a tar archive; empty if the entry is no file. */
function firstFile(archive: Buffer): string {
  const size = Number.parseInt(archive.toString("latin1", 124, 136), 8);
  const isFile = ["0", "\0"].includes(archive.toString("latin1", 156, 157));
  return isFile && Number.isInteger(size) ? archive.toString("utf8", 512, 512 + size) : "";
}

function archivePath(name: string): string {
  return `/containers/${encodeURIComponent(name)}/archive`;
}
