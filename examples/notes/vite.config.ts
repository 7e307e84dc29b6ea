import { federation } from "@module-federation/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const singleton = { singleton: true, requiredVersion: "^19.0.0" };

// The federation plugin names chunks after modules, at length and with slashes; assets are flat and plain.
const flat = "chunk-[hash].js";

export default defineConfig({
  root: "web",
  // Files name each other relatively: the page works at whatever address the platform serves it.
  base: "./",
  plugins: [
    react(),
    federation({
      name: "com_example_notes",
      filename: "remoteEntry.js",
      exposes: { "./Notes": "./web/notes.tsx" },
      // The host's React is used where it has a fitting one; all three, since React refuses a react-dom of another version.
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
    modulePreload: false,
    rolldownOptions: { input: "web/notes.tsx", output: { chunkFileNames: flat, entryFileNames: flat } },
  },
});
