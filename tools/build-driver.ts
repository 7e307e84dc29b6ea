// `npm run build:driver`: builds the package for drivers outside of the repository (docs/guides/write-a-driver.md).
import { join, resolve } from "node:path";
import { buildPackage, driverPackage } from "@appserver/builds/package";

const folder = resolve(import.meta.dirname, "..", driverPackage.folder);
await buildPackage(folder, driverPackage);
process.stdout.write(`${join(driverPackage.folder, "dist", driverPackage.file)}\n`);
