// `npm run figures`: how large the project is, how often a verb is declared, and how many files and rooms a feature touches.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSchema } from "@appserver/contracts/graphql";
import { buildSchema } from "graphql";

const root = join(import.meta.dirname, "..");
const features = 50;

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  return stdout;
}

const kinds = ["production", "console", "tests", "generated"] as const;
type Kind = (typeof kinds)[number];

function kindOf(file: string): Kind | undefined {
  if (!/\.(?:ts|tsx|mjs|py|proto|graphql|css)$/.test(file)) return undefined;
  if (/(?:^|\/)generated\/|_pb2?\.|\.pyi$/.test(file)) return "generated";
  if (/^testing\/|(?:^|\/)tests?\/|\.(?:test|suite)\.|test_\w+\.py$/.test(file)) return "tests";
  return file.startsWith("apps/console/") ? "console" : "production";
}

function linesByKind(): ReadonlyMap<Kind, number> {
  const lines = new Map<Kind, number>();
  for (const file of git("ls-files").trim().split("\n")) {
    const kind = kindOf(file);
    if (kind === undefined || !statSync(join(root, file), { throwIfNoEntry: false })) continue;
    const count = readFileSync(join(root, file), "utf8").split("\n").length - 1;
    lines.set(kind, (lines.get(kind) ?? 0) + count);
  }
  return lines;
}

/** Fields of GraphQL and methods of gRPC. A route of REST is a column of its operation. */
function declarations(): { readonly fields: number; readonly methods: number } {
  const schema = buildSchema(readSchema());
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = types.reduce((sum, type) => sum + Object.keys(type?.getFields() ?? {}).length, 0);
  const folder = join(root, "contracts/proto/appserver/v2");
  const protos = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  return { fields, methods: protos.join("\n").match(/^ {2}rpc /gm)?.length ?? 0 };
}

/** The files and rooms that each of the last features touched. A room is a package, or a service or driver. */
function touched(): { readonly files: readonly number[]; readonly rooms: readonly number[] } {
  const log = git("log", "--no-merges", "--name-only", "--format=%x00", "-E", "--grep=^feat[(:!]", `-${features}`);
  const commits = log.split("\0").slice(1);
  const filesOf = commits.map((commit) => commit.split("\n").filter((file) => file !== ""));
  const roomOf = (file: string): string => /^(?:services|apps|transports|drivers\/\w+|[^/]+)\/[^/]+/.exec(file)?.[0] ?? file;
  return {
    files: filesOf.map(({ length }) => length),
    rooms: filesOf.map((files) => new Set(files.map(roomOf)).size),
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const lines = linesByKind();
const { fields, methods } = declarations();
const { files, rooms } = touched();
const spread = (values: readonly number[]): string => `median ${quantile(values, 0.5)}, p90 ${quantile(values, 0.9)}`;
process.stdout.write(
  [
    `lines: ${kinds.map((kind) => `${kind} ${lines.get(kind) ?? 0}`).join(", ")}`,
    `declarations of verbs: ${fields + methods} (${fields} fields of GraphQL, ${methods} methods of gRPC)`,
    `the last ${files.length} features: files ${spread(files)}; rooms ${spread(rooms)}`,
    `CONTRIBUTING.md: ${statSync(join(root, "CONTRIBUTING.md")).size} bytes`,
    "",
  ].join("\n"),
);
