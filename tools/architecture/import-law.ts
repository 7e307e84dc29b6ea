import type { IRegularForbiddenRuleType } from "dependency-cruiser";
import {
  buildsLibraries,
  contractLibraries,
  driverLibraries,
  optionsLibraries,
  pageBuildLibraries,
  pageLibraries,
  pureBuiltIns,
  sdkLibraries,
  serviceLibraries,
  transportLibraries,
  wiringLibraries,
} from "./libraries.ts";

/** A row of the import law (ARCHITECTURE.md): files in `from` may import only files in `may`. */
interface Room {
  readonly name: string;
  readonly from: string;
  readonly may: readonly string[];
  /** Folders from which only types may be imported. */
  readonly mayTypes?: readonly string[];
}

/** Tests and folders that only tests use. They may import the testing kit and all that the tested room may import. */
const testCode = String.raw`\.(test|suite)\.tsx?$|/test/|^testing/|^drivers/[^/]+/[^/]+\.ts$`;
/** The only folder that connects services and drivers. */
const composition = "^apps/[^/]+/src/compose/";
const driverList = String.raw`^apps/[^/]+/src/config/drivers/built-in-drivers\.ts$`;
const workspace =
  "kernel|contracts|sdk|testing|transports|libraries/[^/]+|services/[^/]+|drivers/[^/]+/[^/]+|apps/[^/]+|examples/[^/]+|gallery/[^/]+";

const kernel = "^kernel/src/(?!platform-ports/|files/)";
const kernelFiles = "^kernel/src/files/";
const platformPorts = "^kernel/src/platform-ports/";
const contracts = "^contracts/";
const anyBuiltIn = "^(node:)?[a-z_/0-9]+$";
const builtIns = (names: readonly string[]): string => `^(node:)?(${names.join("|")})($|/)`;
const serviceFaces = String.raw`^services/[^/]+/src/index\.ts$`;
const transportFaces = String.raw`^transports/[^/]+/index\.ts$`;
const libraries = (names: readonly string[]): readonly string[] => names.map((name) => `(^|/)node_modules/${name}/`);

const serviceRooms: readonly Room[] = Object.entries(serviceLibraries).flatMap(([service, allowed]) => {
  const own = `^services/${service}/src`;
  return [
    {
      name: `services-domain-${service}`,
      from: `${own}/domain/`,
      may: [`${own}/domain/`, kernel, contracts, builtIns(pureBuiltIns), ...libraries(allowed.domain)],
    },
    {
      name: `services-use-cases-${service}`,
      from: `${own}/use-cases/`,
      may: [
        `${own}/(domain|use-cases)/`,
        `${own}/ports\\.ts$`,
        kernel,
        contracts,
        builtIns(pureBuiltIns),
        ...libraries(allowed["use-cases"]),
      ],
      mayTypes: [builtIns(["http"])],
    },
    {
      name: `services-workers-${service}`,
      from: `${own}/workers/`,
      may: [`${own}/(domain|use-cases|workers)/`, `${own}/ports\\.ts$`, kernel, contracts, builtIns(pureBuiltIns)],
      mayTypes: [platformPorts],
    },
    {
      name: `services-adapters-${service}`,
      from: `${own}/adapters/`,
      may: [
        `${own}/(domain|adapters)/`,
        `${own}/ports\\.ts$`,
        kernel,
        kernelFiles,
        platformPorts,
        contracts,
        anyBuiltIn,
        ...libraries(allowed.adapters),
      ],
    },
    {
      name: `services-api-${service}`,
      from: `${own}/api/`,
      may: [`${own}/(domain|use-cases|api)/`, kernel, contracts, anyBuiltIn, ...libraries(allowed.api)],
      mayTypes: [`${own}/ports\\.ts$`, platformPorts],
    },
    {
      name: `services-root-${service}`,
      from: `${own}/[^/]+$|^services/${service}/migrations/`,
      may: [`^services/${service}/`, kernel, platformPorts, contracts, builtIns(pureBuiltIns)],
      mayTypes: [builtIns(["http"])],
    },
  ];
});

