// Runs in pods, from the image of the platform, and imports nothing of it (docs/interface/containers.md#kubernetes).
//
//   network-gate.mjs wait HOST PORT  ends once this pod reaches HOST, the platform, and no longer the API server: its policies apply
//   network-gate.mjs serve PORT      accepts connections
//   network-gate.mjs try HOST PORT   prints "open" or "closed" twice a second
import { connect, createServer, isIP } from "node:net";

const limitMs = 10_000;
const neededRefusals = 2;
const connectMs = 1_000;
const pauseMs = 100;
const tryEveryMs = 500;

/** @type {(ms: number) => Promise<void>} */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns why there is no connection, or undefined if there is one.
 *
 * @type {(host: string, port: number) => Promise<string | undefined>}
 */
function failureOf(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (/** @type {string | undefined} */ failure) => {
      socket.destroy();
      resolve(failure);
    };
    const limit = () => socket.setTimeout(connectMs);
    // A name is looked up without a limit: a lookup that is given up occupies a thread, and would delay the next one.
    if (isIP(host)) limit();
    else socket.once("lookup", limit);
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end("ETIMEDOUT"));
    socket.once("error", (/** @type {NodeJS.ErrnoException} */ error) => end(error.code ?? error.message));
  });
}

/**
 * While the network of a pod is not connected yet, everything fails. So a refusal by the API server counts only after the platform,
 * which the policies allow, was reached.
 *
 * @type {(host: string, port: number) => Promise<void>}
 */
async function waitForPolicies(host, port) {
  const { KUBERNETES_SERVICE_HOST: apiHost = "", KUBERNETES_SERVICE_PORT: apiPort = "443" } = process.env;
  if (apiHost === "") throw new Error("KUBERNETES_SERVICE_HOST is not set: this is no pod");
  const end = performance.now() + limitMs;
  let refusals = 0;
  let reason = "";
  do {
    const failure = await failureOf(host, port);
    if (failure !== undefined) {
      refusals = 0;
      reason = `does not reach the platform at ${host}:${port} (${failure}): its network or DNS does not work, the platform does not run, or no policy allows it`;
    } else if ((await failureOf(apiHost, Number(apiPort))) === undefined) {
      refusals = 0;
      reason = `still reaches the API server at ${apiHost}:${apiPort}: no NetworkPolicy of the namespace applies to it`;
    } else {
      refusals += 1;
      if (refusals === neededRefusals) return;
    }
    await sleep(pauseMs);
  } while (performance.now() < end);
  console.error(`network-gate: after ${limitMs / 1_000} s this pod ${reason}, so the app is not started`);
  process.exitCode = 1;
}

const [mode, host = "", port = ""] = process.argv.slice(2);
// The first process of a container has no default action for it.
process.on("SIGTERM", () => process.exit());
if (mode === "wait" && port !== "") {
  await waitForPolicies(host, Number(port));
} else if (mode === "serve") {
  createServer((socket) => socket.on("error", () => {}).end()).listen(Number(host));
} else if (mode === "try") {
  for (;;) {
    console.log((await failureOf(host, Number(port))) === undefined ? "open" : "closed");
    await sleep(tryEveryMs);
  }
} else {
  throw new Error(`expected wait HOST PORT, serve PORT or try HOST PORT, got ${process.argv.slice(2).join(" ")}`);
}
