import { writeFileSync } from "node:fs";
import { generateCommandLineOperations } from "./codegen/graphql-operations.ts";
writeFileSync("apps/cli/src/generated/operations.ts", await generateCommandLineOperations());
