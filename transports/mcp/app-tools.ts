import { setImmediate as nextTurn } from "node:timers/promises";
import { type AppRoute, servedRoutes } from "@appserver/contracts/manifest";
import { type BatchedPermissions, type Caller, reachesApp } from "@appserver/kernel";
import { AppRights } from "./app-rights.ts";
import { type AppOperation, AppTool, pathOf } from "./app-tool.ts";
import { appToolName, appToolPrefix, toolPrefixOf } from "./app-tool-name.ts";
import type { AppToolSource, DescribedOperations, ServedApp, ToolOperation } from "./app-tool-source.ts";
import { boundedOperation } from "./route-arguments.ts";
import { type SearchWords, scoreOf } from "./search-words.ts";

/** An operation of an app, with what a search looks at, and its tool once it was needed. */
interface Entry extends AppOperation {
  /** In lower case. */
  readonly text: string;
  tool: AppTool | undefined;
}

/** What was made of an app, until the app changes. */
class KnownApp {
  readonly app: ServedApp;
  /** How the names of its tools begin. */
  readonly prefix: string;
  /** In lower case. */
  readonly text: string;
  /** Undefined before {@link load}. */
  entries: readonly Entry[] | undefined;
  /** How many of them have a description. */
  described = 0;

  constructor(app: ServedApp) {
    this.app = app;
    this.prefix = toolPrefixOf(app.name);
    this.text = `${app.name} ${app.displayName} ${app.description ?? ""}`.toLowerCase();
  }

  /** Returns what it offers, with the descriptions that `operationsOf` finds. Without them if that fails, until the next call. */
  async load(operationsOf: AppToolSource["operationsOf"]): Promise<readonly Entry[]> {
    if (this.entries) return this.entries;
    let described: DescribedOperations | undefined;
    try {
      described = await operationsOf?.(this.app);
    } catch {
      return entriesOf(this.app, undefined);
    }
    this.entries ??= entriesOf(this.app, described);
    this.described = this.entries.filter(({ description }) => description !== undefined).length;
    return this.entries;
  }
}

/** So many descriptions of operations are kept. Apps beyond have tools without. */
const maxDescribed = 10_000;

/** So many tools are looked at in one turn of the event loop, and those of one app more. */
const perTurn = 250;

/** The methods of tools. Others ask about a resource, or people do not use them. */
const toolMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** Of routes that allow every method, without a description. */
const usualMethods: readonly string[] = ["GET", "POST"];

/** The routes of apps as tools: finds them by their names and words, and those that a caller may call. */
export class AppTools {
  readonly #source: AppToolSource;
  readonly #permissions: BatchedPermissions;
  #known: ReadonlyMap<string, KnownApp> = new Map();

  constructor(source: AppToolSource, permissions: BatchedPermissions) {
    this.#source = source;
    this.#permissions = permissions;
  }

  /** Returns the tool of this name, also if the caller may not call it. Undefined if no app that is served has it. */
  async find(name: string): Promise<AppTool | undefined> {
    for (const known of this.#candidates(name)) {
      const tool = this.#named(name, await this.#load(known));
      if (tool) return tool;
    }
    return undefined;
  }

