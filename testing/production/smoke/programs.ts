import { execFile } from "node:child_process";

export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program as a user at a terminal does. Does not reject if it fails. */
export function run(program: string, args: readonly string[], input?: string): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { timeout: 30_000 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

/** Runs `curl` with the flags. Returns the version of HTTP, the status and curl's exit code. */
export async function curl(url: string, ...flags: string[]): Promise<string> {
  const args = ["--silent", "--output", "/dev/null", "--write-out", "HTTP/%{http_version} %{http_code}", ...flags, url];
  const { code, stdout } = await run("curl", args);
  return code === 0 ? stdout : `ended with ${code}`;
}
