import { federation } from "@module-federation/vite";
import react from "@vitejs/plugin-react";
import type { UserConfig } from "vite";

const singleton = { singleton: true, requiredVersion: "^19.0.0" };

// The federation plugin creates long chunk names with slashes. Asset names must be short and without folders.
const flat = "chunk-[hash].js";

/** Returns Vite's configuration for a version of the page. `inputs`: the module of the page, and documents that load it. */
export function notesPage(inputs: readonly string[]): UserConfig {
  return {
    root: "web",
    // Files refer to each other by relative paths, so the page works under any address.
    base: "./",
    plugins: [
      react(),
      federation({
        name: "com_example_notes",
        filename: "remoteEntry.js",
        exposes: { "./Notes": "./web/notes.tsx" },
        // Use the host's React if its version fits. Share all three: React refuses a react-dom of another version.
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
      rolldownOptions: { input: [...inputs], output: { chunkFileNames: flat, entryFileNames: flat } },
    },
  };
}
