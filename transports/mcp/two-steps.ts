import { createHash } from "node:crypto";
import { AppError, actorOf } from "@appserver/kernel";
import { isRecord } from "./is-record.ts";
import { type AgentCall, confirmArgument, type Tool, type ToolOutcome, type Values } from "./tool.ts";
import { dataResult } from "./tool-results.ts";

/**
 * Carries out a change if `confirm` is the digest of its plan, and returns the plan otherwise (docs/interface/mcp.md#changes). Rejects with
 * CONFLICT for another digest: the plan, the arguments or the caller are not those of the first call.
 */
export async function inTwoSteps(tool: Tool, input: Values, confirm: unknown, call: AgentCall): Promise<ToolOutcome> {
  const { about, canBeUndone, details, digest: reviewed } = await tool.plan(input, call);
  const digest = digestOf([tool.name, input, actorOf(call.caller), reviewed]);
  if (confirm === digest) return { result: await tool.run(input, call, reviewed), effect: tool.isAudited ? "changed" : "done" };
  if (confirm !== undefined)
    throw new AppError("CONFLICT", "the plan or the arguments have changed: call again without confirm for the plan of now");
  const result = dataResult({
    nothingChangedYet: true,
    // Before the plan, which may be cut.
    [confirmArgument]: digest,
    plan: { tool: tool.name, about, canBeUndone, details },
  });
  return { result, effect: "planned" };
}

/** Equal values give equal digests, in whatever order a client writes their names. */
function digestOf(value: unknown): string {
  const ordered = JSON.stringify(value, (_, each: unknown) => (isRecord(each) ? Object.fromEntries(entriesOf(each)) : each));
  return createHash("sha256").update(ordered).digest("hex").slice(0, 32);
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}
