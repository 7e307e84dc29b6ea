// `npm run generate`: writes every generated file anew. `npm run check` fails where that changes a committed one.
import { resolve } from "node:path";
import { generateAll } from "./generate-all.ts";

await generateAll(resolve(import.meta.dirname, "../.."));
