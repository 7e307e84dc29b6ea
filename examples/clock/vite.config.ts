import { defineConfig } from "vite";

export default defineConfig({
  root: "web",
  base: "./",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    // They know `light-dark()`. For older ones Vite would replace it by variables that only a style sheet's `color-scheme` sets.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    lib: { entry: "clock.ts", formats: ["es"], fileName: () => "clock.js" },
  },
});
