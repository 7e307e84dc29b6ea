import {
  type AppNetworkSpec,
  type AppNetworkView,
  ContainerError,
  type ContainerNetworks,
  containerLabels,
  isSameOwner,
  ownerOf,
} from "@appserver/kernel/ports";
import { type EngineClient, EngineError } from "./engine-client.ts";
import { hostRoutes } from "./host-routes.ts";
import { freeSubnets, rangeOf } from "./subnets.ts";

type Labels = Readonly<Record<string, string>>;

/** The used fields of `GET /networks`. */
interface ListedNetwork {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly Labels?: Labels | null;
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet?: string }[] | null } | null;
}

/** The used fields of `GET /containers/json`, and of `GET /containers/{id}/json` where `Aliases` is known. */
interface Attached {
  readonly Id: string;
  readonly Labels?: Labels | null;
  readonly NetworkSettings?: {
    readonly Networks?: Readonly<Record<string, Attachment>> | null;
  } | null;
}

interface Attachment {
  readonly NetworkID: string;
  readonly Aliases?: readonly string[] | null;
}

/** Bridge networks of a Docker engine. The engine's own rules keep them apart. */
export class DockerNetworks implements ContainerNetworks {
  readonly #engine: EngineClient;

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  async ensure(spec: AppNetworkSpec): Promise<AppNetworkView> {
    const network = (await this.#existing(spec)) ?? (await this.#create(spec));
    const gateways = await this.#gateways(spec.labels[containerLabels.instance] ?? "");
    for (const gateway of gateways) if (!isIn(gateway, network.id)) await this.#connect(gateway.Id, network);
    return network;
  }

  async remove({ id, name }: Pick<AppNetworkView, "id" | "name">): Promise<void> {
    const owner = (await this.#all()).find(({ Id }) => Id === id)?.Labels?.[containerLabels.appId];
    for (const { Id, Labels } of await this.#containers({ network: [id] }, "all")) {
      const label = Labels?.[containerLabels.appId];
      if (owner !== undefined && label === owner)
        throw new ContainerError("other", `network ${name}: the container ${Id.slice(0, 12)} of its app is still there`);
      // Also a stopped one: the engine would not start it again without the network.
      await this.#request(name, "POST", `/networks/${id}/disconnect`, { body: { Container: Id, Force: true }, accept: [404] });
    }
    await this.#request(name, "DELETE", `/networks/${id}`, { accept: [404] });
  }

  async list(labels: Labels): Promise<readonly AppNetworkView[]> {
    const wanted = [containerLabels.appId, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)];
    return (await this.#all({ label: wanted })).map(viewOf);
  }

  async connectGateways(instance: string): Promise<number> {
    const gateways = await this.#gateways(instance);
    if (gateways.length === 0) return 0;
    const networks = await this.list({ [containerLabels.instance]: instance });
    let connected = 0;
    const failures: unknown[] = [];
    for (const gateway of gateways) {
      for (const network of networks.filter(({ id }) => !isIn(gateway, id))) {
        try {
          await this.#connect(gateway.Id, network);
          connected += 1;
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (failures.length > 0) throw failures[0];
    return connected;
  }

  /** Returns the network of this name and owner. Two orchestrators may have created it at once: the later one is removed. */
  async #existing({ name, labels }: AppNetworkSpec): Promise<AppNetworkView | undefined> {
    const [oldest, ...copies] = (await this.#all({ name: [name] }))
      .filter((network) => network.Name === name)
      .sort((left, right) => left.Created.localeCompare(right.Created) || left.Id.localeCompare(right.Id))
      .map(viewOf);
    if (!oldest) return undefined;
    if (!isSameOwner(oldest.labels, labels))
      throw new ContainerError("name_conflict", `the network name ${name} is in use by ${ownerOf(oldest.labels)}`);
    for (const copy of copies) if (isSameOwner(copy.labels, labels)) await this.remove(copy);
    return oldest;
  }

  async #create(spec: AppNetworkSpec): Promise<AppNetworkView> {
    const { name, pool } = spec;
    const range = rangeOf(pool);
    if (!range) throw new ContainerError("other", `containers.network_pool must be an IPv4 network, found ${pool}`);
    const networks = (await this.#all()).flatMap(({ IPAM }) =>
      (IPAM?.Config ?? []).flatMap(({ Subnet }) => rangeOf(Subnet ?? "") ?? []),
    );
    // The default route, and any other route to the whole pool, does not make its addresses taken.
    const routes = (await hostRoutes()).filter(({ first, last }) => first > range.first || last < range.last);
    for (const subnet of freeSubnets(range, name, [...networks, ...routes])) {
      if (!(await this.#tryToCreate(spec, subnet))) continue;
      const created = await this.#existing(spec);
      if (created) return created;
    }
    throw new ContainerError("no_free_network", `containers.network_pool ${pool} has no free /27 for the network ${name}`);
  }

  /** Returns false if the engine uses the addresses for another network, which may have been created a moment ago. */
  async #tryToCreate({ name, labels }: AppNetworkSpec, subnet: string): Promise<boolean> {
    const body = { Name: name, Driver: "bridge", CheckDuplicate: true, Labels: labels, IPAM: { Config: [{ Subnet: subnet }] } };
    try {
      await this.#engine.request("POST", "/networks/create", { body });
      return true;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // Another orchestrator has created it.
      if (error.status === 409 && /already exists/.test(error.message)) return true;
      // Engines have no code of their own for this: Docker responds 403, Podman 500.
      if (/overlap|already used/.test(error.message)) return false;
      throw networkError(name, error);
    }
  }

  async #connect(container: string, network: AppNetworkView): Promise<void> {
    const path = `/containers/${container}/json`;
    const look = async (): Promise<Attached | undefined> => {
      const { status, body } = await this.#request(network.name, "GET", path, { accept: [404] });
      return status === 404 ? undefined : (body as Attached);
    };
    const before = await look();
    if (!before || isIn(before, network.id)) return;
    const request = { Container: container, EndpointConfig: { Aliases: namesOf(before) } };
    try {
      await this.#engine.request("POST", `/networks/${network.id}/connect`, { body: request, accept: [404] });
    } catch (error) {
      // Another orchestrator was faster, or the container has ended.
      const after = error instanceof EngineError ? await look() : undefined;
      if (error instanceof EngineError && (!after || isIn(after, network.id))) return;
      throw networkError(network.name, error);
    }
  }

  /** An app is never a gateway, whatever labels its image has. */
  async #gateways(instance: string): Promise<readonly Attached[]> {
    const filters = { label: [`${containerLabels.gateway}=${instance}`], status: ["running"] };
    const found = await this.#containers(filters, "running");
    return found.filter(({ Labels }) => Labels?.[containerLabels.appId] === undefined);
  }

  async #containers(filters: object, which: "all" | "running"): Promise<readonly Attached[]> {
    const query = { all: String(which === "all"), filters: JSON.stringify(filters) };
    const { body } = await this.#request("the containers of networks", "GET", "/containers/json", { query });
    return body as readonly Attached[];
  }

  async #all(filters: object = {}): Promise<readonly ListedNetwork[]> {
    const query = { filters: JSON.stringify(filters) };
    const { body } = await this.#request("the list of networks", "GET", "/networks", { query });
    return body as readonly ListedNetwork[];
  }

  async #request(subject: string, ...request: Parameters<EngineClient["request"]>): ReturnType<EngineClient["request"]> {
    try {
      return await this.#engine.request(...request);
    } catch (error) {
      throw networkError(subject, error);
    }
  }
}

function viewOf({ Id: id, Name: name, Labels: labels }: ListedNetwork): AppNetworkView {
  return { id, name, labels: labels ?? {} };
}

function isIn({ NetworkSettings }: Attached, networkId: string): boolean {
  return Object.values(NetworkSettings?.Networks ?? {}).some(({ NetworkID }) => NetworkID === networkId);
}

/** Returns the container's names in its networks. The engine itself adds the short id. */
function namesOf({ Id, NetworkSettings }: Attached): readonly string[] {
  const names = Object.values(NetworkSettings?.Networks ?? {}).flatMap(({ Aliases }) => Aliases ?? []);
  return [...new Set(names)].filter((name) => name !== Id.slice(0, 12));
}

/** An app declares nothing of its network, so that the engine refuses nothing for its sake. */
function networkError(subject: string, error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  return new ContainerError("other", `${subject}: ${error.message}`, { cause: error });
}
