import { spawn } from "node:child_process";
import { chown, lstat, stat } from "node:fs/promises";

/** The operating-system account that the server runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on Linux. PostgreSQL refuses to run as root. */
const unprivileged: Account = { uid: 65534, gid: 65534 };

/**
 * Returns the server's account; undefined means the account of this process. If this process is root, it is the owner of
 * existing data, so that an ordinary user who created it keeps it, otherwise `nobody`.
 */
export async function chooseAccount(dataFolder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataFolder).catch(() => undefined);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : unprivileged;
}

export async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (!account) return;
  const { uid, gid } = await lstat(path);
  if (uid !== account.uid || gid !== account.gid) await chown(path, account.uid, account.gid);
}

/**
 * Whether the account really has the access, tested by trying it: a check of modes would miss parents, mounts, ACLs and
 * security modules.
 */
export function canUse(
  account: Account | undefined,
  use: { run: string } | { write: string } | { read: string },
): Promise<boolean> {
  const [script, target] =
    "run" in use
      ? ['"$1" --version', use.run]
      : "write" in use
        ? ['test -w "$1" && test -x "$1"', use.write]
        : ['test -r "$1"', use.read];
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", script, "sh", target], { ...account, stdio: "ignore", cwd: "/" });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
