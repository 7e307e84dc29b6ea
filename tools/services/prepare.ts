// `node bin/run.mjs tools/services/prepare.ts [openfga] [kratos] …`: installs and builds the programs that tests start.
import { type DebianProgramName, debianPrograms, ensureProgram } from "./debian-programs.ts";
import { ensureGoProgram } from "./go-program.ts";
import { helmProgram } from "./helm.ts";
import { kratosProgram } from "./kratos.ts";
import { buildKubernetes } from "./kubernetes.ts";
import { openFgaProgram } from "./openfga.ts";
import { pebbleNamesProgram, pebbleProgram } from "./pebble.ts";
import { ensureBoardPython } from "./python-packages.ts";
import { ensureSchemathesis } from "./schemathesis.ts";
import { versityGatewayProgram } from "./versitygw.ts";

type Preparation = () => { path: string } | { unavailable: string } | Promise<{ path: string } | { unavailable: string }>;

/** In order of duration, shortest first. */
const preparations: Readonly<Record<string, Preparation>> = {
  ...Object.fromEntries(Object.keys(debianPrograms).map((name) => [name, () => ensureProgram(name as DebianProgramName)])),
  python: ensureBoardPython,
  schemathesis: ensureSchemathesis,
  pebble: () => ensureGoProgram(pebbleProgram),
  "pebble-challtestsrv": () => ensureGoProgram(pebbleNamesProgram),
  versitygw: () => ensureGoProgram(versityGatewayProgram),
  openfga: () => ensureGoProgram(openFgaProgram),
  kratos: () => ensureGoProgram(kratosProgram),
};

/** Only on request: the programs of a cluster take 20 minutes. */
const onRequest: Readonly<Record<string, Preparation>> = {
  // The tier of its own is the only one that needs it.
  kubernetes: async () => {
    const helm = await ensureGoProgram(helmProgram);
    return "unavailable" in helm ? helm : await buildKubernetes();
  },
  helm: () => ensureGoProgram(helmProgram),
};

const wanted = process.argv.slice(2);
const all = { ...preparations, ...onRequest };
const unknown = wanted.filter((name) => !(name in all));
if (unknown.length > 0) throw new Error(`unknown services: ${unknown.join(", ")}; expected: ${Object.keys(all).join(", ")}`);
for (const [name, prepare] of Object.entries(wanted.length > 0 ? all : preparations)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const started = performance.now();
  const result = await prepare();
  const outcome = "unavailable" in result ? `cannot be had: ${result.unavailable}` : "ready";
  process.stdout.write(`${name}: ${outcome} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
}
