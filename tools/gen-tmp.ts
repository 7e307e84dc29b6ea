import { writeFileSync } from "node:fs";
import { textGenerators } from "./codegen/generate-all.ts";
for (const [p, g] of Object.entries(textGenerators)) if (/graphql|operations/.test(p)) writeFileSync(p, await g());
