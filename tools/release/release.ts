// `npm run release -- 0.2.0 [--dry-run]`: commits and tags a release, and makes its packages and images. Pushes and publishes nothing:
// it prints the commands. A dry run does the same without the tag and the images, in a folder of its own that it removes.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import semver from "semver";
import { toolEnvironment } from "../checks/run-tool.ts";
import { packServer } from "./pack-server.ts";
import { releaseFiles } from "./release-files.ts";

const root = resolve(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean", default: false } },
});
const dryRun = values["dry-run"];
const from = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }).version;
const to = positionals[0] ?? (dryRun ? (semver.inc(from, "minor") ?? "") : "");

function run(folder: string, program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: "utf8", env: toolEnvironment(), maxBuffer: 64 * 1024 * 1024 });
}

function fail(message: string): never {
  process.stderr.write(`release: ${message}\n`);
  process.exit(1);
}

/** The first release has the version that the files have. */
function requireVersion(): void {
  if (semver.valid(to) !== to) fail(`usage: npm run release -- <version> [--dry-run]; got ${JSON.stringify(to)}`);
  if (run(root, "git", "tag", "--list", `v${to}`) !== "") fail(`v${to} was released`);
  if (semver.lt(to, from)) fail(`${to} is lower than ${from}`);
  if (!dryRun && run(root, "git", "status", "--porcelain") !== "") fail("there are uncommitted changes");
}

/** Commits the files of the release. */
function commit(folder: string): void {
  const files = run(folder, "git", "ls-files").trim().split("\n");
  const date = new Date().toISOString().slice(0, 10);
  const changed = releaseFiles({ from, to, date, files }, (path) => readFileSync(join(folder, path), "utf8"));
  for (const [path, contents] of changed) writeFileSync(join(folder, path), contents);
  // What later releases must stay compatible with.
  const released = join(folder, "contracts/released");
  run(folder, "npx", "buf", "build", "--exclude-source-info", "-o", join(released, `${to}.binpb`));
  cpSync(join(folder, "contracts/graphql/schema.graphql"), join(released, `${to}.graphql`));
  run(folder, "npx", "biome", "check", "--write", ...[...changed.keys()].filter((path) => path.endsWith(".json")));
  run(folder, "git", "add", "--all", ...changed.keys(), "contracts/released");
  // A dry run needs no name of a person.
  const author = dryRun ? ["-c", "user.name=release", "-c", "user.email=release@appserver.invalid"] : [];
  run(folder, "git", ...author, "commit", "--quiet", "--no-verify", "-m", `release: ${to}`);
  process.stdout.write(run(folder, "git", "show", "--stat", "--format=%s", "HEAD"));
}

/** Makes the packages of the SDKs, of `appctl`, for drivers, and of the server. */
async function pack(folder: string): Promise<void> {
  for (const build of ["tools/build.ts", "tools/build-driver.ts"]) process.stdout.write(run(folder, process.execPath, build));
  const target = join(folder, "dist/release");
  mkdirSync(target, { recursive: true });
  cpSync(join(folder, "sdk/dist/appserver-sdk.tgz"), join(target, `appserver-sdk-${to}.tgz`));
  cpSync(join(folder, "apps/cli/dist/appctl.tgz"), join(target, `appctl-${to}.tgz`));
  cpSync(join(folder, "libraries/driver/dist/appserver-driver.tgz"), join(target, `appserver-driver-${to}.tgz`));
  for (const file of readdirSync(join(folder, "sdk/python/dist"), { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".whl")) cpSync(join(folder, "sdk/python/dist", file), join(target, basename(file)));
  await packServer(folder, target);
  process.stdout.write(`${readdirSync(target).join("\n")}\n`);
}

function images(folder: string): void {
  for (const target of ["server", "orchestrator", "up"])
    run(folder, "docker", "build", "-f", "deploy/Dockerfile", "--target", target, "-t", `appserver/${target}:${to}`, ".");
}

requireVersion();
if (dryRun) {
  const folder = join(mkdtempSync(join(tmpdir(), "appserver-release-")), "checkout");
  run(root, "git", "worktree", "add", "--quiet", "--detach", folder, "HEAD");
  try {
    for (const path of ["node_modules", "apps/docs/node_modules", "apps/cli/node_modules"])
      if (existsSync(join(root, path))) symlinkSync(join(root, path), join(folder, path));
    commit(folder);
  } finally {
    run(root, "git", "worktree", "remove", "--force", folder);
    rmSync(resolve(folder, ".."), { recursive: true, force: true });
  }
  process.stdout.write(`nothing was changed: this was a dry run of ${to}\n`);
} else {
  commit(root);
  run(root, "git", "tag", "-a", `v${to}`, "-m", `Appserver ${to}`);
  await pack(root);
  images(root);
  process.stdout.write(
    `Look at it, then: git push --follow-tags, npm publish dist/release/{appctl,appserver-driver,appserver-sdk}-${to}.tgz, and docker push \
appserver/server:${to} and the others. appserver-${to}.tgz is for download.\n`,
  );
}
