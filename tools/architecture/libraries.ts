import { globSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";

/**
 * Libraries that each room may import in addition to the folders of the import law (ADR 0011). A room that is not listed may
 * import none. Adding a line is a decision: the library becomes part of the room's trusted base.
 */
export const serviceLibraries: Readonly<Record<string, ServiceLibraries>> = {
  access: { domain: [], "use-cases": ["lru-cache"], adapters: ["jose"], api: [] },
  activity: {
    domain: ["cron-parser"],
    "use-cases": [],
    adapters: ["ajv", "ajv-formats"],
    api: ["@bufbuild/protobuf"],
  },
  incidents: { domain: [], "use-cases": [], adapters: [], api: [] },
  backups: { domain: ["cron-parser"], "use-cases": [], adapters: [], api: [] },
  hooks: { domain: [], "use-cases": [], adapters: [], api: ["@bufbuild/protobuf"] },
  marketplace: {
    domain: ["@bufbuild/protobuf", "semver"],
    "use-cases": [],
    adapters: ["@bufbuild/protobuf", "@peculiar/x509", "reflect-metadata"],
    api: ["@bufbuild/protobuf"],
  },
  orchestration: { domain: [], "use-cases": [], adapters: ["@peculiar/x509", "reflect-metadata"], api: ["@bufbuild/protobuf"] },
  proxy: { domain: [], "use-cases": [], adapters: [], api: [] },
  records: { domain: [], "use-cases": [], adapters: [], api: [] },
  registry: { domain: [], "use-cases": [], adapters: [], api: [] },
  sleep: { domain: [], "use-cases": [], adapters: [], api: [] },
  settings: { domain: [], "use-cases": [], adapters: [], api: ["@bufbuild/protobuf"] },
  ui: { domain: [], "use-cases": [], adapters: ["lru-cache"], api: [] },
};

export type ServiceRoom = "domain" | "use-cases" | "adapters" | "api";
export type ServiceLibraries = Readonly<Record<ServiceRoom, readonly string[]>>;

/** The libraries of each driver (`drivers/<family>/<driver>`): those that its package names. */
export const driverLibraries: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  packageFiles().map((file): readonly [string, readonly string[]] => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as PackageFile;
    const names = Object.keys({ ...dependencies, ...devDependencies });
    return [relative("drivers", dirname(file)), names.filter((name) => !name.startsWith("@appserver/"))];
  }),
);

interface PackageFile {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function packageFiles(): readonly string[] {
  return globSync("drivers/*/*/package.json");
}

/** Built-in modules without access to the outside world. Domain and use cases may import only these from Node. */
export const pureBuiltIns = [
  "assert",
  "buffer",
  "crypto",
  "events",
  "net",
  "path",
  "stream",
  "string_decoder",
  "url",
  "util",
  "zlib",
] as const;

/** The transports' frameworks (transports/), and Fastify's own schema checker and reader of `X-Forwarded-For`. */
export const transportLibraries = [
  "fastify",
  "@fastify/proxy-addr",
  "@fastify/send",
  "ajv",
  "graphql",
  "graphql-jit",
  "graphql-ws",
  "ws",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
  "@bufbuild/protobuf",
  "@modelcontextprotocol/node",
  "@modelcontextprotocol/server",
  "oidc-provider",
] as const;

/** Libraries that the wiring needs to pass services to transports. */
export const wiringLibraries = ["@connectrpc/connect"] as const;

export const sdkLibraries = [
  "@bufbuild/protobuf",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
  "@peculiar/x509",
  "pg",
  "reflect-metadata",
  "yaml",
] as const;

/** Libraries that build pages in React (sdk/src/vite). */
export const pageBuildLibraries = ["@module-federation/vite", "@vitejs/plugin-react", "vite"] as const;

/** Libraries of the parts for pages in React (sdk/web/react.ts). */
export const pageLibraries = ["react", "react-dom"] as const;

/** Libraries that parse configuration files (libraries/options). */
export const optionsLibraries = ["yaml"] as const;

/** Libraries that write packages for app developers (libraries/builds). */
export const buildsLibraries = ["fflate", "rollup-plugin-license", "smol-toml", "tsdown"] as const;

/** Libraries of the generated code, and the one that matches setting values against patterns. */
export const contractLibraries = ["@bufbuild/protobuf", "graphql", "re2js"] as const;
