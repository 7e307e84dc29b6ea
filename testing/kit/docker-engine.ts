import { EngineClient } from "@appserver/containers-docker";
import { makeAppImage, pushImage } from "@appserver/containers-docker/images";
import { ContainerError } from "@appserver/kernel/ports";
import { type DockerEngineOptions, ensureDockerEngine } from "../../tools/services/docker-engine.ts";

export { separationProblem } from "./network-separation.ts";
export { withoutPython } from "./without-python.ts";

/** The parts of a container that tests read, named as in the Engine API (`ContainerInspect`). */
export interface InspectedContainer {
  readonly Id: string;
  readonly State: { readonly Status: string };
  readonly Config: {
    readonly Labels: Readonly<Record<string, string>>;
    readonly Env: readonly string[];
    readonly User: string;
  };
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string; readonly Gateway: string }>>;
    readonly Ports?: Readonly<Record<string, readonly { readonly HostPort: string }[] | null>>;
  };
}

/** A real engine. Tests inspect and disturb it as an operator would. */
export class TestDockerEngine {
  readonly socketPath: string;
  readonly #client: EngineClient;
  readonly #release: () => Promise<void>;

  constructor(socketPath: string, release: () => Promise<void>) {
    this.socketPath = socketPath;
    this.#client = new EngineClient(socketPath);
    this.#release = release;
  }

  /** Makes an image of the code of a folder, `src/server.ts`, and pushes it to its registry. */
  async publish(image: string, appFolder: string, extraFolders: readonly string[] = []): Promise<void> {
    await makeAppImage({ socketPath: this.socketPath, appFolder, entry: "src/server.ts", image, extraFolders });
    await this.push(image);
  }

  /** Pushes an image that the engine has to its registry. */
  async push(image: string, credentials?: Parameters<typeof pushImage>[2]): Promise<void> {
    await pushImage(this.#client, image, credentials);
  }

  /** Finds a container by name or id. Returns undefined if it does not exist. */
  async inspect(name: string): Promise<InspectedContainer | undefined> {
    const { status, body } = await this.#client.request("GET", `/containers/${name}/json`, { accept: [404] });
    return status === 404 ? undefined : (body as InspectedContainer);
  }

  /** Returns a file or folder of a container as a tar archive. Rejects if it does not exist. */
  async archive(name: string, path: string): Promise<Buffer> {
    return await this.#client.archive(name, path, 100_000_000);
  }

  /** Names of containers with the label, of running ones or of all. */
  async containers(label: string, all: boolean): Promise<readonly string[]> {
    const query = { all: String(all), filters: JSON.stringify({ label: [label] }) };
    const { body } = await this.#client.request("GET", "/containers/json", { query });
    return (body as { Names: string[] }[]).map(({ Names: [name = ""] }) => name.slice(1));
  }

  /** `registry.example.com/app@sha256:…` of every image that was pulled or pushed. */
  async imageDigests(): Promise<readonly string[]> {
    const { body } = await this.#client.request("GET", "/images/json");
    return (body as { readonly RepoDigests: readonly string[] | null }[]).flatMap(({ RepoDigests }) => RepoDigests ?? []);
  }

  /** Names of volumes with the label. */
  async volumes(label: string): Promise<readonly string[]> {
    const query = { filters: JSON.stringify({ label: [label] }) };
    const { body } = await this.#client.request("GET", "/volumes", { query });
    return ((body as { Volumes: { Name: string }[] | null }).Volumes ?? []).map(({ Name }) => Name);
  }

  /** `docker kill` */
  async killContainer(name: string): Promise<void> {
    await this.#client.request("POST", `/containers/${name}/kill`);
  }

  /** Removes the containers of an app and every image of this repository, as if the engine had been made again. */
  async forget(appName: string, repository: string): Promise<void> {
    for (const name of await this.containers("appserver.app-id", true))
      if ((await this.inspect(name))?.Config.Env.includes(`APP_NAME=${appName}`)) await this.removeContainer(name);
    const { body } = await this.#client.request("GET", "/images/json");
    const images = body as readonly {
      readonly Id: string;
      readonly RepoTags: readonly string[] | null;
      readonly RepoDigests: readonly string[] | null;
    }[];
    for (const { Id, RepoTags, RepoDigests } of images) {
      const isOfApp = [...(RepoTags ?? []), ...(RepoDigests ?? [])].some((each) => each.startsWith(repository));
      if (isOfApp) await this.#client.request("DELETE", `/images/${Id}`, { query: { force: "true" }, accept: [404] });
    }
  }

  /** `docker rm -f` */
  async removeContainer(name: string): Promise<void> {
    await this.#client.request("DELETE", `/containers/${name}`, { query: { force: "true" }, accept: [404] });
  }

  /**
   * Removes what a platform leaves behind: its containers, a few at a time because the machine is small, its networks and
   * its volumes.
   * Docker 20.10 sometimes never responds to a removal. Such a container is logged and left running with its network until the
   * engine ends, because the test is over by then. Errors that the engine returns are thrown.
   */
  async tidyUp(instance: string, network: string): Promise<void> {
    const waiting = [...(await this.containers(`appserver.instance=${instance}`, true))];
    const unanswered: string[] = [];
    const worker = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        try {
          await this.removeContainer(name);
        } catch (error) {
          if (!(error instanceof ContainerError && error.reason === "unreachable")) throw error;
          unanswered.push(name);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    if (unanswered.length > 0) console.warn(`the engine did not respond the removal of ${unanswered.join(", ")}`);
    else
      for (const left of [network, ...(await this.networks(`appserver.instance=${instance}`))]) await this.#removeNetwork(left);
    for (const volume of await this.volumes(`appserver.instance=${instance}`))
      await this.#client.request("DELETE", `/volumes/${volume}`, { accept: [404, 409] });
  }

  /** Names of networks with the label. */
  async networks(label: string): Promise<readonly string[]> {
    const query = { filters: JSON.stringify({ label: [label] }) };
    const { body } = await this.#client.request("GET", "/networks", { query });
    return (body as { Name: string }[]).map(({ Name }) => Name);
  }

  async #removeNetwork(name: string): Promise<void> {
    await this.#client.request("DELETE", `/networks/${name}`, { accept: [404] });
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#release();
  }
}

/** Returns an engine, or the reason why it is unavailable. Where every test must run (CI=true as root) it rejects instead. */
export async function dockerEngineForTests(
  options: DockerEngineOptions = {},
): Promise<TestDockerEngine | { readonly unavailable: string }> {
  const engine = await ensureDockerEngine(options);
  if (!("unavailable" in engine)) return new TestDockerEngine(engine.socketPath, engine.stop);
  if (process.env["CI"] === "true" && process.getuid?.() === 0)
    throw new Error(`the Docker tests must run here: ${engine.unavailable}`);
  return engine;
}
