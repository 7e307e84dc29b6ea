import { hash, timingSafeEqual } from "node:crypto";
import { scimErrorBody, scimPrefix } from "@appserver/contracts/scim";
import { type Component, every } from "@appserver/kernel";
import type { Provisioning, ProvisioningRequest, ProvisioningResponse } from "@appserver/kernel/ports";
import { outageOf } from "../unavailable.ts";
import type { ResourceType } from "./attribute.ts";
import { discovered } from "./discovery.ts";
import { GroupSynchronisation, type GroupSynchronisationDeps } from "./group-synchronisation.ts";
import type { StoredGroup } from "./group-table.ts";
import { Groups, maxMembers } from "./groups.ts";
import { type Found, listResponse, pageOf, selected, selectionOf } from "./page.ts";
import { groupRepresentation, locationOf, userRepresentation } from "./representations.ts";
import { etagOf, type Resources, type Stored } from "./resources.ts";
import { notFound, ScimError } from "./scim-error.ts";
import type { StoredUser } from "./user-table.ts";
import { Users } from "./users.ts";
import { type JsonObject, objectOf } from "./values.ts";

export interface ScimProvisioningDeps extends GroupSynchronisationDeps {
  readonly token: string;
  /** The platform's URL for clients. Undefined: that of each request. */
  readonly ownUrl: string | undefined;
}

type Represent<T> = (
  stored: readonly T[],
  isSelected: (name: string) => boolean,
  base: string,
) => Promise<readonly JsonObject[]>;

/** Resources of one type, with their form in responses. */
interface Endpoint<T extends Stored> {
  readonly resources: Resources<T>;
  readonly represent: Represent<T>;
  /** Returns as many of a page as one response can have. */
  readonly shortened: (found: readonly T[]) => readonly T[];
}

const repeatMs = 60_000;

/** SCIM 2.0 (RFC 7643, RFC 7644): people and groups of an organisation's identity system. */
export class ScimProvisioning implements Provisioning, Component {
  readonly name = "provisioning";
  readonly #deps: ScimProvisioningDeps;
  readonly #tokenDigest: Buffer;
  readonly #synchronisation: GroupSynchronisation;
  readonly #users: Endpoint<StoredUser>;
  readonly #groups: Endpoint<StoredGroup>;
  readonly #stopped = new AbortController();
  #writes: Promise<unknown> = Promise.resolve();
  #repeats: Promise<void> = Promise.resolve();

