import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { ensureDebianProgram } from "./debian-package.ts";

const board = resolve(import.meta.dirname, "../../examples/board/requirements.txt");
const installTimeoutMs = 10 * 60_000;
const lastOutput = 2_000;

/**
 * Returns the path of a `python3` that has what the sample app in Python needs. Installs it once per user into a virtual
 * environment outside of the checkout. Otherwise returns the reason, worded for a test's summary.
 */
export async function ensureBoardPython(requirements: string = board): Promise<{ path: string } | { unavailable: string }> {
  const virtualenv = ensureDebianProgram("virtualenv", "virtualenv");
  if ("unavailable" in virtualenv) return virtualenv;
  const hash = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "appserver", "python");
  const folder = join(cache, hash);
  const path = join(folder, "bin", "python3");
  const complete = join(folder, ".complete");
  if (existsSync(complete)) return { path };
  mkdirSync(cache, { recursive: true });
  return await withFileLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(complete)) return { path };
      rmSync(folder, { recursive: true, force: true });
      const failure =
        (await run(virtualenv.path, ["--quiet", folder])) ?? (await run(path, ["-m", "pip", ...install, requirements]));
      if (failure) return { unavailable: `python packages: ${failure}` };
      writeFileSync(complete, "");
      return { path };
    },
    { timeoutMs: installTimeoutMs },
  );
}

const install = ["install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:", "-r"];

function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: installTimeoutMs });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output = (output + chunk).slice(-lastOutput);
      });
    }
    child.once("error", (error) => done(error.message));
    child.once("close", (code, signal) => {
      done(
        code === 0 ? undefined : `${program} ended with ${signal ?? code}: ${output.trim().split("\n").slice(-5).join("; ")}`,
      );
    });
  });
}
