import { execFile } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { promisify } from "node:util";
import { testApp } from "@appserver/testing/kit";
import { publishIdleImage } from "../../production/replicas/idle-image.ts";
import { type OrchestratedPlatform, startOrchestratedPlatform } from "../orchestrated-platform.ts";

/** Requests to the engine at the same time. */
const atOnce = 8;

/** A platform whose apps run in containers that do nothing. */
export interface IdleApps extends AsyncDisposable {
  readonly orchestrator: OrchestratedPlatform["orchestrator"];
  /** Names of the containers that run. */
  running(): Promise<readonly string[]>;
  /** Sends a request about each container, a few at a time. */
  each(containers: readonly string[], action: "kill" | "start"): Promise<void>;
}

/** Installs the apps. Resolves when all of their containers run. */
export async function installIdleApps(names: readonly string[], log: (line: string) => void): Promise<IdleApps> {
  // Reached by name on their network, because these apps are never called and each published port costs a process.
  const platform = await startOrchestratedPlatform({ APPSERVER_CONTAINERS_ENDPOINT: "network" });
  await using ends = new AsyncDisposableStack();
  ends.use(platform);
  const { group, server, orchestrator, engine, registry, instance } = platform;
  await publishIdleImage(engine.socketPath, registry, names);
  const running = async (): Promise<readonly string[]> => {
    const filters = JSON.stringify({ label: [`appserver.instance=${instance}`] });
    const { body } = await engine.request("GET", "/containers/json", { query: { filters } });
    return (body as { Names: string[] }[]).map(({ Names: [name = ""] }) => name.slice(1));
  };
  await inParallel(names, async (name) => {
    await group.register(server, await idleApp(name));
    await group.client(server).marketplace.installApp({ name });
  });
  log(`${names.length} apps installed`);
  for (const name of names) await group.untilState(server, name, "RUNNING");
  const kept = ends.move();
  return {
    orchestrator,
    running,
    each: (containers, action) =>
      inParallel(containers, async (name) => void (await engine.request("POST", `/containers/${name}/${action}`))),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Its key is of a type that is created quickly. */
async function idleApp(name: string) {
  const options = ["-newkey", "ed25519", "-nodes", "-days", "2", "-subj", `/CN=${name}`, "-keyout", "-", "-out", "-"];
  const { stdout } = await promisify(execFile)("openssl", ["req", "-x509", ...options]);
  const certificateAt = stdout.indexOf("-----BEGIN CERTIFICATE-----");
  const keys = { privateKey: createPrivateKey(stdout.slice(0, certificateAt)), certificate: stdout.slice(certificateAt) };
  const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://app-${name}:3000` };
  return testApp({ name, web_app: { api } }, {}, keys);
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
