import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { cacheFolder } from "./cache-folder.ts";

/** A program that is built from source with the Go toolchain, once per version and user. */
export interface GoProgram {
  /** Name of the executable. */
  readonly name: string;
  readonly version: string;
  /** A published main package, or a folder with a main package, go.mod and go.sum. */
  readonly source: { readonly package: string } | { readonly folder: string };
  readonly tags?: readonly string[];
}

/** A cold build of a large server on two busy cores takes about ten minutes. */
const buildTimeoutMs = 25 * 60_000;
const lastOutput = 2_000;

/**
 * Returns a Go program and builds it at low priority if necessary. Callers in several processes wait for one build. On failure
 * returns the reason, worded for a test's summary.
 */
export async function ensureGoProgram(program: GoProgram): Promise<{ path: string } | { unavailable: string }> {
  const cache = cacheFolder("go");
  const folder = join(cache, `${program.name}-${program.version}-${fingerprint(program)}`);
  const path = join(folder, program.name);
  if (existsSync(path)) return { path };
  const go = findGo();
  if (!go) return { unavailable: `no Go toolchain to build ${program.name} with` };
  mkdirSync(cache, { recursive: true });
  return await withFileLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(path)) return { path };
      const scratch = mkdtempSync(join(cache, "building-"));
      try {
        const failure = await build(go, program, scratch);
        if (failure) return { unavailable: `${program.name} could not be built: ${failure}` };
        // Rename the finished build, so that a killed build never looks complete.
        renameSync(scratch, folder);
        return { path };
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
    { timeoutMs: buildTimeoutMs },
  );
}

export function findGo(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/go/bin"];
  return folders.map((folder) => join(folder, "go")).find((path) => existsSync(path));
}

/** Returns a hash of everything except the version that determines the build. */
function fingerprint({ source, tags = [] }: GoProgram): string {
  const hash = createHash("sha256").update(tags.join(","));
  if ("package" in source) hash.update(source.package);
  else for (const file of readdirSync(source.folder).sort()) hash.update(file).update(readFileSync(join(source.folder, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Builds the program. Returns the reason if the build fails, else undefined. */
async function build(go: string, program: GoProgram, output: string): Promise<string | undefined> {
  const flags = ["-trimpath", "-ldflags=-s -w", ...(program.tags ? [`-tags=${program.tags.join(",")}`] : [])];
  return "package" in program.source
    ? await run(go, ["install", ...flags, `${program.source.package}@${program.version}`], { GOBIN: output })
    : await run(go, ["build", "-C", program.source.folder, ...flags, "-o", join(output, program.name), "."], {});
}

function run(go: string, args: readonly string[], environment: Record<string, string>): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Compilers inherit the priority from `nice`, because tests may run at the same time. The build is in the caller's process
    // group, so that both end together.
    const child = spawn("nice", ["-n", "10", go, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...environment },
      timeout: buildTimeoutMs,
    });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-lastOutput);
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? undefined : `go ended with ${signal ?? code}: ${output.trim().split("\n").slice(-5).join("; ")}`);
    });
  });
}
