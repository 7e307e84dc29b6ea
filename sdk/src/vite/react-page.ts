/** For `vite.config` of an app whose page is in React. The app installs Vite and its two plugins. */
import { federation } from "@module-federation/vite";
import react from "@vitejs/plugin-react";
import type { UserConfig } from "vite";

export interface ReactPage {
  /** The module of the page. */
  readonly page?: string;
  /** `exposed_module` of the manifest. */
  readonly exposed?: string;
  /** Documents that show the page outside of the console. */
  readonly documents?: readonly string[];
}

const singleton = { singleton: true, requiredVersion: "^19.0.0" };

// The federation plugin creates long names of chunks with slashes. Names of assets must be short and without folders.
const flat = "chunk-[hash].js";

/**
 * Returns Vite's configuration of a page of the mode FEDERATION (docs/interface/console.md#page-contract): it builds `web` into `dist`, with
 * the entry `remoteEntry.js`. `app` is the app's name.
 */
export function reactPage(
  app: string,
  { page = "web/page.tsx", exposed = "./Page", documents = [] }: ReactPage = {},
): UserConfig {
  return {
    root: "web",
    // Files refer to each other by relative paths, so the page works under any address.
    base: "./",
    plugins: [
      react(),
      federation({
        name: app.replaceAll(/[^a-z0-9]/g, "_"),
        filename: "remoteEntry.js",
        exposes: { [exposed]: `./${page}` },
        // The page uses the React of the console if its version fits. All three: React refuses a react-dom of another version.
        shared: { react: singleton, "react-dom": singleton, "react-dom/client": singleton },
        dts: false,
        manifest: false,
      }),
    ],
    build: {
      outDir: "../dist",
      emptyOutDir: true,
      assetsDir: "",
      target: "es2022",
      // They know `light-dark()`. For older ones Vite would replace it by variables that only a style sheet's `color-scheme` sets.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: false,
      rolldownOptions: { input: [page, ...documents], output: { chunkFileNames: flat, entryFileNames: flat } },
    },
  };
}
