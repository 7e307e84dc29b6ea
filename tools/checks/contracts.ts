// Checks that the contracts are valid and compatible with what was released (`contracts/released`).
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSchema } from "@appserver/contracts/graphql";
import { BreakingChangeType, buildSchema, findSchemaChanges, type GraphQLSchema, validateSchema } from "graphql";
import { finish, root, runTool } from "./run-tool.ts";

/** Every release whose callers the contracts must still serve. */
const releases: readonly string[] = readdirSync(join(root, "contracts/released"))
  .filter((file) => file.endsWith(".graphql"))
  .map((file) => file.replace(/\.graphql$/, ""));

/** Reports a file that is missing: without it, nothing would be compared. */
function isPresent(file: string): boolean {
  const isThere = existsSync(join(root, file));
  if (!isThere) process.stdout.write(`${file} is missing: CONTRIBUTING.md, section 3.3, says how it is made\n`);
  return isThere;
}

function protosBreakNothing(release: string): boolean {
  const file = `contracts/released/${release}.binpb`;
  return isPresent(file) && runTool("buf", ["breaking", "--against", file]);
}

function schemaBreaksNothing(schema: GraphQLSchema, release: string): boolean {
  const file = `contracts/released/${release}.graphql`;
  if (!isPresent(file)) return false;
  const changes = findSchemaChanges(buildSchema(readFileSync(join(root, file), "utf8")), schema);
  const breaking = changes.filter(({ type }) => Object.hasOwn(BreakingChangeType, type));
  for (const { description } of breaking)
    process.stdout.write(`contracts/graphql/schema.graphql breaks ${release}: ${description}\n`);
  return breaking.length === 0;
}

function schemaHolds(schema: GraphQLSchema): boolean {
  const problems = validateSchema(schema);
  for (const problem of problems) process.stdout.write(`contracts/graphql/schema.graphql: ${problem.message}\n`);
  return problems.length === 0;
}

const schema = buildSchema(readSchema());
finish(
  runTool("buf", ["lint"]),
  schemaHolds(schema),
  ...releases.flatMap((release) => [protosBreakNothing(release), schemaBreaksNothing(schema, release)]),
);
