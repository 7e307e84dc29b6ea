import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { testApp } from "@appserver/testing/kit";
import { ProductionProcess, quietPort } from "@appserver/testing/kit/production";
import { isReady } from "../../kit/appserver-process.ts";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { cpuSeconds, processTree } from "../process-cpu.ts";
import { residentMb, sharedOutMb } from "../process-memory.ts";

const apps = 15;
const roundSeconds = 60;
const settleSeconds = 90;
const registrationToken = "token-of-the-benchmark";

/** Measures what the platform of a small team costs without requests. */
export const bench: Bench = {
  name: "one-machine",
  work: `\`appserver up\` without requests, with ${apps} installed apps that have pages only; ${roundSeconds} s a round.`,
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-one-machine-"));
  const [httpPort, grpcPort, internalPort] = [await quietPort(), await quietPort(), await quietPort()];
  const environment = {
    APPSERVER_PUBLIC_URL: `http://127.0.0.1:${httpPort}`,
    APPSERVER_GRPC_PORT: String(grpcPort),
    APPSERVER_INTERNAL_PORT: String(internalPort),
    APPSERVER_DATA_DIR: join(folder, "data"),
    APPSERVER_REGISTRATION_TOKEN: registrationToken,
  };
  const up = new ProductionProcess(["up", "--containers", "process", "--allow-processes"], environment);
  try {
    up.start();
    await up.until(() => isReady(environment.APPSERVER_PUBLIC_URL));
    await install(up, environment, `http://127.0.0.1:${grpcPort}`);
    await sleep(settleSeconds * 1_000, undefined, { signal: options.signal });
    return { figures: await watch(up, options), notes };
  } finally {
    await up.stop();
    await rm(folder, { recursive: true });
  }
}

async function install(
  up: ProductionProcess,
  environment: Readonly<Record<string, string>> & {
    readonly APPSERVER_PUBLIC_URL: string;
    readonly APPSERVER_DATA_DIR: string;
  },
  grpcUrl: string,
): Promise<void> {
  const token = await becomeAdministrator(up, environment.APPSERVER_PUBLIC_URL);
  const developer = createPlatformClient({ grpcUrl });
  const administrator = createPlatformClient({ grpcUrl, token });
  for (let index = 0; index < apps; index += 1) {
    const name = `com.example.idle${index}`;
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "main.js", route_base: `/idle${index}` };
    const app = await testApp({ name, web_app: { assets: ["main.js"], ui } }, { "main.js": "export const mount = () => {};" });
    await registerApp(developer, app, environment["APPSERVER_REGISTRATION_TOKEN"]);
    await administrator.marketplace.installApp({ name });
  }
}

/** Completes the account of the first administrator and returns the token of the session. */
async function becomeAdministrator(up: ProductionProcess, url: string): Promise<string> {
  await up.until(() => up.printed.includes("#token="));
  const [, token = ""] = /#token=(\S+)/.exec(up.printed) ?? [];
  const response = await fetch(`${url}/self-service/registration?flow=link`, {
    method: "POST",
    headers: { accept: "application/json", "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({
      method: "password",
      token,
      email: "ada@example.test",
      name: "Ada",
      password: "a horse is no battery",
    }),
  });
  return /=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? "";
}

async function watch(up: ProductionProcess, { rounds, log, signal }: BenchOptions): Promise<readonly Figure[]> {
  const [own, postgres, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let round = 1; round <= rounds; round += 1) {
    const tree = processTree(up.pid);
    const spent = (): number => tree.reduce((seconds, each) => seconds + cpuSeconds(each), 0);
    const before = spent();
    await sleep(roundSeconds * 1_000, undefined, { signal });
    cpu.push((100 * (spent() - before)) / roundSeconds);
    own.push(residentMb(up.pid));
    postgres.push(tree.filter((pid) => pid !== up.pid).reduce((sum, pid) => sum + sharedOutMb(pid), 0));
    log(`round ${round}: ${cpu.at(-1)?.toFixed(2)} %, ${own.at(-1)?.toFixed(0)} MB and ${postgres.at(-1)?.toFixed(0)} MB`);
  }
  return [
    { name: "memory of the process", unit: "MB", samples: own, target: { atMost: 250 } },
    { name: "memory of both PostgreSQL servers", unit: "MB", samples: postgres, target: { atMost: 200 } },
    { name: "CPU of all", unit: "% of a core", samples: cpu, target: { atMost: 1 } },
  ];
}

const notes = [
  "memory of the process: resident. Of PostgreSQL: memory that processes share counts once (PSS).",
  "CPU is that of the process and of both servers, whatever else the machine does.",
];
