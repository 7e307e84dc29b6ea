import { containerLabels } from "@appserver/kernel/ports";
import { Ajv, type ValidateFunction } from "ajv";
import { identityPath } from "../identity-files.ts";
import { usersFile } from "../image-user.ts";
import { firstOf } from "../replicas.ts";
import { archivePath } from "../volume-archives.ts";
import { helperFolder, helperPrefix, helperRepository } from "../volume-helper.ts";
import { appContainer, connection, disconnection, helperContainer, network, volume } from "./create-bodies.ts";

/** Whose labels are looked at before a call is passed on. */
export interface Subject {
  /**
   * `app`: the container of an app; `container`: also one that holds volumes for a moment; `reachable`: also one of the operator, which
   * apps reach.
   */
  readonly kind: "app" | "container" | "reachable" | "network" | "volume";
  readonly name: string;
  /** Of an `app`: what it must have, so that another container may share its identity. */
  readonly shares?: { readonly identity: string; readonly appId: string };
}

/** A call that the engine may get. */
export interface GuardedCall {
  readonly method: string;
  /** With its version and query. */
  readonly target: string;
  /** What the body must be. Undefined: none is passed on. */
  readonly body?: "json" | "tar" | undefined;
  /** Returns why a JSON body is refused. */
  readonly problemOf?: (body: unknown) => string | undefined;
  readonly subjects: (body: unknown) => readonly Subject[];
  /** Whether the response has only what belongs to the installation. */
  readonly filters?: "containers";
  /** Whether the body has any size, so that it is passed on as it comes. */
  readonly isLarge?: boolean;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** The keys of the query, each with the form of its value. */
  readonly query?: Readonly<Record<string, RegExp>>;
  readonly body?: "json" | "tar";
  readonly problemOf?: (body: unknown, query: URLSearchParams) => string | undefined;
  readonly subjects?: (name: string, body: unknown) => readonly Subject[];
  readonly filters?: "containers";
  readonly isLarge?: (query: URLSearchParams) => boolean;
}

