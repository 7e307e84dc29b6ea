import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");

interface Target {
  /** Of the platform. */
  readonly url: string;
  readonly token: string;
  /** Of the engine that builds the image. */
  readonly socketPath: string;
}

/** Makes an app in the folder, and deploys it as a developer does. Nothing is loaded from a registry of npm. */
export async function deployApp(folder: string, name: string, { url, token, socketPath }: Target): Promise<void> {
  const home = join(folder, "developer");
  await mkdir(home);
  const environment = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(":"),
    HOME: home,
    APPSERVER_HTTP_URL: url,
    APPSERVER_GRPC_URL: url,
    APPSERVER_TOKEN: token,
    DOCKER_HOST: `unix://${socketPath}`,
    npm_config_registry: "http://127.0.0.1:9",
  };
  const ctl = (...args: string[]) => run(process.execPath, [appctl, ...args], { cwd: home, env: environment });
  await ctl("create", name, "--name", name, "--template", "api");
  await ctl("deploy", name, "--approve");
}
