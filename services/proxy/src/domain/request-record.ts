import { fieldText, jsonMs, jsonText, logJson, type ReasonId, type WithLogJson } from "@appserver/kernel";

export interface RequestFacts {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly requestId: string;
  /** Hex digits. */
  readonly traceId: string;
  readonly method: string;
  /** Route id, never the raw path. Undefined if no route matched. */
  readonly route: string | undefined;
  /** That of the route, as the manifest has it. */
  readonly pattern: string | undefined;
  /** 499 if the client disconnected before its response began. */
  readonly status: number;
  readonly app: string | undefined;
  readonly caller: string;
  readonly durationMs: number;
  readonly upstreamMs: number | undefined;
  /** Why the request was refused or aborted. */
  readonly reasonId: ReasonId | undefined;
}

/** One request, as input for the log line, the metrics and the stored requests. Its texts are bounded in length. */
export class RequestRecord implements RequestFacts, WithLogJson {
  readonly requestId: string;
  readonly traceId: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly pattern: string | undefined;
  readonly status: number;
  readonly app: string | undefined;
  readonly caller: string;
  readonly durationMs: number;
  readonly upstreamMs: number | undefined;
  readonly reasonId: ReasonId | undefined;

  constructor(facts: RequestFacts) {
    this.requestId = facts.requestId;
    this.traceId = facts.traceId;
    this.method = fieldText(facts.method);
    this.route = fieldText(facts.route);
    this.pattern = fieldText(facts.pattern);
    this.status = facts.status;
    this.app = fieldText(facts.app);
    this.caller = fieldText(facts.caller);
    this.durationMs = facts.durationMs;
    this.upstreamMs = facts.upstreamMs;
    this.reasonId = facts.reasonId;
  }

  [logJson](): string {
    // The forms of both ids allow nothing that JSON would escape.
    let json = `"requestId":"${this.requestId}","traceId":"${this.traceId}","method":${jsonText(this.method)}`;
    if (this.route !== undefined) json += `,"route":${jsonText(this.route)}`;
    if (this.pattern !== undefined) json += `,"pattern":${jsonText(this.pattern)}`;
    json += `,"status":${this.status}`;
    if (this.app !== undefined) json += `,"app":${jsonText(this.app)}`;
    json += `,"caller":${jsonText(this.caller)},"durationMs":${jsonMs(this.durationMs)}`;
    if (this.upstreamMs !== undefined) json += `,"upstreamMs":${jsonMs(this.upstreamMs)}`;
    if (this.reasonId !== undefined) json += `,"reasonId":${jsonText(this.reasonId)}`;
    return json;
  }
}
