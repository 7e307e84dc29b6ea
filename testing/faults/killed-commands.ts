import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformClient } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import type { AppserverProcess } from "../kit/appserver-process.ts";
import type { CommitPoint, CommitPoints, KillPoint } from "./commit-points.ts";
import { absent, type Expectation } from "./invariants.ts";
import type { AppRow } from "./platform-records.ts";

/** State and version of an app, and the newer version that is registered: `RUNNING 1.0.0 <1.1.0`. Or {@link absent}. */
export type View = string;

/** What takes commands of the administrator. */
export interface Commanded {
  client(): PlatformClient;
  /** Returns the whole response. */
  graphql(query: string, variables?: object): Promise<GraphqlAnswer>;
}

/** A command on one app, from one of some views to another. */
export interface AppCommand {
  readonly name: string;
  readonly app: string;
  readonly needsProcess: boolean;
  readonly from: readonly View[];
  readonly to: View;
  readonly run: (platform: Commanded) => Promise<unknown>;
}

/** A platform of which one process is killed. */
export interface KillablePlatform extends Commanded {
  /** The process whose commits are watched. */
  readonly watched: AppserverProcess;
  /** Starts the process that was killed, and waits until it is ready. */
  restart(): Promise<void>;
  /** Resolves once every invariant holds. Rejects with the violations, or if the signal aborts. */
  settled(expected: ReadonlyMap<string, Expectation>, signal?: AbortSignal): Promise<unknown>;
  apps(): Promise<readonly AppRow[]>;
}

export interface Round {
  /** Whether the process was killed at each point. Events of several commits are sometimes published in one. */
  readonly isReached: boolean;
  readonly wasAcknowledged: boolean;
  /** The commits of the process that was started last, until everything was done. */
  readonly resumed: readonly CommitPoint[];
}

/** Time in which commits after the last change of an app follow. */
const quietMs = 1_000;
/** Codes of a call whose server was killed. */
const lost: ReadonlySet<Code> = new Set([Code.Unavailable, Code.Aborted, Code.Canceled, Code.Internal, Code.Unknown]);
/** The same in responses of GraphQL. */
const lostAnswers: ReadonlySet<string> = new Set(["SERVICE_UNAVAILABLE", "CONFLICT", "INTERNAL_ERROR"]);

/** An error in a response of GraphQL. */
class AnsweredError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/** Asks GraphQL. Rejects with the first error of the response. */
export async function ask(platform: Commanded, operation: string): Promise<void> {
  const [error] = (await platform.graphql(operation)).errors ?? [];
  if (error) throw new AnsweredError(error.extensions.code, error.message);
}

/** A connection that ended has no code of its own: gRPC calls it `Unknown`. */
function isLost(error: unknown): boolean {
  return error instanceof AnsweredError ? lostAnswers.has(error.code) : lost.has(ConnectError.from(error).code);
}

/** Runs commands on a platform whose commits are watched, and kills its process at one of them. */
export class KilledCommands {
  readonly #platform: KillablePlatform;
  readonly #points: CommitPoints;
  /** Each app at rest, after the last command. */
  readonly #apps = new Map<string, { readonly view: View; readonly needsProcess: boolean }>();

  private constructor(platform: KillablePlatform, points: CommitPoints) {
    this.#platform = platform;
    this.#points = points;
  }

  /** The apps that are registered already run in processes. */
  static async open(platform: KillablePlatform, points: CommitPoints): Promise<KilledCommands> {
    const killed = new KilledCommands(platform, points);
    for (const app of await platform.apps()) killed.#apps.set(app.name, { view: viewOf(app), needsProcess: true });
    return killed;
  }

  /** Returns the view of the app at rest, after the last command. */
  viewOf(app: string): View {
    return this.#apps.get(app)?.view ?? absent;
  }

