import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { EngineClient } from "@appserver/containers-docker";
import { ensureTemplateNodeBase } from "../docker/template-bases.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
/** Of libraries of npm and of PostgreSQL. Debian's smallest image has them, and that of the tests does not. */
const libraries = ["librt.so.1", "libutil.so.1", "libpthread.so.0", "libdl.so.2", "libm.so.6"];
const locale = "/usr/lib/locale/C.utf8";
const image = "appserver-test/up";
const base = "appserver-test/base";
const buildBase = "appserver-test/build";

/**
 * Builds the target `up` of deploy/Dockerfile on images of this machine's files, with the packages that npm has loaded here before. Returns
 * its name. Takes minutes, and seconds if nothing has changed.
 */
export async function buildUpImage(socketPath: string): Promise<string> {
  const engine = new EngineClient(socketPath);
  await ensureTemplateNodeBase(engine);
  await engine.close();
  const env = { ...process.env, DOCKER_HOST: `unix://${socketPath}`, DOCKER_BUILDKIT: "0" };
  const docker = (folder: string, ...args: string[]) =>
    run("docker", ["build", "--quiet", ...args, "."], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  const context = await mkdtemp(join(tmpdir(), "appserver-image-"));
  try {
    const libraryFolder = dirname(await realpath(await pathOfLibrary("libm.so.6")));
    for (const each of libraries) await cp(await realpath(join(libraryFolder, each)), join(context, "lib", each));
    const { stdout: cache } = await run("npm", ["config", "get", "cache"]);
    await cp(join(cache.trim(), "_cacache"), join(context, "cache/_cacache"), { recursive: true });
    await writeFile(join(context, "npmrc"), "offline=true\ncache=/npm-cache\naudit=false\n");
    await cp(locale, join(context, "locale"), { recursive: true });
    await writeFile(join(context, "Dockerfile"), `FROM node:24-slim\nCOPY lib ${libraryFolder}/\nCOPY locale ${locale}\n`);
    await docker(context, "--tag", base);
    await writeFile(join(context, "Dockerfile"), `FROM ${base}\nCOPY cache /npm-cache\nCOPY npmrc /usr/local/etc/npmrc\n`);
    await docker(context, "--tag", buildBase);
  } finally {
    await rm(context, { recursive: true });
  }
  const bases = [
    "--build-arg",
    `BUILD_IMAGE=${buildBase}`,
    "--build-arg",
    `UP_IMAGE=${base}`,
    "--build-arg",
    "POSTGRES_CLIENT=",
  ];
  await docker(repository, "--network", "none", "--file", "deploy/Dockerfile", "--target", "up", ...bases, "--tag", image);
  return image;
}

async function pathOfLibrary(name: string): Promise<string> {
  const { stdout } = await run("sh", ["-c", `/sbin/ldconfig -p | sed -n 's/.*=> //p' | grep -m 1 '/${name}$'`]);
  return stdout.trim();
}
