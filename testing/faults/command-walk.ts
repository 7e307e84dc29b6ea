import { scaled } from "@appserver/testing/kit";
import type { CommitPoint, KillPoint } from "./commit-points.ts";
import type { AppCommand, KilledCommands } from "./killed-commands.ts";

/** Commits that change the record of an app. `npm test` kills at each of them. */
const changesApp = /\bmarketplace\.apps\b/;
/**
 * Commits that a command does not always have: of the event transport, because several events may leave in one; of streams,
 * because an app of a killed server may not connect again before it is stopped; and progress of a pull, because a later pull finds
 * the layers.
 */
const isOccasional = ({ writes }: CommitPoint): boolean =>
  /^(\w+ (broker\.\w+|platform\.(outbox|event_history)|hooks\.streams)(, )?)+$/.test(writes) ||
  writes === "update orchestration.deployments";

/**
 * How often a kill is tried. How many commits follow one that was interrupted depends on what was done by then, so that a
 * commit may be missing once.
 */
const attempts = 3;

const moments: readonly KillPoint["moment"][] = ["before", "after"];

/** Whether every kill is done: `--whole`. */
export const isWhole: boolean = scaled(100) === 100;

export interface WalkOptions {
  /** Which part of the kills this walk does, if several platforms share them. */
  readonly part?: { readonly number: number; readonly of: number };
  /**
   * Whether a round takes long: one kill, of the first command, otherwise; with `--whole` one before each commit, and
   * none of a process that continues a command.
   */
  readonly isSlow?: boolean;
}

/** What a walk needs of {@link KilledCommands}. */
export type WalkedCommands = Pick<KilledCommands, "viewOf" | "undisturbed" | "killedAt">;

/** Does commands one after the other, again and again, until the platform was killed at every chosen commit of each. */
export class CommandWalk {
  readonly #killed: WalkedCommands;
  readonly #options: WalkOptions;
  readonly #report: (line: string) => void;
  /**
   * The kills to do in one round each, by the command's name. Unknown until the command was done once without a kill. A round
   * with two kills has the second one in the process that continues the command.
   */
  readonly #kills = new Map<string, (readonly KillPoint[])[]>();
  /** Kills that were not reached in any of {@link attempts}, except for those that are {@link isOccasional}. */
  readonly missed: string[] = [];
  /** The attempts so far at kills that were not reached. */
  readonly #attempts = new Map<string, number>();
  /** The commits of each command. */
  readonly counts = new Map<string, readonly CommitPoint[]>();

  constructor(killed: WalkedCommands, report: (line: string) => void, options: WalkOptions = {}) {
    this.#killed = killed;
    this.#report = report;
    this.#options = options;
  }

  get isOver(): boolean {
    return [...this.#kills.values()].every((kills) => kills.length === 0);
  }

  /** Does each command that the app's view allows, and repeats it until it has succeeded. */
  async walk(commands: readonly AppCommand[]): Promise<void> {
    let isFirst = true;
    for (const command of commands) {
      // A command without kills left is done too: one before it may need the view that it leads to.
      if (!isFirst && commands.every(({ name }) => this.#kills.get(name)?.length === 0)) return;
      for (; command.from.includes(this.#killed.viewOf(command.app)); isFirst = false) await this.#step(command);
    }
  }

  async #step(command: AppCommand): Promise<void> {
    const kills = this.#kills.get(command.name);
    if (!kills) {
      const commits = await this.#killed.undisturbed(command);
      this.counts.set(command.name, commits);
      const { part: { number, of } = { number: 0, of: 1 }, isSlow = false } = this.#options;
      const all = isSlow && !isWhole && this.#kills.size > 0 ? [] : chosenKills(commits, isSlow);
      const chosen = all.flatMap((kill, index) => (index % of === number ? [[kill]] : []));
      this.#kills.set(command.name, chosen);
      this.#report(`${command.name}: ${commits.length} commits, killed at ${chosen.length}`);
      return;
    }
    const round = kills.shift();
    if (round) await this.#playRound(command, round, kills);
    else await this.#killed.undisturbed(command);
  }

  async #playRound(command: AppCommand, round: readonly KillPoint[], rest: (readonly KillPoint[])[]): Promise<void> {
    const points = round.map(({ moment, number, writes }) => `${moment} commit ${number} of ${writes}`);
    const what = `${command.name}, killed ${points.join(", then ")}`;
    const startedAt = performance.now();
    const { isReached, wasAcknowledged, resumed } = await this.#killed.killedAt(command, round).catch((cause: unknown) => {
      throw new Error(`${what}: ${String(cause)}`, { cause });
    });
    const [kill] = round;
    if (!isReached && !round.some(isOccasional)) this.#repeatOrMiss(what, round, rest);
    const ms = Math.round(performance.now() - startedAt);
    const outcome = isReached ? (wasAcknowledged ? "reached after the response" : "reached") : "not reached";
    this.#report(`${what}: ${outcome}, ${this.#killed.viewOf(command.app)} after ${ms} ms`);
    if (this.#options.isSlow || round.length > 1 || kill?.moment !== "after" || !changesApp.test(kill.writes)) return;
    const again = chosenInResume(resumed);
    this.#report(`${what}: ${resumed.length} commits of the next process, killed at ${again.length}`);
    rest.push(...again.map((next) => [kill, next]));
  }

  #repeatOrMiss(what: string, round: readonly KillPoint[], rest: (readonly KillPoint[])[]): void {
    const attempt = (this.#attempts.get(what) ?? 0) + 1;
    this.#attempts.set(what, attempt);
    if (attempt < attempts) rest.push(round);
    else this.missed.push(what);
  }
}

/**
 * Returns every commit, before and after, with `--whole`. Otherwise a fifth as many kills as commits, spread evenly,
 * but always those at commits that change the record of an app.
 */
function chosenKills(commits: readonly CommitPoint[], isSlow: boolean): readonly KillPoint[] {
  if (isWhole) return killsAt(commits, isSlow ? ["before"] : moments);
  if (isSlow) return middleOf(killsAt(commits.filter((commit) => !isOccasional(commit))));
  const kills = killsAt(commits);
  const always = kills.filter(({ writes }) => changesApp.test(writes));
  const others = kills.filter((kill) => !always.includes(kill));
  const chosen = spread(others, Math.max(1, scaled(commits.length) - always.length));
  return kills.filter((kill) => always.includes(kill) || chosen.includes(kill));
}

/** Returns the moment before every commit with `--whole`. Otherwise one in the middle. */
function chosenInResume(commits: readonly CommitPoint[]): readonly KillPoint[] {
  const kills = killsAt(commits, ["before"]);
  return isWhole ? kills : middleOf(kills);
}

function killsAt(commits: readonly CommitPoint[], at: readonly KillPoint["moment"][] = moments): readonly KillPoint[] {
  return commits.flatMap((commit) => at.map((moment) => ({ ...commit, moment })));
}

function middleOf<T>(items: readonly T[]): readonly T[] {
  return items.filter((_, index) => index === Math.floor(items.length / 2));
}

function spread<T>(items: readonly T[], count: number): readonly T[] {
  return items.filter(
    (_, index) => Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  );
}
