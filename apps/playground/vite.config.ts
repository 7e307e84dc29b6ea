import { defineConfig } from "vite";

export default defineConfig({
  root: "web",
  base: "/playground/",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
});
