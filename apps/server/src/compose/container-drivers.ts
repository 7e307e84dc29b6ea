import { delimiter, dirname } from "node:path";
import type { AppImageOptions } from "@appserver/containers-docker/images";
import type { ProcessImage } from "@appserver/containers-process";
import type { ContainerRuntime } from "@appserver/kernel/ports";
import type { SectionValues } from "@appserver/options";
import type { containersSection } from "@appserver/options/sections";
import { pythonFolder } from "../../../../examples/python-packages.ts";

/** Names of drivers: the values of `containers.driver`. */
export type ContainersDriver = SectionValues<typeof containersSection>["driver"];

/** What the drivers need. Each uses a part of it. */
export interface ContainerDriverOptions {
  /** Of the container engine. */
  readonly socketPath: string;
  /** Whether an image that the engine has may be newer in its registry. */
  readonly pullPolicy: "always" | "if-not-present";
  /** Of a driver without an engine. */
  readonly processes?: {
    /** Records, logs and storage. */
    readonly stateFolder: string;
    /** Returns what runs for an image reference. Undefined if there is no such image. */
    readonly images: (image: string) => ProcessImage | undefined;
  };
}

interface ContainerDriver {
  readonly open: (options: ContainerDriverOptions) => Promise<ContainerRuntime>;
  /** Absent if the driver runs apps from their folders. */
  readonly makeImage?: (options: AppImageOptions) => Promise<unknown>;
}

/** The driver of each value of `containers.driver`, loaded on demand. */
export const containerDrivers: Readonly<Record<ContainersDriver, ContainerDriver>> = {
  docker: {
    open: async ({ socketPath, pullPolicy }) => {
      const { DockerRuntime } = await import("@appserver/containers-docker");
      return new DockerRuntime({ socketPath, pullPolicy });
    },
    makeImage: async (options) => {
      const { makeAppImage } = await import("@appserver/containers-docker/images");
      await makeAppImage(options);
    },
  },
  process: {
    open: async ({ processes }) => {
      if (processes === undefined) throw new Error("the schema demands a driver with an engine");
      const { ProcessRuntime } = await import("@appserver/containers-process");
      return new ProcessRuntime({
        ...processes,
        stopOnClose: true,
        // Commands name `node` and `python3` without their folders, so that a snapshot stays runnable when they move.
        path: [dirname(process.execPath), ...developersPython(), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      });
    },
  },
};

/** A virtual environment that is active counts. */
function developersPython(): readonly string[] {
  const folder = pythonFolder();
  return folder === undefined ? [] : [folder];
}
