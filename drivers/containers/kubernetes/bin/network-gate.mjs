// Runs in pods, from the image of the platform, and imports nothing of it (docs/interface/containers.md#kubernetes).
//
//   network-gate.mjs                 ends once this pod no longer reaches the API server, so that no app starts before its policies apply
//   network-gate.mjs serve PORT      accepts connections
//   network-gate.mjs try HOST PORT   prints "open" or "closed" twice a second
import { connect, createServer } from "node:net";

const limitMs = 10_000;
const neededRefusals = 2;
const connectMs = 1_000;
const pauseMs = 100;
const tryEveryMs = 500;

/** @type {(ms: number) => Promise<void>} */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @type {(host: string, port: number) => Promise<boolean>} */
function isOpen(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs });
    const end = (/** @type {boolean} */ result) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

async function gate() {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
  if (host === "") throw new Error("KUBERNETES_SERVICE_HOST is not set: this is no pod");
  const end = performance.now() + limitMs;
  let refusals = 0;
  while (performance.now() < end) {
    refusals = (await isOpen(host, Number(port))) ? 0 : refusals + 1;
    if (refusals === neededRefusals) return;
    await sleep(pauseMs);
  }
  const text = `network-gate: after ${limitMs / 1_000} s this pod still reaches the API server at ${host}:${port}`;
  console.error(`${text}: no NetworkPolicy of the namespace applies to it, so the app is not started`);
  process.exitCode = 1;
}

const [mode = "gate", ...args] = process.argv.slice(2);
// The first process of a container has no default action for it.
process.on("SIGTERM", () => process.exit());
if (mode === "gate") {
  await gate();
} else if (mode === "serve") {
  createServer((socket) => socket.on("error", () => {}).end()).listen(Number(args[0]));
} else if (mode === "try") {
  for (;;) {
    console.log((await isOpen(args[0] ?? "", Number(args[1]))) ? "open" : "closed");
    await sleep(tryEveryMs);
  }
} else {
  throw new Error(`expected serve, try or nothing, got ${mode}`);
}
