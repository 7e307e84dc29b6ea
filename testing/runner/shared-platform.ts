import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileResult } from "./case-result.ts";

/** Time to start five programs, two servers, two images and two containers on a machine that may be busy. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 60_000;

/** `embedded` is `appserver dev`; `production` is `serve` and `orchestrate` on real backends; `up` is `appserver up`. */
export type PlatformVariant = "embedded" | "production" | "up";

/** A platform that several files share. */
export interface SharedPlatform {
  /** Environment variables by which a test file finds it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Starts it in its own process, which ends with this one. Returns the reason if it is unavailable. Rejects if the start fails.
 * `options`: options of the platform, by their variables.
 */
export async function startSharedPlatform(
  root: string,
  scratch: string,
  variant: PlatformVariant,
  options: Readonly<Record<string, string>> = {},
): Promise<SharedPlatform | { readonly unavailable: string }> {
  const file = join(scratch, `${variant}-platform-${randomUUID()}.json`);
  const variables = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const args = [join(root, "testing/kit/shared-platform-process.ts"), variant, file, ...variables];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "inherit", "pipe"], detached: true });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output = (output + chunk).slice(-8_000)));
  const exit = once(child, "exit");
  for (const deadline = performance.now() + startTimeoutMs; ; await sleep(50)) {
    const answer = read(file);
    if (answer && typeof answer["unavailable"] === "string") {
      await exit;
      return { unavailable: answer["unavailable"] };
    }
    if (answer) return { environment: { APPSERVER_TEST_PLATFORM: file }, stop: () => stop(child, exit) };
    const problem = hasEnded(child) ? "ended" : performance.now() > deadline && `took longer than ${startTimeoutMs / 1000} s`;
    if (problem) {
      await stop(child, exit);
      throw new Error(`the start of the shared platform ${problem}:\n${output}`);
    }
  }
}

/** Returns the result of a file whose platform is unavailable or did not start. */
export function withoutPlatform(
  file: string,
  reason: { readonly unavailable: string } | { readonly failed: string },
): FileResult {
  const name = "the file on the shared platform";
  const result =
    "unavailable" in reason
      ? ({ name, outcome: "skipped", reason: reason.unavailable } as const)
      : ({ name, outcome: "failed", error: reason.failed } as const);
  return { file, cases: [result], seconds: 0, output: "" };
}

async function stop(child: ChildProcess, exit: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  const patience = new AbortController();
  const late = sleep(stopTimeoutMs, "late", { signal: patience.signal }).catch(() => "");
  if ((await Promise.race([exit, late])) === "late" && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  patience.abort();
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function read(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
