import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { PlatformUnderTest } from "@appserver/testing/kit";
import type { InstalledPython } from "../../../tools/services/python-program.ts";
import type { Dictionaries } from "./fuzzed-apps.ts";

/** The parts of schemathesis' report that the test reads. */
export interface Report {
  readonly stop_reason: string;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly phases: Readonly<Record<string, { readonly status: string }>>;
  /** `generated`: each is one request. */
  readonly test_cases: { readonly generated: number; readonly without_checks: number; readonly errored: number };
  readonly failures: readonly object[];
  readonly errors: readonly object[];
}

/** A run takes three minutes on two cores. The limit of a test file is ten minutes. */
const timeoutMs = 8.5 * 60_000;
const configuration = join(import.meta.dirname, "schemathesis");

/** Calls the platform as its administrator. Returns the report, and what a developer reads about failures. */
export async function runSchemathesis(
  { path, packages }: InstalledPython,
  { httpUrl, administrator }: Pick<PlatformUnderTest, "httpUrl" | "administrator">,
  { folder, dictionaries }: { readonly folder: string; readonly dictionaries: Dictionaries },
): Promise<{ readonly report: Report; readonly output: string }> {
  await cp(configuration, folder, { recursive: true });
  // The notation of libFuzzer, whose strings these values are as JSON.
  for (const [name, values] of Object.entries(dictionaries))
    await writeFile(join(folder, `${name}.dict`), values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  const report = join(folder, "report.json");
  const headers = Object.entries(administrator).flatMap(([name, value]) => ["--header", `${name}:${value}`]);
  const command = ["-B", "-m", "schemathesis.cli", "--no-color", "--config-file", "schemathesis.toml"];
  const run = ["run", `${httpUrl}/api/v2/openapi.json`, "--report", "json", "--report-json-path", report, ...headers];
  const child = spawn(path, [...command, ...run], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: packages, NO_PROXY: "*" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
  });
  const ended = once(child, "close");
  const [output, errors, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  // 1: there are failures.
  if (code !== 0 && code !== 1) throw new Error(`schemathesis ended with ${signal ?? code}: ${output}${errors}`);
  return { report: JSON.parse(await readFile(report, "utf8")) as Report, output };
}
