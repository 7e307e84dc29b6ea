import type { LogLine } from "@appserver/kernel";

/**
 * The messages with which servers read logs from orchestrators (docs/interface/logs.md#messages). They are not events: they are
 * neither stored nor repeated.
 */
export const logsRequested = "logs.requested";

/** Returns the type of the messages for one replica of the server. Only that replica has it among the types of its queue. */
export function logChunkType(replica: string): string {
  return `logs.chunk.${replica}`;
}

/** A server sends it at the start, at least every 10 s, and after it has passed on some chunks. */
export interface LogsRequested {
  /** Id of the stream. */
  readonly stream: string;
  /** Id of the replica that receives the chunks. */
  readonly replica: string;
  readonly appName: string;
  /** Identifies the caller, whose share of the orchestrator's work it is. */
  readonly reader: string;
  readonly tail: number | undefined;
  readonly since: string | undefined;
  readonly follow: boolean;
  /** Only instances whose id begins with it. Undefined: all. */
  readonly instance: string | undefined;
  /** True if the server does not want more. */
  readonly isOver: boolean;
  /** The session that the server received chunks of. Undefined before the first one. */
  readonly session: string | undefined;
  /** Number of the last chunk of the session that the caller has taken. */
  readonly taken: number;
  /** True if the server has passed on all chunks that it received. Chunks that it does not know of are lost. */
  readonly isWaiting: boolean;
  /** The time of the last line of each source, by {@link sourceKey}. Another orchestrator continues after it. */
  readonly after: Readonly<Record<string, string>>;
}

/** The container that printed lines. */
export interface LogSource {
  readonly containerId: string;
  /** Undefined: the container has none any more. */
  readonly instance?: string | undefined;
  readonly container: string;
  readonly generation: number;
}

/** Identifies what printed lines. Its lines are in order, and have no order with those of others. */
export function sourceKey({ containerId, instance }: Pick<LogSource, "containerId" | "instance">): string {
  return instance ?? containerId;
}

export interface LogRefusal {
  readonly code: "RATE_LIMIT_EXCEEDED" | "SERVICE_UNAVAILABLE";
  readonly message: string;
}

/** Lines of one instance of a container. */
export interface LogChunk {
  readonly stream: string;
  /** Id of the orchestrator's work on the stream. Another orchestrator, and a restart, has another one. */
  readonly session: string;
  /** Counts the chunks of the session, from 1. */
  readonly number: number;
  /** The number of lines of the session before this chunk, with those that were left out. */
  readonly before: number;
  readonly source: LogSource | undefined;
  /** True for the first chunk of a container that has started. */
  readonly isStart: boolean;
  readonly lines: readonly LogLine[];
  /** True if nothing follows. */
  readonly isLast: boolean;
  /** Why the orchestrator does not send the log, or not all of it. */
  readonly refusal: LogRefusal | undefined;
}

type Body = Readonly<Record<string, unknown>>;

export function logsRequestedBody(request: LogsRequested): Body {
  return { ...request };
}

/** Returns undefined for a body of another form. */
export function readLogsRequested(body: Body): LogsRequested | undefined {
  const { stream, replica, appName, reader, tail, since, instance, session, taken, after } = body;
  if (typeof stream !== "string" || typeof replica !== "string" || typeof appName !== "string") return undefined;
  return {
    stream,
    replica,
    appName,
    reader: typeof reader === "string" ? reader : "",
    tail: typeof tail === "number" ? tail : undefined,
    since: typeof since === "string" ? since : undefined,
    follow: body["follow"] === true,
    instance: typeof instance === "string" ? instance : undefined,
    isOver: body["isOver"] === true,
    session: typeof session === "string" ? session : undefined,
    taken: typeof taken === "number" ? taken : 0,
    isWaiting: body["isWaiting"] === true,
    after: textsOf(after),
  };
}

/** By their numbers in messages: 1 and 2 as on a terminal. */
const streams = ["unknown", "stdout", "stderr"] as const satisfies readonly LogLine["stream"][];

/** A line as it is sent: time, number of its stream, text, and 1 if it is cut. */
type SentLine = readonly [time: string, stream: number, text: string, isCut?: 1];

export function logChunkBody(chunk: LogChunk): Body {
  const lines = chunk.lines.map(({ time, stream, text, isCut }): SentLine => {
    const number = streams.indexOf(stream);
    return isCut ? [time, number, text, 1] : [time, number, text];
  });
  return { ...chunk, lines };
}

/** Returns undefined for a body of another form. */
export function readLogChunk(body: Body): LogChunk | undefined {
  const { stream, session, number, before, source, lines, refusal } = body;
  if (typeof stream !== "string" || typeof session !== "string" || !Array.isArray(lines)) return undefined;
  if (typeof number !== "number" || typeof before !== "number") return undefined;
  return {
    stream,
    session,
    number,
    before,
    source: sourceOf(source),
    isStart: body["isStart"] === true,
    lines: (lines as readonly SentLine[]).map(([time, number, text, isCut]) => ({
      time,
      stream: streams[number] ?? "unknown",
      text,
      isCut: isCut === 1,
    })),
    isLast: body["isLast"] === true,
    refusal: refusalOf(refusal),
  };
}

function sourceOf(value: unknown): LogSource | undefined {
  const { containerId, container, generation, instance } = (value ?? {}) as Partial<LogSource>;
  if (containerId === undefined || container === undefined || generation === undefined) return undefined;
  return { containerId, container, generation, ...(instance === undefined ? {} : { instance }) };
}

function refusalOf(value: unknown): LogRefusal | undefined {
  const { code, message } = (value ?? {}) as Partial<LogRefusal>;
  if (message === undefined) return undefined;
  return { code: code === "RATE_LIMIT_EXCEEDED" ? code : "SERVICE_UNAVAILABLE", message };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
