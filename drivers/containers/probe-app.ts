import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The probe's main file, in the folder passed to {@link writeProbeApp}. */
export const probeEntry = "probe.mjs";

/**
 * Writes an app that reports its environment from inside. Plain JavaScript without dependencies: it runs as a process and in an
 * image. `GET /version` returns `version`.
 */
export function writeProbeApp(folder: string, version = "1"): void {
  writeFileSync(join(folder, probeEntry), `const version = ${JSON.stringify(version)};${source}`);
}

const source = `
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { connect } from "node:net";
import { readFileSync, statSync, writeFileSync } from "node:fs";

const attempt = (work) => {
  try {
    return { value: work() };
  } catch (error) {
    return { error: error.code ?? String(error) };
  }
};

const held = [];
/** Runs until this process has used the processor for so many milliseconds. */
const spin = (ms) => {
  // Reading the usage costs more than the loop.
  for (const start = process.cpuUsage(); process.cpuUsage(start).user / 1_000 < ms; ) for (let step = 0; step < 1e6; step += 1);
};

const answers = {
  "/env": () => process.env,
  "/pid": () => process.pid,
  "/version": () => version,
  "/read": (query) => attempt(() => readFileSync(query.get("path"), "utf8")),
  "/identity": (query) => attempt(() => {
    const path = (process.env.APP_IDENTITY_DIR ?? "/run/appserver") + "/" + query.get("file");
    const { mode, uid } = statSync(path);
    return { text: readFileSync(path, "utf8"), mode: (mode & 0o777).toString(8), isOwn: uid === process.getuid() };
  }),
  "/write": (query) => attempt(() => writeFileSync(query.get("path"), query.get("text") ?? "x")),
  "/mode": (query) => attempt(() => (statSync(query.get("path")).mode & 0o777).toString(8)),
  "/allocate": (query) => Buffer.alloc(Number(query.get("mb")) * 1024 * 1024, 1).length,
  "/hold": (query) => held.push(Buffer.alloc(Number(query.get("mb")) * 1024 * 1024, 1)),
  "/spin": (query) => spin(Number(query.get("ms"))),
  /** Starts a process in a session of its own, which does the same and stays as long as this one. */
  "/child": (query) =>
    new Promise((resolve) => {
      const code = "const held = Buffer.alloc(" + Number(query.get("mb")) * 1024 * 1024 + ", 1); (" + spin + ")(" + Number(query.get("ms")) + ");";
      const stay = "console.log(held.length); process.stdin.resume().on('end', () => process.exit(held.length && 0));";
      spawn(process.execPath, ["-e", code + stay], { detached: true, stdio: ["pipe", "pipe", "ignore"] }).stdout.once("data", () => resolve());
    }),
  "/print": (query) => {
    const lines = Array.from({ length: Number(query.get("lines") ?? 1) }, (_, index) => query.get("text").replace("#", index));
    process[query.get("stream") ?? "stdout"].write(lines.join("\\n") + "\\n");
  },
  "/print-long": (query) => void process.stdout.write("x".repeat(Number(query.get("length"))) + "\\nafter\\n"),
  "/exit": (query) => process.exit(Number(query.get("code"))),
  "/connect": (query) =>
    new Promise((resolve) => {
      const socket = connect({ host: query.get("host"), port: Number(query.get("port")), timeout: 2_000 });
      const end = (result) => resolve(result) ?? socket.destroy();
      socket.once("connect", () => end("connected")).once("timeout", () => end("timeout")).once("error", (error) => end(error.code));
    }),
  "/fetch": async (query) => await fetch(query.get("url")).then((response) => response.status, (error) => error.cause?.code ?? String(error)),
};

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://probe");
  const body = await answers[pathname]?.(searchParams);
  response.end(JSON.stringify(body ?? null));
}).listen(Number(process.env.PORT), process.env.HOST, () => {
  console.log("probe is up");
  console.error("probe warns");
});
`;