const versioned = /^(\/v1\.[0-9]{2})?(\/[^?#]*)(?:\?([^#]*))?$/;
const container = "([a-zA-Z0-9][a-zA-Z0-9_.-]*)";
/** JSON, which only chooses among what a call may return anyway. */
const filter = /^\{[^\n]*\}$/;
const yes = /^(?:true|1)$/;
const number = /^[0-9]{1,10}$/;
const image = /^[a-zA-Z0-9][a-zA-Z0-9._:/@-]{0,511}$/;

const ofContainer = (name: string): readonly Subject[] => [{ kind: "container", name }];
const ofApp = (name: string): readonly Subject[] => [{ kind: "app", name }];
const ofReachable = (name: string): readonly Subject[] => [{ kind: "reachable", name }];
const ofVolume = (name: string): readonly Subject[] => [{ kind: "volume", name }];
interface CreatedContainer {
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: { readonly Mounts: readonly { readonly Source?: string; readonly Target: string }[] };
}

/**
 * Names of volumes can begin like those of another installation: labels tell them apart. The volume of an identity has no labels. Only
 * another instance of the container that it was made for gets it.
 */
const ofMounts = (_: string, body: unknown): readonly Subject[] => {
  const { HostConfig, Labels } = body as CreatedContainer;
  return HostConfig.Mounts.flatMap(({ Source, Target }): readonly Subject[] => {
    if (Source === undefined) return [];
    if (Target !== identityPath) return ofVolume(Source);
    const shares = { identity: Source, appId: Labels[containerLabels.appId] ?? "" };
    return [{ kind: "app", name: firstOf(Labels) ?? "", shares }];
  });
};
const ofNetwork = (name: string): readonly Subject[] => [{ kind: "network", name }];
const ofNetworkAndContainer = (name: string, body: unknown): readonly Subject[] => [
  { kind: "network", name },
  { kind: "reachable", name: (body as { readonly Container: string }).Container },
];

/**
 * The calls of the Engine API that the driver makes, for one installation. Everything else is refused: other calls, other fields of
 * bodies, and what does not have the labels of the installation.
 */
export class GuardedCalls {
  readonly #routes: readonly Route[];

  constructor(instance: string) {
    this.#routes = routesOf(instance);
  }

  /** Returns the call, or why it is refused. */
  admit(method: string, target: string): GuardedCall | string {
    const [, version = "", path = "", given = ""] = versioned.exec(target) ?? [];
    if (path === "" || path.includes("..") || path.includes("//") || path.includes("%")) return "this path is not allowed";
    const route = this.#routes.find((each) => each.method === method && each.path.test(path));
    if (!route) return `${method} ${path} is not a call of the platform`;
    const query = new URLSearchParams(given);
    for (const [key, value] of query)
      if (route.query?.[key]?.test(value) !== true || query.getAll(key).length > 1)
        return `the parameter ${key} is not allowed with this value`;
    const [, name = ""] = route.path.exec(path) ?? [];
    const { problemOf, subjects } = route;
    return {
      method,
      target: `${version}${path}${query.size > 0 ? `?${query}` : ""}`,
      body: route.body,
      ...(problemOf && { problemOf: (body: unknown) => problemOf(body, query) }),
      subjects: (body) => subjects?.(name, body) ?? [],
      ...(route.filters && { filters: route.filters }),
      ...(route.isLarge?.(query) && { isLarge: true }),
    };
  }
}

function routesOf(instance: string): readonly Route[] {
  const check = checker();
  const [app, helper] = [check(appContainer(instance)), check(helperContainer(instance))];
  const archivePaths = new RegExp(`^(?:${identityPath}|/${helperFolder})$`);
  const readPaths = new RegExp(`^(?:${usersFile}|/${helperFolder}/[0-9]{1,4}|${archivePath})$`);
  const createProblem = (body: unknown, query: URLSearchParams): string | undefined =>
    (query.get("name") ?? "").startsWith(helperPrefix(instance)) ? helper(body) : app(body);
  const at = (path: string): RegExp => new RegExp(`^${path}$`);
  const filters = { filters: filter };
  return [
    ...["/_ping", "/version", "/info", "/images/json"].map((path) => ({ method: "GET", path: at(path) })),
    { method: "GET", path: at("/networks"), query: filters },
    { method: "GET", path: at("/volumes"), query: filters },
    { method: "GET", path: at(`/networks/${container}`) },
    { method: "GET", path: at("/system/df"), query: { type: /^volume$/ } },
    { method: "GET", path: /^\/images\/([a-zA-Z0-9][a-zA-Z0-9._:/@-]*)\/json$/ },
    { method: "GET", path: at("/containers/json"), query: { ...filters, all: /^(?:true|false)$/ }, filters: "containers" },
    { method: "GET", path: at(`/containers/${container}/json`), subjects: ofReachable },
    { method: "GET", path: at(`/containers/${container}/logs`), query: logQuery, subjects: ofApp },
    { method: "GET", path: at(`/containers/${container}/stats`), query: statsQuery, subjects: ofApp },
    { method: "GET", path: at(`/containers/${container}/archive`), query: { path: readPaths }, subjects: ofContainer },
    {
      method: "PUT",
      path: at(`/containers/${container}/archive`),
      query: { path: archivePaths },
      body: "tar",
      subjects: ofContainer,
      // The files of a storage.
      isLarge: (query) => query.get("path") === `/${helperFolder}`,
    },
    {
      method: "POST",
      path: at("/containers/create"),
      query: { name: at(container) },
      body: "json",
      problemOf: createProblem,
      subjects: ofMounts,
    },
    { method: "POST", path: at(`/containers/${container}/start`), subjects: ofApp },
    { method: "POST", path: at(`/containers/${container}/stop`), query: { t: number }, subjects: ofContainer },
    { method: "POST", path: at(`/containers/${container}/rename`), query: { name: at(container) }, subjects: ofContainer },
    { method: "DELETE", path: at(`/containers/${container}`), query: { force: yes, v: yes }, subjects: ofContainer },
    { method: "POST", path: at("/networks/create"), body: "json", problemOf: check(network(instance)) },
    { method: "DELETE", path: at(`/networks/${container}`), subjects: ofNetwork },
    ...(
      [
        ["connect", connection],
        ["disconnect", disconnection],
      ] as const
    ).map(([verb, schema]): Route => {
      const path = at(`/networks/${container}/${verb}`);
      return { method: "POST", path, body: "json", problemOf: check(schema), subjects: ofNetworkAndContainer };
    }),
    { method: "POST", path: at("/volumes/create"), body: "json", problemOf: check(volume(instance)) },
    { method: "DELETE", path: at(`/volumes/${container}`), subjects: ofVolume },
    {
      method: "POST",
      path: at("/images/create"),
      query: { fromImage: image, tag: image, fromSrc: /^-$/, repo: new RegExp(`^${helperRepository}$`) },
      body: "tar",
    },
    { method: "DELETE", path: /^\/images\/([a-zA-Z0-9][a-zA-Z0-9._:/-]*@sha256:[0-9a-f]{64})$/ },
  ];
}

const logQuery = {
  stdout: yes,
  stderr: yes,
  timestamps: yes,
  follow: /^(?:true|false)$/,
  tail: /^(?:all|[0-9]{1,10})$/,
  since: /^[0-9.]{1,32}$/,
};
const statsQuery = { stream: /^false$/, "one-shot": /^true$/ };

/** Returns what makes a function that says why a body is refused. */
function checker(): (schema: object) => (body: unknown) => string | undefined {
  const ajv = new Ajv({ allErrors: false, strict: false });
  return (schema) => {
    const validate: ValidateFunction = ajv.compile(schema);
    return (body) => {
      if (validate(body)) return undefined;
      const [error] = validate.errors ?? [];
      const { additionalProperty } = (error?.params ?? {}) as { readonly additionalProperty?: string };
      const field = `${error?.instancePath ?? ""}${additionalProperty === undefined ? "" : `/${additionalProperty}`}`;
      return `${field === "" ? "the body" : field} ${additionalProperty === undefined ? error?.message : "is not a field of the platform"}`;
    };
  };
}
