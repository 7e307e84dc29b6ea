import { defineSection } from "../schema.ts";
import { boolean, listenPort, oneOf, text } from "../types/plain-types.ts";

/** Where a platform in one process keeps everything (docs/interface/operations.md#data-folder). */
export const dataSection = defineSection({
  yaml: "data",
  doc: "The data folder of a platform in one process. Only one process at a time uses it.",
  options: {
    dir: {
      env: "APPSERVER_DATA_DIR",
      flag: "data",
      yaml: "dir",
      type: text,
      default: "/var/lib/appserver",
      doc: "Data folder: databases, secrets, images. A relative path starts at the current folder",
    },
  },
});

/** Options that only `appserver up` has (docs/interface/operations.md#one-machine). */
export const upSection = defineSection({
  yaml: "up",
  doc: "A platform on one machine, `appserver up`.",
  options: {
    allowProcesses: {
      env: "APPSERVER_ALLOW_PROCESSES",
      flag: "allow-processes",
      yaml: "allow_processes",
      type: boolean,
      default: "false",
      doc: "Whether apps may run as processes, without an engine. They run as the user of the platform, can read its data folder, and are not separated from each other",
    },
    internalPort: {
      env: "APPSERVER_INTERNAL_PORT",
      yaml: "internal_port",
      type: listenPort,
      default: "8081",
      doc: "Port for apps and the container engine, without TLS: on 127.0.0.1, and on the address of this machine in the network of containers",
    },
    internalHost: {
      env: "APPSERVER_INTERNAL_HOST",
      yaml: "internal_host",
      type: text,
      doc: "If the platform itself runs in a container: the name at which containers of apps reach it. The internal ports are then open on all its addresses",
    },
  },
});

/** Which PostgreSQL `appserver up` uses. */
export const databaseDriverSection = defineSection({
  yaml: "database",
  doc: "The database of `appserver up`. Other processes have an external one.",
  options: {
    driver: {
      env: "APPSERVER_DB_DRIVER",
      yaml: "driver",
      type: oneOf("embedded", "external"),
      default: "embedded",
      doc: "`embedded`: a PostgreSQL in the data folder, which ends with the platform. `external`: the server of the other options",
    },
  },
});
