import { defineDriver } from "@appserver/driver";

export const driver = defineDriver({
  family: "cache",
  version: 1,
  name: "memory",
  doc: "the memory of each process: for a single process only",
  isShared: false,
  open: async (_options, { clock, maxBytes }) => {
    const { MemoryCache } = await import("./memory-cache.ts");
    return new MemoryCache({ clock, maxBytes });
  },
});