const driverRooms: readonly Room[] = Object.entries(driverLibraries).map(([driver, allowed]) => ({
  name: `drivers-${driver.replace("/", "-")}`,
  from: `^drivers/${driver}/`,
  may: [
    `^drivers/${driver}/`,
    "^libraries/driver/",
    kernel,
    kernelFiles,
    platformPorts,
    contracts,
    anyBuiltIn,
    ...libraries(allowed),
  ],
}));

const rooms: readonly Room[] = [
  {
    name: "kernel",
    from: "^kernel/",
    may: ["^kernel/", anyBuiltIn],
    // The names of error codes and the form of tuples exist once. At run time the kernel depends on nothing.
    mayTypes: ["^contracts/(errors|authorization)/"],
  },
  { name: "contracts", from: contracts, may: [contracts, anyBuiltIn, ...libraries(contractLibraries)] },
  ...serviceRooms,
  ...driverRooms,
  {
    name: "transports",
    from: "^transports/",
    may: ["^transports/", serviceFaces, kernel, contracts, anyBuiltIn, ...libraries(transportLibraries)],
    mayTypes: [platformPorts],
  },
  {
    name: "libraries-options",
    from: "^libraries/options/",
    may: ["^libraries/options/", "^contracts/(names|branding)/", anyBuiltIn, ...libraries(optionsLibraries)],
  },
  {
    name: "libraries-driver",
    from: "^libraries/driver/",
    may: ["^libraries/(driver|options)/", kernel, platformPorts],
  },
  {
    name: "libraries-builds",
    from: "^libraries/builds/",
    may: ["^libraries/builds/", anyBuiltIn, ...libraries(buildsLibraries)],
  },
  {
    name: "wiring",
    from: "^apps/[^/]+/src/wiring/",
    may: [
      "^apps/[^/]+/src/wiring/",
      serviceFaces,
      transportFaces,
      kernel,
      contracts,
      anyBuiltIn,
      ...libraries(wiringLibraries),
    ],
    mayTypes: [platformPorts],
  },
  {
    name: "config",
    from: "^apps/[^/]+/src/config/",
    may: [
      "^apps/[^/]+/src/config/",
      "^libraries/",
      // What a driver says of itself, without its libraries.
      String.raw`^drivers/[^/]+/[^/]+/src/driver\.ts$`,
      serviceFaces,
      kernel,
      contracts,
      anyBuiltIn,
    ],
  },
  {
    name: "tools",
    from: "^tools/",
    may: [
      "^(tools|kernel|contracts|sdk|libraries|drivers|testing|examples|gallery)/",
      "^apps/[^/]+/src/config/",
      // Its commands, for their page.
      "^apps/cli/src/program\\.ts$",
      anyBuiltIn,
      "(^|/)node_modules/",
    ],
  },
  { name: "sdk-page", from: "^sdk/web/", may: ["^sdk/web/", ...libraries(pageLibraries)] },
  { name: "sdk-vite", from: "^sdk/src/vite/", may: ["^sdk/src/vite/", ...libraries(pageBuildLibraries)] },
  { name: "sdk", from: "^sdk/src/(?!vite/)", may: ["^sdk/", contracts, anyBuiltIn, ...libraries(sdkLibraries)] },
  {
    name: "cli",
    from: "^apps/cli/",
    may: ["^apps/cli/", "^sdk/", contracts, anyBuiltIn, "(^|/)node_modules/"],
  },
  // Runs in browsers: all that it knows of the platform are the contracts of its public API and of the pages that it hosts.
  {
    name: "console",
    from: "^apps/console/[^/]+/",
    may: ["^apps/console/", contracts, "^sdk/web/", "(^|/)node_modules/"],
  },
  {
    name: "console-build",
    from: String.raw`^apps/console/[^/]+\.ts$`,
    may: [String.raw`^apps/console/[^/]+\.ts$`, contracts, anyBuiltIn, "(^|/)node_modules/"],
  },
  { name: "gallery", from: "^gallery/([^/]+)/", may: ["^gallery/$1/", "^sdk/", anyBuiltIn, "(^|/)node_modules/"] },
  { name: "examples", from: "^examples/", may: ["^examples/", "^sdk/", anyBuiltIn, "(^|/)node_modules/"] },
];

/** Files imported from these folders must be in a room above. A new service needs a line there, a driver a package. */
const knownServices = Object.keys(serviceLibraries).join("|");
const knownDrivers = Object.keys(driverLibraries).join("|");