  /** Returns the commits of a request, until some time after its response. */
  async commitsOf(request: (platform: Commanded) => Promise<unknown>): Promise<readonly CommitPoint[]> {
    this.#points.arm();
    await request(this.#platform);
    await sleep(quietMs);
    return this.#points.listed();
  }

  /** Runs the command without a kill. Returns its commits, until everything that follows it is done. */
  async undisturbed(command: AppCommand): Promise<readonly CommitPoint[]> {
    return this.commitsOf(async (platform) => {
      await command.run(platform);
      await this.#settled(command, [command.to]);
    });
  }

  /**
   * Runs the command, kills the process at the first point, starts it again, kills it at the next point, and so on. Waits until
   * every invariant holds.
   */
  async killedAt(command: AppCommand, kills: readonly KillPoint[]): Promise<Round> {
    const [first, ...later] = kills;
    this.#points.arm(first);
    const call = command.run(this.#platform).then(
      () => true,
      (error: unknown) => {
        if (!isLost(error)) throw error;
        return false;
      },
    );
    let isReached = await this.#ended(command, [command.to]);
    const wasAcknowledged = await call;
    if (!isReached && !wasAcknowledged) throw new Error(`${command.name} failed without a kill`);
    const views = wasAcknowledged ? [command.to] : [this.viewOf(command.app), command.to];
    for (const kill of isReached ? later : []) {
      this.#points.arm(kill);
      this.#platform.watched.start();
      isReached = await this.#ended(command, views);
    }
    this.#points.arm();
    if (isReached) await this.#platform.restart();
    await this.#settled(command, views);
    return { isReached, wasAcknowledged, resumed: this.#points.listed() };
  }

  /** Returns true when the process was killed. Returns false if the platform is at rest before. */
  async #ended(command: AppCommand, views: readonly View[]): Promise<boolean> {
    const { watched } = this.#platform;
    const over = new AbortController();
    const settled = this.#platform.settled(this.#expectations(command, views), over.signal);
    const isReached = await Promise.race([watched.ended().then(() => true), this.#quiet(settled, over.signal)]);
    over.abort();
    if (isReached && watched.exitReason !== "SIGKILL") throw new Error(`the process ended with ${watched.exitReason}`);
    return isReached;
  }

  /** Returns false if the platform is at rest after the command. Never resolves if the watch was ended before. */
  #quiet(settled: Promise<unknown>, signal: AbortSignal): Promise<false> {
    const rested = settled.then(() => sleep(quietMs, false as const, { signal }));
    return rested.catch((error: unknown) => {
      if (signal.aborted) return new Promise<false>(() => {});
      throw error;
    });
  }

  async #settled(command: AppCommand, views: readonly View[]): Promise<void> {
    const expected = this.#expectations(command, views);
    await this.#platform.settled(expected);
    const apps = await this.#platform.apps();
    const app = apps.find(({ name }) => name === command.app);
    const view = app ? viewOf(app) : absent;
    if (!views.includes(view)) throw new Error(`${command.app} is ${view}, expected ${views.join(" or ")}`);
    this.#apps.set(command.app, { view, needsProcess: command.needsProcess });
  }

  #expectations(command: AppCommand, views: readonly View[]): ReadonlyMap<string, Expectation> {
    const expected = new Map<string, Expectation>();
    for (const [app, { view, needsProcess }] of this.#apps) expected.set(app, expectationOf([view], needsProcess));
    return expected.set(command.app, { ...expectationOf(views, command.needsProcess), isSwitching: true });
  }
}

function viewOf({ state, version, availableVersion }: AppRow): View {
  return [state, version, ...(availableVersion === null ? [] : [`<${availableVersion}`])].join(" ");
}

function expectationOf(views: readonly View[], needsProcess: boolean): Expectation {
  const parts = views.map((view) => view.split(" "));
  return {
    states: parts.map(([state]) => state ?? ""),
    versions: parts.flatMap(([, version]) => version ?? []),
    needsProcess,
  };
}
