import { federation } from "@module-federation/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const singleton = { singleton: true, requiredVersion: "^19.0.0" };
// Names of assets must be short and without folders.
const flat = "chunk-[hash].js";

export default defineConfig({
  root: "web",
  base: "./",
  plugins: [
    react(),
    federation({
      name: "com_example_links",
      filename: "remoteEntry.js",
      exposes: { "./Page": "./web/page.tsx" },
      // The page uses the React of the console if its version fits.
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
    rolldownOptions: { input: ["web/page.tsx"], output: { chunkFileNames: flat, entryFileNames: flat } },
  },
});