  /** Returns a tool that was found, listed or called before, as long as its app does not change. */
  known(name: string): AppTool | undefined {
    return this.#named(
      name,
      this.#candidates(name).flatMap(({ entries = [] }) => entries),
    );
  }

  /** Returns the first tools that the caller may call, by the names of the apps and in the order of their manifests. */
  async listed(caller: Caller, count: number): Promise<readonly AppTool[]> {
    const rights = new AppRights(this.#permissions, caller);
    const found: AppTool[] = [];
    const reachable = count > 0 ? this.#reachable(caller) : [];
    let entries: Entry[] = [];
    for (const [index, known] of reachable.entries()) {
      entries.push(...(await this.#load(known)));
      // Permissions of several apps are checked at once.
      if (entries.length < perTurn && index < reachable.length - 1) continue;
      found.push(...(await this.#firstAllowed(entries, rights, count - found.length)));
      if (found.length >= count || rights.isExhausted) break;
      entries = [];
    }
    return found;
  }

  /** Returns at most `count` tools that have one of the words and that the caller may call, those with most words first. */
  async search(words: SearchWords, caller: Caller, count: number): Promise<readonly FoundTool[]> {
    const byScore: Entry[][] = words.map(() => []);
    let looked = 0;
    for (const known of this.#reachable(caller)) {
      const entries = await this.#load(known);
      const inApp = words.filter((word) => known.text.includes(word));
      const others = words.filter((word) => !inApp.includes(word));
      for (const entry of entries) byScore[inApp.length + scoreOf(entry.text, others) - 1]?.push(entry);
      looked += entries.length;
      if (looked < perTurn) continue;
      looked = 0;
      await nextTurn();
    }
    const rights = new AppRights(this.#permissions, caller);
    const found: FoundTool[] = [];
    for (const [index, entries] of [...byScore.entries()].reverse())
      for (const tool of await this.#firstAllowed(entries, rights, count - found.length))
        found.push({ tool, score: index + 1 });
    return found;
  }

  async #firstAllowed(entries: Iterable<Entry>, rights: AppRights, count: number): Promise<readonly AppTool[]> {
    const found: AppTool[] = [];
    for (const part of partsOf(entries)) {
      if (found.length >= count || rights.isExhausted) break;
      for (const entry of await rights.allowed(part)) found.push(this.#toolOf(entry));
      await nextTurn();
    }
    return found.slice(0, count);
  }

  #toolOf(entry: Entry): AppTool {
    const { app, method } = entry;
    const { nameKey, requests } = this.#source;
    entry.tool ??= new AppTool(appToolName({ app: app.name, method, path: pathOf(entry) }, nameKey), entry, requests);
    return entry.tool;
  }

  #named(name: string, entries: readonly Entry[]): AppTool | undefined {
    return entries.map((entry) => this.#toolOf(entry)).find((tool) => tool.name === name);
  }

  #candidates(name: string): readonly KnownApp[] {
    return name.startsWith(appToolPrefix) ? this.#apps().filter(({ prefix }) => name.startsWith(prefix)) : [];
  }

  async #load(known: KnownApp): Promise<readonly Entry[]> {
    if (known.entries) return known.entries;
    const { operationsOf } = this.#source;
    const described = [...this.#known.values()].reduce((sum, each) => sum + each.described, 0);
    return known.load(described < maxDescribed ? operationsOf?.bind(this.#source) : undefined);
  }

  #reachable(caller: Caller): readonly KnownApp[] {
    return this.#apps().filter(({ app }) => reachesApp(caller, app.name));
  }

  /** Returns the apps that are served now, by name. What was made of other ones is forgotten. */
  #apps(): readonly KnownApp[] {
    const known = new Map<string, KnownApp>();
    for (const app of this.#source.served()) {
      const earlier = this.#known.get(app.name);
      known.set(app.name, earlier?.app.revision === app.revision ? earlier : new KnownApp(app));
    }
    this.#known = known;
    return [...known.values()].sort((one, other) => (one.app.name < other.app.name ? -1 : 1));
  }
}

export interface FoundTool {
  readonly tool: AppTool;
  /** How many of the words it has. */
  readonly score: number;
}

function* partsOf(entries: Iterable<Entry>): Iterable<readonly Entry[]> {
  let part: Entry[] = [];
  for (const entry of entries) {
    if (part.push(entry) < perTurn) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Each described operation is one, and so is each method of a route that no description has. */
function entriesOf(app: ServedApp, described: DescribedOperations | undefined): readonly Entry[] {
  return servedRoutes(app.api).flatMap((route) => {
    const operations = described?.get(route)?.filter(({ method }) => toolMethods.includes(method)) ?? [];
    const others = methodsOf(route).filter((method) => !operations.some((operation) => operation.method === method));
    return [
      ...operations.map((operation) => entryOf(app, route, operation.method, boundedOperation(operation))),
      ...others.map((method) => entryOf(app, route, method, undefined)),
    ];
  });
}

function entryOf(app: ServedApp, route: AppRoute, method: string, description: ToolOperation | undefined): Entry {
  const operation = { app, route, method, description };
  const { operationId = "", summary = "", description: about = "" } = description ?? {};
  const text = `${method} ${pathOf(operation)} ${operationId} ${summary} ${about}`.toLowerCase();
  return { ...operation, text, tool: undefined };
}

function methodsOf({ methods }: AppRoute): readonly string[] {
  const names = methods.map((method) => method.toUpperCase());
  if (names.includes("*") || names.includes("ANY")) return usualMethods;
  return toolMethods.filter((method) => names.includes(method));
}
