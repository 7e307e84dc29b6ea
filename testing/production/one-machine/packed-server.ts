import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { packServer } from "../../../tools/release/pack-server.ts";

const repository = resolve(import.meta.dirname, "../../..");

/** Packs the server into the folder, as a release does, and returns the tarball. */
export async function packedServer(folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", "tools/build.ts"], { cwd: repository });
  return await packServer(repository, folder);
}
