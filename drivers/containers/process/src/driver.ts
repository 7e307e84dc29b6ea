import { defineDriver } from "@appserver/driver";

export const driver = defineDriver({
  family: "containers",
  version: 1,
  name: "process",
  doc: "processes of this machine, without an engine",
  devOnly: "it needs no engine and isolates nothing",
  open: async (_options, { processes }) => {
    if (processes === undefined) throw new Error("the driver is for appserver dev, which says what runs for an image");
    const { ProcessRuntime } = await import("./process-runtime.ts");
    return new ProcessRuntime({ ...processes, stopOnClose: true });
  },
});
