import { dirname, join } from "node:path";
import { buildOnce, packageFile } from "./build-once.ts";
import { runBuilder } from "./run-builder.ts";

/**
 * Builds a frontend from `web` into `dist` with Vite. Skips the build if `dist` was built from the same sources with the same
 * libraries. Rejects with the builder's output if the build fails.
 */
export async function buildFrontend(folder: string): Promise<void> {
  await buildOnce({
    folder,
    sources: ["web"],
    into: async (draft) => {
      const vite = join(dirname(packageFile("vite", folder)), "bin/vite.js");
      await runBuilder(process.execPath, [vite, "build", "--outDir", draft, "--logLevel", "warn"], folder);
    },
  });
}
