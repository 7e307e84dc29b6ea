import { exitCodes } from "../../exit-codes.ts";
import type { Environment, GlobalOptions } from "../../global-options.ts";
import { note, print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { type PlatformPlan, planPlatform } from "../../platform-file/plan.ts";
import { planJson, planMarkdown, planText } from "../../platform-file/plan-text.ts";
import { readPlatform } from "../../platform-file/read-platform.ts";
import { readPlatformFile } from "../../platform-file/read-platform-file.ts";
import { runStep } from "../../platform-file/run-step.ts";
import { type Step, stepLines } from "../../platform-file/step.ts";
import { Late, Unreachable } from "../../refusal.ts";
import { UsageError } from "../../usage-error.ts";
import { ask } from "../login/ask.ts";
import { findReleases } from "./find-releases.ts";

export interface ApplyFlags {
  readonly file: string;
  readonly releases?: string;
  /** `true`: only show the plan. A text: the digest of the plan that was reviewed. */
  readonly plan?: true | string;
  readonly prune: boolean;
  readonly yes: boolean;
  readonly markdown: boolean;
  readonly registrationToken: string | undefined;
}

/** Makes a platform what a file says, or shows the plan. */
export async function applyPlatform(options: GlobalOptions, flags: ApplyFlags, environment: Environment): Promise<void> {
  const plan = await makePlan(options, flags, environment);
  if (flags.plan === true) {
    showPlan(options, plan, flags);
    if (isBlocked(plan)) process.exitCode = blockedCode(plan);
    return;
  }
  if (flags.plan !== undefined && flags.plan !== plan.digest) {
    showPlan(options, plan, flags);
    note("appctl: the plan is another one than the one that was reviewed; nothing was changed");
    process.exitCode = exitCodes.differs;
    return;
  }
  if (isBlocked(plan)) {
    showPlan(options, plan, flags);
    note("appctl: the plan is blocked; nothing was changed");
    process.exitCode = blockedCode(plan);
    return;
  }
  if (plan.steps.length > 0 && !(await isConfirmed(options, plan, flags))) return;
  await runSteps(options, plan.steps, flags, environment);
}

async function makePlan(
  options: GlobalOptions,
  { file: path, releases, prune }: ApplyFlags,
  environment: Environment,
): Promise<PlatformPlan> {
  const file = await readPlatformFile(path);
  const live = await readPlatform(options);
  const find = await findReleases(releases, file);
  return await planPlatform(options, { file, live, find, releases, environment, prune });
}

function isBlocked({ blockers, needsApproval }: PlatformPlan): boolean {
  return blockers.length + needsApproval.length > 0;
}

/** A plan that waits for approvals only needs nothing else. */
function blockedCode({ blockers }: PlatformPlan): number {
  return blockers.length > 0 ? exitCodes.refused : exitCodes.approval;
}

function showPlan(options: GlobalOptions, plan: PlatformPlan, { markdown }: ApplyFlags): void {
  if (options.json) printJson(planJson(plan));
  else print(markdown ? planMarkdown(plan) : planText(plan));
}

/** The digest of the plan confirms it, and `--yes`; else a person does on the terminal. */
async function isConfirmed(options: GlobalOptions, plan: PlatformPlan, flags: ApplyFlags): Promise<boolean> {
  if (flags.plan !== undefined || flags.yes) return true;
  if (options.json || !process.stdin.isTTY)
    throw new UsageError("without a terminal, --plan <digest> or --yes is needed; nothing was changed");
  showPlan(options, plan, flags);
  if (await ask("Do this? [y/N] ")) return true;
  note("appctl: nothing was changed");
  process.exitCode = exitCodes.refused;
  return false;
}

/** Does one step after the other. Stops at the first that fails, and names what was done and what was not. */
async function runSteps(
  options: GlobalOptions,
  steps: readonly Step[],
  { releases, registrationToken }: ApplyFlags,
  environment: Environment,
): Promise<void> {
  let client: ReturnType<typeof connect> | undefined;
  const context = { options, client: () => (client ??= connect(options)), registrationToken, releases, environment };
  for (const [index, step] of steps.entries()) {
    try {
      await runStep(context, step.change);
    } catch (error) {
      reportStop(options, steps, index, error);
      throw error;
    }
    if (!options.json) print(stepLines(step).join("\n"));
  }
  if (options.json) printJson({ done: steps.map(({ change }) => change) });
  else print(steps.length === 0 ? "nothing to do" : `done: ${steps.length} ${steps.length === 1 ? "step" : "steps"}`);
}

function reportStop(options: GlobalOptions, steps: readonly Step[], failed: number, error: unknown): void {
  // Without a response, the step may be done: the second apply reads what is.
  const isUnknown = error instanceof Late || error instanceof Unreachable;
  if (options.json) {
    const changes = steps.map(({ change }) => change);
    const stopped = { [isUnknown ? "unknown" : "failed"]: changes[failed] };
    printJson({ done: changes.slice(0, failed), ...stopped, notDone: changes.slice(failed + 1) });
    return;
  }
  const listed = (title: string, list: readonly Step[]): readonly string[] =>
    list.length === 0 ? [] : [`${title}:`, ...list.flatMap(stepLines).map((line) => `  ${line}`)];
  const lines = [
    ...listed(isUnknown ? "of unknown outcome" : "failed", steps.slice(failed, failed + 1)),
    ...listed("not done", steps.slice(failed + 1)),
  ];
  note([`appctl: ${failed} of ${steps.length} steps are done. A second apply continues`, ...lines].join("\n"));
}