function forbid(
  name: string,
  comment: string,
  from: IRegularForbiddenRuleType["from"],
  to: IRegularForbiddenRuleType["to"],
): IRegularForbiddenRuleType {
  return { name, comment, severity: "error", from, to };
}

function ruleOf(room: Room): readonly IRegularForbiddenRuleType[] {
  const from = { path: room.from, pathNot: testCode };
  const comment = `${room.name} may import only: ${room.may.join("  ")}`;
  const types = room.mayTypes ?? [];
  const rules = [forbid(room.name, comment, from, { pathNot: [...room.may, ...types], couldNotResolve: false })];
  if (types.length > 0) {
    const typesComment = `${room.name} may import types only from: ${types.join("  ")}`;
    rules.push(
      forbid(`${room.name}-types`, typesComment, from, {
        path: [...types],
        pathNot: [...room.may],
        dependencyTypesNot: ["type-only"],
      }),
    );
  }
  return rules;
}

/** The import law as rules of dependency-cruiser. The canary plants a violation of every rule. */
export const importLaw: readonly IRegularForbiddenRuleType[] = [
  forbid("no-cycles", "Files must not depend on each other in a circle.", {}, { circular: true }),
  forbid(
    "resolvable",
    "The import cannot be resolved: the file does not exist, or is not in the package's `exports`.",
    {},
    { couldNotResolve: true },
  ),
  forbid(
    "only-through-exports",
    "Packages see each other only by name, through `exports`.",
    { path: `^(${workspace})/` },
    { path: `^(${workspace})/`, pathNot: "^$1/", dependencyTypes: ["local"], dependencyTypesNot: ["aliased"] },
  ),
  forbid(
    "production-without-testing",
    "Production code never imports testing, nor libraries for tests.",
    { pathNot: [testCode, "^tools/"] },
    { path: [testCode, ...libraries(["fast-check", "graphql-http", "playwright-core"])] },
  ),
  forbid(
    "services-apart",
    "Services never import each other: declare a port, and the composition passes the other.",
    { path: "^services/([^/]+)/", pathNot: testCode },
    { path: "^services/", pathNot: "^services/$1/" },
  ),
  forbid(
    "drivers-only-composed",
    "apps/*/src/compose is the only place where services meet drivers. The list of drivers knows what they say of themselves.",
    {
      path: "^(apps|transports|services|libraries|kernel|sdk|contracts|examples|gallery)/",
      pathNot: [testCode, composition, driverList],
    },
    { path: "^drivers/" },
  ),
  forbid(
    "console-parts-below-features",
    "Parts and the API of the console know no feature, and no room but the router knows the shell.",
    { path: "^apps/console/web/(parts|api)/" },
    { path: "^apps/console/web/(features|shell)/" },
  ),
  forbid(
    "console-api-below-parts",
    "The API of the console shows nothing.",
    { path: "^apps/console/web/api/" },
    { path: "^apps/console/web/parts/" },
  ),
  forbid(
    "console-features-below-shell",
    "The shell shows features, and they do not know it.",
    { path: "^apps/console/web/features/" },
    { path: "^apps/console/web/shell/" },
  ),
  forbid(
    "known-services",
    "A new service starts with its line in tools/architecture/libraries.ts.",
    { path: "^services/", pathNot: `^services/(${knownServices})/` },
    {},
  ),
  forbid(
    "known-drivers",
    "A driver has a package.json, which names its libraries.",
    { path: "^drivers/[^/]+/[^/]+/", pathNot: `^drivers/(${knownDrivers})/` },
    {},
  ),
  forbid(
    "contract-tests-from-outside",
    "Contract tests see the running system over the network, and what its clients see.",
    { path: "^testing/contract/" },
    { pathNot: ["^testing/(contract|kit)/", contracts, "^sdk/", anyBuiltIn, "(^|/)node_modules/"] },
  ),
  forbid(
    "conformance-through-public-faces",
    "Conformance tests run public corpora against public faces. They import nothing inside a room.",
    { path: "^testing/conformance/" },
    {
      path: "^(services|drivers|transports|apps|kernel|libraries)/",
      pathNot: ["/src/index\\.ts$", "^transports/http/index\\.ts$", "/src/platform-ports/index\\.ts$"],
    },
  ),
  ...rooms.flatMap(ruleOf),
];
