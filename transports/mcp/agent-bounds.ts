import { AppError, agentOf, appBoundsOf, type Caller, callOn } from "@appserver/kernel";
import type { AgentCall, Tool } from "./tool.ts";

/**
 * Returns the call as one on the app that the tool acts on. Throws PERMISSION_DENIED if the agent only reads and the tool changes something,
 * or if the person has given it other apps than the one that the call names, if any.
 */
export async function withinBounds(tool: Tool, input: Parameters<Tool["appOf"]>[0], call: AgentCall): Promise<AgentCall> {
  if (!mayHaveEffect(call.caller, tool))
    throw new AppError("PERMISSION_DENIED", `the agent only reads, and ${tool.name} changes something`);
  if (!appBoundsOf(call.caller)) return call;
  const app = await tool.appOf(input);
  if (app !== undefined) return callOn(call, app);
  if (tool.isWithoutApp) return call;
  throw new AppError("PERMISSION_DENIED", `the agent acts on its apps only, and this call of ${tool.name} names none of them`);
}

/** Returns whether the agent of the caller may call tools that do what this one does. */
export function mayHaveEffect(caller: Caller, { effect }: Pick<Tool, "effect">): boolean {
  return effect === "read" || agentOf(caller)?.isReadOnly !== true;
}
