import { consoleFolder, contractFolder, filesOfTier, type Tier } from "./tiers.ts";

/** Test files that run in one process, one after another. */
export interface PlannedRun {
  readonly files: readonly string[];
  readonly timeoutMs: number;
}

/** The files of a run of the tests, by how they run. */
export interface Plan {
  /** Run at the same time. */
  readonly parallel: readonly PlannedRun[];
  /** Contract tests: one after another on one shared platform, while the parallel files run (only in `base`). */
  readonly onPlatform: readonly PlannedRun[];
  /** Contract tests: one after another on one platform of `appserver up` (only in `production`). */
  readonly onUpPlatform: readonly PlannedRun[];
  /** Tests of the console: one after another on a second production platform (only in `production`). */
  readonly onConsolePlatform: readonly PlannedRun[];
  /** One after another at the end, with nothing else on the machine. */
  readonly alone: readonly PlannedRun[];
}

export interface Selection {
  readonly tier: Tier;
  /** Only files whose path contains one of these. Empty: all files. */
  readonly filters: readonly string[];
  /** Only these files, also those of another tier. Undefined: all files of the tier. */
  readonly only?: readonly string[];
  /** `{ part: 2, of: 4 }`: the second of four parts of equal size. */
  readonly shard?: { readonly part: number; readonly of: number };
  /** Fault tests do all their rounds, for at most four hours a file. */
  readonly whole?: boolean;
}

const minute = 60_000;
const wholeMs = 240 * minute;
/** Small enough that a process that hangs costs little, large enough that modules are loaded rarely. */
const filesOfProcess = 12;

/** Returns which of a tier's test files below `root` run, and how. */
export function planRun(root: string, selection: Selection): Plan {
  const files = (selection.only ?? filesOfTier(root, selection.tier)).filter((file) => isSelected(file, selection));
  const { part, of } = selection.shard ?? { part: 1, of: 1 };
  const chosen = files.filter((_, index) => index % of === part - 1);
  const each = (paths: readonly string[], timeoutMs: number): readonly PlannedRun[] =>
    paths.map((file) => ({ files: [file], timeoutMs: selection.whole ? wholeMs : timeoutMs }));
  const contract = chosen.filter((file) => file.startsWith(contractFolder));
  const others = chosen.filter((file) => !file.startsWith(contractFolder));
  if (selection.tier === "base")
    return { parallel: inGroups(others), onPlatform: inGroups(contract), onUpPlatform: [], onConsolePlatform: [], alone: [] };
  const isOnConsolePlatform = (file: string): boolean => file.startsWith(consoleFolder) && !file.endsWith(".embedded.test.ts");
  const isOnceInConsole = (file: string): boolean => file.startsWith(consoleFolder) && file.endsWith(".production.test.ts");
  const alone = ["testing/", "drivers/containers/docker/"];
  // Two files on one cluster would double the time of each.
  const isAlone = (file: string): boolean =>
    file.endsWith(".kubernetes.test.ts") || alone.some((folder) => file.startsWith(folder));
  return {
    parallel: each(
      others.filter((file) => !isAlone(file)),
      10 * minute,
    ),
    onPlatform: each(contract, 10 * minute),
    // Chosen files start `appserver up` once, in a file of its own.
    onUpPlatform: selection.only ? [] : each(contract, 10 * minute),
    onConsolePlatform: each(others.filter(isOnConsolePlatform), 10 * minute),
    alone: each(
      others.filter((file) => isAlone(file) && !isOnceInConsole(file)),
      10 * minute,
    ),
  };
}

/** Returns all files of a plan, each once. */
export function filesOf({ parallel, onPlatform, onUpPlatform, onConsolePlatform, alone }: Plan): readonly string[] {
  return [
    ...new Set([...parallel, ...onPlatform, ...onUpPlatform, ...onConsolePlatform, ...alone].flatMap(({ files }) => files)),
  ];
}

function isSelected(file: string, { filters }: Selection): boolean {
  return filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^\.\//, "")));
}

/** Files of one room share a process. Rooms whose files need servers come first, because they take longest. */
function inGroups(files: readonly string[]): readonly PlannedRun[] {
  const rooms = [...Map.groupBy(files, roomOf)].sort(([a], [b]) => rank(a) - rank(b));
  return rooms.flatMap(([, ofRoom]) =>
    Array.from({ length: Math.ceil(ofRoom.length / filesOfProcess) }, (_, index) => ({
      files: ofRoom.slice(index * filesOfProcess, (index + 1) * filesOfProcess),
      timeoutMs: 5 * minute,
    })),
  );
}

function roomOf(file: string): string {
  return file.split("/").slice(0, 3).join("/");
}

function rank(room: string): number {
  if (room.startsWith("testing/")) return 0;
  if (room.endsWith("/test")) return 1;
  return /^(drivers|apps|examples)\//.test(room) ? 2 : 3;
}
