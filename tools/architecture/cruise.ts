import { createRequire } from "node:module";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { importLaw } from "./import-law.ts";

const require = createRequire(import.meta.url);

/** One import that the law refuses. */
export interface ImportViolation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  readonly comment: string;
}

export interface CruiseReport {
  readonly violations: readonly ImportViolation[];
  readonly modules: number;
  readonly imports: number;
}

/** Folders that hold code of the project. */
export const codeFolders = [
  "kernel",
  "contracts",
  "sdk",
  "libraries",
  "services",
  "transports",
  "drivers",
  "apps",
  "examples",
  "testing",
  "tools",
] as const;

/** Peers of benches and older clients: packages of their own, whose libraries are installed at their first use. */
const ownPackages =
  "^testing/(bench/(graphql/mercurius|(assets|gateways|rest)/fastify)|production/(websocket-clients/subscriptions-transport-ws|agents/conformance))/";

/** Checks every import below `root` in `entries` against the import law. */
export async function cruiseImports(root: string, entries: readonly string[] = codeFolders): Promise<CruiseReport> {
  requireOldCompiler();
  const { output } = await cruise([...entries], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...importLaw] },
    exclude: {
      path: String.raw`^(apps|examples|gallery|libraries|sdk)/[^/]+/dist/|^sdk/dist/|^tools/runtime/|\.appserver/|${ownPackages}`,
    },
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json", ".d.ts"],
    },
  });
  const { summary } = output as ICruiseResult;
  return {
    violations: summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      from,
      to,
      comment: importLaw.find((law) => law.name === rule.name)?.comment ?? "",
    })),
    modules: summary.totalCruised,
    imports: summary.totalDependenciesCruised ?? 0,
  };
}

/** Throws if TypeScript is too new: dependency-cruiser would then read no .ts file, find no violation and pass. */
function requireOldCompiler(): void {
  const { version } = require("typescript/package.json") as { version: string };
  if (Number.parseInt(version, 10) >= 7) throw new Error(`dependency-cruiser needs TypeScript below 7, found ${version}`);
}