  constructor(deps: ScimProvisioningDeps) {
    const { database } = deps;
    this.#deps = deps;
    this.#tokenDigest = digestOf(deps.token);
    this.#synchronisation = new GroupSynchronisation(deps);
    const groups = new Groups({ database, synchronisation: this.#synchronisation });
    this.#groups = { resources: groups, represent: representGroups(groups), shortened: withFewMembers };
    const users = new Users({ database, groups: this.#synchronisation });
    const represent: Represent<StoredUser> = async (found, _, base) => found.map((user) => userRepresentation(user, base));
    this.#users = { resources: users, represent, shortened: (found) => found };
  }

  start(): void {
    const { clock, logger } = this.#deps;
    this.#repeats = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: repeatMs,
      jitter: 0.3,
      first: "after a pause",
      run: () => this.#inTurn(() => this.#synchronisation.writeStale()),
      onError: (error) => logger.warn({ err: error }, "accounts: groups of SCIM could not be written as permissions"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#repeats;
  }

  accepts(token: string): boolean {
    return timingSafeEqual(digestOf(token), this.#tokenDigest);
  }

  async send(request: ProvisioningRequest): Promise<ProvisioningResponse> {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (!(error instanceof ScimError)) throw outageOf(error);
      return { status: error.status, body: scimErrorBody(error.status, error.message, error.scimType) };
    }
  }

  async #answer(request: ProvisioningRequest): Promise<ProvisioningResponse> {
    const { method, target, origin } = request;
    const [path = "", search = ""] = target.split(/\?(.*)/s);
    const query = new URLSearchParams(search);
    const base = `${new URL(this.#deps.ownUrl ?? origin).origin}${scimPrefix}`;
    const about = discovered(path, query, base);
    if (about) return method === "GET" ? { status: 200, body: about } : refuseMethod(method, path);
    const [, kind, id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (kind === undefined) throw notFound(path.slice(0, 100));
    const given = { request, id, query, base };
    return kind === "Users" ? await this.#at(this.#users, given) : await this.#at(this.#groups, given);
  }

  async #at<T extends Stored>(endpoint: Endpoint<T>, { request, id, query, base }: Given): Promise<ProvisioningResponse> {
    const { resources, represent } = endpoint;
    const { type } = resources;
    const { method, body, ifMatch } = request;
    const isSelected = selectionOf(query);
    const shown = async (status: number, stored: T): Promise<ProvisioningResponse> => {
      const [resource = {}] = await represent([stored], isSelected, base);
      return { status, body: selected(resource, isSelected), ...headersOf(type, stored, base) };
    };
    if (id === undefined) {
      if (method === "GET") return await listed(endpoint, query, base);
      if (method !== "POST") return refuseMethod(method, type.endpoint);
      return await shown(201, await this.#change(type, method, async () => await resources.create(objectOf(body))));
    }
    if (method === "GET") return await shown(200, await resources.find(id));
    if (method === "POST") return refuseMethod(method, `${type.endpoint}/${id.slice(0, 100)}`);
    if (method === "DELETE") {
      await this.#change(type, method, async () => {
        await resources.delete(id, ifMatch);
        return { id };
      });
      return { status: 204 };
    }
    const work = method === "PUT" ? resources.replace.bind(resources) : resources.patch.bind(resources);
    const stored = await this.#change(type, method, async () => await work(id, objectOf(body), ifMatch));
    // Entra expects no body here: a group can have many members.
    if (method === "PATCH" && type.name === "Group" && !query.has("attributes")) return { status: 204, etag: etagOf(stored) };
    return await shown(200, stored);
  }

  /** After a change of a group, the groups of people are written as permissions, also those that could not be written before. */
  async #change<T extends Pick<Stored, "id">>({ name }: ResourceType, method: string, work: () => Promise<T>): Promise<T> {
    return await this.#inTurn(async () => {
      const result = await work();
      this.#deps.logger.info({ resource: name, id: result.id, method }, "accounts: SCIM has changed a resource");
      if (name === "Group") await this.#synchronisation.writeStale();
      return result;
    });
  }

  /** One after the other in this process, so that they do not hold all connections while each waits for another one. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writes.then(work);
    this.#writes = turn.catch(() => {});
    return await turn;
  }
}

interface Given {
  readonly request: ProvisioningRequest;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  readonly base: string;
}

async function listed<T extends Stored>(
  { resources, represent, shortened }: Endpoint<T>,
  query: URLSearchParams,
  base: string,
): Promise<ProvisioningResponse> {
  const page = pageOf(query);
  const isSelected = selectionOf(query);
  const { total, resources: found } = await resources.list(page);
  const stored = isSelected("members") ? shortened(found) : found;
  const shown = (await represent(stored, isSelected, base)).map((each) => selected(each, isSelected));
  const response: Found<JsonObject> = { total, resources: shown };
  return { status: 200, body: listResponse(response, page.offset + 1) };
}

function representGroups(groups: Groups): Represent<StoredGroup> {
  return async (found, isSelected, base) => {
    const members = isSelected("members") ? await groups.membersOf(found.map(({ id }) => id)) : undefined;
    return found.map((group) => groupRepresentation(group, members, base));
  };
}

/** RFC 7644 section 3.4.2.4: a page may have fewer resources than were asked for. */
function withFewMembers(found: readonly StoredGroup[]): readonly StoredGroup[] {
  let members = 0;
  const end = found.findIndex(({ size }, index) => {
    members += size;
    return index > 0 && members > maxMembers;
  });
  return end === -1 ? found : found.slice(0, end);
}

function headersOf(type: ResourceType, stored: Stored, base: string) {
  return { location: locationOf(type, stored.id, base), etag: etagOf(stored) };
}

function refuseMethod(method: string, path: string): ProvisioningResponse {
  throw new ScimError(405, `${method} is not supported at ${path}`);
}

function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
