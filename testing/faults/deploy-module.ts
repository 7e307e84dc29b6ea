import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { writeAppFolder } from "@appserver/testing/kit";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

/** For `createRequire` in the source of such an app. It has the libraries of the repository. */
export const repositoryPackage: string = join(root, "package.json");

/** An app that is one module and runs as a process. */
export interface ModuleApp {
  readonly name: string;
  readonly source: string;
  /** In YAML. */
  readonly manifest: string;
}

/** Deploys the app from a folder, as its developer does. */
export async function deployModule({ name, source, manifest }: ModuleApp, httpUrl: string, token: string): Promise<void> {
  const folder = await writeAppFolder(source);
  try {
    await writeFile(join(folder, "app.yaml"), manifest);
    const env = {
      PATH: dirname(process.execPath),
      HOME: folder,
      APPSERVER_HTTP_URL: httpUrl,
      APPSERVER_GRPC_URL: httpUrl,
      APPSERVER_TOKEN: token,
    };
    const ctl = (...args: readonly string[]) =>
      run(process.execPath, [join(root, "bin/appctl.mjs"), ...args], { cwd: folder, env });
    await ctl("keys", "generate", ".", "--name", name);
    await ctl("deploy", ".", "--approve");
  } finally {
    await rm(folder, { recursive: true });
  }
}
