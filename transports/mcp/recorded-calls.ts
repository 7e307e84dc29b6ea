import { errorCatalogue } from "@appserver/contracts/errors";
import { type AppError, actorOf, agentOf, auditEntry, type Clock, isAppError, type Logger, traceIdOf } from "@appserver/kernel";
import type { AuditQueue, RequestLog } from "@appserver/kernel/ports";
import type { AgentTools } from "./agent-tools.ts";
import type { AgentCall, Effect, Values } from "./tool.ts";
import { errorResult, type ToolResult } from "./tool-results.ts";

export interface CallRecords {
  readonly clock: Pick<Clock, "monotonic">;
  readonly logger: Logger;
  /** Gets the calls that leave no entry in the audit log otherwise. */
  readonly audit: AuditQueue;
  /** Returns the name of the app with this name or id. Undefined if there is none. */
  readonly appNameOf: (nameOrId: string) => string | undefined;
  /** Gets each call, for traces. */
  readonly requests?: RequestLog | undefined;
}

interface Outcome {
  readonly effect: Effect | undefined;
  readonly error?: unknown;
}

/** Calls tools, and records each call: among the requests, and in the audit log unless the change that it made is there (ADR 0124). */
export class RecordedCalls {
  readonly #tools: AgentTools;
  readonly #records: CallRecords;

  constructor(tools: AgentTools, records: CallRecords) {
    this.#tools = tools;
    this.#records = records;
  }

  /** Rejects as {@link AgentTools.call}. */
  async call(name: string, input: Values, call: AgentCall): Promise<ToolResult> {
    const { clock } = this.#records;
    const started = clock.monotonic();
    let outcome: Outcome = { effect: undefined };
    try {
      const { result, effect } = await this.#tools.call(name, input, call);
      outcome = { effect };
      return result;
    } catch (error) {
      outcome = { effect: undefined, error };
      throw error;
    } finally {
      const { tool, app: named } = this.#tools.aboutOf(name, input);
      const app = named === undefined ? undefined : this.#records.appNameOf(named);
      this.#addRequest(tool, outcome, clock.monotonic() - started, call);
      if (outcome.effect !== "changed") this.#addEntry(tool, app, outcome, call);
    }
  }

  /**
   * Does the same, but returns the error of a use case as a result: the model can do something else. Logs other errors, and rejects with one whose
   * message is for the client.
   */
  async answer(name: string, input: Values, call: AgentCall): Promise<ToolResult> {
    try {
      return await this.call(name, input, call);
    } catch (error) {
      if (isAppError(error)) return errorResult(error.code, error.message, error.details);
      this.#records.logger.error({ err: error, requestId: call.requestId }, "mcp: a tool failed");
      throw new Error(`the tool failed; the log has the request ${call.requestId}`);
    }
  }

  #addRequest(tool: string, { error }: Outcome, durationMs: number, call: AgentCall): void {
    this.#records.requests?.add({
      requestId: call.requestId,
      traceId: call.traceparent === undefined ? "" : traceIdOf(call.traceparent),
      method: "POST",
      pattern: `/mcp ${tool}`,
      status: error === undefined ? 200 : errorCatalogue[codeOf(error)].http,
      app: undefined,
      caller: actorOf(call.caller),
      client: agentOf(call.caller)?.client,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      upstreamMs: undefined,
      reasonId: undefined,
    });
  }

  /** Without arguments: they may have secrets. An app is one that exists. */
  #addEntry(tool: string, app: string | undefined, { effect, error }: Outcome, call: AgentCall): void {
    const code = error === undefined ? undefined : codeOf(error);
    const details = {
      ...(app === undefined ? {} : { app }),
      ...(code === undefined ? {} : { code }),
      ...(effect === "planned" ? { onlyPlanned: true } : {}),
    };
    const failed = code === "PERMISSION_DENIED" ? "denied" : "failure";
    const outcome = code === undefined ? "success" : failed;
    this.#records.audit.add(auditEntry(call, { action: "agent.call", target: `tool:${tool}`, outcome, details }));
  }
}

function codeOf(error: unknown): AppError["code"] {
  return isAppError(error) ? error.code : "INTERNAL_ERROR";
}
