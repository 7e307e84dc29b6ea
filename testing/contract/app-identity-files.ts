import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { PlatformUnderTest } from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import { appProcess } from "./app-process.ts";

export interface IdentityFile {
  readonly text: string;
  /** Permission bits, octal. */
  readonly mode: string;
  /** Numeric id of the owner. */
  readonly owner: number;
}

/** Returns the identity of a running app by file name, read as the host's administrator can. */
export async function identityFilesOf(
  platform: Pick<PlatformUnderTest, "httpUrl">,
  engine: TestDockerEngine | undefined,
  appName: string,
): Promise<Readonly<Record<string, IdentityFile>>> {
  if (engine) return filesIn(await engine.archive(`app-${appName}`, "/run/appserver/."));
  const environment = appProcess(platform, appName)?.environment ?? [];
  const [, folder = ""] = environment.find((line) => line.startsWith("APP_IDENTITY_DIR="))?.split("=") ?? [];
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const { mode, uid } = statSync(join(folder, name));
      return [name, { text: readFileSync(join(folder, name), "utf8"), mode: (mode & 0o777).toString(8), owner: uid }];
    }),
  );
}

/** Reads the files of a ustar archive. */
function filesIn(archive: Buffer): Readonly<Record<string, IdentityFile>> {
  const files: Record<string, IdentityFile> = {};
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0; ) {
    const number = (from: number, to: number): number => Number.parseInt(archive.toString("latin1", at + from, at + to), 8);
    const name = archive.toString("utf8", at, archive.indexOf(0, at)).replace(/^\.\//, "");
    const size = number(124, 136);
    if (archive.toString("latin1", at + 156, at + 157) === "0") {
      const text = archive.toString("utf8", at + 512, at + 512 + size);
      files[name] = { text, mode: (number(100, 108) & 0o777).toString(8), owner: number(108, 116) };
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
