import { ContainerError } from "@appserver/kernel/ports";
import { type EngineClient, EngineError } from "./engine-client.ts";

/** In the form of passwd(5). */
export const usersFile = "/etc/passwd";
const usersLimit = 1_048_576;

/**
 * Rejects with `start_failed` if `user` is a name that the container's image does not define, or an image gives root's id to it. Root
 * must be declared as such, because it needs a permission.
 */
export async function checkImageUser(engine: EngineClient, container: string, user: string): Promise<void> {
  if (user === "root" || /^\d/.test(user)) return;
  const ids = await userIds(engine, container, user);
  if (ids.length === 0) throw refused(container, `the image has no user ${user} in ${usersFile}`);
  if (ids.some((id) => !/^[1-9][0-9]*$/.test(id)))
    throw refused(container, `the user ${user} of the image has the id of root; declare the user root`);
}

function refused(container: string, message: string): ContainerError {
  return new ContainerError("start_failed", `${container} did not start: ${message}`);
}

/** Returns the ids of all entries with this name in the users of the container's image. */
export async function userIds(engine: EngineClient, container: string, user: string): Promise<readonly string[]> {
  return idsOf((await readUsers(engine, container)) ?? "", user);
}

/** Returns the ids of all entries with this name. */
export function idsOf(users: string, user: string): readonly string[] {
  const entries = users.split("\n").map((line) => line.split(":"));
  return entries.filter(([name]) => name === user).map(([, , id = ""]) => id);
}

async function readUsers(engine: EngineClient, container: string): Promise<string | undefined> {
  try {
    return firstFile(await engine.archive(container, usersFile, usersLimit));
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}

const block = 512;

/** Returns the contents of the only entry of an archive. Undefined if it is no regular file: a link may change its target. */
export function firstFile(archive: Buffer): string | undefined {
  for (let at = 0; at + block <= archive.length; ) {
    const type = String.fromCharCode(archive[at + 156] ?? 0);
    const size = Number.parseInt(archive.toString("ascii", at + 124, at + 136), 8);
    if (Number.isNaN(size)) return undefined;
    const start = at + block;
    if (type === "0" || type === "\0") return archive.toString("utf8", start, start + size);
    // Extended headers come before the entry that they describe.
    if (type !== "x" && type !== "g") return undefined;
    at = start + Math.ceil(size / block) * block;
  }
  return undefined;
}
