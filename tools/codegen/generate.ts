import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { generateAuthorizationModel } from "./authorization-model.ts";
import { generateGraphqlTypes } from "./graphql-types.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Writes everything under `contracts/generated` anew. `npm run check` fails when that changes a committed file. */
async function generate(): Promise<void> {
  const bin = join(root, "node_modules", ".bin");
  execFileSync(join(bin, "buf"), ["generate"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` },
  });
  writeFileSync(join(root, "contracts/generated/graphql.ts"), await generateGraphqlTypes());
  writeFileSync(join(root, "contracts/generated/authorization-model.ts"), await generateAuthorizationModel());
}

await generate();
