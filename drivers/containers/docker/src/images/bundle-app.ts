import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Returns an app's backend as one JavaScript file. An image does not contain the workspace's packages. They are TypeScript, and
 * Node strips types only from files outside node_modules. Therefore the backend is bundled.
 */
export async function bundleApp(appFolder: string, entry: string): Promise<string> {
  const bundle = await rolldown({
    input: join(appFolder, entry),
    cwd: appFolder,
    platform: "node",
    tsconfig: false,
    // The default conditions would select a package's browser or bundler build instead of the one for Node. The bundler adds
    // `import` or `require`, as the importing file does it.
    resolve: { conditionNames: ["node", "default"] },
    onLog: (_level, log) => {
      // Only a warning by default, but the app would crash at its start.
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
