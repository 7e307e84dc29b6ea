import { type AppError, type Call, invalidField, type MaybePromise, type RequestContext } from "@appserver/kernel";
import type { ToolResult } from "./tool-results.ts";

/** The arguments of a tool. */
export type Values = Readonly<Record<string, unknown>>;

export interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
}

/** A tool as the protocol describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A call over the Model Context Protocol. */
export interface AgentCall extends Call {
  /** That of the message. */
  readonly context: RequestContext;
  /** Throws or rejects if the caller would not be accepted any more. */
  readonly reauthenticate: () => MaybePromise<void>;
}

/** `destroy`: what it changes cannot be had back. */
export type ToolEffect = "read" | "change" | "destroy";

/** What a call did. A change that leaves no entry in the audit log is `done`. */
export type Effect = "done" | "planned" | "changed";

export interface ToolOutcome {
  readonly result: ToolResult;
  readonly effect: Effect;
}

/** What a change would do, for the person who agrees to it. */
export interface ToolPlan {
  /** A sentence of the platform. */
  readonly about: string;
  /** Undefined: the platform does not know. */
  readonly canBeUndone?: boolean | undefined;
  readonly details?: unknown;
  /** What must not change until the plan is carried out, besides tool, arguments and caller. */
  readonly digest?: string | undefined;
}

/** A verb of the platform, or a route of an app. */
export interface Tool {
  readonly name: string;
  readonly effect: ToolEffect;
  readonly definition: ToolDefinition;
  /** Whether a change leaves an entry of its own in the audit log. */
  readonly isAudited: boolean;
  /** Whether an agent of some apps may call it without one of these. */
  readonly isWithoutApp: boolean;
  /** Returns what the arguments name as an app, by name or id. They need no check. */
  namedApp(input: Values): string | undefined;
  /** Returns the name of the app on which a call acts. Undefined for the platform. */
  appOf(input: Values): MaybePromise<string | undefined>;
  /** Rejects as the operation would, with PERMISSION_DENIED and INVALID_REQUEST among others, if the call cannot be made. */
  admit(input: Values, call: AgentCall): Promise<void>;
  /** Returns the plan of a change that was admitted. Changes nothing. */
  plan(input: Values, call: AgentCall): MaybePromise<ToolPlan>;
  /** Carries out a call that was admitted. `reviewed`: the digest of its plan, which must be that of now. */
  run(input: Values, call: AgentCall, reviewed?: string): Promise<ToolResult>;
}

/** The argument with which a change is confirmed. */
export const confirmArgument = "confirm";

/** As an argument of each tool that changes something. */
export const confirmSchema = {
  type: "string",
  description:
    "The digest of the plan that an earlier call with the same other arguments has returned. Without it nothing is changed",
};

export const howToConfirm =
  "The first call returns a plan with its digest; a second call with the digest as `confirm` carries it out.";

/** Returns INVALID_REQUEST for an argument. */
export function invalidArgument(name: string, message: string): AppError {
  return invalidField(`arguments.${name}`, message);
}
