import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * An app's backend as one JavaScript file. Bundled, because Node strips types only from files outside node_modules, and
 * an app in an image finds the workspace's packages, themselves TypeScript, nowhere else.
 */
export async function bundleApp(appFolder: string, entry: string): Promise<string> {
  const bundle = await rolldown({
    input: join(appFolder, entry),
    cwd: appFolder,
    platform: "node",
    tsconfig: false,
    // The default condition sets prefer a package's browser or bundler build over the one that Node would load.
    resolve: { conditionNames: ["node", "import", "default"] },
    onLog: (_level, log) => {
      // A warning by default, and a crash at the app's start.
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
    },
  });
  try {
    const banner =
      'import { createRequire as createRequireOfBundle } from "node:module";\nvar require = createRequireOfBundle(import.meta.url);';
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false, banner });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
