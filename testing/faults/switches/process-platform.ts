import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";
import { quietPort } from "@appserver/testing/kit/production";
import { AppserverProcess } from "../../kit/appserver-process.ts";
import { askGraphql } from "../../kit/platform-under-test.ts";
import { removeDataFolder } from "../../kit/remove-data-folder.ts";
import { appProcesses } from "../app-processes.ts";
import { makeDataDir } from "../faulty-platform.ts";
import { type SwitchPlatform, type SwitchTimes, switchOptions } from "./switch-platform.ts";

const program = join(import.meta.dirname, "../../../apps/server/test/folders-platform-process.ts");

interface Folders {
  readonly dataDir: string;
  /** The newest image of each app, as a link to its folder: `{app}/latest`. */
  readonly images: string;
}

/** The platform of `appserver dev` with the process driver, and with images that change while it runs. */
export class ProcessPlatform implements SwitchPlatform {
  readonly httpUrls: readonly string[];
  readonly #grpcUrl: string;
  readonly #folders: Folders;
  readonly #process: AppserverProcess;

  private constructor(folders: Folders, ports: { readonly http: number; readonly grpc: number }, times: SwitchTimes) {
    this.#folders = folders;
    this.httpUrls = [`http://127.0.0.1:${ports.http}`];
    this.#grpcUrl = `http://127.0.0.1:${ports.grpc}`;
    this.#process = new AppserverProcess(["dev", "--no-examples"], {
      program,
      environment: {
        PATH: process.env["PATH"] ?? "",
        ...switchOptions(times),
        APPSERVER_TEST_IMAGES: folders.images,
        APPSERVER_DATA_DIR: folders.dataDir,
        APPSERVER_HTTP_PORT: String(ports.http),
        APPSERVER_GRPC_PORT: String(ports.grpc),
      },
      group: "own",
    });
  }

  static async start(times: SwitchTimes): Promise<ProcessPlatform> {
    const folders = { dataDir: await makeDataDir(), images: await mkdtemp(join(tmpdir(), "appserver-images-")) };
    const platform = new ProcessPlatform(folders, { http: await quietPort(), grpc: await quietPort() }, times);
    platform.#process.start();
    try {
      await platform.#process.until(() => platform.#process.printed.includes("Ctrl-C stops everything"));
    } catch (error) {
      await platform.stop();
      throw error;
    }
    return platform;
  }

  graphql(query: string, variables: object = {}): Promise<GraphqlAnswer> {
    return askGraphql({ httpUrl: this.httpUrls[0] ?? "", administrator: {} }, query, variables);
  }

  client(): PlatformClient {
    return createPlatformClient({ grpcUrl: this.#grpcUrl });
  }

  register(app: SignedManifest): Promise<unknown> {
    return registerApp(this.client(), app);
  }

  async publish(appName: string, folder: string): Promise<void> {
    const image = join(this.#folders.images, appName);
    await mkdir(image, { recursive: true });
    const draft = join(image, randomUUID());
    await symlink(folder, draft);
    await rename(draft, join(image, "latest"));
  }

  async running(appName: string): Promise<readonly string[]> {
    return appProcesses(this.#folders.dataDir)
      .filter((app) => app.appName === appName)
      .map(({ pid }) => String(pid));
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    await removeDataFolder(this.#folders.dataDir);
    await rm(this.#folders.images, { recursive: true, force: true });
  }
}
