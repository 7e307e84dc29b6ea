// `npm run generate`: writes every generated file. `npm run check` fails if that would change a committed file.
import { resolve } from "node:path";
import { generateAll } from "./generate-all.ts";

await generateAll(resolve(import.meta.dirname, "../.."));
