import { defineDriver, types } from "@appserver/driver";

export const driver = defineDriver({
  family: "containers",
  version: 1,
  name: "process",
  doc: "processes of this machine, without an engine and without isolation",
  options: {
    yaml: "processes",
    doc: "Apps as processes (docs/interface/containers.md#drivers).",
    options: {
      folder: {
        env: "APPSERVER_PROCESSES_FOLDER",
        yaml: "folder",
        type: types.text,
        default: "/var/lib/appserver/processes",
        doc: "Folder for the records, logs, snapshots and storage of apps, with `containers.driver: process`. `dev` uses its data folder",
      },
    },
  },
  open: async ({ folder }, { processes }) => {
    if (processes === undefined) throw new Error("the driver needs to be given what runs for an image");
    const { ProcessRuntime } = await import("./process-runtime.ts");
    return new ProcessRuntime({ ...processes, stateFolder: processes.stateFolder ?? folder });
  },
});
