// Loaded with `--import` into a process of the platform. Watches the protocol messages of its database connections, lists every
// commit that writes, and ends the process with SIGKILL at the one that the control file names.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Armed, type CommitPoint, controlFile, folderVariable, listFile, trims } from "./commit-points.ts";
import { isBegin, isCommit, writtenTables } from "./written-tables.ts";

const folder = process.env[folderVariable] ?? "";
// Only the platform is watched, not the processes that it starts. The launcher becomes the platform.
if (!process.argv[1]?.endsWith("bin/appserver.mjs")) delete process.env["NODE_OPTIONS"];

/** The counts of the points of the current run, by what they write. */
const counts = new Map<string, number>();
let run = "";

interface Watched {
  /** As PostgreSQL reports it: idle, in a transaction, or in a failed one. */
  status: "I" | "T" | "E";
  /** Statements that were sent and are not complete yet. */
  readonly sent: string[];
  /** The tables that the open transaction has written. */
  readonly written: Set<string>;
  /** Whether the end of a single statement is held back until its result is known. */
  isHeld: boolean;
  /** The commit that was sent and has no response yet. */
  committing: CommitPoint | undefined;
}

const watched = new WeakMap<pg.Connection, Watched>();
const { query, parse, sync } = pg.Connection.prototype;

pg.Connection.prototype.query = function (this: pg.Connection, text: string): void {
  const state = watch(this);
  if (isCommit(text)) commit(state);
  else if (!isBegin(text)) {
    state.sent.push(text);
    // The result of such a statement is known only after its commit.
    if (state.status === "I" && writtenTables(text).length > 0) commit(state, writtenTables(text));
  }
  query.call(this, text);
};

pg.Connection.prototype.parse = function (this: pg.Connection, statement, more): void {
  watch(this).sent.push(statement.text);
  parse.call(this, statement, more);
};

pg.Connection.prototype.sync = function (this: pg.Connection): void {
  const state = watch(this);
  const isSingle = state.status === "I" && !state.sent.some(isBegin);
  state.isHeld = isSingle && state.sent.some((text) => writtenTables(text).length > 0);
  // A statement without a transaction commits at Sync. Its number of rows is known before, if the server is asked with Flush.
  if (state.isHeld) this.flush();
  else sync.call(this);
};

function watch(connection: pg.Connection): Watched {
  const known = watched.get(connection);
  if (known) return known;
  const state: Watched = { status: "I", sent: [], written: new Set(), isHeld: false, committing: undefined };
  watched.set(connection, state);
  const release = (): void => {
    if (!state.isHeld) return;
    state.isHeld = false;
    sync.call(connection);
  };
  connection.prependListener("commandComplete", ({ text }: { readonly text: string }) => {
    const statement = state.sent.shift() ?? "";
    if (!/ [1-9]\d*$/.test(text) && !/^(CREATE|ALTER|DROP|TRUNCATE)/.test(text)) return release();
    for (const table of writtenTables(statement)) if (!trims.has(table)) state.written.add(table);
    if (state.isHeld && state.sent.length === 0) commit(state);
    release();
  });
  connection.prependListener("errorMessage", release);
  connection.prependListener("readyForQuery", ({ status }: { readonly status: Watched["status"] }) => {
    const point = state.committing;
    state.committing = undefined;
    state.status = status;
    state.sent.length = 0;
    if (status === "I") state.written.clear();
    if (point) endIfArmed(point, "after");
  });
  return state;
}

/** Lists the commit that is about to be sent. */
function commit(state: Watched, tables: Iterable<string> = state.written): void {
  const writes = [...tables].sort().join(", ");
  if (writes === "") return;
  const armed = readArmed();
  if (armed.run !== run) counts.clear();
  run = armed.run;
  const number = (counts.get(writes) ?? 0) + 1;
  counts.set(writes, number);
  const point = { writes, number };
  appendFileSync(join(folder, listFile), `${JSON.stringify({ ...point, run, pid: process.pid })}\n`);
  endIfArmed(point, "before");
  state.committing = point;
}

function endIfArmed({ writes, number }: CommitPoint, moment: Armed["moment"]): void {
  const armed = readArmed();
  if (armed.run !== run || armed.writes !== writes || armed.number !== number || armed.moment !== moment) return;
  process.kill(process.pid, "SIGKILL");
}

function readArmed(): Armed {
  return JSON.parse(readFileSync(join(folder, controlFile), "utf8")) as Armed;
}
