import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildFrontend } from "@appserver/frontends";
import { AppError, singleFlight } from "@appserver/kernel";
import type { Site } from "@appserver/transports/http";

const applications = resolve(import.meta.dirname, "../../..");

/** Returns the folder of a web application as `npm run build` built it. Without it, its pages say so. */
export function builtFolder(application: string): Site["folder"] {
  const dist = join(applications, application, "dist");
  return async () => {
    await access(join(dist, "index.html")).catch(() => {
      throw new AppError("SERVICE_UNAVAILABLE", `the ${application} is not built: run \`npm run build\``);
    });
    return dist;
  };
}

/** Returns the folder of a web application, built at its first use. For a checkout with the libraries that build it. */
export function folderOnDemand(application: string): Site["folder"] {
  const folder = join(applications, application);
  const build = singleFlight(() => buildFrontend(folder));
  return async () => {
    await build();
    return join(folder, "dist");
  };
}
