import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { codeFolders, cruiseImports } from "./cruise.ts";
import { importLaw } from "./import-law.ts";
import { driverLibraries, serviceLibraries } from "./libraries.ts";

/** A file that breaks one rule on purpose. */
interface Plant {
  readonly rule: string;
  readonly file: string;
  readonly code: string;
}

const kernelPorts = 'import { containerLabels } from "@appserver/kernel/ports";\nexport const planted = containerLabels;\n';
const importOf = (specifier: string): string => `import * as planted from "${specifier}";\nexport { planted };\n`;

/** One violation for each room of each service and driver. Services have the same rooms, and so do drivers. */
const servicePlants: readonly Plant[] = Object.keys(serviceLibraries).flatMap((service) => {
  const src = `services/${service}/src`;
  return [
    { rule: `services-domain-${service}`, file: `${src}/domain/canary.ts`, code: importOf("node:fs") },
    { rule: `services-use-cases-${service}`, file: `${src}/use-cases/canary.ts`, code: importOf("../adapters/canary.ts") },
    { rule: `services-use-cases-${service}-types`, file: `${src}/use-cases/canary-types.ts`, code: importOf("node:http") },
    { rule: `services-workers-${service}`, file: `${src}/workers/canary.ts`, code: importOf("../api/canary.ts") },
    { rule: `services-workers-${service}-types`, file: `${src}/workers/canary-types.ts`, code: kernelPorts },
    { rule: `services-adapters-${service}`, file: `${src}/adapters/canary.ts`, code: importOf("pg") },
    { rule: `services-api-${service}`, file: `${src}/api/canary.ts`, code: importOf("../adapters/canary.ts") },
    { rule: `services-api-${service}-types`, file: `${src}/api/canary-types.ts`, code: kernelPorts },
    { rule: `services-root-${service}`, file: `${src}/canary.ts`, code: importOf("pg") },
    { rule: `services-root-${service}-types`, file: `${src}/canary-types.ts`, code: importOf("node:http") },
  ];
});

const driverPlants: readonly Plant[] = Object.keys(driverLibraries).map((driver) => ({
  rule: `drivers-${driver.replace("/", "-")}`,
  file: `drivers/${driver}/src/canary.ts`,
  code: importOf("fastify"),
}));

