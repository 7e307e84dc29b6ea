// `npm run build:server`: packs the server for one machine (docs/guides/one-machine.md). Needs what `npm run build` makes.
import { mkdir } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { packServer } from "./release/pack-server.ts";

const root = resolve(import.meta.dirname, "..");
const target = resolve(root, "dist/release");
await mkdir(target, { recursive: true });
process.stdout.write(`${relative(root, await packServer(root, target))}\n`);
