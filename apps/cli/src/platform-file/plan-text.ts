import { section } from "../commands/plan-differences.ts";
import type { PlatformPlan } from "./plan.ts";
import { type Step, stepLines } from "./step.ts";

/** Formats a plan for a terminal. */
export function planText(plan: PlatformPlan): string {
  const parts = [
    plan.steps.length === 0 ? "nothing to do" : section("steps", plan.steps.flatMap(linesWithDetails)),
    section("blocked by", plan.blockers),
    section("warnings", plan.warnings),
    section("needs approval", plan.needsApproval),
    section("left as it is (--prune takes it)", plan.left.flatMap(stepLines)),
    `digest ${plan.digest}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function linesWithDetails(step: Step): readonly string[] {
  const details = (step.details ?? []).flatMap((text) => text.split("\n"));
  return [...stepLines(step), ...details.map((line) => `    ${line}`)];
}

/** Formats a plan as Markdown, for the comment of a pull request. Texts of apps cannot become Markdown of their own. */
export function planMarkdown(plan: PlatformPlan): string {
  const parts = [
    plan.steps.length === 0 ? "Nothing to do." : fenced("diff", plan.steps.flatMap(linesWithDetails)),
    titled("Blocked by", plan.blockers),
    titled("Warnings", plan.warnings),
    titled("Needs approval", plan.needsApproval),
    titled("Left as it is (`--prune` takes it)", plan.left.flatMap(stepLines)),
    `Digest of the plan: \`${plan.digest}\``,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `**${title}**\n\n${fenced("text", lines)}`;
}

/** The fence is longer than any in the lines. */
function fenced(language: string, lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence].join("\n");
}

/** Returns a plan as JSON. */
export function planJson({ steps, left, blockers, warnings, needsApproval, digest }: PlatformPlan): object {
  const entries = (list: readonly Step[]) => list.map((step) => ({ ...step.change, text: stepLines(step) }));
  return { steps: entries(steps), left: entries(left), blockers, warnings, needsApproval, digest };
}
