import { tar } from "@appserver/contracts/folder-images";
import { ContainerError, type ContainerFile } from "@appserver/kernel/ports";
import type { EngineClient } from "./engine-client.ts";
import { userIds, usersFile } from "./image-user.ts";

/** Where a container has its identity: a volume of its own, which the engine removes with the container. */
export const identityPath = "/run/appserver";

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
  const [found] = await userIds(engine, name, wanted);
  if (found === undefined || !/^\d+$/.test(found)) {
    throw new ContainerError(
      "start_failed",
      `the image of ${name} runs as the user ${wanted}, which its ${usersFile} does not have`,
    );
  }
  return Number(found);
}

function archivePath(name: string): string {
  return `/containers/${encodeURIComponent(name)}/archive`;
}
