import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of {@link controlFile} and {@link listFile}. */
export const folderVariable = "COMMIT_POINTS_FOLDER";
export const controlFile = "control.json";
export const listFile = "commits.jsonl";

/** A commit: what its transaction wrote, and how many such commits the process has done in this run. */
export interface CommitPoint {
  /** `insert marketplace.transitions, update marketplace.apps` */
  readonly writes: string;
  /** From 1. */
  readonly number: number;
}

/** A commit at which the process is killed: before PostgreSQL gets it, or after PostgreSQL has confirmed it. */
export interface KillPoint extends CommitPoint {
  readonly moment: "before" | "after";
}

export interface Armed extends Partial<KillPoint> {
  /** Counts begin again with each run. */
  readonly run: string;
}

/** Writes that repeat by the clock or follow no command: who is alive, who holds which lease, comparisons, and samples of metrics. */
const noise: readonly RegExp[] = [
  /^\w+ platform\.leases$/,
  /^\w+ (marketplace|hooks)\.replicas$/,
  /^\w+ platform\.(metric_samples|usage_samples|app_figures)$/,
  // Requests that have ended, stored once a second.
  /^\w+ platform\.requests$/,
  // When grants were compared last, and the measured sizes of databases.
  /^update marketplace\.grants$/,
  /^\w+ orchestration\.databases$/,
];

/** The heartbeat of the streams, which also frees what dead replicas were sending. */
const heartbeat = "delete hooks.replicas, update hooks.deliveries, update hooks.replicas";

/** Removals of old entries of an app's history. A commit has them only once the history is long, so they do not name it. */
export const trims: ReadonlySet<string> = new Set(["delete marketplace.operations", "delete marketplace.version_changes"]);

/** Lists the commits of one process of the platform, and kills it at one of them. */
export class CommitPoints {
  readonly #folder: string;
  #run = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "commit-points-"));
    writeFileSync(join(this.#folder, listFile), "");
    this.arm();
  }

  /** The variables that a process needs so that its commits are watched. */
  get environment(): Readonly<Record<string, string>> {
    const preload = pathToFileURL(join(import.meta.dirname, "commit-points-preload.ts"));
    return { NODE_OPTIONS: `--import=${preload}`, [folderVariable]: this.#folder };
  }

  /** Begins to count. If a point is given, the process ends there. */
  arm(point?: KillPoint): void {
    this.#run += 1;
    const armed: Armed = { run: String(this.#run), ...point };
    // Renamed into place: the process reads it at any time.
    writeFileSync(join(this.#folder, `${controlFile}.new`), JSON.stringify(armed));
    renameSync(join(this.#folder, `${controlFile}.new`), join(this.#folder, controlFile));
  }

  /** Returns the commits since {@link arm}, in their order, without those that repeat by the clock. */
  listed(): readonly CommitPoint[] {
    const lines = readFileSync(join(this.#folder, listFile), "utf8").split("\n").filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as CommitPoint & Armed)
      .filter(({ run, writes }) => run === String(this.#run) && !isNoise(writes))
      .map(({ writes, number }) => ({ writes, number }));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Incidents, each with its event, and what was looked at for them. They begin and end by the clock. */
const incident = /\b\w+ incidents\./;

function isNoise(writes: string): boolean {
  return (
    writes === heartbeat ||
    incident.test(writes) ||
    writes.split(", ").every((write) => noise.some((pattern) => pattern.test(write)))
  );
}
