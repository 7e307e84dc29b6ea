import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runTool } from "../checks/run-tool.ts";
import { generateAuthorizationModel } from "./authorization-model.ts";
import { generateCommandPage } from "./command-page.ts";
import { generateConsoleCatalogue } from "./console-catalogue.ts";
import { generateErrorPage } from "./error-page.ts";
import { generateEventPage } from "./event-page.ts";
import { generateCommandLineOperations, generateConsoleOperations } from "./graphql-operations.ts";
import { generateGraphqlTypes } from "./graphql-types.ts";
import { schemaGenerators } from "./json-schemas.ts";
import { generateMetricPage } from "./metric-page.ts";
import { generateOptionPage } from "./option-page.ts";
import { pythonModules } from "./python-messages.ts";
import { generateSignatureVectors } from "./signature-vectors.ts";

/** Generated folder. buf writes all its files. */
export const protoFolder = "contracts/generated/proto";

/** Every other generated file: its path in the repository and the function that generates its text. */
export const textGenerators: Readonly<Record<string, () => string | Promise<string>>> = {
  "apps/cli/src/generated/operations.ts": generateCommandLineOperations,
  "apps/console/web/generated/operations.ts": generateConsoleOperations,
  "apps/console/web/locales/de.po": () => generateConsoleCatalogue("de"),
  "apps/cli/templates/go/testdata/vectors.json": generateSignatureVectors,
  "contracts/generated/authorization-model.ts": generateAuthorizationModel,
  "contracts/generated/graphql.ts": generateGraphqlTypes,
  "contracts/vectors.json": generateSignatureVectors,
  "docs/reference/commands.md": generateCommandPage,
  "docs/reference/errors.md": generateErrorPage,
  "docs/reference/events.md": generateEventPage,
  "docs/reference/metrics.md": generateMetricPage,
  "docs/reference/options.md": generateOptionPage,
  ...pythonModules,
  ...schemaGenerators,
};

/** Writes all generated files below `folder`: the repository itself, or a scratch folder for comparison. */
export async function generateAll(folder: string): Promise<void> {
  if (!runTool("buf", ["generate", "--output", folder])) throw new Error("buf generate failed");
  for (const [path, generate] of Object.entries(textGenerators)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await generate());
  }
}