const plants: readonly Plant[] = [
  { rule: "no-cycles", file: "kernel/src/canary-a.ts", code: importOf("./canary-b.ts") },
  { rule: "resolvable", file: "services/ui/src/domain/canary-deep.ts", code: importOf("@appserver/kernel/src/clock.ts") },
  {
    rule: "only-through-exports",
    file: "services/ui/src/domain/canary-relative.ts",
    code: importOf("../../../../kernel/src/clock.ts"),
  },
  { rule: "production-without-testing", file: "apps/server/src/canary-testing.ts", code: importOf("@appserver/testing/kit") },
  { rule: "production-without-testing", file: "apps/server/src/canary-fast-check.ts", code: importOf("fast-check") },
  { rule: "services-apart", file: "services/proxy/src/canary-neighbour.ts", code: importOf("@appserver/marketplace") },
  { rule: "drivers-only-composed", file: "apps/server/src/canary-driver.ts", code: importOf("@appserver/database-postgres") },
  {
    rule: "drivers-only-composed",
    file: "services/ui/src/adapters/canary-driver.ts",
    code: importOf("@appserver/cache-memory"),
  },
  {
    rule: "console-parts-below-features",
    file: "apps/console/web/parts/canary.ts",
    code: importOf("../features/audit/csv.ts"),
  },
  { rule: "console-api-below-parts", file: "apps/console/web/api/canary.ts", code: importOf("../parts/duration.ts") },
  {
    rule: "console-features-below-shell",
    file: "apps/console/web/features/audit/canary.ts",
    code: importOf("../../shell/user-menu.tsx"),
  },
  { rule: "known-services", file: "services/canary/src/index.ts", code: importOf("node:path") },
  { rule: "known-drivers", file: "drivers/cache/canary/src/index.ts", code: importOf("node:path") },
  { rule: "contract-tests-from-outside", file: "testing/contract/canary.test.ts", code: importOf("@appserver/marketplace") },
  {
    rule: "conformance-through-public-faces",
    file: "testing/conformance/canary.test.ts",
    code: importOf("../../services/marketplace/src/domain/app-state.ts"),
  },
  { rule: "kernel", file: "kernel/src/canary-library.ts", code: importOf("pino") },
  { rule: "kernel", file: "kernel/src/canary-contracts.ts", code: importOf("@appserver/contracts/events") },
  { rule: "kernel-types", file: "kernel/src/canary-types.ts", code: importOf("@appserver/contracts/errors") },
  { rule: "contracts", file: "contracts/errors/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "transports", file: "transports/http/canary.ts", code: importOf("pg") },
  { rule: "transports-types", file: "transports/http/canary-types.ts", code: kernelPorts },
  { rule: "libraries-options", file: "libraries/options/src/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "libraries-driver", file: "libraries/driver/src/canary.ts", code: importOf("@appserver/marketplace") },
  { rule: "libraries-builds", file: "libraries/builds/src/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "sdk", file: "sdk/src/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "sdk-vite", file: "sdk/src/vite/canary.ts", code: importOf("@appserver/contracts/api-path") },
  { rule: "sdk-page", file: "sdk/web/canary.ts", code: importOf("@appserver/contracts/api-path") },
  { rule: "wiring", file: "apps/server/src/wiring/canary.ts", code: importOf("pg") },
  { rule: "wiring-types", file: "apps/server/src/wiring/canary-types.ts", code: kernelPorts },
  { rule: "config", file: "apps/server/src/config/canary.ts", code: importOf("pg") },
  { rule: "tools", file: "tools/checks/canary.ts", code: importOf("@appserver/marketplace") },
  { rule: "cli", file: "apps/cli/src/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "console", file: "apps/console/web/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "console", file: "apps/console/web/canary-sdk.tsx", code: importOf("@appserver/sdk") },
  { rule: "console-build", file: "apps/console/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "examples", file: "examples/notes/canary.ts", code: importOf("@appserver/kernel") },
  { rule: "gallery", file: "gallery/rota/canary.ts", code: importOf("@appserver/kernel") },
  ...servicePlants,
  ...driverPlants,
];

/** Files that follow the law. If one of them is refused, the rules are too strict. */
const innocents: readonly Omit<Plant, "rule">[] = [
  { file: "apps/server/src/canary-target.ts", code: importOf("@appserver/kernel") },
  { file: "services/ui/src/use-cases/canary-innocent.ts", code: importOf("@appserver/kernel") },
  {
    file: "services/ui/src/api/canary-innocent.ts",
    code: 'import type { Cache } from "@appserver/kernel/ports";\nexport type Planted = Cache;\n',
  },
  { file: "services/marketplace/src/domain/canary-innocent.ts", code: importOf("semver") },
  { file: "drivers/database/postgres/src/canary-innocent.ts", code: importOf("pg") },
  {
    file: "kernel/src/canary-innocent.ts",
    code: 'import type { ErrorCode } from "@appserver/contracts/errors";\nexport type Planted = ErrorCode;\n',
  },
  // The second file of the planted cycle. The cycle is reported once.
  { file: "kernel/src/canary-b.ts", code: importOf("./canary-a.ts") },
  { file: "testing/conformance/canary-innocent.test.ts", code: importOf("@appserver/marketplace") },
];

/** Plants one violation of every rule in a scratch copy of the tree. Returns the undetected ones; empty means success. */
export async function runCanary(root: string): Promise<readonly string[]> {
  const scratch = mkdtempSync(join(tmpdir(), "import-law-canary-"));
  try {
    copyTree(root, scratch);
    for (const { file, code } of [...plants, ...innocents]) {
      mkdirSync(dirname(join(scratch, file)), { recursive: true });
      writeFileSync(join(scratch, file), code);
    }
    const files = [...plants, ...innocents].map(({ file }) => file);
    const { violations } = await cruiseImports(scratch, files);
    const refused = (file: string, rule?: string): boolean =>
      violations.some((violation) => violation.from === file && (rule === undefined || violation.rule === rule));
    return [
      ...plants
        .filter(({ file, rule }) => !refused(file, rule))
        .map(({ file, rule }) => `${file} breaks "${rule}" and was not refused`),
      ...innocents.filter(({ file }) => refused(file)).map(({ file }) => `${file} keeps the law and was refused`),
      ...importLaw
        .filter(({ name }) => !plants.some(({ rule }) => rule === name))
        .map(({ name }) => `no violation is planted for "${name}"`),
    ];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Number of planted violations, for the summary. */
export const plantedCount = plants.length;

/** Copies the sources and links the libraries. The project's packages are linked to their copies. */
function copyTree(root: string, scratch: string): void {
  for (const folder of codeFolders) {
    cpSync(join(root, folder), join(scratch, folder), { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  }
  for (const file of ["package.json", "tsconfig.json"]) cpSync(join(root, file), join(scratch, file));
  linkModules(join(root, "node_modules"), join(scratch, "node_modules"));
}

const skipped = new Set(["node_modules", "dist", ".appserver", "runtime"]);

function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from)) {
    if (entry === "@appserver") continue;
    symlinkSync(join(from, entry), join(to, entry));
  }
  const own = join(from, "@appserver");
  if (!existsSync(own)) return;
  mkdirSync(join(to, "@appserver"));
  // The links of npm workspaces are relative. Copied unchanged, they point into the copy.
  for (const entry of readdirSync(own)) symlinkSync(readlinkSync(join(own, entry)), join(to, "@appserver", entry));
}
